//! A solution of exercise 1: reverse an array.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// Writes the elements of `x` to `reversed` in reverse order.
///
/// # Safety
/// Both arrays are equally long, and nobody else uses `reversed` during the launch.
#[kernel]
pub unsafe fn reverse(x: Array<u32>, reversed: Array<u32>) {
    let n = x.len() as u32;
    let mut i = thread::index_1d();
    while i < n {
        reversed.write(n - 1 - i, x.read(i));
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel
