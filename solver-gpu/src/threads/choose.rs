//! Choosing one of the lanes of a warp that ask with the same value.

use crate::threads::scratch::WarpScratch;
use crate::threads::stride::is_single;
use crate::threads::warp::{from_lane, sync_warp, warp_ballot};
use crate::Search;
use cuda_std::{thread, warp};

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
    let (lane, slot) = (thread::thread_idx_x() % 32, WarpScratch::of_warp(s).slot(hash));
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
