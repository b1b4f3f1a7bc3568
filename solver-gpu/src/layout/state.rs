//! The control words of a search, and the words by which the blocks of a grid call each other.

use core::mem::offset_of;
use cuda_std::array::Array;
use cuda_std::atomic::{SearchU32, SearchU64, SharedU32};

/// The control words of one search. The host reads them after each round of kernels; nothing else crosses.
///
/// Plain words behind atomics: kernels read and write them with relaxed order, and the end of a launch orders them.
#[repr(C)]
#[derive(Debug, Default)]
pub struct State {
    /// The best candidate of a decision: rank in the high half, complement of the mixed index in the low; 0 is none.
    pub best: SearchU64,
    /// Literals made part of the assignment, decisions included.
    pub propagations: SearchU64,
    /// Decisions taken.
    pub decisions: SearchU64,
    /// Times CompleteAssignment had something to do.
    pub completions: SearchU64,
    /// Violated nogoods that were found.
    pub violations: SearchU64,
    /// Nogoods learned, and their literals.
    pub learned_total: SearchU64,
    /// Literals of all nogoods learned.
    pub learned_total_lits: SearchU64,
    /// Rounds of propagation that had something to commit.
    pub rounds: SearchU64,
    /// Visits of nogoods, one a literal of the frontier and nogood of its rows.
    pub visits: SearchU64,
    /// Conflicts that were learned from, several at once counted as one.
    pub conflict_steps: SearchU64,
    /// Stability checks.
    pub stability_checks: SearchU64,
    /// Those that found an unfounded set.
    pub unfounded_sets: SearchU64,
    /// Restarts.
    pub restarts: SearchU64,
    /// The number of conflicts at which the next one may be due (see [`crate::schedule`]),
    pub next_restart: SearchU64,
    /// and the interval before that, where it grows by a factor: the bits of a float.
    pub interval: SearchU64,
    /// The number of conflicts at which the turn of phases is over (see [`crate::schedule::phase_mode`]),
    pub rephase_at: SearchU64,
    /// and how long those of this time round are.
    pub rephase_interval: SearchU64,
    /// Learned nogoods deleted.
    pub deleted: SearchU64,

    // Four and four these are read together.
    /// Literals on the trail, proposals included.
    pub trail_len: SearchU32,
    /// Violated nogoods found since the last backjump.
    pub conflicts: SearchU32,
    /// Entries of `watch_queue`.
    pub queued: SearchU32,
    /// 1: there is more to visit in this round than its block should by itself (see [`crate::kernels::search`]).
    pub needs_grid: SearchU32,

    /// Current decision level (`cdl`); 1 holds what follows without decisions.
    pub level: SearchU32,
    /// Trail entries that are part of the assignment.
    pub committed: SearchU32,
    /// Enumeration: everything below this level's alternatives is yet to be searched, everything beside it is done.
    pub backtrack_level: SearchU32,
    /// 1 when the search space is exhausted.
    pub exhausted: SearchU32,

    /// Learned nogoods held now.
    pub learned: SearchU32,
    /// Their literals.
    pub learned_lits: SearchU32,
    /// At how many learned nogoods in all a deletion is due.
    pub learned_limit: SearchU32,
    /// 1 while a learned nogood stands in no list of watches.
    pub unlisted: SearchU32,

    /// Learned nogoods below this were looked at since they were learned.
    pub seen: SearchU32,
    /// Entries of `late`.
    pub late: SearchU32,
    /// 1 if those have to be looked at: something was undone.
    pub look_late: SearchU32,
    /// 1 when the last decision found no applicable rule.
    pub no_candidate: SearchU32,

    /// Trail entries whose nogoods have been visited: the frontier is `visited .. committed`.
    pub visited: SearchU32,
    /// Level to jump to, set by learning.
    pub target: SearchU32,
    /// Level whose decision is flipped after the jump; 0: none.
    pub flip: SearchU32,
    /// 1 when the last stability check found an unfounded set.
    pub unfounded: SearchU32,
    /// How much of `watch_list` is used.
    pub watch_end: SearchU32,
    /// What one bump adds to an activity.
    pub bump: SearchU32,
    /// Levels of a learned nogood on average, in 1/4096, of those of late
    pub lbd_recent: SearchU32,
    /// and of many more (see [`crate::quality`]).
    pub lbd_ever: SearchU32,
    /// Makes marks of one use of a scratch array differ from those of the next.
    pub stamp: SearchU32,
    /// Levels of the deepest decision ever taken.
    pub deepest: SearchU32,
    /// Rows of `answers` that are filled.
    pub answers: SearchU32,
    /// Why the resident search returned: see [`crate::kernels::search::outcome`].
    pub outcome: SearchU32,
    /// Rounds after which the resident search returns, whatever it is doing.
    pub rounds_left: SearchU32,
    /// Sums in `sum_queue`: something that they say may have changed since they were last looked at.
    pub touched: SearchU32,
    /// When projecting: decisions up to this level are on atoms that count, all others on atoms that do not.
    pub projected: SearchU32,
    /// Learned nogoods that a deletion keeps at most, beside those it must.
    pub keep: SearchU32,
    /// One of [`crate::schedule::phase_mode`].
    pub phase_mode: SearchU32,
    /// How many literals `longest` had, all at once; [`NONE`](super::NONE) if it is not looked for.
    pub longest_len: SearchU32,
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
    between_rounds: Between { trail_len conflicts queued needs_grid }
    /// Where the search is.
    depth: Depth { level committed backtrack_level exhausted }
    /// How much is learned.
    stored: Stored { learned learned_lits learned_limit unlisted }
    /// What there is to look at beside the frontier, and whether anything may be decided.
    beside: Beside { seen late look_late no_candidate }
}

/// Words by which the blocks of a grid find each other. They stay where they are, wherever the control words go.
#[repr(C)]
#[derive(Debug, Default)]
pub struct GridCalls {
    /// Blocks of the running kernel that are done (see `block::is_last_block`).
    pub blocks_done: SharedU32,
    /// How often the first block has called the others (see [`crate::threads::grid_calls`]),
    pub calls: SharedU32,
    /// what for,
    pub task: SharedU32,
    /// and how many are done with that.
    pub arrived: SharedU32,
}

/// Adds to a count that no other thread changes meanwhile: a load and a store, where an atomic addition of 64 bits would be a loop.
#[inline(always)]
pub fn count_up(count: &SearchU64, more: u64) {
    count.store(count.now() + more);
}

const _: () = assert!(size_of::<State>() == 18 * 8 + 34 * 4);

// SAFETY: words, of which zeros are a value.
unsafe impl bytemuck::Zeroable for State {}
// SAFETY: as above.
unsafe impl bytemuck::Zeroable for GridCalls {}
