//! The control words of a search, and the words by which the blocks of a grid call each other.

use core::mem::offset_of;
use cuda_std::array::Array;
use cuda_std::atomic::{SearchU32, SearchU64, SharedU32};

/// The control words of one search. The host reads them after launches.
///
/// Plain words behind atomics: kernels read and write them with relaxed order, and the end of a launch orders them.
#[repr(C)]
#[derive(Debug, Default)]
pub struct State {
    // Each group of four is read by one load of 16 bytes, so the groups come first.
    /// How many literals the trail has, proposals included.
    pub trail_len: SearchU32,
    /// How many violated nogoods were found since the last backjump.
    pub conflicts: SearchU32,
    /// How many entries `watch_queue` has.
    pub queued: SearchU32,
    /// 1: this round has more visits than one block should make alone (see [`crate::kernels::search`]).
    pub needs_grid: SearchU32,

    /// The current decision level (the paper's `cdl`). Level 1 holds what follows without decisions.
    pub level: SearchU32,
    /// How many trail entries are part of the assignment.
    pub committed: SearchU32,
    /// The backtrack level of the enumeration. No jump goes below it: the alternatives of lower decisions are not searched yet.
    pub backtrack_level: SearchU32,
    /// 1: the search space is exhausted.
    pub exhausted: SearchU32,

    /// How many learned nogoods are stored now.
    pub learned: SearchU32,
    /// How many literals the stored learned nogoods have.
    pub learned_lits: SearchU32,
    /// A deletion is due when more learned nogoods than this are stored.
    pub learned_limit: SearchU32,
    /// 1: a learned nogood stands in no list of watches.
    pub unlisted: SearchU32,

    /// Learned nogoods with an index below this were looked at since they were learned.
    pub seen: SearchU32,
    /// How many entries `late` has.
    pub late: SearchU32,
    /// 1: the late nogoods have to be looked at, because literals were undone.
    pub look_late: SearchU32,
    /// 1: the last decision found no applicable candidate.
    pub no_candidate: SearchU32,

    /// The best candidate of a decision: rank in the high half, complement of the mixed index in the low; 0 is none.
    pub best: SearchU64,
    /// How many literals became part of the assignment, decisions included.
    pub propagations: SearchU64,
    /// How many decisions were taken.
    pub decisions: SearchU64,
    /// How often CompleteAssignment had something to do.
    pub completions: SearchU64,
    /// How many violated nogoods were found.
    pub violations: SearchU64,
    /// How many nogoods were learned.
    pub learned_total: SearchU64,
    /// How many literals the learned nogoods had together.
    pub learned_total_lits: SearchU64,
    /// How many rounds of propagation had something to commit.
    pub rounds: SearchU64,
    /// How many nogoods were visited, counted once for each literal of a frontier and nogood of its rows.
    pub visits: SearchU64,
    /// How many steps learned from conflicts. Several conflicts in one step count as one.
    pub conflict_steps: SearchU64,
    /// How many stability checks were made.
    pub stability_checks: SearchU64,
    /// How many stability checks found an unfounded set.
    pub unfounded_sets: SearchU64,
    /// How many restarts there were.
    pub restarts: SearchU64,
    /// The number of conflicts at which the next restart may be due (see [`crate::schedule`]).
    pub next_restart: SearchU64,
    /// The present interval between restarts where intervals grow by a factor: the bits of an `f64`.
    pub interval: SearchU64,
    /// The number of conflicts at which rephasing is due (see [`crate::schedule::is_rephase_due`]).
    pub rephase_at: SearchU64,
    /// The length of the present rephasing interval, in conflicts.
    pub rephase_interval: SearchU64,
    /// How many learned nogoods were deleted.
    pub deleted: SearchU64,

