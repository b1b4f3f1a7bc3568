//! Races of the lanes of a warp, and kernels whose warp operations order the lanes. Table: [`CASES`].
//!
//! Invariant: `sync_warp` orders the lanes of the mask, and no other thread. Votes and shuffles order
//! nothing.

use crate::{sync_warp, tid, words, zeros, Case, Memory};
use cuda_std::shared_array;
use cuda_std::warp::{self, WarpReductionOp};

pub const CASES: &[Case] = &[
    case!(Race lanes_exchange_without_sync_warp, 1, 32, 256),
    case!(Race lane_of_the_other_mask, 1, 32, 256),
    case!(Race one_lane_left_out, 1, 32, 256),
    case!(Race sync_warp_for_two_warps, 1, 64, 256),
    case!(Race shuffle_before_the_write, 1, 32, 256),
    case!(Race warp_loop_without_second_sync, 1, 32, 256),
    case!(Race ballot_for_two_warps, 1, 64, 256),
    case!(Race lane_of_another_match, 1, 32, 256),
    case!(Race lanes_exchange_through_an_array, 1, 32, 0),
    case!(Race leader_of_each_warp_writes, 1, 64, 0),
    case!(Race butterfly_without_sync, 1, 32, 256),
    case!(Race chain_of_masks_in_the_wrong_order, 1, 32, 256),
    case!(Race shuffle_is_no_barrier, 1, 32, 256),
    case!(Race vote_is_no_barrier, 1, 32, 256),
    case!(Race reduction_is_no_barrier, 1, 32, 256),
    case!(Nothing lanes_exchange, 1, 64, 256).gives(|h| (0..64).all(|i| h.out[i] as usize == i ^ 31)),
    case!(Nothing lanes_of_two_masks, 1, 32, 256).gives(|h| (0..32).all(|i| h.out[i] as usize == i ^ 15)),
    case!(Nothing chain_of_masks, 1, 32, 256).gives(|h| h.out[31] == 1),
    case!(Nothing warp_loop, 1, 32, 256).gives(|h| h.out[..32].iter().all(|&w| w == 3)),
    case!(Nothing part_of_a_warp, 1, 40, 256).gives(|h| (0..40).all(|i| h.out[i] as usize == i ^ 7)),
    case!(Nothing butterfly, 1, 32, 256).gives(|h| h.out[..32].iter().all(|&w| w == 528)),
    case!(Nothing lanes_of_one_match, 1, 32, 256).gives(|h| (0..32).all(|i| h.out[i] as usize == i ^ 2)),
    case!(Nothing array_of_a_warp, 1, 64, 0).gives(|h| (0..64).all(|i| h.out[i] as usize == i ^ 31)),
    case!(Nothing leader_reserves_slots, 1, 64, 0).gives(|h| h.out[..64].iter().sum::<u32>() == 2016),
];

const ALL: u32 = u32::MAX;

/// Lanes of a warp do not run in step.
fn lanes_exchange_without_sync_warp(m: &Memory) {
    let words = zeros(32);
    words.set(tid(), tid()); //~ lanes_exchange_without_sync_warp first
    m.out.write(tid(), words.get(31 - tid())); //~ lanes_exchange_without_sync_warp second
}

/// Lane 15 reads the word of lane 16, which is in the other mask.
fn lane_of_the_other_mask(m: &Memory) {
    let words = zeros(33);
    words.set(tid(), tid()); //~ lane_of_the_other_mask first
    sync_warp(if tid() < 16 { 0xffff } else { 0xffff_0000 });
    m.out.write(tid(), words.get(tid() + 1)); //~ lane_of_the_other_mask second
}

/// Lane 31 is not in the mask, and lane 30 reads what it wrote.
fn one_lane_left_out(m: &Memory) {
    let words = zeros(33);
    words.set(tid(), tid()); //~ one_lane_left_out first
    if tid() < 31 {
        sync_warp(0x7fff_ffff);
        m.out.write(tid(), words.get(tid() + 1)); //~ one_lane_left_out second
    }
}

/// The words cross from warp to warp, and each warp waits for its own lanes alone.
fn sync_warp_for_two_warps(m: &Memory) {
    let words = zeros(64);
    words.set(tid(), tid()); //~ sync_warp_for_two_warps first
    sync_warp(ALL);
    m.out.write(tid(), words.get(63 - tid())); //~ sync_warp_for_two_warps second
}

/// The shuffle orders what stands before it, and the write stands after it.
fn shuffle_before_the_write(m: &Memory) {
    let words = zeros(32);
    let (other, _) = unsafe { warp::warp_shuffle_xor(ALL, tid(), 1, 32) };
    words.set(tid(), other); //~ shuffle_before_the_write first
    m.out.write(tid(), words.get(tid() ^ 1)); //~ shuffle_before_the_write second
}

/// A lane writes for the next round while its neighbour still reads for this one.
fn warp_loop_without_second_sync(m: &Memory) {
    let words = zeros(32);
    let mut sum = 0;
    for round in 0..3 {
        words.set(tid(), round); //~ warp_loop_without_second_sync first
        sync_warp(ALL);
        sum += words.get((tid() + 1) % 32); //~ warp_loop_without_second_sync second
    }
    m.out.write(tid(), sum);
}

/// Each warp votes alone, and reads the words of the other.
fn ballot_for_two_warps(m: &Memory) {
    let words = zeros(64);
    words.set(tid(), tid()); //~ ballot_for_two_warps first
    let odd = unsafe { warp::warp_vote_ballot(ALL, tid() % 2 == 1) };
    m.out.write(tid(), odd + words.get(tid() ^ 32)); //~ ballot_for_two_warps second
}

/// After the match the lanes wait in groups, and a lane reads a word of another group.
fn lane_of_another_match(m: &Memory) {
    let words = zeros(32);
    let group = unsafe { warp::warp_match_any(ALL, tid() % 2) };
    words.set(tid(), tid()); //~ lane_of_another_match first
    sync_warp(group);
    m.out.write(tid(), words.get(tid() ^ 3)); //~ lane_of_another_match second
}

/// Device memory is no better ordered than shared memory.
fn lanes_exchange_through_an_array(m: &Memory) {
    sync_warp(ALL);
    m.data.write(tid(), tid()); //~ lanes_exchange_through_an_array first
    m.out.write(tid(), m.data.read(tid() ^ 1)); //~ lanes_exchange_through_an_array second
}

/// One lane of each warp writes, but there are two warps.
fn leader_of_each_warp_writes(m: &Memory) {
    let sum = unsafe { warp::warp_reduce(ALL, tid(), WarpReductionOp::Add) };
    if warp::lane_id() == 0 {
        m.out.write(0u32, sum); //~ leader_of_each_warp_writes both
    }
}

/// Steps of a sum within a warp, once written without a synchronisation for lanes that ran in step.
fn butterfly_without_sync(m: &Memory) {
    let sums = zeros(32);
    sums.set(tid(), m.data.read(tid()));
    sync_warp(ALL);
    for step in [16, 8, 4, 2, 1] {
        let other = sums.get(tid() ^ step); //~ butterfly_without_sync first
        sums.set(tid(), sums.get(tid()) + other); //~ butterfly_without_sync second
    }
    m.out.write(tid(), sums.get(tid()));
}

/// Lane 15 is in both masks, but comes to the second one first: so nothing leads from lane 0 to lane 31.
fn chain_of_masks_in_the_wrong_order(m: &Memory) {
    let word = zeros(1);
    if tid() == 0 {
        word.set(0u32, 1); //~ chain_of_masks_in_the_wrong_order first
    }
    if tid() >= 15 {
        sync_warp(0xffff_8000);
    }
    if tid() <= 15 {
        sync_warp(0x0000_ffff);
    }
    if tid() == 31 {
        m.out.write(31u32, word.get(0u32)); //~ chain_of_masks_in_the_wrong_order second
    }
}

/// Each warp exchanges within its half of the memory.
fn lanes_exchange(m: &Memory) {
    let words = words(64);
    words.set(tid(), tid());
    sync_warp(ALL);
    m.out.write(tid(), words.get(tid() ^ 31));
}

/// Each mask's lanes read words of that mask's lanes.
fn lanes_of_two_masks(m: &Memory) {
    let words = words(32);
    words.set(tid(), tid());
    sync_warp(if tid() < 16 { 0xffff } else { 0xffff_0000 });
    m.out.write(tid(), words.get(tid() ^ 15));
}

/// Lane 0 comes before lane 15 by the first mask, and lane 15 before lane 31 by the second one.
fn chain_of_masks(m: &Memory) {
    let word = words(1);
    if tid() == 0 {
        word.set(0u32, 1);
    }
    if tid() <= 15 {
        sync_warp(0x0000_ffff);
    }
    if tid() >= 15 {
        sync_warp(0xffff_8000);
    }
    if tid() == 31 {
        m.out.write(31u32, word.get(0u32));
    }
}

/// The second synchronisation keeps a lane from writing until its neighbour has read.
fn warp_loop(m: &Memory) {
    let words = words(32);
    let mut sum = 0;
    for round in 0..3 {
        words.set(tid(), round);
        sync_warp(ALL);
        sum += words.get((tid() + 1) % 32);
        sync_warp(ALL);
    }
    m.out.write(tid(), sum);
}

/// The second warp has eight lanes, and its mask too.
fn part_of_a_warp(m: &Memory) {
    let words = words(40);
    words.set(tid(), tid());
    sync_warp(warp::activemask());
    m.out.write(tid(), words.get(tid() ^ 7));
}

/// A synchronisation stands between the reads and the writes of each step.
fn butterfly(m: &Memory) {
    let sums = words(32);
    sums.set(tid(), m.data.read(tid()));
    sync_warp(ALL);
    for step in [16, 8, 4, 2, 1] {
        let other = sums.get(tid() ^ step);
        sync_warp(ALL);
        sums.set(tid(), sums.get(tid()) + other);
        sync_warp(ALL);
    }
    m.out.write(tid(), sums.get(tid()));
}

/// Lanes that passed the same value wait for each other.
fn lanes_of_one_match(m: &Memory) {
    let words = words(32);
    let group = unsafe { warp::warp_match_any(ALL, tid() % 2) };
    words.set(tid(), tid());
    sync_warp(group);
    m.out.write(tid(), words.get(tid() ^ 2));
}

/// Each warp uses its own part of a device array and of an array of constant size.
fn array_of_a_warp(m: &Memory) {
    let words = unsafe { cuda_std::array::Array::from_raw(shared_array![u32; 64], 64) };
    m.data.write(tid(), tid());
    sync_warp(ALL);
    words.write(tid(), m.data.read(tid() ^ 1));
    sync_warp(ALL);
    m.out.write(tid(), words.read(tid() ^ 30));
}

/// A leader adds for its warp, and its lanes write the slots that the leader got: no slot is written twice.
fn leader_reserves_slots(m: &Memory) {
    let first = if warp::lane_id() == 0 { m.flags.atomic(0u32).add(32) } else { 0 };
    let (first, _) = unsafe { warp::warp_shuffle_idx(ALL, first, 0, 32) };
    m.out.write(first + warp::lane_id(), tid());
}

/// A shuffle stands between the writes and the reads, and CUDA promises no order of memory for it.
fn shuffle_is_no_barrier(m: &Memory) {
    let words = words(32);
    zeros(32);
    words.set(tid(), tid()); //~ shuffle_is_no_barrier first
    unsafe { warp::warp_shuffle_xor(ALL, tid(), 31, 32) };
    m.out.write(tid(), words.get(31 - tid())); //~ shuffle_is_no_barrier second
}

/// A vote stands between the writes and the reads, and CUDA promises no order of memory for it.
fn vote_is_no_barrier(m: &Memory) {
    let words = words(32);
    zeros(32);
    words.set(tid(), tid()); //~ vote_is_no_barrier first
    unsafe { warp::warp_vote_any(ALL, false) };
    m.out.write(tid(), words.get(31 - tid())); //~ vote_is_no_barrier second
}

/// A reduction stands between the writes and the reads, and CUDA promises no order of memory for it.
fn reduction_is_no_barrier(m: &Memory) {
    let words = words(32);
    zeros(32);
    words.set(tid(), tid()); //~ reduction_is_no_barrier first
    unsafe { warp::warp_reduce(ALL, tid(), WarpReductionOp::Max) };
    m.out.write(tid(), words.get(31 - tid())); //~ reduction_is_no_barrier second
}
