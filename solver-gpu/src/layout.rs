//! What host and device share: the state of one search, and where everything it owns lies.

use crate::atomics::Atomics;
use crate::block::from_lane;
use crate::conflict::Learned;
use crate::schedule::Restarts;
use crate::sums::{held_before, needed, needed_by_warp};
use crate::{Array, Lit};
use core::array::from_fn;
use core::mem::offset_of;
use core::ops::Deref;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// No reason: the variable is unassigned.
pub const UNCLAIMED: u32 = u32::MAX;
/// Reason of a decision literal.
pub const DECISION: u32 = (1 << 31) - 2;
/// Reason of a literal that follows from all decisions at and below its level: what CompleteAssignment assigns, and the
/// flipped decision after an answer set.
pub const ALL_DECISIONS: u32 = (1 << 31) - 3;
/// Nogood ids are below this.
pub const MAX_NOGOODS: u32 = 1 << 30;
/// The id of sum nogood `s` is this plus `s`; there are fewer than 2^29.
pub const SUMS: u32 = MAX_NOGOODS;
/// Sum nogoods are fewer than this.
pub const MAX_SUMS: u32 = 1 << 29;
/// No level, component or rule.
pub const NONE: u32 = u32::MAX;

/// Conflicts that one propagation reports at most; more are counted, not kept.
pub const MAX_CONFLICTS: u32 = 64;

/// The control words of one search. The host reads them after each round of kernels; nothing else crosses.
///
/// Plain words behind atomics: kernels read and write them with relaxed order, and the end of a launch orders them.
#[repr(C)]
#[derive(Debug, Default)]
pub struct State {
    /// The best candidate of a decision: rank in the high half, complement of the mixed index in the low; 0 is none.
    pub best: AtomicU64,
    /// Literals made part of the assignment, decisions included.
    pub propagations: AtomicU64,
    /// Decisions taken.
    pub decisions: AtomicU64,
    /// Times CompleteAssignment had something to do.
    pub completions: AtomicU64,
    /// Violated nogoods that were found.
    pub violations: AtomicU64,
    /// Nogoods learned, and their literals.
    pub learned_total: AtomicU64,
    /// Literals of all nogoods learned.
    pub learned_total_lits: AtomicU64,
    /// Rounds of propagation that had something to commit.
    pub rounds: AtomicU64,
    /// Visits of nogoods, one a literal of the frontier and nogood of its rows.
    pub visits: AtomicU64,
    /// Conflicts that were learned from, several at once counted as one.
    pub conflict_steps: AtomicU64,
    /// Stability checks.
    pub stability_checks: AtomicU64,
    /// Those that found an unfounded set.
    pub unfounded_sets: AtomicU64,
    /// Restarts.
    pub restarts: AtomicU64,
    /// The number of conflicts at which the next one may be due (see [`crate::schedule`]),
    pub next_restart: AtomicU64,
    /// and the interval before that, where it grows by a factor: the bits of a float.
    pub interval: AtomicU64,
    /// The number of conflicts at which the turn of phases is over (see [`crate::schedule::turn`]),
    pub turn_end: AtomicU64,
    /// and how long those of this time round are.
    pub turn_len: AtomicU64,
    /// Learned nogoods deleted.
    pub deleted: AtomicU64,

    // Four and four these are read together.
    /// Literals on the trail, proposals included.
    pub trail_len: AtomicU32,
    /// Violated nogoods found since the last backjump.
    pub conflicts: AtomicU32,
    /// Entries of `watch_queue`.
    pub queued: AtomicU32,
    /// 1: there is more to visit in this round than its block should by itself (see [`crate::kernels::search`]).
    pub wide: AtomicU32,

    /// Current decision level (`cdl`); 1 holds what follows without decisions.
    pub level: AtomicU32,
    /// Trail entries that are part of the assignment.
    pub committed: AtomicU32,
    /// Enumeration: everything below this level's alternatives is yet to be searched, everything beside it is done.
    pub backtrack_level: AtomicU32,
    /// 1 when the search space is exhausted.
    pub exhausted: AtomicU32,

    /// Learned nogoods held now.
    pub learned: AtomicU32,
    /// Their literals.
    pub learned_lits: AtomicU32,
    /// At how many learned nogoods in all a deletion is due.
    pub learned_limit: AtomicU32,
    /// 1 while a learned nogood stands in no list of watches.
    pub unlisted: AtomicU32,

    /// Learned nogoods below this were looked at since they were learned.
    pub seen: AtomicU32,
    /// Entries of `late`.
    pub late: AtomicU32,
    /// 1 if those have to be looked at: something was undone.
    pub look_late: AtomicU32,
    /// 1 when the last decision found no applicable rule.
    pub no_candidate: AtomicU32,

    /// Trail entries whose nogoods have been visited: the frontier is `visited .. committed`.
    pub visited: AtomicU32,
    /// Level to jump to, set by learning.
    pub target: AtomicU32,
    /// Level whose decision is flipped after the jump; 0: none.
    pub flip: AtomicU32,
    /// 1 when the last stability check found an unfounded set.
    pub unfounded: AtomicU32,
    /// How much of `watch_list` is used.
    pub watch_end: AtomicU32,
    /// What one bump adds to an activity.
    pub bump: AtomicU32,
    /// Levels of a learned nogood on average, in 1/4096, of those of late
    pub lbd_recent: AtomicU32,
    /// and of many more (see [`crate::quality`]).
    pub lbd_ever: AtomicU32,
    /// Makes marks of one use of a scratch array differ from those of the next.
    pub stamp: AtomicU32,
    /// Levels of the deepest decision ever taken.
    pub deepest: AtomicU32,
    /// Rows of `answers` that are filled.
    pub answers: AtomicU32,
    /// Why the resident search returned: see [`crate::kernels::search::outcome`].
    pub outcome: AtomicU32,
    /// Rounds after which the resident search returns, whatever it is doing.
    pub budget: AtomicU32,
    /// Sums in `sum_queue`: something that they say may have changed since they were last looked at.
    pub touched: AtomicU32,
    /// When projecting: decisions up to this level are on atoms that count, all others on atoms that do not.
    pub projected: AtomicU32,
    /// Learned nogoods that a deletion keeps at most, beside those it must.
    pub keep: AtomicU32,
    /// One of [`crate::schedule::turn`].
    pub turn: AtomicU32,
    /// How many literals `longest` had, all at once; [`NONE`] if it is not looked for.
    pub longest_len: AtomicU32,
}

