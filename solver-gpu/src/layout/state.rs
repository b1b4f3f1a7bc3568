//! The control words of a search.
//!
//! Kernels write the words. The host reads [`State`] between launches.

use super::Counters;
use core::mem::offset_of;
use cuda_std::array::Array;
use cuda_std::atomic::{SearchU32, SearchU64};

/// Declares a struct of words, without padding, and the names of its words for errors.
macro_rules! words {
    (
        $(#[$attribute:meta])*
        pub struct $Words:ident { $($(#[$doc:meta])* pub $word:ident: $Word:ty,)* }
    ) => {
        $(#[$attribute])*
        #[repr(C)]
        #[derive(Debug, Default)]
        pub struct $Words { $($(#[$doc])* pub $word: $Word,)* }

        const _: () = assert!(size_of::<$Words>() == 0 $(+ size_of::<$Word>())*);

        impl $Words {
            /// The name of each word, and the distance of the word from the beginning of the struct in bytes.
            pub(super) const WORDS: &[(&str, usize)] = &[$((stringify!($word), core::mem::offset_of!($Words, $word)),)*];
        }
    };
}

pub(super) use words;

words! {
/// The control words of one search. The host reads them after each round of kernels and needs nothing else to
/// choose the next kernel.
///
/// Kernels read and write the words with relaxed order. The end of a launch makes all writes visible.
pub struct State {
    // Each group of four is read by one load of 16 bytes, so the groups come first.
    /// The number of literals on the trail, proposals included.
    pub trail_len: SearchU32,
    /// The number of violated nogoods found since the last backjump.
    pub conflicts: SearchU32,
    /// The number of entries of `watch_queue`.
    pub queued: SearchU32,
    /// How far the searcher has come with its lookahead: one of the constants of [`super::looking`].
    pub looking: SearchU32,

    /// The current decision level (`cdl`). Level 1 holds what follows without decisions.
    pub level: SearchU32,
    /// The number of trail entries that are part of the assignment.
    pub committed: SearchU32,
    /// The backtrack level. Enumeration has yet to search the alternatives of the decisions up to this level,
    /// and no backjump after a conflict goes below this level.
    pub backtrack_level: SearchU32,
    /// 1 when the search space is exhausted.
    pub exhausted: SearchU32,

    /// The number of learned nogoods that the search holds now.
    pub learned: SearchU32,
    /// The number of literals of the learned nogoods that the search holds now.
    pub learned_lits: SearchU32,
    /// The largest number of learned nogoods. When there are more, a deletion is due.
    pub learned_limit: SearchU32,
    /// 1 while a learned nogood is missing from a watch list.
    pub unlisted: SearchU32,

    /// The number of learned nogoods, from index 0 on, that a round has looked at since they were learned.
    pub seen: SearchU32,
    /// The number of entries of array `late`.
    pub late: SearchU32,
    /// 1 if the next round has to look at the late nogoods, because literals were undone.
    pub look_late: SearchU32,
    /// 1 when the last decision found no applicable candidate.
    pub no_candidate: SearchU32,

    /// The key of the best candidate of a decision: the rank in the high half, the complement of the mixed
    /// index in the low half. The key 0 stands for no candidate.
    pub best: SearchU64,
    /// What kernels count for statistics.
    pub counts: Counters,
    /// The value of `counts.conflicts` at which the next restart may be due (see [`crate::schedule`]).
    pub next_restart: SearchU64,
    /// The bits of a 64-bit float: the present interval between restarts in conflicts, if intervals grow by a
    /// factor.
    pub interval: SearchU64,
    /// The value of `counts.conflicts` at which the present rephasing interval ends (see
    /// [`crate::kernels::rephase::phase_mode`]).
    pub rephase_at: SearchU64,
    /// The length in conflicts of the rephasing intervals with `FRESH` and `LONGEST` phases in the present
    /// cycle.
    pub rephase_interval: SearchU64,
    /// 1 plus the number of trail entries of which the host knew when the search last asked it, less those
    /// that were undone since. 0 if the search has not asked yet. Of use if [`super::Settings::asks`] is 1.
    pub asked: SearchU64,
    /// How many decisions enumeration has flipped under the present assumptions.
    pub flips: SearchU64,
    /// The number of answer sets that were counted and not kept.
    pub counted: SearchU64,
    /// The value of `counts.conflicts` at which the searcher next imports nogoods.
    pub import_at: SearchU64,
    /// The number of conflicts between two imports.
    pub import_every: SearchU64,
    /// The value of `counts.conflicts` when the searcher took its cube, or last gave one away.
    pub split_at: SearchU64,
    /// The value of `counts.conflicts` at which a searcher near the best answer set takes the next
    /// neighbourhood.
    pub near_at: SearchU64,
    /// How many of 1024 choices of the best answer set a neighbourhood leaves open.
    pub near_open: SearchU64,
    /// The value of `counts.conflicts` when the searcher last deleted nogoods because memory is used up.
    pub short_at: SearchU64,
    /// The score of the lookahead's best candidate so far (see [`crate::swarm::lookahead`]).
    pub look_best: SearchU64,
    /// The measure of the first probe of the candidate whose second probe is under way.
    pub look_first: SearchU64,
    /// The number of nogoods that the searcher has derived: those that it has learned, and the literals of
    /// level 1 that it has offered. The next one has this serial number (see [`super::Origin`]).
    pub serials: SearchU64,
    /// The value of `counts.conflicts` when the searcher took its question (see [`crate::swarm::questions`]).
    pub question_at: SearchU64,

    /// The number of trail entries whose nogoods have been visited. The frontier is `visited .. committed`.
    pub visited: SearchU32,
    /// The level to which the next backjump goes. Learning sets it.
    pub target: SearchU32,
    /// The level whose decision is flipped after the next backjump, or 0 for none.
    pub flip: SearchU32,
    /// 1 when the last stability check found an unfounded set.
    pub unfounded: SearchU32,
    /// The number of trail entries that the last stability check took into account and that were not undone
    /// since. 0 if the next check has to look at all atoms on loops.
    pub checked: SearchU32,
    /// The number of entries of `unfounded_atom`.
    pub unfounded_atoms: SearchU32,
    /// The number of atoms of the last unfounded set, which `queue` has, if the next check may learn another
    /// loop nogood of that set; else 0. Slot 0 then has the nogood that was learned of the set.
    pub set_len: SearchU32,
    /// The number of atoms of that set, from the first of `queue` on, that need no loop nogood any more.
    pub set_at: SearchU32,
    /// The number of trail entries that were committed when the last loop nogood of that set was learned.
    pub set_seen: SearchU32,
    /// The number of literals of the set's nogood in slot 0.
    pub set_lits: SearchU32,
    /// 1 plus the number of trail entries whose difference constraints the bounds satisfy. 0 if the bounds
    /// have to be computed anew.
    pub bounded: SearchU32,
    /// The number of entries of the log of bounds, the first one included.
    pub logged: SearchU32,
    /// The number of entries of `watch_list` that are in use.
    pub watch_end: SearchU32,
    /// The amount by which one bump increases an activity: the bits of a float.
    pub bump: SearchU32,
    /// The average LBD of recently learned nogoods, in 1/4096 of a level (see [`crate::quality`]).
    pub lbd_recent: SearchU32,
    /// The long-term average LBD of learned nogoods, in 1/4096 of a level (see [`crate::quality`]).
    pub lbd_ever: SearchU32,
    /// The stamp of the present use of a scratch array. Marks with an older stamp are void.
    pub stamp: SearchU32,
    /// The number of rows of array `answers` that are filled.
    pub answers: SearchU32,
    /// Why the resident search returned: one of the constants of [`crate::kernels::search::outcome`].
    pub outcome: SearchU32,
    /// The number of rounds after which the resident search returns, whatever it is doing.
    pub rounds_left: SearchU32,
    /// The number of sums in `sum_queue`: sums whose counter or condition changed since they were last looked
    /// at.
    pub touched: SearchU32,
    /// The last level whose decision is on an atom of the projection. The decisions of all higher levels are
    /// on other variables. Valid when the search projects answer sets.
    pub projected: SearchU32,
    /// The largest number of learned nogoods that a deletion keeps besides the nogoods that it must keep.
    pub keep: SearchU32,
    /// The phases that decisions follow: one of the constants of [`crate::kernels::rephase::phase_mode`].
    pub phase_mode: SearchU32,
    /// The number of literals of the assignment in `longest`, or [`NONE`](super::NONE) if no assignment is
    /// recorded.
    pub longest_len: SearchU32,
    /// What the searcher works on: one of the constants of [`super::mode`].
    pub mode: SearchU32,
    /// The root level: the level of the last of the cube's decisions, which no jump undoes while the cube is
    /// searched. 1 without a cube, and 0 as long as the search has not decided on all literals of the cube.
    pub root: SearchU32,
    /// The number of literals of the cube.
    pub cube_len: SearchU32,
    /// The number of literals of the cube that were decided on, or that hold, while `root` is 0.
    pub placed: SearchU32,
    /// The number of literals in `core`: those of the cube that the last refutation needs.
    pub core_len: SearchU32,
    /// The number of searchers that want a cube, or 0 if as many cubes wait.
    pub wanted: SearchU32,
    /// 1 if the searcher's role is to search everything, as was last looked at (see [`super::Swarm::races`]).
    pub races: SearchU32,
    /// 1 if the hub counts the searcher among those that want a cube.
    pub hungers: SearchU32,
    /// The number of literals of level 1 that were offered to other searchers.
    pub units_offered: SearchU32,
    /// The version of the bound that the searcher has adopted.
    pub bound_seen: SearchU32,
    /// 1 if other searchers have lowered the bound.
    pub news: SearchU32,
    /// The number of candidates of the lookahead.
    pub look_len: SearchU32,
    /// The number of the probe that is under way. Each candidate has two probes.
    pub look_at: SearchU32,
    /// 1 plus the number of the best candidate so far, or 0 if none was measured.
    pub look_best_at: SearchU32,
    /// 1 once a conflict has depended on no decision: then there is nothing left to search for anybody.
    pub refuted: SearchU32,
    /// 1 plus the row of the searcher's question, or 0 if it has none.
    pub question: SearchU32,
    /// The number of literals at the beginning of the cube that are the question's.
    pub question_len: SearchU32,
    /// How many further answer sets the question wants; [`NONE`](super::NONE): all.
    pub answers_left: SearchU32,
    /// How many answer sets of the question were told.
    pub answers_found: SearchU32,
}
}

/// Declares, for each group of four adjacent control words, a struct and a method that reads the four words
/// by one load of relaxed order.
macro_rules! together {
    ($(
        $(#[$doc:meta])*
        $method:ident: $Words:ident { $first:ident $second:ident $third:ident $fourth:ident }
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy)]
            pub struct $Words {
                #[doc = concat!("The value of [`State::", stringify!($first), "`] when the group was read.")]
                pub $first: u32,
                #[doc = concat!("The value of [`State::", stringify!($second), "`] when the group was read.")]
                pub $second: u32,
                #[doc = concat!("The value of [`State::", stringify!($third), "`] when the group was read.")]
                pub $third: u32,
                #[doc = concat!("The value of [`State::", stringify!($fourth), "`] when the group was read.")]
                pub $fourth: u32,
            }
        )*

        impl State {
            $(
                $(#[$doc])*
                #[cuda_std::inlined]
                #[track_caller]
                pub fn $method(&self) -> $Words {
                    const FIRST: usize = offset_of!(State, $first);
                    const { assert!(FIRST + 4 == offset_of!(State, $second)) };
                    const { assert!(FIRST + 8 == offset_of!(State, $third)) };
                    const { assert!(FIRST + 12 == offset_of!(State, $fourth)) };
                    let [$first, $second, $third, $fourth] = self.four_words::<FIRST>();
                    $Words { $first, $second, $third, $fourth }
                }
            )*
        }
    };
}

impl State {
    /// The name of each word, and the distance of the word from the beginning of the struct in bytes.
    pub const NAMES: &[(&str, usize)] = &Self::names();

    /// [`State::NAMES`]: the names of the words, and in place of `counts` those of the counters.
    const fn names() -> [(&'static str, usize); Self::WORDS.len() + Counters::NAMES.len() - 1] {
        let mut names = [("", 0); Self::WORDS.len() + Counters::NAMES.len() - 1];
        let (mut word, mut to) = (0, 0);
        while word < Self::WORDS.len() {
            names[to] = Self::WORDS[word];
            if names[to].1 == offset_of!(State, counts) {
                let mut counter = 0;
                while counter < Counters::NAMES.len() {
                    let (name, at) = Counters::NAMES[counter];
                    names[to + counter] = (name, offset_of!(State, counts) + at);
                    counter += 1;
                }
                to += Counters::NAMES.len() - 1;
            }
            (word, to) = (word + 1, to + 1);
        }
        names
    }

    /// Reads the four words from byte `FIRST` of the struct on, by one load.
    #[cuda_std::inlined]
    #[track_caller]
    fn four_words<const FIRST: usize>(&self) -> [u32; 4] {
        const { assert!(FIRST.is_multiple_of(16) && FIRST + 16 <= size_of::<State>()) };
        // SAFETY: the assertion above says that the four words lie within `self` and are aligned to 16 bytes.
        let words: Array<u32> =
            unsafe { Array::from_raw((self as *const State).cast_mut().cast::<u32>().add(FIRST / 4), 4) };
        words.four_here(0)
    }
}

together! {
    /// The control words that the search reads between two rounds, by one load.
    between_rounds: Between { trail_len conflicts queued looking }
    /// The control words that say how deep the search is, by one load.
    depth: Depth { level committed backtrack_level exhausted }
    /// The control words that say how much the search has learned, by one load.
    stored: Stored { learned learned_lits learned_limit unlisted }
    /// The control words about learned nogoods outside the frontier and about candidates, by one load.
    ///
    /// The words say which learned nogoods a round looks at besides those of the frontier, and whether the
    /// last decision found a candidate.
    beside: Beside { seen late look_late no_candidate }
}

impl TraceWords {
    /// The name of each word, and the distance of the word from the beginning of the struct in bytes.
    pub const NAMES: &[(&str, usize)] = Self::WORDS;
}

words! {
/// The words that say how far the trace of a search is (see [`crate::trace`]). They lie in global memory,
/// where the host reads and writes them between launches.
pub struct TraceWords {
    /// The number of words that were ever written to `trace_ring`, modulo 2^32.
    pub end: SearchU32,
    /// The number of words that the host has read, modulo 2^32. Only the host writes this word.
    pub begin: SearchU32,
    /// The number of literals of the trail that are in the trace.
    pub noted: SearchU32,
    /// The number of violated nogoods of the present conflict that are in the trace.
    pub conflicts: SearchU32,
    /// 1 if something is still to be written, or there is no room for what the next step writes.
    pub behind: SearchU32,
    /// 1 from a deletion of learned nogoods until the host has read `renamed`.
    pub renamed: SearchU32,
    /// 1 from a change of the goal in a swarm until the host has read the goal.
    pub tightened: SearchU32,
}
}

/// Adds `more` to `count`, which no other thread may change at the same time. Called by one thread.
///
/// The function is a load and a store; an atomic addition of 64 bits would be a loop in shared memory.
#[cuda_std::inlined]
#[track_caller]
pub fn count_up(count: &SearchU64, more: u64) {
    count.store(count.now() + more);
}

// SAFETY: the struct consists of integers, of which zeros are a value.
unsafe impl bytemuck::Zeroable for State {}
// SAFETY: the struct consists of integers, of which zeros are a value.
unsafe impl bytemuck::Zeroable for TraceWords {}
