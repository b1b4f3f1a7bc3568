//! Exercise 9: the last block adds up.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// Sets `sum` to the sum of `x`, in one launch. Each thread writes the sum of its own elements to `parts`.
/// The block that arrives last adds the parts up.
///
/// # Safety
/// `parts` has an element for each thread of the grid, `arrived` and `sum` have one, `arrived` is 0, and
/// nobody else uses these arrays during the launch.
#[kernel]
pub unsafe fn sum_by_last(x: Array<u32>, parts: Array<u32>, arrived: Array<u32>, sum: Array<u32>) {
    // Not solved yet. Two fences are missing.
    let (me, threads) = (thread::index_1d(), thread::block_dim_x() * thread::grid_dim_x());
    let (mut mine, mut i) = (0, me);
    while (i as usize) < x.len() {
        mine += x.read(i);
        i += threads;
    }
    parts.write(me, mine);
    thread::sync_threads();
    if thread::thread_idx_x() == 0 {
        let before = arrived.atomic(0u32).add(1);
        if before + 1 == thread::grid_dim_x() {
            let (mut total, mut k) = (0, 0);
            while k < threads {
                total += parts.read(k);
                k += 1;
            }
            sum.write(0u32, total);
        }
    }
}
// ANCHOR_END: kernel
