//! A team: the threads that share one search that never leaves the device.
//!
//! A team is the grid of one launch: one warp, one block, or several blocks that all run at once (a cooperative launch). Its threads
//! number themselves as those of any grid do, so the steps of the search are the functions that the kernels run, and are written once.
//! What a team has beside is a barrier. A block's takes tens of nanoseconds, one over the blocks of a GPU 0.7 us: small frontiers are for
//! a small team.
//!
//! Invariant: all threads of a team come to the same barriers. What a step depends on is read from the control words right behind a
//! barrier, by all threads, and only changes behind the next one.

use crate::Search;
use core::hint::cold_path;
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::thread;

/// How long a block sleeps between two looks at whether the others are there.
const NAP_NANOS: u32 = 20;

/// Waits until all threads of the team are here. What they wrote before is visible after.
#[inline(always)]
#[track_caller]
pub fn sync(s: &Search) {
    thread::sync_threads();
    let blocks = thread::grid_dim_x();
    if blocks == 1 {
        return;
    }
    cold_path();
    if thread::thread_idx_x() == 0 {
        let state = s.state();
        let generation = state.generation.load(Relaxed);
        thread::device_fence();
        if state.arrived.fetch_add(1, Relaxed) + 1 == blocks {
            state.arrived.store(0, Relaxed);
            thread::device_fence();
            state.generation.store(generation.wrapping_add(1), Relaxed);
        } else {
            while state.generation.load(Relaxed) == generation {
                thread::nanosleep(NAP_NANOS);
            }
        }
        thread::device_fence();
    }
    thread::sync_threads();
}

/// Lets the first block do something while the others wait.
#[inline(always)]
#[track_caller]
pub fn alone(s: &Search, step: impl Fn(&Search)) {
    sync(s);
    if thread::block_idx_x() == 0 {
        step(s);
    }
    sync(s);
}

/// Whether this is the team's first thread.
#[inline(always)]
pub fn is_first() -> bool {
    thread::index_1d() == 0
}
