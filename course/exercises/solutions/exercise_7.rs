//! A solution of exercise 7: both halves of a choice.

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
        let (is_odd, is_even) = (value % 2 == 1, i < n && value % 2 == 0);
        // SAFETY: all lanes of the warp are here.
        let odd = unsafe { warp::warp_vote_ballot(u32::MAX, is_odd) };
        // SAFETY: as above.
        let even = unsafe { warp::warp_vote_ballot(u32::MAX, is_even) };
        let (mut front, mut back) = (0, 0);
        if lane == 0 {
            front = counts.atomic(0u32).add(odd.count_ones());
            back = counts.atomic(1u32).add(even.count_ones());
        }
        // SAFETY: as above.
        let (front, _) = unsafe { warp::warp_shuffle_idx(u32::MAX, front, 0, 32) };
        // SAFETY: as above.
        let (back, _) = unsafe { warp::warp_shuffle_idx(u32::MAX, back, 0, 32) };
        let before = (1 << lane) - 1;
        if is_odd {
            parted.write(front + (odd & before).count_ones(), value);
        }
        if is_even {
            parted.write(n - 1 - back - (even & before).count_ones(), value);
        }
        first += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel
