//! Mistake 10: a barrier stands in a loop that some threads leave earlier.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// [`crate::rows::rows_to_lanes`] with a barrier after each row.
///
/// # Safety
/// None: threads have different numbers of rows.
#[kernel]
pub unsafe fn rows_to_lanes(starts: Array<u32>, elements: Array<u32>, sums: Array<u32>) {
    let mut row = thread::index_1d();
    while (row as usize) < sums.len() {
        let (mut at, end) = (starts.read(row), starts.read(row + 1));
        let mut total: u32 = 0;
        while at < end {
            total = total.wrapping_add(elements.read(at));
            at += 1;
        }
        sums.write(row, total);
        thread::sync_threads();
        row += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel
