//! The twin of `spring`: numbers with a point are added up in the order in which threads come.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// Adds all places to `sum`, the bits of a number with a point.
///
/// # Safety
/// `sum` has one element, and nobody else uses `sum` during the launch.
#[kernel]
pub unsafe fn sum_places(places: Array<f32>, sum: Array<u32>) {
    let mut i = thread::index_1d();
    while (i as usize) < places.len() {
        sum.atomic(0u32).add_float(places.read(i));
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel
