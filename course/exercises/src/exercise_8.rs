//! Exercise 8: find a race, and mend it.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// Sets `greatest` to the greatest element of `x`.
///
/// # Safety
/// `greatest` is one element, which is 0, and nobody else uses it during the launch.
#[kernel]
pub unsafe fn greatest(x: Array<u32>, greatest: Array<u32>) {
    // Not solved yet. What does the simulated GPU say?
    let mut i = thread::index_1d();
    while (i as usize) < x.len() {
        if x.read(i) > greatest.read(0u32) {
            greatest.write(0u32, x.read(i));
        }
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel
