//! Mistake 1: a thread without an element does not stop.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// [`crate::saxpy::saxpy`] without the comparison of the index.
///
/// # Safety
/// None: there may be more threads than elements.
#[kernel]
pub unsafe fn saxpy(a: f32, x: Array<f32>, y: Array<f32>) {
    let i = thread::index_1d();
    y.write(i, a * x.read(i) + y.read(i));
}
// ANCHOR_END: kernel
