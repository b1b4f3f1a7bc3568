//! Exercise 7: both halves of a choice.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// Writes the odd elements of `x` to the front of `parted`, and the even ones to its back, each in any order.
/// `counts[0]` becomes the number of odd elements and `counts[1]` that of even ones. There is one atomic
/// addition of each kind for 32 elements.
///
/// # Safety
/// `parted` is as long as `x`, `counts` has two elements, which are 0, blocks are whole warps or one thread,
/// and nobody else uses `parted` and `counts` during the launch.
#[kernel]
pub unsafe fn part(x: Array<u32>, parted: Array<u32>, counts: Array<u32>) {
    let n = x.len() as u32;
    let lane = warp::lane_id();
    let mut first = thread::index_1d() - lane;
    while first < n {
        let i = first + lane;
        let value = if i < n { x.read(i) } else { 0 };
        // Not solved yet. Who is even? A lane past the end is neither odd nor even.
        // SAFETY: all lanes of the warp are here.
        let odd = unsafe { warp::warp_vote_ballot(u32::MAX, value % 2 == 1) };
        let mut place = 0;
        if lane == 0 {
            place = counts.atomic(0u32).add(odd.count_ones());
        }
        // SAFETY: as above.
        let (place, _) = unsafe { warp::warp_shuffle_idx(u32::MAX, place, 0, 32) };
        let before = (1 << lane) - 1;
        if value % 2 == 1 {
            parted.write(place + (odd & before).count_ones(), value);
        }
        first += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel
