//! Mistake 9: a shuffle reads a lane that does not take part.

use crate::reduce::ALL_LANES;
use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// [`crate::compact::compact`] in which only the lanes that keep an element ask lane 0 for the place.
///
/// # Safety
/// None: lane 0 may not be one of these lanes.
#[kernel]
pub unsafe fn compact(x: Array<u32>, kept: Array<u32>, count: Array<u32>) {
    let n = x.len() as u32;
    let lane = warp::lane_id();
    let mut first = thread::index_1d() - lane;
    while first < n {
        let i = first + lane;
        let value = if i < n { x.read(i) } else { 0 };
        let is_kept = value % 2 == 1;
        let votes = unsafe { warp::warp_vote_ballot(ALL_LANES, is_kept) };
        let mut place = 0;
        if lane == 0 {
            place = count.atomic(0u32).add(votes.count_ones());
        }
        if is_kept {
            let (place, _) = unsafe { warp::warp_shuffle_idx(votes, place, 0, 32) };
            let before = votes & ((1 << lane) - 1);
            kept.write(place + before.count_ones(), value);
        }
        first += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel
