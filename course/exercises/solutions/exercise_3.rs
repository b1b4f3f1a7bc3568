//! A solution of exercise 3: put a barrier where it belongs.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// Adds to each element of `x` its left neighbour, as it was before the launch.
///
/// # Safety
/// The launch is one block with a thread for each element, and nobody else uses `x` during the launch.
#[kernel]
pub unsafe fn add_left(x: Array<u32>) {
    let i = thread::thread_idx_x();
    let left = if i == 0 { 0 } else { x.read(i - 1) };
    // Every thread has read its neighbour before any element changes.
    thread::sync_threads();
    x.write(i, x.read(i) + left);
}
// ANCHOR_END: kernel
