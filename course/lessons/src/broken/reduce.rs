//! Mistakes 3 to 5: an addition that is not atomic, a tree without barriers, and a shuffle in a branch.

use crate::reduce::{ALL_LANES, THREADS};
use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: plain_add
/// [`crate::reduce::reduce_1_atomics`] with a read and a write in place of the atomic addition.
///
/// # Safety
/// None: all threads write the sum.
#[kernel]
pub unsafe fn reduce_plain_add(x: Array<u32>, sum: Array<u32>) {
    let mut i = thread::index_1d();
    while (i as usize) < x.len() {
        sum.write(0u32, sum.read(0u32) + x.read(i));
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: plain_add

// ANCHOR: no_barrier
/// [`crate::reduce::reduce_4_tree`] on one tile, without a barrier between two steps.
///
/// # Safety
/// None: a step reads what another thread's step before writes.
#[kernel]
pub unsafe fn reduce_no_barrier(x: Array<u32>, sum: Array<u32>) {
    let words = unsafe { Array::from_raw(shared_array![u32; THREADS], THREADS) };
    let t = thread::thread_idx_x();
    let i = thread::index_1d();
    words.write(t, if (i as usize) < x.len() { x.read(i) } else { 0 });
    thread::sync_threads();
    let mut s = thread::block_dim_x() / 2;
    while s > 0 {
        if t < s {
            words.write(t, words.read(t) + words.read(t + s));
        }
        s /= 2;
    }
    if t == 0 {
        sum.atomic(0u32).add(words.read(0u32));
    }
}
// ANCHOR_END: no_barrier

// ANCHOR: divergent_shuffle
/// [`crate::reduce::reduce_6_shuffles`] in which a lane shuffles only as long as it has something to add.
///
/// # Safety
/// None: lanes of the mask do not take part.
#[kernel]
pub unsafe fn reduce_divergent_shuffle(x: Array<u32>, sum: Array<u32>) {
    let lane = warp::lane_id();
    let i = thread::index_1d();
    let mut total = if (i as usize) < x.len() { x.read(i) } else { 0 };
    let mut delta = 16;
    while delta > 0 {
        if lane < delta {
            total += unsafe { warp::warp_shuffle_down(ALL_LANES, total, delta, 32) }.0;
        }
        delta /= 2;
    }
    if lane == 0 {
        sum.atomic(0u32).add(total);
    }
}
// ANCHOR_END: divergent_shuffle
