//! Exercise 5: the greatest element of a warp, by shuffles.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// Sets `greatest[g]` to the greatest of the elements `32 * g` to `32 * g + 31` of `x`, each group by a warp.
///
/// # Safety
/// `greatest` has an element for each 32 of `x`, rounded up; blocks are whole warps or one thread; nobody
/// else uses `greatest` during the launch.
#[kernel]
pub unsafe fn greatest_of_warps(x: Array<u32>, greatest: Array<u32>) {
    // On the processor, a warp is one lane.
    let lanes = if thread::is_single() { 1 } else { 32 };
    let mut group = thread::index_1d() / lanes;
    while (group as usize) < greatest.len() {
        let mut mine = 0;
        let mut at = 32 * group + warp::lane_id();
        while at < 32 * group + 32 && (at as usize) < x.len() {
            mine = if x.read(at) > mine { x.read(at) } else { mine };
            at += lanes;
        }
        // Not solved yet. Here each lane knows its own element alone, and lane 0 writes.
        if warp::lane_id() == 0 {
            greatest.write(group, mine);
        }
        group += thread::block_dim_x() / lanes * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel
