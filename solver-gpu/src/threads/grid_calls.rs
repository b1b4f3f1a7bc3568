//! How the first block of a grid calls the other blocks.
//!
//! The first of the blocks that work for a search searches. The other blocks of the launch, which all run at
//! once (a cooperative launch), wait until the first block calls them for a task that is too large for one
//! block. They do their part of the task and wait again. So a narrow frontier costs what it costs one block,
//! whose barrier takes tens of nanoseconds, and a very wide one has the whole GPU.
//!
//! A task is a step over the grid, like a kernel's: it has no barrier between blocks. [`call`], the caller's
//! own part and [`gather`] together are such a barrier: what was written before is visible to all blocks
//! after.
//!
//! Invariant: all threads of the first block call and gather together. The other blocks do nothing but what
//! they are called for.

use crate::threads::stride::is_first;
use crate::{Launch, Own};
use cuda_std::thread;

/// How long a thread sleeps between two looks at a word, in nanoseconds.
const NAP_NANOS: u32 = 50;

/// Whether this block is the one that searches.
#[inline(always)]
pub fn leads(launch: &Launch) -> bool {
    thread::block_idx_x() == launch.first_block
}

/// Calls the other blocks for a task. Called by all threads of the first block.
#[inline(always)]
pub fn call(own: &Own, task: u32) {
    let words = own.grid_calls();
    // What the threads wrote comes before the fence. Only the first thread uses these words.
    thread::sync_threads();
    if is_first() {
        words.task.store_relaxed(task);
        thread::device_fence();
        words.calls.store_relaxed(words.calls.load_relaxed() + 1);
    }
}

/// Waits until all other blocks are done with their parts of the task. Called by all threads of the first
/// block.
#[inline(always)]
pub fn gather(own: &Own, launch: &Launch) {
    let words = own.grid_calls();
    if is_first() {
        while words.arrived.load_relaxed() + 1 < launch.blocks {
            thread::nanosleep(NAP_NANOS);
        }
        words.arrived.store_relaxed(0);
        thread::device_fence();
    }
    thread::sync_threads();
}

/// Waits for the call after the first `calls` of this launch, and returns its task. Called by all threads of
/// another block.
#[inline(always)]
pub fn wait(own: &Own, calls: u32) -> u32 {
    let words = own.grid_calls();
    if is_first() {
        while words.calls.load_relaxed() == calls {
            thread::nanosleep(NAP_NANOS);
        }
        thread::device_fence();
    }
    thread::sync_threads();
    words.task.load_relaxed()
}

/// Says that this block is done with its part of the task. Called by all threads of another block.
#[inline(always)]
pub fn done(own: &Own) {
    thread::sync_threads();
    if is_first() {
        thread::device_fence();
        own.grid_calls().arrived.fetch_add(1);
    }
}

/// Makes the words ready for the next launch, after the last task. Called by all threads of the first block.
#[inline(always)]
pub fn dismiss(own: &Own) {
    if is_first() {
        own.grid_calls().calls.store_relaxed(0);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::layout::GridCalls;
    use crate::threads::testing::{array_of, own_with, results_of_grid};
    use std::vec;

    /// The task after which all blocks leave.
    const LEAVE: u32 = 100;

    #[test]
    fn tasks_are_shared_out_and_gathered() {
        for (seed, blocks) in (0..30).zip([1, 2, 3].into_iter().cycle()) {
            let all = blocks * 64;
            let mut words = GridCalls::default();
            let own = own_with(&mut words);
            let launch = Launch { blocks, ..Launch::default() };
            let (mut given, mut done_with) = (vec![0; 64], vec![0; all as usize]);
            let (given, made) = (array_of(&mut given), array_of(&mut done_with));
            // Twice: the words are ready for the next launch.
            for first in [1, 7] {
                let sums = results_of_grid(blocks, 64, seed, |number| {
                    let (tid, mut calls, mut sum) = (thread::thread_idx_x(), 0, 0);
                    loop {
                        let mut task = first + calls;
                        if leads(&launch) {
                            given.write(tid, task * tid);
                            task = if calls == 3 { LEAVE } else { task };
                            call(&own, task);
                        } else {
                            task = wait(&own, calls);
                        }
                        calls += 1;
                        made.write(number, given.read(63 - tid) + 1);
                        if leads(&launch) {
                            gather(&own, &launch);
                            sum += (0..all).map(|n| made.read(n)).sum::<u32>();
                            thread::sync_threads();
                        } else {
                            done(&own);
                        }
                        if task == LEAVE {
                            break;
                        }
                    }
                    if leads(&launch) {
                        dismiss(&own);
                    }
                    sum
                });
                let of = |task: u32| all + blocks * task * (63 * 64 / 2);
                let expected: u32 = (first..first + 4).map(of).sum();
                assert!(sums[..64].iter().all(|&sum| sum == expected), "seed {seed}, {blocks} blocks");
            }
        }
    }
}
