//! Mistakes 12, 13 and 19: blocks wait for each other without a fence, for one arrival too many, or by plain reads.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: no_fence
/// [`crate::grid_barrier`]'s barrier without its fences.
#[inline(always)]
fn sync_grid(arrived: Array<u32>, barriers: u32) {
    thread::sync_threads();
    if thread::thread_idx_x() == 0 {
        arrived.atomic(0u32).add(1);
        while arrived.atomic(0u32).load() < (barriers + 1) * thread::grid_dim_x() {
            thread::nanosleep(100);
        }
    }
    thread::sync_threads();
}
// ANCHOR_END: no_fence

// ANCHOR: too_many
/// [`crate::grid_barrier`]'s barrier, which waits for a block that is not there.
#[inline(always)]
fn sync_too_many(arrived: Array<u32>, barriers: u32) {
    thread::sync_threads();
    if thread::thread_idx_x() == 0 {
        thread::device_fence();
        arrived.atomic(0u32).add(1);
        while arrived.atomic(0u32).load() <= (barriers + 1) * thread::grid_dim_x() {
            thread::nanosleep(100);
        }
        thread::device_fence();
    }
    thread::sync_threads();
}
// ANCHOR_END: too_many

// ANCHOR: plain_wait
/// [`crate::grid_barrier`]'s barrier, which waits by plain reads.
#[inline(always)]
fn sync_plainly(arrived: Array<u32>, barriers: u32) {
    thread::sync_threads();
    if thread::thread_idx_x() == 0 {
        thread::device_fence();
        arrived.atomic(0u32).add(1);
        while arrived.read(0u32) < (barriers + 1) * thread::grid_dim_x() {}
        thread::device_fence();
    }
    thread::sync_threads();
}
// ANCHOR_END: plain_wait

/// [`crate::grid_barrier::smooth`] with a barrier of the caller's.
#[inline(always)]
fn smooth(a: Array<u32>, b: Array<u32>, steps: u32, barrier: impl Fn(u32)) {
    let n = a.len() as u32;
    let (mut from, mut to) = (a, b);
    let mut step = 0;
    while step < steps {
        let mut i = thread::index_1d();
        while i < n {
            let left = from.read(if i == 0 { n - 1 } else { i - 1 });
            let right = from.read(if i + 1 == n { 0 } else { i + 1 });
            to.write(i, left.wrapping_add(from.read(i)).wrapping_add(right));
            i += thread::block_dim_x() * thread::grid_dim_x();
        }
        barrier(step);
        (from, to) = (to, from);
        step += 1;
    }
}

/// Smooths with a barrier without fences.
///
/// # Safety
/// None: blocks read what other blocks write.
#[kernel]
pub unsafe fn smooth_without_fence(a: Array<u32>, b: Array<u32>, arrived: Array<u32>, steps: u32) {
    smooth(a, b, steps, |step| sync_grid(arrived, step));
}

/// Smooths with a barrier that may not see that others have arrived.
///
/// # Safety
/// None: a compiler may read the number once.
#[kernel]
pub unsafe fn smooth_with_plain_wait(a: Array<u32>, b: Array<u32>, arrived: Array<u32>, steps: u32) {
    smooth(a, b, steps, |step| sync_plainly(arrived, step));
}

/// Smooths with a barrier that nobody leaves.
///
/// # Safety
/// None: the launch does not end.
#[kernel]
pub unsafe fn smooth_with_too_many(a: Array<u32>, b: Array<u32>, arrived: Array<u32>, steps: u32) {
    smooth(a, b, steps, |step| sync_too_many(arrived, step));
}
