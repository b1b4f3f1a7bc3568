//! Exercise 6: count by votes of a warp.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// Adds to `count` how many elements of `x` are greater than `limit`, with one atomic addition for 32
/// elements.
///
/// # Safety
/// `count` is one element, blocks are whole warps or one thread, and nobody else uses `count` during the
/// launch.
#[kernel]
pub unsafe fn count_above(x: Array<u32>, limit: u32, count: Array<u32>) {
    // Not solved yet. All lanes of the mask have to vote: which lanes leave this loop early?
    let mut i = thread::index_1d();
    while (i as usize) < x.len() {
        // SAFETY: is it?
        let votes = unsafe { warp::warp_vote_ballot(u32::MAX, x.read(i) > limit) };
        if warp::lane_id() == 0 {
            count.atomic(0u32).add(votes.count_ones());
        }
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel
