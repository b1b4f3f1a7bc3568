//! Exercise 1: reverse an array.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// Writes the elements of `x` to `reversed` in reverse order.
///
/// # Safety
/// Both arrays are equally long, and nobody else uses `reversed` during the launch.
#[kernel]
pub unsafe fn reverse(x: Array<u32>, reversed: Array<u32>) {
    // Not solved yet. Use a grid-stride loop, as `saxpy_strided` does.
    let _ = (x, reversed);
}
// ANCHOR_END: kernel
