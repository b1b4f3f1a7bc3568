//! Which of the violated nogoods a block learns from: shortest first.

use crate::block::counter;
use crate::layout::{MAX_CONFLICTS, NONE};
use crate::stride::over_block;
use crate::Search;
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::thread;

/// Shared counter that carries the choice to all threads.
const CHOICE: usize = 0;

/// The conflict that has rank `slot` by length, then id: `None` if there are not so many. Called by all threads of a
/// block, at the same place; conflicts are distinct (each violated nogood is reported by one visit only).
#[inline(always)]
pub fn select(s: &Search, slot: u32) -> Option<u32> {
    let n = s.state().conflicts.load(Relaxed).min(MAX_CONFLICTS);
    let choice = counter(CHOICE);
    thread::sync_threads();
    if thread::thread_idx_x() == 0 {
        choice.store(NONE, Relaxed);
    }
    thread::sync_threads();
    for i in over_block(0, n) {
        let mine = key(s, i);
        let before = (0..n).filter(|&j| key(s, j) < mine).count() as u32;
        if before == slot {
            choice.store(mine as u32, Relaxed);
        }
    }
    thread::sync_threads();
    let id = choice.load(Relaxed);
    (id != NONE).then_some(id)
}

/// Length, then id.
#[inline(always)]
fn key(s: &Search, i: u32) -> u64 {
    let id = s.conflict.read(i);
    (s.nogood(id).len as u64) << 32 | id as u64
}

/// Adds a bump to the activity of variable `p`, if activities are kept.
#[inline(always)]
pub fn bump(s: &Search, p: u32) {
    if s.track_activity == 1 {
        s.rank.atomic(p).fetch_add(s.state().bump.load(Relaxed), Relaxed);
    }
}

/// A well-mixed word from `x`, for order-independent hashes by addition (the finaliser of SplitMix64, Steele et al. 2014).
#[inline(always)]
pub const fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
