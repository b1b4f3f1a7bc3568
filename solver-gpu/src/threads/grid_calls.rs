//! A team: the threads that share one search that never leaves the device.
//!
//! The first block of the launch searches. If there are others (a cooperative launch: all run at once) they wait until it calls them for a
//! task that is too large for one block, do their part of it, and wait again. So small frontiers cost what they cost a block, whose barrier
//! takes tens of nanoseconds, and huge ones have the whole GPU.
//!
//! A task is a step over the grid, as a kernel's: threads number themselves as those of any grid do. It has no barrier over blocks.
//! [`call`], the caller's own part and [`gather`] are such a barrier each time: what was written before is visible to all after.
//!
//! Invariant: all threads of the first block call, and gather, together; the other blocks do nothing but what they are called for.

use crate::threads::block::by_one;
use crate::{Launch, Own};
use cuda_std::thread;

/// How long a thread sleeps between two looks at whether the others are there.
const NAP_NANOS: u32 = 50;

/// Whether this block is the one that searches.
#[inline(always)]
pub fn leads(launch: &Launch) -> bool {
    thread::block_idx_x() == launch.first_block
}

/// Calls the other blocks for a task. By the first block.
#[inline(always)]
pub fn call(own: &Own, task: u32) {
    let words = own.grid_calls();
    by_one(|| {
        words.task.store_relaxed(task);
        thread::device_fence();
        words.calls.store_relaxed(words.calls.load_relaxed() + 1);
    });
}

/// Waits until all others are done with what they were called for. By the first block.
#[inline(always)]
pub fn gather(own: &Own, launch: &Launch) {
    let words = own.grid_calls();
    by_one(|| {
        while words.arrived.load_relaxed() + 1 < launch.blocks {
            thread::nanosleep(NAP_NANOS);
        }
        words.arrived.store_relaxed(0);
        thread::device_fence();
    });
}

/// Waits for the call behind the first `calls` of this launch: the task. By the other blocks.
#[inline(always)]
pub fn wait(own: &Own, calls: u32) -> u32 {
    let words = own.grid_calls();
    by_one(|| {
        while words.calls.load_relaxed() == calls {
            thread::nanosleep(NAP_NANOS);
        }
        thread::device_fence();
    });
    words.task.load_relaxed()
}

/// Says that this block is done with what it was called for.
#[inline(always)]
pub fn done(own: &Own) {
    by_one(|| {
        thread::device_fence();
        own.grid_calls().arrived.fetch_add(1);
    });
}

/// Makes ready for the next launch, when all are done with their last task.
#[inline(always)]
pub fn dismiss(own: &Own) {
    by_one(|| own.grid_calls().calls.store_relaxed(0));
}
