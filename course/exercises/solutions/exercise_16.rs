//! A solution of exercise 16: neighbours read neighbours.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// The number of the element that a lane of a warp reads in a pass. Four warps of 32 lanes read the elements
/// of an array, from 0 to 4095, in 32 passes: each element once, and in each pass of a warp only elements
/// that lie in four pieces of 32 bytes, which are 8 elements each.
pub fn element(warp: u32, lane: u32, pass: u32) -> u32 {
    // In a pass all threads take neighbours, as in a grid-stride loop.
    128 * pass + 32 * warp + lane
}

/// Adds the elements of `x` to `sum`, in the order of [`element`].
///
/// # Safety
/// `x` has 4,096 elements, `sum` has one, and nobody else uses `sum` during the launch.
#[kernel]
pub unsafe fn sum_in_passes(x: Array<u32>, sum: Array<u32>) {
    let mut i = thread::index_1d();
    while i < 128 {
        let (mut mine, mut pass) = (0u32, 0);
        while pass < 32 {
            mine = mine.wrapping_add(x.read(element(i / 32, i % 32, pass)));
            pass += 1;
        }
        sum.atomic(0u32).add(mine);
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel
