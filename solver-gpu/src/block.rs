//! Reductions over a warp or a block, shared counters, and the last block of a grid.
//!
//! Invariant: a block is one thread or whole warps. Every function here is called by all threads of the block
//! (of the warp, for `warp_*`), at the same place.
//!
//! Dynamic shared memory, [`shared_bytes`] in every launch: 256 bytes for the reductions (one 64-bit value a warp), then [`COUNTERS`]
//! words for counters, the table of [`crate::frontier`], which learning uses for a bitmap, and each warp's [`Room`]. Behind that lies what
//! [`crate::near`] brings.

use crate::atomics::Atomics;
use crate::frontier::TABLE_BYTES;
use crate::stride::{block_of_grid, is_single, over_block, warp_width};
use crate::{Lit, Search};
use core::ops::AddAssign;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use cuda_std::shared::{self, Address};
use cuda_std::{thread, warp};

/// Counters in shared memory; the last one is used by [`is_last_block`].
pub const COUNTERS: usize = 16;
/// Where they begin,
const COUNTERS_AT: u32 = 32 * 8;
/// and the table of the frontier.
const TABLE_AT: usize = (COUNTERS_AT as usize + COUNTERS * 4).next_multiple_of(16);
/// Bytes for each lane in its warp's [`Room`]: a row,
const ROW_BYTES: u32 = size_of::<Row>() as u32;
/// two pairs of words,
const PAIRS_BYTES: u32 = 2 * 8;
/// two slots.
const SLOTS_BYTES: u32 = 2 * 4;
/// How many these are for a warp.
const SLOTS: u32 = 32 * SLOTS_BYTES / 4;
/// Bytes for each thread among its warp's.
const WARP_BYTES: u32 = ROW_BYTES + PAIRS_BYTES + SLOTS_BYTES;

/// Dynamic shared memory that every kernel is launched with, in blocks of so many threads.
pub const fn shared_bytes(threads: u32) -> usize {
    (TABLE_AT + threads as usize * (TABLE_BYTES + WARP_BYTES as usize)).next_multiple_of(16)
}

/// What is behind that, where there is more; 16-byte aligned.
#[inline(always)]
pub fn near() -> *mut u8 {
    // SAFETY: at the end of the dynamic shared memory of every launch, or within.
    unsafe { shared::dynamic_shared_mem::<u8>().add(shared_bytes(thread::block_dim_x())) }
}

/// The block's table for [`crate::frontier`].
#[inline(always)]
pub fn table() -> *mut u32 {
    // SAFETY: within the dynamic shared memory of every launch.
    unsafe { shared::dynamic_shared_mem::<u8>().add(TABLE_AT).cast() }
}

/// A row of nogoods that a warp visits (see [`crate::frontier::Rows`]).
#[derive(Clone, Copy, Default)]
pub struct Row {
    /// Whose.
    pub lit: Lit,
    /// Where it begins,
    pub start: u32,
    /// how many places of rows before it come first,
    pub before: u32,
    /// and those up to its end.
    pub end: u32,
}

/// What the calling warp keeps in shared memory: a row for each lane, pairs of words, two for each lane, and slots for [`warp_is_chosen`]. Each
/// lane writes to places of its own, and the warp synchronises before it reads what was written or writes what was read.
#[derive(Clone, Copy)]
pub struct Room(Address);

impl Room {
    /// The warp's.
    #[inline(always)]
    pub fn of_warp(s: &Search) -> Self {
        match s.by_itself {
            1 => Room(Address::from_number(s.room)),
            _ => Room::found(),
        }
    }

    #[inline(always)]
    fn found() -> Self {
        let (threads, warp) = (thread::block_dim_x(), thread::thread_idx_x() / 32);
        Room(
            Address::of_dynamic()
                .plus(TABLE_AT as u32 + threads * TABLE_BYTES as u32 + warp * 32 * WARP_BYTES),
        )
    }

    /// Puts a row there.
    #[inline(always)]
    pub fn set_row(self, place: u32, row: Row) {
        debug_assert!(place < 32);
        // SAFETY: within ROW_BYTES for each lane; all before it is of multiples of 16 bytes.
        unsafe { self.0.plus(place * ROW_BYTES).write_four([row.lit.0, row.start, row.before, row.end]) }
    }

    /// A row that was put there.
    #[inline(always)]
    pub fn row(self, place: u32) -> Row {
        debug_assert!(place < 32);
        // SAFETY: as above.
        let [lit, start, before, end] = unsafe { self.0.plus(place * ROW_BYTES).read_four() };
        Row { lit: Lit(lit), start, before, end }
    }

    #[inline(always)]
    fn pair(self, place: u32) -> Address {
        debug_assert!(place < 32 * PAIRS_BYTES / 8);
        self.0.plus(32 * ROW_BYTES + place * 8)
    }

    /// Puts a pair there.
    #[inline(always)]
    pub fn set(self, place: u32, a: u32, b: u32) {
        // SAFETY: behind the rows, within PAIRS_BYTES for each lane.
        unsafe { self.pair(place).write_two([a, b]) }
    }

    /// A pair that was put there.
    #[inline(always)]
    pub fn get(self, place: u32) -> (u32, u32) {
        // SAFETY: as above.
        unsafe { self.pair(place).read_two() }.into()
    }

    /// Slot `i` of [`SLOTS`], counted around.
    #[inline(always)]
    fn slot(self, i: u32) -> Address {
        self.0.plus(32 * (ROW_BYTES + PAIRS_BYTES) + i % SLOTS * 4)
    }
}

/// Waits for the other lanes of the warp. What they wrote before is visible after.
#[inline(always)]
pub fn sync_warp() {
    if warp_width() > 1 {
        // SAFETY: all 32 lanes of the warp exist and take part.
        unsafe { warp::sync_warp(u32::MAX) }
    }
}

/// Of some lanes, as bits, those below this one.
#[inline(always)]
pub fn lanes_below(lanes: u32) -> u32 {
    lanes & ((1 << (thread::thread_idx_x() % warp_width())) - 1)
}

/// A bitmap in the block's table. (Not an `Option`, see [`crate::assign::Found`].)
#[derive(Clone, Copy)]
pub struct Bits {
    at: *mut u32,
    /// Whether there is room for it.
    pub are_there: bool,
}

impl Bits {
    /// One of `bits` zeros. Called by all threads of the block, which have to synchronise afterwards; nobody may
    /// use the table otherwise until the bitmap is done with.
    #[inline(always)]
    pub fn zero(bits: u32) -> Bits {
        let words = bits.div_ceil(32);
        let are_there = words as usize <= thread::block_dim_x() as usize * TABLE_BYTES / 4;
        let bits = Bits { at: table(), are_there };
        if are_there {
            over_block(0, words).for_each(|w| bits.word(w).store(0, Relaxed));
        }
        bits
    }

    /// 32 bits.
    #[inline(always)]
    pub fn word<'a>(self, i: u32) -> &'a AtomicU32 {
        // SAFETY: within the table, by `zero`; while it is a bitmap it is only accessed as atomics.
        unsafe { AtomicU32::from_ptr(self.at.add(i as usize)) }
    }
}

/// Where the block's dynamic shared memory begins.
#[inline(always)]
fn memory(s: &Search) -> Address {
    match s.by_itself {
        1 => Address::from_number(s.memory),
        _ => Address::of_dynamic(),
    }
}

/// That, and the calling warp's [`Room`], as numbers that stay in registers: a GPU's compiler finds them out anew wherever they are asked for, unless
/// it cannot know what they are, as what another lane says. Called by all lanes of a warp.
#[inline(always)]
pub fn places() -> (u32, u32) {
    (from_lane(Address::of_dynamic().number(), 0), from_lane(Room::found().0.number(), 0))
}

/// A counter of a block.
#[derive(Clone, Copy)]
pub struct Counter(Address);

/// Shared counter `i` of this block. Its value is undefined until somebody stores one.
#[inline(always)]
pub fn counter(s: &Search, i: usize) -> Counter {
    debug_assert!(i < COUNTERS);
    Counter(memory(s).plus(COUNTERS_AT + i as u32 * 4))
}

impl Counter {
    /// Sets it. For one thread, with a barrier before others read it or add.
    #[inline(always)]
    pub fn store(self, value: u32) {
        // SAFETY: every launch has `shared_bytes` of dynamic shared memory, 16-byte aligned; the counters lie behind the reductions' words.
        unsafe { self.0.write([value]) }
    }

    /// What it is, while nobody changes it.
    #[inline(always)]
    pub fn now(self) -> u32 {
        // SAFETY: as above.
        let [now] = unsafe { self.0.read() };
        now
    }

    /// Adds, and returns what was there before.
    #[inline(always)]
    pub fn count(self, more: u32) -> u32 {
        // SAFETY: as above, and while several threads change it they add.
        unsafe { self.0.add(more) }
    }
}

/// Two counters, `i` and the next, as one of 64 bits; `i` is even.
#[inline(always)]
pub fn wide_counter<'a>(i: usize) -> &'a AtomicU64 {
    debug_assert!(i + 1 < COUNTERS && i.is_multiple_of(2));
    // SAFETY: as for `counter`, and they begin at a multiple of 8 bytes; who uses these two as one does not use them otherwise.
    unsafe { AtomicU64::from_ptr(shared::dynamic_shared_mem::<u64>().add(COUNTERS_AT as usize / 8 + i / 2)) }
}

/// Reduces `value` over the lanes of the warp by shuffles, in a logarithmic number of steps; the result is in lane 0.
#[inline(always)]
pub fn warp_reduce(mut value: u64, op: impl Fn(u64, u64) -> u64) -> u64 {
    let mut offset = warp_width() / 2;
    while offset > 0 {
        // SAFETY: all 32 lanes of the warp exist and take part (a block is whole warps, or has no offset to go).
        let (other, _) = unsafe { warp::warp_shuffle_down(u32::MAX, value, offset, 32) };
        value = op(value, other);
        offset /= 2;
    }
    value
}

/// Of the lanes that ask with the same value, one: whether this is it. `hash` is of the value. Called by all lanes of a warp, in turn with
/// [`sync_warp`].
///
/// Lanes with one hash write to one slot, and those whose value the last of them had know. A GPU has an instruction that compares all lanes' values, but
/// it takes as long as 400 to 1,000 cycles for different ones, where this takes a fifth.
#[inline(always)]
pub fn warp_is_chosen<T: warp::WarpShuffleValue + PartialEq>(
    s: &Search,
    asks: bool,
    value: T,
    hash: u32,
) -> bool {
    if is_single() {
        return asks;
    }
    let (lane, slot) = (thread::thread_idx_x() % 32, Room::of_warp(s).slot(hash));
    let (mut waits, mut is_chosen) = (asks, false);
    loop {
        if waits {
            // SAFETY: within SLOTS_BYTES for each lane, aligned. Exchanged, as several lanes may write there at once.
            unsafe { slot.exchange(lane) };
        }
        sync_warp();
        // SAFETY: as above, and nobody writes there before the warp has synchronised.
        let [winner] = if waits { unsafe { slot.read() } } else { [lane] };
        if from_lane(value, winner) == value {
            is_chosen |= waits && winner == lane;
            waits = false;
        }
        if warp_ballot(waits) == 0 {
            return is_chosen;
        }
        // All have read before one writes again.
        sync_warp();
    }
}

/// Reduces 32 bits over the lanes of a warp, by one instruction; all lanes get the result, and all have to call it.
#[inline(always)]
fn warp_redux(value: u32, op: warp::WarpReductionOp) -> u32 {
    if is_single() {
        return value;
    }
    // SAFETY: all 32 lanes of the warp exist and take part.
    unsafe { warp::warp_reduce(u32::MAX, value, op) }
}

/// The greatest value of the lanes of a warp.
#[inline(always)]
pub fn warp_max(value: u32) -> u32 {
    warp_redux(value, warp::WarpReductionOp::Max)
}

/// The same for 64 bits.
#[inline(always)]
pub fn warp_max_wide(value: u64) -> u64 {
    if is_single() {
        return value;
    }
    let high = warp_max((value >> 32) as u32);
    let low = warp_max(if (value >> 32) as u32 == high { value as u32 } else { 0 });
    (high as u64) << 32 | low as u64
}

/// The bits that some lane of a warp has.
#[inline(always)]
pub fn warp_or(value: u32) -> u32 {
    warp_redux(value, warp::WarpReductionOp::Or)
}

/// The sum of the values of the lanes of a warp, which wraps around.
#[inline(always)]
pub fn warp_sum(value: u32) -> u32 {
    warp_redux(value, warp::WarpReductionOp::Add)
}

/// The lanes of the warp, as bits, for which `predicate` holds.
#[inline(always)]
pub fn warp_ballot(predicate: bool) -> u32 {
    if warp_width() == 1 {
        return predicate as u32;
    }
    // SAFETY: all 32 lanes of the warp exist and take part.
    unsafe { warp::warp_vote_ballot(u32::MAX, predicate) }
}

