//! Deletes learned nogoods, so that memory and the time of a round stay bounded.
//!
//! The main function is [`run`]. The host loop launches the kernel after a restart, and the resident search
//! calls [`run`] there.
//!
//! The kernel keeps nogoods of at most two levels and nogoods that are the reason of an assigned literal. Of
//! the others it keeps the `keep` best. If `keep` is 0, which is said where memory is used up, it keeps reasons
//! alone. The best nogoods are the ones that took part in learning recently, as their activity says. The
//! worst are those of other searchers that have never taken part. Among equals, nogoods of fewer levels
//! (literal block distance, Audemard and Simon 2009) are better, and then newer ones.
//!
//! Invariant: the enumeration relies on no learned nogood (see [`super::backjump`]), so deletion cannot bring
//! back an answer set.

use crate::activity::GLUE;
use crate::assign::reason_of;
use crate::layout::{count_up, flag, MAX_LEARNED};
use crate::learned::remove::remove;
use crate::threads::barrier::sync_block;
use crate::threads::block::block_reduce;
use crate::threads::stride::{is_first, over_block};
use crate::threads::token::WholeBlock;
use crate::{Own, Problem, Search};
use cuda_std::prelude::*;

/// How many more nogoods each deletion keeps than the one before: a twentieth more, but so many at most. The number
/// that is kept grows with the square root of the conflicts then.
const STEP: u32 = 100;

/// Deletes learned nogoods and moves the kept ones to the beginning of the store.
///
/// # Inputs
/// The store of learned nogoods, `trail`, `trail_len`, `reason`, `keep`.
/// # Writes
/// What [`remove`] writes; `counts.deleted`, `keep`, `learned_limit`. Scratch: `spare_lit`. The lists of
/// watches have to be rebuilt afterwards.
/// # Thread mapping
/// One block. Threads share nogoods, tile by tile, and their literals.
/// # Synchronisation
/// Block barriers.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch. The grid must be one block.
/// # Deterministic
/// Yes, up to the order within a class.
#[kernel]
pub unsafe fn reduce_learned(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function. There is one block.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    let (problem, own, state) = (&s.problem, &s.own, s.own.state());
    let n = state.learned.now();
    let keep = state.keep.now();
    mark_needed(block, own, n, keep > 0);
    let (lbd, oldest) = bounds(block, problem, own, n, keep);
    remove(block, s, |i| {
        let l = worth(problem, own, i);
        own.renamed.read(i) == 1 || l < lbd || (l == lbd && i >= oldest)
    });
    if is_first() {
        let left = state.learned.now();
        count_up(&state.counts.deleted, (n - left) as u64);
        let (keep, limit) = next_limits(keep, left);
        state.keep.store(keep);
        state.learned_limit.store(limit);
    }
}

/// Returns the limits after a deletion that left `left` learned nogoods and was to keep `keep`.
///
/// The first number is how many deletable nogoods the next deletion keeps. The second is the number of
/// learned nogoods at which that deletion is due. It counts `left`, so that nogoods that could not be deleted
/// do not cause another deletion at once. The first number does not count nogoods that must be kept.
#[cuda_std::inlined]
fn next_limits(keep: u32, left: u32) -> (u32, u32) {
    let grown = (keep + keep.div_ceil(20).min(STEP)).min(MAX_LEARNED);
    (grown, left.saturating_add(grown))
}

/// Sets `renamed` to 1 for each of the `n` learned nogoods that must be kept, and to 0 for the others. Nogoods of at
/// most two levels are among them if `keeps_glue`.
#[cuda_std::inlined]
fn mark_needed(block: &mut WholeBlock, own: &Own, n: u32, keeps_glue: bool) {
    for i in over_block(block, 0, n) {
        own.renamed.write(i, (keeps_glue && own.learned_record.get(i).lbd.now() <= GLUE) as u32);
    }
    sync_block(block);
    for at in over_block(block, 0, own.state().trail_len.now()) {
        if let Some(i) = reason_of(own, own.trail.read(at)).learned_index_below(n) {
            own.renamed.atomic(i).store(1);
        }
    }
    sync_block(block);
}

/// Returns bounds for the nogoods that are kept although they need not be.
///
/// A nogood stays if its worth is less than the first number, or if its worth equals the first number and its
/// index is at least the second. At most `keep` nogoods stay for these bounds. `n` is the number of learned
/// nogoods. All threads get the same result.
#[cuda_std::inlined]
fn bounds(block: &mut WholeBlock, problem: &Problem, own: &Own, n: u32, keep: u32) -> (u32, u32) {
    let free = |i: u32| own.renamed.read(i) == 0;
    let most = 3 * (problem.vars + 1);
    let lbd = largest(block, most, |block, bound| {
        count(block, n, |i| free(i) && worth(problem, own, i) < bound) <= keep
    });
    let below = count(block, n, |i| free(i) && worth(problem, own, i) < lbd);
    let newest = largest(block, n, |block, m| {
        below + count(block, n, |i| free(i) && worth(problem, own, i) == lbd && i >= n - m) <= keep
    });
    (lbd, n - newest)
}

/// Returns the worth of learned nogood `i`; a smaller number means a better nogood.
#[cuda_std::inlined]
fn worth(problem: &Problem, own: &Own, i: u32) -> u32 {
    let record = own.learned_record.get(i);
    record.lbd.now() + class(record.activity.now(), record.flags.now()) * (problem.vars + 1)
}

/// Returns 0 for a nogood that took part in learning recently, 2 for another searcher's nogood that never
/// did, and 1 for others.
#[cuda_std::inlined]
fn class(activity: u32, flags: u32) -> u32 {
    if activity == 0 {
        1 + (flags & flag::FOREIGN)
    } else {
        0
    }
}

/// Returns the largest number up to `max` for which `holds`. `holds` is true of 0, and once false for a
/// number it is false for all larger ones.
#[cuda_std::inlined]
fn largest(block: &mut WholeBlock, max: u32, holds: impl Fn(&mut WholeBlock, u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, max);
    while low < high {
        let mid = low + (high - low).div_ceil(2);
        if holds(block, mid) {
            low = mid;
        } else {
            high = mid - 1;
        }
    }
    low
}

/// Returns how many of the numbers `0 .. n` are `wanted`. All threads get the number.
#[cuda_std::inlined]
fn count(block: &mut WholeBlock, n: u32, wanted: impl Fn(u32) -> bool) -> u32 {
    let mine = over_block(block, 0, n).filter(|&i| wanted(i)).count();
    block_reduce(block, mine as u64, 0, u64::wrapping_add) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_took_part_is_better_and_what_never_did_and_is_foreign_is_worse() {
        assert_eq!([0, 1, 7].map(|activity| class(activity, 0)), [1, 0, 0]);
        assert_eq!([0, 1].map(|activity| class(activity, flag::FOREIGN)), [2, 0]);
    }

    #[test]
    fn nogoods_that_must_be_kept_do_not_raise_what_may_be() {
        assert_eq!(next_limits(2000, 2100), (2100, 4200));
        assert_eq!(next_limits(2000, 50_000), (2100, 52_100));
        assert_eq!(next_limits(1, u32::MAX), (2, u32::MAX));
    }
}
