//! Mistake 2: a loop steps by the width of the block, not of the grid.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// [`crate::grid_stride::saxpy_strided`] with too short a step.
///
/// # Safety
/// None: several blocks write the same elements.
#[kernel]
pub unsafe fn saxpy_strided(a: f32, x: Array<f32>, y: Array<f32>) {
    let mut i = thread::index_1d();
    while (i as usize) < y.len() {
        y.write(i, a * x.read(i) + y.read(i));
        i += thread::block_dim_x();
    }
}
// ANCHOR_END: kernel