/// The calling thread's lane and warp, how many warps there are, and where each warp has a value of 64 bits in shared memory.
#[inline(always)]
fn partials() -> (u32, u32, u32, *mut u64) {
    let (tid, warps) = (thread::thread_idx_x(), thread::block_dim_x() / 32);
    (tid % 32, tid / 32, warps, shared::dynamic_shared_mem::<u64>())
}

/// Reduces `value` over the block: shuffles within each warp, one value a warp in shared memory, and a last reduction by
/// the first warp (paper, Algorithm "fwd-learning"). Every thread gets the result. Three barriers.
#[inline(always)]
pub fn block_reduce(value: u64, identity: u64, op: impl Fn(u64, u64) -> u64 + Copy) -> u64 {
    if is_single() {
        return value;
    }
    let (lane, wid, warps, partial) = partials();
    let value = warp_reduce(value, op);
    // SAFETY: 32 u64 of dynamic shared memory are there in every launch; each warp's lane 0 writes its own, and barriers
    // stand between writes and reads by others.
    unsafe {
        if lane == 0 {
            *partial.add(wid as usize) = value;
        }
        thread::sync_threads();
        if wid == 0 {
            let value = warp_reduce(if lane < warps { *partial.add(lane as usize) } else { identity }, op);
            if lane == 0 {
                *partial = value;
            }
        }
        thread::sync_threads();
        let result = *partial;
        thread::sync_threads();
        result
    }
}

/// The greatest value of the threads of a block; every thread gets it. Two barriers.
#[inline(always)]
pub fn block_max(s: &Search, value: u64) -> u64 {
    if is_single() {
        return value;
    }
    let (tid, warps) = (thread::thread_idx_x(), thread::block_dim_x() / 32);
    let (lane, partial) = (tid % 32, |warp: u32| memory(s).plus(warp * 8));
    let value = warp_max_wide(value);
    // SAFETY: as in `block_reduce`.
    unsafe {
        if lane == 0 {
            partial(tid / 32).write_two([value as u32, (value >> 32) as u32]);
        }
        thread::sync_threads();
        let [low, high] = if lane < warps { partial(lane).read_two() } else { [0, 0] };
        let value = warp_max_wide((high as u64) << 32 | low as u64);
        thread::sync_threads();
        value
    }
}

/// Sum of `value` over the threads of lower index, and over the whole block. Three barriers.
#[inline(always)]
pub fn block_scan(value: u64) -> (u64, u64) {
    if is_single() {
        return (0, value);
    }
    let (lane, wid, warps, partial) = partials();
    let inclusive = warp_scan(value);
    // SAFETY: as in `block_reduce`; here lane 31 of each warp writes.
    unsafe {
        if lane == 31 {
            *partial.add(wid as usize) = inclusive;
        }
        thread::sync_threads();
        if wid == 0 {
            let sum = warp_scan(if lane < warps { *partial.add(lane as usize) } else { 0 });
            if lane < warps {
                *partial.add(lane as usize) = sum;
            }
        }
        thread::sync_threads();
        let before = if wid > 0 { *partial.add(wid as usize - 1) } else { 0 };
        let total = *partial.add(warps as usize - 1);
        thread::sync_threads();
        (before + inclusive - value, total)
    }
}

/// The value of another lane.
#[inline(always)]
pub fn from_lane<T: warp::WarpShuffleValue>(value: T, lane: u32) -> T {
    if is_single() {
        return value;
    }
    // SAFETY: all 32 lanes of the warp exist and take part.
    unsafe { warp::warp_shuffle_idx(u32::MAX, value, lane, 32).0 }
}

/// Sum of `value` over this lane and the lanes below it.
#[inline(always)]
pub fn warp_scan<T: warp::WarpShuffleValue + AddAssign>(value: T) -> T {
    warp_scan_of(value, warp_width())
}

/// The same where only the first `n` lanes matter, which is for all lanes to call. (Not a loop: to go around takes longer than to shuffle.)
#[inline(always)]
pub fn warp_scan_of<T: warp::WarpShuffleValue + AddAssign>(mut value: T, n: u32) -> T {
    let mut step = |offset: u32| {
        // SAFETY: all 32 lanes of the warp exist and take part.
        let (other, is_there) = unsafe { warp::warp_shuffle_up(u32::MAX, value, offset, 32) };
        if is_there {
            value += other;
        }
    };
    if n > 1 {
        step(1);
        step(2);
    }
    if n > 4 {
        step(4);
        step(8);
        step(16);
    }
    value
}

/// Whether this is the last block of the grid to get here. What the other blocks wrote is then visible, and nobody else
/// is running: the place for work that must follow the whole grid's.
#[inline(always)]
pub fn is_last_block(s: &Search) -> bool {
    let (_, blocks) = block_of_grid(s);
    if blocks == 1 {
        thread::sync_threads();
        return true;
    }
    let last = counter(s, COUNTERS - 1);
    thread::device_fence();
    thread::sync_threads();
    if thread::thread_idx_x() == 0 {
        let before = s.team().blocks_done.add(1);
        last.store((before + 1 == blocks) as u32);
    }
    thread::sync_threads();
    let is_last = last.now() == 1;
    thread::sync_threads();
    if is_last {
        s.team().blocks_done.store(0, Relaxed);
        thread::device_fence();
    }
    is_last
}

#[cfg(test)]
pub(crate) mod tests {
    extern crate std;
    use super::*;
    use crate::conflict::mix;
    use cuda_std::host::{simt, Launch};
    use std::cell::RefCell;
    use std::collections::BTreeSet;
    use std::vec;
    use std::vec::Vec;

    /// What each of so many threads of a block gives.
    pub fn results<T: Clone + Default>(threads: u32, seed: u64, does: impl Fn(u32) -> T) -> Vec<T> {
        let results = RefCell::new(vec![T::default(); threads as usize]);
        let shared_bytes = shared_bytes(threads);
        let launch = Launch { kernel: "test", grid: 1, block: threads, shared_bytes, seed };
        let run = || {
            let tid = thread::thread_idx_x();
            let result = does(tid);
            results.borrow_mut()[tid as usize] = result;
        };
        simt(&launch, &run).expect("no errors");
        results.into_inner()
    }

    #[test]
    fn one_of_those_with_a_value_is_chosen() {
        for seed in 0..40 {
            // From all alike to all different, in few slots or many.
            let values = 1 + mix(seed) % 40;
            let value = |tid: u32| (mix(seed << 8 | tid as u64) % values) << 33;
            let asks = |tid: u32| seed.is_multiple_of(5) || !mix(seed << 9 | tid as u64).is_multiple_of(4);
            let hash = |tid: u32| (value(tid) >> 33) as u32 * (seed % 3) as u32;
            let chosen =
                results(64, seed, |tid| warp_is_chosen(&Search::default(), asks(tid), value(tid), hash(tid)));
            for warp in [0..32, 32..64] {
                let those = |wanted: &dyn Fn(u32) -> bool| {
                    warp.clone().filter(|&tid| wanted(tid)).map(value).collect::<Vec<u64>>()
                };
                let mut got = those(&|tid| chosen[tid as usize]);
                got.sort();
                let all: BTreeSet<u64> = those(&asks).into_iter().collect();
                assert_eq!(got, all.into_iter().collect::<Vec<u64>>(), "seed {seed}");
            }
        }
    }

    #[test]
    fn the_greatest_of_a_block() {
        for (seed, threads) in (0..20).zip([32, 64, 96, 256].into_iter().cycle()) {
            let value = |tid: u32| mix(seed << 8 | tid as u64) >> (seed % 7 * 9);
            let other = |tid: u32| mix(value(tid));
            // Twice, as the second must not change what some have yet to read of the first.
            let got = results(threads, seed, |tid| {
                (block_max(&Search::default(), value(tid)), block_max(&Search::default(), other(tid)))
            });
            let greatest = |of: &dyn Fn(u32) -> u64| (0..threads).map(of).max().expect("threads");
            assert!(got.iter().all(|&got| got == (greatest(&value), greatest(&other))), "seed {seed}");
        }
    }

    #[test]
    fn reductions_of_a_warp() {
        for seed in 0..20 {
            let value = |tid: u32| mix(seed << 8 | tid as u64) >> (seed % 7 * 9);
            let got = results(64, seed, |tid| {
                let (wide, low) = (value(tid), value(tid) as u32);
                (warp_max_wide(wide), warp_max(low), warp_or(low), warp_sum(low))
            });
            for warp in [0..32, 32..64] {
                let low = || warp.clone().map(|tid| value(tid) as u32);
                let expected = (
                    warp.clone().map(value).max().expect("lanes"),
                    low().max().expect("lanes"),
                    low().fold(0, |a, b| a | b),
                    low().fold(0, u32::wrapping_add),
                );
                for tid in warp {
                    assert_eq!(got[tid as usize], expected, "seed {seed}");
                }
            }
        }
    }
}
