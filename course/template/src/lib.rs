//! The kernels.

use cuda_std::array::Array;
use cuda_std::prelude::*;

/// Doubles each element.
///
/// # Safety
/// Nobody else uses `data` during the launch.
#[kernel]
pub unsafe fn double(data: Array<u32>) {
    let threads = thread::block_dim_x() * thread::grid_dim_x();
    let mut i = thread::index_1d();
    while (i as usize) < data.len() {
        data.write(i, 2 * data.read(i));
        i += threads;
    }
}
