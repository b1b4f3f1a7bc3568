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

use crate::Search;
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::thread;

/// How long a thread sleeps between two looks at whether the others are there.
const NAP_NANOS: u32 = 50;

/// Whether this block is the one that searches.
#[inline(always)]
pub fn leads() -> bool {
    thread::block_idx_x() == 0
}

/// Whether there are others to call.
#[inline(always)]
pub fn has_others() -> bool {
    thread::grid_dim_x() > 1
}

/// Whether this is the first thread of its block.
#[inline(always)]
pub fn is_first() -> bool {
    thread::thread_idx_x() == 0
}

/// Whether it is the last one.
#[inline(always)]
pub fn is_last() -> bool {
    thread::thread_idx_x() + 1 == thread::block_dim_x()
}

/// Whether one of so many last ones is in its warp.
#[inline(always)]
pub fn is_in_warp_of_last(threads: u32) -> bool {
    (thread::thread_idx_x() | 31) + threads >= thread::block_dim_x()
}

/// Lets one thread do something, with a barrier before and behind. Called by all threads of a block, as is all that follows.
#[inline(always)]
#[track_caller]
fn by_one(step: impl Fn()) {
    thread::sync_threads();
    if is_first() {
        step();
    }
    thread::sync_threads();
}

/// Calls the other blocks for a task. By the first block.
#[inline(always)]
pub fn call(s: &Search, task: u32) {
    let team = s.team();
    by_one(|| {
        team.task.store(task, Relaxed);
        thread::device_fence();
        team.calls.store(team.calls.load(Relaxed) + 1, Relaxed);
    });
}

/// Waits until all others are done with what they were called for. By the first block.
#[inline(always)]
pub fn gather(s: &Search) {
    let team = s.team();
    by_one(|| {
        while team.arrived.load(Relaxed) + 1 < thread::grid_dim_x() {
            thread::nanosleep(NAP_NANOS);
        }
        team.arrived.store(0, Relaxed);
        thread::device_fence();
    });
}

/// Waits for the call behind the first `calls` of this launch: the task. By the other blocks.
#[inline(always)]
pub fn wait(s: &Search, calls: u32) -> u32 {
    let team = s.team();
    by_one(|| {
        while team.calls.load(Relaxed) == calls {
            thread::nanosleep(NAP_NANOS);
        }
        thread::device_fence();
    });
    team.task.load(Relaxed)
}

/// Says that this block is done with what it was called for.
#[inline(always)]
pub fn done(s: &Search) {
    by_one(|| {
        thread::device_fence();
        s.team().arrived.fetch_add(1, Relaxed);
    });
}

/// Makes ready for the next launch, when all are done with their last task.
#[inline(always)]
pub fn dismiss(s: &Search) {
    by_one(|| s.team().calls.store(0, Relaxed));
}
