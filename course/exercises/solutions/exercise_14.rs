//! A solution of exercise 14: fewer atomic additions.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// Adds the elements of `x` to `sum`, with one atomic addition for each warp of the grid.
///
/// # Safety
/// `sum` is one element, blocks are whole warps or one thread, and nobody else uses `sum` during the launch.
#[kernel]
pub unsafe fn sum(x: Array<u32>, sum: Array<u32>) {
    let mut mine: u32 = 0;
    let mut i = thread::index_1d();
    while (i as usize) < x.len() {
        mine = mine.wrapping_add(x.read(i));
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
    // On the processor, a warp is one lane.
    let mut delta = if thread::is_single() { 0 } else { 16 };
    while delta > 0 {
        // SAFETY: all lanes of the warp have left the loop, and are here.
        let (other, _) = unsafe { warp::warp_shuffle_xor(u32::MAX, mine, delta, 32) };
        mine = mine.wrapping_add(other);
        delta /= 2;
    }
    if warp::lane_id() == 0 {
        sum.atomic(0u32).add(mine);
    }
}
// ANCHOR_END: kernel
