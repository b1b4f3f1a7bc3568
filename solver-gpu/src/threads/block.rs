//! Steps of a block: reductions, scans, and the last block of a grid.
//!
//! Invariant: a block is one thread or whole warps. A function that takes a [`WholeBlock`] is called by all
//! threads of the block, at the same place.

use crate::threads::barrier::{by_one, sync_block};
use crate::threads::scratch::{counter, partials, shared_base, COUNTERS};
use crate::threads::stride::{block_of_grid, is_single};
use crate::threads::token::WholeBlock;
use crate::threads::warp::{warp_max_wide, warp_reduce, warp_scan};
use crate::{Launch, Own};
use cuda_std::shared::Words;
use cuda_std::thread;

/// The calling thread's lane and warp, the number of warps, and a 64-bit word in shared memory for each warp.
#[cuda_std::inlined]
fn warp_partials() -> (u32, u32, u32, Words<u64>) {
    let (tid, warps) = (thread::thread_idx_x(), thread::block_dim_x() / 32);
    (tid % 32, tid / 32, warps, partials())
}

/// Reduces `value` over the block: by shuffles within each warp, through one word for each warp in shared
/// memory, and by the first warp at last (paper, Algorithm "fwd-learning"). Every thread gets the result.
/// There are three barriers.
#[cuda_std::inlined]
pub fn block_reduce(
    block: &mut WholeBlock,
    value: u64,
    identity: u64,
    op: impl Fn(u64, u64) -> u64 + Copy,
) -> u64 {
    if is_single() {
        return value;
    }
    let (lane, wid, warps, partial) = warp_partials();
    let value = warp_reduce(block.warp(), value, op);
    // Each warp's lane 0 writes the warp's own word, and barriers are between writes and reads by other
    // threads.
    if lane == 0 {
        partial.set(wid, value);
    }
    sync_block(block);
    if let Some(warp) = block.first_warp() {
        let value = warp_reduce(warp, if lane < warps { partial.get(lane) } else { identity }, op);
        if lane == 0 {
            partial.set(0u32, value);
        }
    }
    sync_block(block);
    let result = partial.get(0u32);
    sync_block(block);
    result
}

/// The greatest value of the threads of a block. Every thread gets it. There are two barriers.
#[cuda_std::inlined]
pub fn block_max(block: &mut WholeBlock, launch: &Launch, value: u64) -> u64 {
    if is_single() {
        return value;
    }
    let (tid, warps) = (thread::thread_idx_x(), thread::block_dim_x() / 32);
    let (lane, partial) = (tid % 32, |warp: u32| shared_base(launch).plus(warp * 8));
    let value = warp_max_wide(block.warp(), value);
    // SAFETY: each warp has 8 bytes of dynamic shared memory in every launch; as in `block_reduce`.
    unsafe {
        if lane == 0 {
            partial(tid / 32).write_two([value as u32, (value >> 32) as u32]);
        }
        sync_block(block);
        let [low, high] = if lane < warps { partial(lane).read_two() } else { [0, 0] };
        let value = warp_max_wide(block.warp(), (high as u64) << 32 | low as u64);
        sync_block(block);
        value
    }
}

/// The sum of `value` over the threads of lower index, and over the whole block. There are three barriers.
#[cuda_std::inlined]
pub fn block_scan(block: &mut WholeBlock, value: u64) -> (u64, u64) {
    if is_single() {
        return (0, value);
    }
    let (lane, wid, warps, partial) = warp_partials();
    let inclusive = warp_scan(block.warp(), value);
    // As in `block_reduce`; here lane 31 of each warp writes.
    if lane == 31 {
        partial.set(wid, inclusive);
    }
    sync_block(block);
    if let Some(warp) = block.first_warp() {
        let sum = warp_scan(warp, if lane < warps { partial.get(lane) } else { 0 });
        if lane < warps {
            partial.set(lane, sum);
        }
    }
    sync_block(block);
    let before = if wid > 0 { partial.get(wid - 1) } else { 0 };
    let total = partial.get(warps - 1);
    sync_block(block);
    (before + inclusive - value, total)
}