/// Control words that are read together: a struct, and the method that reads it, by one load of relaxed order.
macro_rules! together {
    ($($(#[$doc:meta])* $method:ident: $Words:ident { $first:ident $second:ident $third:ident $fourth:ident })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy)]
            pub struct $Words {
                /// As in [`State`],
                pub $first: u32,
                /// each
                pub $second: u32,
                /// of
                pub $third: u32,
                /// them.
                pub $fourth: u32,
            }
        )*

        impl State {
            $(
                $(#[$doc])*
                #[inline(always)]
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
    /// The words from byte `FIRST` on.
    #[inline(always)]
    fn four_words<const FIRST: usize>(&self) -> [u32; 4] {
        const { assert!(FIRST.is_multiple_of(16) && FIRST + 16 <= size_of::<State>()) };
        // SAFETY: within `self`, by what is asserted.
        let words: Array<u32> =
            unsafe { Array::from_raw((self as *const State).cast_mut().cast::<u32>().add(FIRST / 4), 4) };
        words.four_here(0)
    }
}

together! {
    /// What the control words say between two rounds.
    between_rounds: Between { trail_len conflicts queued wide }
    /// Where the search is.
    place: SearchPlace { level committed backtrack_level exhausted }
    /// How much is learned.
    stored: Stored { learned learned_lits learned_limit unlisted }
    /// What there is to look at beside the frontier, and whether anything may be decided.
    beside: Beside { seen late look_late no_candidate }
}

/// Words by which the blocks of a grid find each other. They stay where they are, wherever the control words go.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Team {
    /// Blocks of the running kernel that are done (see `block::is_last_block`).
    pub blocks_done: AtomicU32,
    /// How often the first block has called the others (see [`crate::team`]),
    pub calls: AtomicU32,
    /// what for,
    pub task: AtomicU32,
    /// and how many are done with that.
    pub arrived: AtomicU32,
}

/// Adds to a count that no other thread changes meanwhile: a load and a store, where an atomic addition of 64 bits would be a loop.
#[inline(always)]
pub fn count_up(count: &AtomicU64, more: u64) {
    count.store(count.now() + more, Relaxed);
}

/// Where everything lies that one search reads, and what it owns. Copied by value into each kernel.
///
/// `V` variables of which `P` are program atoms, `N` input nogoods, `C` candidates, `R` rules in positive loops, `K` conflict
/// slots. Lengths in elements.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Search {
    /// `V`: the variables `0 .. vars`.
    pub vars: u32,
    /// `P`: variables below this are program atoms.
    pub atom_vars: u32,
    /// `N`: input nogoods; learned ones have ids from here.
    pub nogoods: u32,
    /// Input nogoods `0 .. units` have one literal,
    pub units: u32,
    /// `units .. binary_end` two,
    pub binary_end: u32,
    /// `binary_end .. ternary_end` three, the rest more.
    pub ternary_end: u32,
    /// `C`: rules that Decision may choose.
    pub candidates: u32,
    /// `R`: rules that can take part in a positive loop; 0 if the program is tight.
    pub loop_rules: u32,
    /// Variables in non-trivial components.
    pub loop_atoms: u32,
    /// Words of a row of `deps`.
    pub deps_words: u32,
    /// `K`: conflicts to learn from in one step.
    pub slots: u32,
    /// Mixed into the order of equally ranked candidates.
    pub seed: u32,
    /// 1: keep dependency bitmaps (forward learning).
    pub track_deps: u32,
    /// 1: learn by resolution; beside forward learning the slots go to the two in turn.
    pub resolves: u32,
    /// 1: activities are bumped by learning.
    pub track_activity: u32,
    /// An argument of the launch; each kernel's page says what it means there.
    pub argument: u32,

    /// 1: unfounded sets are looked for at every fixpoint; 0: for total assignments. For the resident search.
    pub check_fixpoints: u32,
    /// Answer sets to put into `answers` before it returns; 0: it returns with each, in `value`.
    pub answers_wanted: u32,
    /// Conflicts by which turns of phases grow (see [`crate::schedule::turn`]); 0: phases are as they were saved.
    pub turn_base: u32,
    /// How restarts follow each other: see [`crate::schedule`].
    pub restarts: Restarts,
    /// One word, which the host may set to have it return.
    pub stop: Array<u32>,
    /// How many bytes of what it owns the resident search keeps in its block's shared memory (see [`crate::near`]).
    pub near: u32,
    /// Visits that it makes in a round without calling the grid's other blocks, if there are any.
    pub visits_alone: u32,
    /// 1: what runs is for this block alone, however many the grid has; all kernels but that are launched with 0.
    pub by_itself: u32,
    /// Where its shared memory begins, then,
    pub memory: u32,
    /// and where the calling warp's room is (see [`crate::block::places`]).
    pub room: u32,

    /// `N + 1`: input nogood `i` is `lits[start[i] .. start[i + 1]]`.
    pub start: Array<u32>,
    /// The literals of the input nogoods.
    pub lits: Array<Lit>,
    /// For each of the classes binary, ternary, long: `2V + 1` row boundaries, one row a literal, with what a visit needs of each
    /// input nogood of that class that contains the literal:
    pub occurs_start: [Array<u32>; 3],
    /// the id (high half) and the other literal (low half) of a binary one,
    pub occurs_binary: Array<u64>,
    /// the two other literals of a ternary one,
    pub occurs_ternary: Array<u64>,
    /// and its id,
    pub occurs_ternary_id: Array<u32>,
    /// the id of a long one.
    pub occurs_long: Array<u32>,

    /// `S`: sum nogoods (see [`crate::sums`]),
    pub sums: u32,
    /// with so many items in all.
    pub sum_items: u32,
    /// The sum that says what the search is after, or [`NONE`]: an objective's bound, or consequences yet unknown.
    pub goal: u32,
    /// 1: answer sets that differ only in atoms that are no `projected` candidates are the same.
    pub project: u32,
    /// Candidates before this one are chosen before all others: the atoms that count when projecting.
    pub first_candidates: u32,
    /// So many candidates behind the first ones are atoms that heuristic directives are about; 0 if those are ignored.
    pub advised: u32,
    /// `S`: the condition, or [`Lit::TRUE`].
    pub sum_condition: Array<Lit>,
    /// `S + 1`: the items of sum `s` are `sum_start[s] .. sum_start[s + 1]`.
    pub sum_start: Array<u32>,
    /// An item's literal,
    pub sum_lit: Array<Lit>,
    /// the counter it adds to,
    pub sum_counter: Array<u32>,
    /// and its sum.
    pub sum_of: Array<u32>,
    /// `S + 1`: the counters of sum `s` are `sum_counters[s] .. sum_counters[s + 1]`.
    pub sum_counters: Array<u32>,
    /// `2V + 1` row boundaries,
    pub sum_occurs_start: Array<u32>,
    /// and rows: items of the literal, and as `sum_items + s` the sums whose condition it is.
    pub sum_occurs: Array<u32>,

    /// `C`: head, positive part and body of each candidate (see `Candidate` on the host).
    pub candidate_head: Array<u32>,
    /// `T t_r`, or [`Lit::TRUE`].
    pub candidate_positive: Array<Lit>,
    /// `T b_r`.
    pub candidate_body: Array<Lit>,
    /// Then `V`: the candidate that each variable is, or [`NONE`].
    pub candidate_of: Array<u32>,
    /// `advised + 1`: the directives of each such candidate are `directive_start[i] .. directive_start[i + 1]`.
    pub directive_start: Array<u32>,
    /// See [`crate::advice::kind`].
    pub directive_kind: Array<u32>,
    /// By how much.
    pub directive_bias: Array<i32>,
    /// Which one counts.
    pub directive_priority: Array<u32>,
    /// While it is in force: a literal, or [`Lit::TRUE`].
    pub directive_condition: Array<Lit>,
    /// `V`: 1 plus the sign that a decision on this variable always takes, or 0. Empty if all are 0.
    pub preferred: Array<u32>,

    /// `loop_atoms`: the variables in non-trivial components.
    pub loop_atom: Array<u32>,
    /// `P`: component of each program atom, [`NONE`] outside.
    pub component: Array<u32>,
    /// `R`: head of each rule.
    pub loop_head: Array<u32>,
    /// `R`: `T b_r`, or [`Lit::TRUE`].
    pub loop_body: Array<Lit>,
    /// `R + 1` row boundaries,
    pub loop_positive_start: Array<u32>,
    /// and rows: positive body atoms in the head's own component.
    pub loop_positive: Array<u32>,
    /// `P + 1` row boundaries,
    pub loop_occurs_start: Array<u32>,
    /// and rows: the rules in whose `loop_positive` row the atom stands.
    pub loop_occurs: Array<u32>,
    /// `P + 1` row boundaries,
    pub loop_rules_start: Array<u32>,
    /// and rows: the rules of which the atom is the head.
    pub loop_rules_of: Array<u32>,
    /// Sums whose atoms are on loops,
    pub loop_sums: u32,
    /// and their items in all.
    pub loop_items: u32,
    /// The variable of each such sum's atom,
    pub loop_sum_atom: Array<u32>,
    /// its bound,
    pub loop_sum_bound: Array<i64>,
    /// and, one more than sums, where its items begin.
    pub loop_sum_start: Array<u32>,
    /// Its items before this one need a foundation.
    pub loop_sum_inner: Array<u32>,
    /// An item's literal,
    pub loop_item_lit: Array<Lit>,
    /// its weight,
    pub loop_item_weight: Array<i64>,
    /// and its sum.
    pub loop_item_sum: Array<u32>,
    /// `P + 1` row boundaries,
    pub loop_item_occurs_start: Array<u32>,
    /// and rows: the items that need the atom's foundation.
    pub loop_item_occurs: Array<u32>,

    /// What the search owns.
    pub own: Own,
    /// The bitmaps before they were widened, in the block before, while `widen_deps` runs.
    pub narrow_deps: Array<u32>,
}

impl Deref for Search {
    type Target = Own;
    #[inline(always)]
    fn deref(&self) -> &Own {
        &self.own
    }
}

/// A struct of arrays, and a way to go through them.
macro_rules! arrays {
    ($(#[$attribute:meta])* pub struct $Arrays:ident { $($(#[$doc:meta])* pub $name:ident: Array<$T:ty>,)* }) => {
        $(#[$attribute])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $Arrays { $($(#[$doc])* pub $name: Array<$T>,)* }

        impl $Arrays {
            /// Calls `visit` with the address of each array and its size in bytes.
            pub fn each(&self, mut visit: impl FnMut(u64, usize)) {
                $(visit(self.$name.address(), self.$name.len() * size_of::<$T>());)*
            }

            /// Moves each array to where `to` says, given its address and its size in bytes.
            ///
            /// # Safety
            /// As [`Array::from_raw`], for each array that is used afterwards.
            pub unsafe fn place(&mut self, mut to: impl FnMut(u64, usize) -> u64) {
                $({
                    let (array, bytes) = (self.$name, self.$name.len() * size_of::<$T>());
                    // SAFETY: the caller's contract.
                    self.$name = unsafe { Array::from_raw(to(array.address(), bytes) as *mut $T, array.len()) };
                })*
            }
        }
    };
}

arrays! {
/// What one search owns: all that kernels write, in one block of memory. What is waited for most comes first (see [`crate::near`]). A search
/// that is to go on elsewhere, or twice, needs its block copied and its arrays moved by as much ([`Own::moved`]); the program's arrays are
/// for all to read.
pub struct Own {
    /// One element, at the block's beginning.
    pub state: Array<State>,
    /// `V`: the assignment `A`: 0 unassigned, `+level` true, `-level` false.
    pub value: Array<i32>,
    /// `V`: the claim: nogood id (or [`DECISION`], [`ALL_DECISIONS`]) times two plus the sign of the literal assigned.
    pub reason: Array<u32>,
    /// `V`: literals in the order assigned.
    pub trail: Array<Lit>,
    /// `V`: where the variable stands on the trail.
    pub position: Array<u32>,
    /// `V`: of the literal at each place of the trail, where on the trail those begin that were committed together with it. None of these
    /// is of another's reason.
    pub round: Array<u32>,
    /// `2V`: so many learned nogoods watch a literal;
    pub watch_len: Array<u32>,
    /// they stand in `watch_list` from here on,
    pub watch_at: Array<u32>,
    /// where there is room for so many.
    pub watch_room: Array<u32>,
    /// `V + 2`: length of the trail when the level was opened.
    pub trail_at: Array<u32>,
    /// `V + 2`: decision literal of each level.
    pub decision_at: Array<Lit>,
    /// `V`: how much a decision on this variable is worth; initial scores from the host, bumped if `track_activity`.
    pub rank: Array<u32>,
    /// `V`: 1 plus the sign that the variable had when it was last undone; 0: it never was.
    pub phase: Array<u32>,
    /// `P`: 1 if the atom was founded when the stability check last looked at it, else 0 between checks.
    pub founded: Array<u32>,
    /// `P`: then the rule that founds it.
    pub source: Array<u32>,
    /// [`MAX_CONFLICTS`]: ids of violated nogoods.
    pub conflict: Array<u32>,
    /// `K`: what was learned from each conflict; the nogoods are in `slot_lits`.
    pub slot: Array<Learned>,
    /// `loop_atoms`: founded atoms in the order found, then those of an unfounded set. Scratch.
    pub queue: Array<u32>,
    /// `loop_atoms`: atoms that may have lost their foundation. Scratch.
    pub lost: Array<u32>,
    /// `R`: positive body atoms yet to be founded. Scratch of the stability check.
    pub missing: Array<u32>,

    /// `K` rows of `V`: the nogood learned from each conflict, second highest and highest literal last.
    pub slot_lits: Array<Lit>,

    /// `V`: 1 plus the sign that the variable had in the longest assignment of this turn of phases before a decision that led to a conflict;
    /// 0: none. Decisions go by it first. Empty if there are no turns.
    pub longest: Array<u32>,

    /// One element.
    pub team: Array<Team>,
    /// `V`: what `phase` was when it was last forgotten. Empty if there are no turns.
    pub kept_phase: Array<u32>,
    /// `V` rows of `deps_words` words: bit `i` is set if the assignment depends on the decision of level `i + 2`. A row
    /// is valid up to the words of the variable's own level.
    pub deps: Array<u32>,

    /// `K` rows of `deps_words` words: the decisions that the conflict depends on (forward learning), the levels of the
    /// learned literals (resolution).
    pub slot_deps: Array<u32>,
    /// `K` rows of `V` stamps: seen in this step.
    pub mark: Array<u32>,

    /// Learned nogood `i` is `learned_lit[learned_start[i] ..][.. learned_len[i]]`.
    pub learned_start: Array<u32>,
    /// Lengths.
    pub learned_len: Array<u32>,
    /// Distinct decision levels when learned (literal block distance).
    pub learned_lbd: Array<u32>,
    /// How often it took part in learning; halved when some are deleted.
    pub learned_activity: Array<u32>,
    /// Watched literals, two in one word; the same twice for a unit.
    pub learned_watch: Array<u64>,
    /// Where in a learned nogood to look for a literal to watch. Any number will do.
    pub learned_from: Array<u32>,
    /// The learned nogoods that watch each literal, by their index from 0, each with another literal (see [`crate::watches`]).
    pub watch_list: Array<u64>,
    /// What found no room in its list: a literal in the high half, an index in the low.
    pub watch_queue: Array<u64>,
    /// Learned nogoods that may be unit without a watched literal being assigned.
    pub late: Array<u32>,
    /// Literals of the learned nogoods.
    pub learned_lit: Array<Lit>,
    /// Scratch of `reduce_learned`, as long as `learned_lit`.
    pub spare_lit: Array<Lit>,
    /// New id of each learned nogood that is kept. Scratch of `reduce_learned`.
    pub renamed: Array<u32>,

    /// Watched literals of input nogood `ternary_end + i`: two literals in one word.
    pub watch: Array<u64>,

    /// The weight of each item of a sum (heaviest first in a counter; 0: taken out).
    pub sum_weight: Array<i64>,
    /// The weight of the items that hold, of each counter. Committed literals are counted, no others.
    pub sum_held: Array<i64>,
    /// What it may be at most.
    pub sum_most: Array<i64>,
    /// `S`: 1 if the sum is in the queue,
    pub sum_touched: Array<u32>,
    /// `S`: the sums to look at.
    pub sum_queue: Array<u32>,

    /// Where a variable is one candidate at most, applicable while it is open, and ranks change by bumps alone: the key of the best
    /// applicable candidate of each chunk (see [`crate::kernels::decide`]), or a higher key. Empty where all candidates are looked at.
    pub chunk_best: Array<u64>,

    /// What a sum on a loop still misses. Scratch.
    pub loop_sum_missing: Array<i64>,
    /// `answers_wanted` rows of a bit for each program atom: 1 if it is true.
    pub answers: Array<u32>,
}
}

/// Arrays in a block begin at multiples of this: a memory sector's size, and more than any type needs.
pub const ALIGNMENT: usize = 256;

impl Own {
    /// Where the block begins.
    #[inline(always)]
    pub fn base(&self) -> u64 {
        self.state.address()
    }

    /// How long a block is that has room for all arrays, in bytes.
    pub fn bytes(&self) -> usize {
        let mut bytes = 0;
        self.each(|_, size| bytes += size.next_multiple_of(ALIGNMENT));
        bytes
    }

    /// The arrays one behind the other from `base` on.
    ///
    /// # Safety
    /// As [`Array::from_raw`], of a block of [`Own::bytes`] at `base`.
    pub unsafe fn laid_out(mut self, base: u64) -> Own {
        let mut at = base;
        // SAFETY: the caller's contract.
        unsafe {
            self.place(|_, size| {
                let here = at;
                at += size.next_multiple_of(ALIGNMENT) as u64;
                here
            });
        }
        self
    }

    /// The arrays of a search in a block like this one at `base`.
    ///
    /// # Safety
    /// As [`Array::from_raw`]: the block at `base` must be laid out as this one.
    #[inline(always)]
    pub unsafe fn moved(mut self, base: u64) -> Own {
        let by = base.wrapping_sub(self.base());
        // SAFETY: the caller's contract.
        unsafe { self.place(|address, _| address.wrapping_add(by)) };
        self
    }
}

impl Search {
    /// The control words.
    #[inline(always)]
    pub fn state(&self) -> &State {
        self.state.get(0u32)
    }

    /// Where the blocks of a grid find each other.
    #[inline(always)]
    pub fn team(&self) -> &Team {
        self.team.get(0u32)
    }

    /// Current decision level.
    #[inline(always)]
    pub fn level(&self) -> u32 {
        self.state().level.now()
    }

    /// Whether `id`, a nogood's or a sum's, is a sum's. (Where there are none the compiler may know that.)
    #[inline(always)]
    pub fn is_sum(&self, id: u32) -> bool {
        self.sums > 0 && id >= SUMS
    }

    /// Why nogood or sum `id` proposed `of`, or if that is [`Lit::TRUE`], why it is violated: what a sum needs of the literals on the
    /// trail before place `before`; all that a nogood has.
    #[inline(always)]
    pub fn explanation(&self, id: u32, before: u32, of: Lit) -> Explanation {
        if !self.is_sum(id) {
            return self.nogood(id).into();
        }
        self.of_sum(id - SUMS, needed(self, id - SUMS, before, of), before)
    }

    /// The same, called by all lanes of a warp.
    #[inline(always)]
    pub fn explanation_by_warp(&self, id: u32, before: u32, of: Lit) -> Explanation {
        if !self.is_sum(id) {
            return self.nogood(id).into();
        }
        self.of_sum(id - SUMS, needed_by_warp(self, id - SUMS, before, of), before)
    }

    #[inline(always)]
    fn of_sum(&self, sum: u32, items: u32, before: u32) -> Explanation {
        let nogood = Nogood { lits: self.sum_lit, from: self.sum_start.read(sum), len: items };
        Explanation { nogood, len: items + 1, before, condition: self.sum_condition.read(sum) }
    }

    /// How many literals nogood `id` has; a sum has its items and a condition.
    #[inline(always)]
    pub fn length(&self, id: u32) -> u32 {
        if !self.is_sum(id) {
            return self.nogood(id).len;
        }
        let sum = id - SUMS;
        self.sum_start.read(sum + 1) - self.sum_start.read(sum) + 1
    }

    /// The literals of nogood `id`, input or learned.
    #[inline(always)]
    pub fn nogood(&self, id: u32) -> Nogood {
        if id >= self.nogoods {
            return self.learned_nogood(id - self.nogoods);
        }
        let from = self.start.read(id);
        self.nogood_at(id, (from, self.start.read(id + 1) - from))
    }

    /// Learned nogood `i`.
    #[inline(always)]
    pub fn learned_nogood(&self, i: u32) -> Nogood {
        Nogood { lits: self.learned_lit, from: self.learned_start.read(i), len: self.learned_len.read(i) }
    }

    /// Asks for what learning needs of nogood `id` (see [`Array::prefetch`]).
    #[inline(always)]
    pub fn ask_for(&self, id: u32) {
        if id >= self.nogoods {
            let i = id - self.nogoods;
            self.learned_len.prefetch(i);
            self.learned_lbd.prefetch(i);
        }
        self.nogood(id).prefetch();
    }

    /// Nogood `id`, if it is known where its literals begin and how many there are.
    #[inline(always)]
    pub fn nogood_at(&self, id: u32, (from, len): (u32, u32)) -> Nogood {
        Nogood { lits: if id < self.nogoods { self.lits } else { self.learned_lit }, from, len }
    }
}

/// A nogood in one of the two stores.
#[derive(Clone, Copy, Default)]
pub struct Nogood {
    lits: Array<Lit>,
    from: u32,
    /// Number of literals.
    pub len: u32,
}

impl Nogood {
    /// One without literals.
    #[inline(always)]
    pub fn empty(self) -> Nogood {
        Nogood { len: 0, ..self }
    }

    /// Literal `i`.
    #[inline(always)]
    pub fn lit(self, i: u32) -> Lit {
        self.lits.read(self.from + i)
    }

    /// Where its literals begin in their store.
    #[inline(always)]
    pub fn first(self) -> u32 {
        self.from
    }

    /// Its literals stand in so many groups of four, from the first on: aligned, so that a group is one load; others may share them.
    #[inline(always)]
    pub fn groups(self) -> (u32, u32) {
        let first = self.from / 4;
        (first, if self.len > 0 { (self.from + self.len).div_ceil(4) - first } else { 0 })
    }

    /// In which of these the literal at a place is.
    #[inline(always)]
    pub fn group_of(self, place: u32) -> u32 {
        (self.from + place) / 4
    }

    /// What is `k`th in a group: its place, or a number that is too large for one.
    #[inline(always)]
    pub fn place(self, group: u32, k: u32) -> u32 {
        (4 * group + k).wrapping_sub(self.from)
    }

    /// The group behind one of its groups; the first comes behind the last.
    #[inline(always)]
    pub fn group_behind(self, group: u32) -> u32 {
        let (first, groups) = self.groups();
        if group + 1 < first + groups {
            group + 1
        } else {
            first
        }
    }

    /// The one so many behind, no more than there are.
    #[inline(always)]
    pub fn group_far_behind(self, group: u32, behind: u32) -> u32 {
        let (first, groups) = self.groups();
        let at = group + behind;
        if at < first + groups {
            at
        } else {
            at - groups
        }
    }

    /// What a group has: its literals, at their [`Nogood::place`]s, and others. Asked for where this stands.
    #[inline(always)]
    pub fn group_here(self, group: u32) -> [Lit; 4] {
        self.lits.four_here(group)
    }

    /// The literals of a group, `other` for those of others.
    #[inline(always)]
    pub fn group(self, group: u32, other: Lit) -> [Lit; 4] {
        let lits = self.lits.four(group);
        from_fn(|k| if self.place(group, k as u32) < self.len { lits[k] } else { other })
    }

    /// Where the literals of that of another lane begin, and how many there are. Called by all lanes of a warp.
    #[inline(always)]
    pub fn of_lane(self, lane: u32) -> (u32, u32) {
        (from_lane(self.from, lane), from_lane(self.len, lane))
    }

    /// That of another lane, which is in the same store. Called by all lanes of a warp.
    #[inline(always)]
    pub fn that_of(self, lane: u32) -> Nogood {
        let (from, len) = self.of_lane(lane);
        Nogood { from, len, ..self }
    }

    /// Asks for its first literals.
    #[inline(always)]
    pub fn prefetch(self) {
        self.lits.prefetch(self.from);
    }
}

/// The literals for which a nogood was unit or violated. Of a sum nogood these are its condition and of its first items, which are
/// enough, those that held before.
#[derive(Clone, Copy)]
pub struct Explanation {
    nogood: Nogood,
    /// Places to look at; not all need have a literal.
    pub len: u32,
    before: u32,
    condition: Lit,
}

impl From<Nogood> for Explanation {
    #[inline(always)]
    fn from(nogood: Nogood) -> Self {
        Explanation { nogood, len: nogood.len, before: NONE, condition: Lit::TRUE }
    }
}

impl Explanation {
    /// The literal at place `i`; [`Lit::TRUE`] if there is none. (Not an `Option`, see [`crate::assign::Found`].)
    #[inline(always)]
    pub fn lit(self, s: &Search, i: u32) -> Lit {
        if self.before != NONE {
            let item = self.nogood.from + i;
            if i == self.nogood.len {
                return self.condition;
            }
            if !held_before(s, item, self.before) || s.sum_weight.read(item) == 0 {
                return Lit::TRUE;
            }
        }
        self.nogood.lit(i)
    }
}

const _: () = assert!(core::mem::size_of::<State>() == 18 * 8 + 34 * 4);
const _: () = assert!(core::mem::size_of::<Search>() < 4096, "kernel parameters are limited to 4 KiB");
