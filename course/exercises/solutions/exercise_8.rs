//! A solution of exercise 8: find a race, and mend it.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// Sets `greatest` to the greatest element of `x`.
///
/// # Safety
/// `greatest` is one element, which is 0, and nobody else uses it during the launch.
#[kernel]
pub unsafe fn greatest(x: Array<u32>, greatest: Array<u32>) {
    let mut mine = 0;
    let mut i = thread::index_1d();
    while (i as usize) < x.len() {
        mine = if x.read(i) > mine { x.read(i) } else { mine };
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
    greatest.atomic(0u32).max(mine);
}
// ANCHOR_END: kernel