/// Whether this is the last block of the grid to get here. If it is, the writes of the other blocks are
/// visible, and no other block is running. Work that must follow the whole grid's is done here.
#[cuda_std::inlined]
pub fn is_last_block(block: &mut WholeBlock, own: &Own, launch: &Launch) -> bool {
    let (_, blocks) = block_of_grid(launch);
    if blocks == 1 {
        sync_block(block);
        return true;
    }
    let (last, done) = (counter(launch, COUNTERS - 1), &own.blocks_done.get(0u32).0);
    by_one(block, || {
        // The fences are this thread's, between the barriers: a fence orders what happened before it, and the
        // other threads' accesses happened before the first barrier.
        thread::device_fence();
        let is_last = done.fetch_add(1) + 1 == blocks;
        thread::device_fence();
        if is_last {
            done.store_relaxed(0);
        }
        last.store(is_last as u32);
    });
    // The next call stores there after a barrier.
    last.now() == 1
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::hash::mix;
    use crate::layout::BlocksDone;
    use crate::threads::barrier::apart;
    use crate::threads::testing::{array_of, own_with, results, results_of_grid};
    use std::vec;

    const WIDTHS: [u32; 4] = [32, 64, 96, 256];

    #[test]
    fn sums_of_a_block() {
        for (seed, threads) in (0..20).zip(WIDTHS.into_iter().cycle()) {
            let value = |tid: u32| mix(seed << 8 | tid as u64) >> 40;
            let other = |tid: u32| mix(value(tid)) >> 40;
            let add = |a: u64, b: u64| a + b;
            // Each twice and in both orders, as none must change what some have yet to read of the one before.
            let got = results(threads, seed, |block, tid| {
                let first = block_reduce(block, value(tid), 0, add);
                let second = block_reduce(block, other(tid), 0, add);
                let (third, fourth) = (block_scan(block, other(tid)), block_scan(block, value(tid)));
                (first, second, third, fourth, block_reduce(block, other(tid), 0, add))
            });
            let below = |of: &dyn Fn(u32) -> u64, end: u32| (0..end).map(of).sum::<u64>();
            let (values, others) = (below(&value, threads), below(&other, threads));
            for tid in 0..threads {
                let scans = ((below(&other, tid), others), (below(&value, tid), values));
                let expected = (values, others, scans.0, scans.1, others);
                assert_eq!(got[tid as usize], expected, "seed {seed}, thread {tid}");
            }
        }
    }

    #[test]
    fn steps_are_apart() {
        for (seed, threads) in (0..8).zip(WIDTHS.into_iter().cycle()) {
            let mut words = vec![0u32; threads as usize + 1];
            let words = array_of(&mut words);
            let got = results(threads, seed, |block, tid| {
                let next = (tid + 1) % threads;
                words.write(tid, tid);
                apart(block, |_| words.write(next, words.read(next) + 1));
                words.write(tid, words.read(tid) + 1);
                by_one(block, || words.write(threads, (0..threads).map(|t| words.read(t)).sum()));
                words.read(threads)
            });
            assert!(got.iter().all(|&sum| sum == threads * (threads + 3) / 2), "seed {seed}");
        }
    }

    #[test]
    fn the_last_block_sees_what_all_wrote() {
        for (seed, blocks) in (0..30).zip([1, 2, 3].into_iter().cycle()) {
            let all = blocks * 64;
            let mut words = BlocksDone::default();
            let own = own_with(&mut words);
            let launch = Launch { blocks, ..Launch::default() };
            let (mut values, mut sums) = (vec![0; all as usize], vec![0; all as usize]);
            let (values, sums) = (array_of(&mut values), array_of(&mut sums));
            let got = results_of_grid(blocks, 64, seed, |block, number| {
                // Twice: the words are as they were, and a block's counters as well.
                let mut last = [false; 2];
                for (step, is_last) in last.iter_mut().enumerate() {
                    // What the last block has read may be written by it alone.
                    let from = if step == 0 { values } else { sums };
                    from.write(number, number + step as u32);
                    *is_last = is_last_block(block, &own, &launch);
                    if *is_last {
                        let sum: u32 = (0..all).map(|n| from.read(n)).sum();
                        assert_eq!(sum, all * (all - 1) / 2 + step as u32 * all);
                    }
                }
                last
            });
            for step in 0..2 {
                let last = |block: u32| {
                    let of = &got[block as usize * 64..][..64];
                    assert!(of.iter().all(|l| l[step] == of[0][step]), "all threads of a block agree");
                    of[0][step]
                };
                assert_eq!((0..blocks).filter(|&block| last(block)).count(), 1, "seed {seed}");
            }
        }
    }

    #[test]
    fn the_greatest_of_a_block() {
        for (seed, threads) in (0..20).zip(WIDTHS.into_iter().cycle()) {
            let value = |tid: u32| mix(seed << 8 | tid as u64) >> (seed % 7 * 9);
            let other = |tid: u32| mix(value(tid));
            // Twice, as the second must not change what some have yet to read of the first.
            let got = results(threads, seed, |block, tid| {
                let launch = Launch::default();
                (block_max(block, &launch, value(tid)), block_max(block, &launch, other(tid)))
            });
            let greatest = |of: &dyn Fn(u32) -> u64| (0..threads).map(of).max().expect("threads");
            assert!(got.iter().all(|&got| got == (greatest(&value), greatest(&other))), "seed {seed}");
        }
    }
}
