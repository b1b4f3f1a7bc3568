//! Steps of a warp: synchronisation, votes, reductions, scans.
//!
//! Invariant: a block is one thread or whole warps. A function that takes a [`WholeWarp`] is called by all
//! lanes of the warp, at the same place.

use crate::threads::stride::{is_single, warp_width};
use crate::threads::token::WholeWarp;
use core::ops::AddAssign;
use cuda_std::{thread, warp};

/// Waits for the other lanes of the warp. What they wrote before is visible after.
#[cuda_std::inlined]
#[track_caller]
pub fn sync_warp(_: &mut WholeWarp) {
    if warp_width() > 1 {
        // SAFETY: the warp has 32 lanes, and the token says that all of them take part.
        unsafe { warp::sync_warp(u32::MAX) }
    }
}

/// The lanes of `lanes`, a bit for each, that are below this lane.
#[cuda_std::inlined]
pub fn lanes_below(lanes: u32) -> u32 {
    lanes & ((1 << (thread::thread_idx_x() % warp_width())) - 1)
}

/// The value of lane `lane`.
#[cuda_std::inlined]
pub fn from_lane<T: warp::WarpShuffleValue>(_: &mut WholeWarp, value: T, lane: u32) -> T {
    if is_single() {
        return value;
    }
    // SAFETY: the warp has 32 lanes, and the token says that all of them take part.
    unsafe { warp::warp_shuffle_idx(u32::MAX, value, lane, 32).0 }
}

/// Reduces `value` over the lanes of the warp by shuffles, in a logarithmic number of steps. The result is in
/// lane 0.
#[cuda_std::inlined]
pub fn warp_reduce(_: &mut WholeWarp, mut value: u64, op: impl Fn(u64, u64) -> u64) -> u64 {
    let mut offset = warp_width() / 2;
    while offset > 0 {
        // SAFETY: the warp has 32 lanes, as there is an offset, and the token says that all of them take part.
        let (other, _) = unsafe { warp::warp_shuffle_down(u32::MAX, value, offset, 32) };
        value = op(value, other);
        offset /= 2;
    }
    value
}

/// Reduces 32 bits over the lanes of a warp by one instruction. All lanes get the result.
#[cuda_std::inlined]
fn warp_redux(_: &mut WholeWarp, value: u32, op: warp::WarpReductionOp) -> u32 {
    if is_single() {
        return value;
    }
    // SAFETY: the warp has 32 lanes, and the token says that all of them take part.
    unsafe { warp::warp_reduce(u32::MAX, value, op) }
}

/// The greatest value of the lanes of a warp.
#[cuda_std::inlined]
pub fn warp_max(warp: &mut WholeWarp, value: u32) -> u32 {
    warp_redux(warp, value, warp::WarpReductionOp::Max)
}

/// The greatest 64-bit value of the lanes of a warp.
#[cuda_std::inlined]
pub fn warp_max_wide(warp: &mut WholeWarp, value: u64) -> u64 {
    if is_single() {
        return value;
    }
    let high = warp_max(warp, (value >> 32) as u32);
    let low = warp_max(warp, if (value >> 32) as u32 == high { value as u32 } else { 0 });
    (high as u64) << 32 | low as u64
}

/// The disjunction of the values of the lanes of a warp.
#[cuda_std::inlined]
pub fn warp_or(warp: &mut WholeWarp, value: u32) -> u32 {
    warp_redux(warp, value, warp::WarpReductionOp::Or)
}

/// The sum of the values of the lanes of a warp, which wraps around.
#[cuda_std::inlined]
pub fn warp_sum(warp: &mut WholeWarp, value: u32) -> u32 {
    warp_redux(warp, value, warp::WarpReductionOp::Add)
}

/// The lanes of the warp for which `predicate` holds, a bit for each.
#[cuda_std::inlined]
pub fn warp_ballot(_: &mut WholeWarp, predicate: bool) -> u32 {
    if warp_width() == 1 {
        return predicate as u32;
    }
    // SAFETY: the warp has 32 lanes, and the token says that all of them take part.
    unsafe { warp::warp_vote_ballot(u32::MAX, predicate) }
}

/// Sum of `value` over this lane and the lanes below it.
#[cuda_std::inlined]
pub fn warp_scan<T: warp::WarpShuffleValue + AddAssign>(warp: &mut WholeWarp, value: T) -> T {
    warp_scan_of(warp, value, warp_width())
}

/// The sum over this lane and the lanes below it, where only the first `n` lanes matter. (Not a loop: a
/// branch takes longer than a shuffle.)
#[cuda_std::inlined]
pub fn warp_scan_of<T: warp::WarpShuffleValue + AddAssign>(_: &mut WholeWarp, mut value: T, n: u32) -> T {
    let mut step = |offset: u32| {
        // SAFETY: the warp has 32 lanes, and the token says that all of them take part.
        let (other, is_there) = unsafe { warp::warp_shuffle_up(u32::MAX, value, offset, 32) };
        if is_there {
            value += other;
        }
    };
    if n > 1 {
        step(1);
        step(2);
    }
    if n > 4 {
        step(4);
        step(8);
        step(16);
    }
    value
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::hash::mix;
    use crate::threads::testing::results;

    #[test]
    fn reductions_of_a_warp() {
        for seed in 0..20 {
            let value = |tid: u32| mix(seed << 8 | tid as u64) >> (seed % 7 * 9);
            let got = results(64, seed, |block, tid| {
                let (warp, wide, low) = (block.warp(), value(tid), value(tid) as u32);
                (warp_max_wide(warp, wide), warp_max(warp, low), warp_or(warp, low), warp_sum(warp, low))
            });
            for warp in [0..32, 32..64] {
                let low = || warp.clone().map(|tid| value(tid) as u32);
                let expected = (
                    warp.clone().map(value).max().expect("lanes"),
                    low().max().expect("lanes"),
                    low().fold(0, |a, b| a | b),
                    low().fold(0, u32::wrapping_add),
                );
                for tid in warp {
                    assert_eq!(got[tid as usize], expected, "seed {seed}");
                }
            }
        }
    }
}