    /// The trail position at which the frontier begins: the frontier is `visited .. committed`.
    pub visited: SearchU32,
    /// The level to jump to, which learning sets.
    pub target: SearchU32,
    /// The level whose decision is flipped after the jump, or 0.
    pub flip: SearchU32,
    /// 1: the last stability check found an unfounded set.
    pub unfounded: SearchU32,
    /// How many entries of `watch_list` are in use.
    pub watch_end: SearchU32,
    /// The amount that one bump adds to an activity.
    pub bump: SearchU32,
    /// The average number of levels of recently learned nogoods, in 1/4096 (see [`crate::quality`]).
    pub lbd_recent: SearchU32,
    /// The average number of levels of the nogoods learned over a long time, in 1/4096 (see [`crate::quality`]).
    pub lbd_ever: SearchU32,
    /// The stamp of the next use of `mark`. Marks of an earlier use have a lower stamp.
    pub stamp: SearchU32,
    /// The level of the deepest decision ever taken.
    pub deepest: SearchU32,
    /// How many rows of `answers` are filled.
    pub answers: SearchU32,
    /// Why the resident search returned: see [`crate::kernels::search::outcome`].
    pub outcome: SearchU32,
    /// How many rounds are left before the resident search returns.
    pub rounds_left: SearchU32,
    /// How many sums are in `sum_queue`: their counters or conditions changed since they were looked at.
    pub touched: SearchU32,
    /// When projecting: decisions up to this level are on atoms that count, and all later ones are on other atoms.
    pub projected: SearchU32,
    /// How many learned nogoods a deletion keeps at most, besides the nogoods that it must keep.
    pub keep: SearchU32,
    /// What decisions go by: one of [`crate::schedule::phase_mode`].
    pub phase_mode: SearchU32,
    /// How many literals the assignment in `longest` had; [`NONE`](super::NONE) if none is looked for.
    pub longest_len: SearchU32,
}

/// Control words that are read together: a struct, and the method that reads it, by one load of relaxed order.
macro_rules! together {
    ($($(#[$doc:meta])* $method:ident: $Words:ident { $first:ident $second:ident $third:ident $fourth:ident })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy)]
            pub struct $Words {
                #[doc = concat!("The control word [`State::", stringify!($first), "`].")]
                pub $first: u32,
                #[doc = concat!("The control word [`State::", stringify!($second), "`].")]
                pub $second: u32,
                #[doc = concat!("The control word [`State::", stringify!($third), "`].")]
                pub $third: u32,
                #[doc = concat!("The control word [`State::", stringify!($fourth), "`].")]
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
    /// The control words that a round ends with.
    between_rounds: Between { trail_len conflicts queued needs_grid }
    /// The control words that say how deep the search is.
    depth: Depth { level committed backtrack_level exhausted }
    /// The control words that say how much is learned.
    stored: Stored { learned learned_lits learned_limit unlisted }
    /// What there is to look at besides the frontier, and whether anything may be decided.
    beside: Beside { seen late look_late no_candidate }
}

/// The words by which the blocks of a grid call each other (see [`crate::threads::grid_calls`]). They stay in device memory when the control
/// words have a copy in shared memory.
#[repr(C)]
#[derive(Debug, Default)]
pub struct GridCalls {
    /// How many blocks of the running kernel are done (see [`crate::threads::block::is_last_block`]).
    pub blocks_done: SharedU32,
    /// How often the first block has called the others in this launch.
    pub calls: SharedU32,
    /// The task of the last call.
    pub task: SharedU32,
    /// How many blocks are done with that task.
    pub arrived: SharedU32,
}

/// Adds `more` to a count that no other thread changes meanwhile: a load and a store, as a 64-bit atomic addition would be a loop.
#[inline(always)]
pub fn count_up(count: &SearchU64, more: u64) {
    count.store(count.now() + more);
}

const _: () = assert!(size_of::<State>() == 18 * 8 + 34 * 4);

// SAFETY: words, of which zeros are a value.
unsafe impl bytemuck::Zeroable for State {}
// SAFETY: as above.
unsafe impl bytemuck::Zeroable for GridCalls {}
