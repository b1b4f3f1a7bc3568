//! A solution of exercise 6: count by votes of a warp.

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
    let n = x.len() as u32;
    let mut first = thread::index_1d() - warp::lane_id();
    while first < n {
        let i = first + warp::lane_id();
        let is_above = i < n && x.read(i) > limit;
        // SAFETY: `first` is the same for all lanes of a warp, so all of them are here.
        let votes = unsafe { warp::warp_vote_ballot(u32::MAX, is_above) };
        if warp::lane_id() == 0 {
            count.atomic(0u32).add(votes.count_ones());
        }
        first += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel
