//! Choosing one of the lanes of a warp that ask with the same value.
//!
//! Main function: [`warp_is_chosen`].

use crate::threads::scratch::WarpScratch;
use crate::threads::stride::is_single;
use crate::threads::token::WholeWarp;
use crate::threads::warp::{from_lane, sync_warp, warp_ballot};
use crate::Launch;
use cuda_std::{thread, warp};

/// Whether this lane is the one that is chosen of the lanes that ask with the same `value`. `hash` is a hash
/// of the value. A [`sync_warp`] has to lie between two calls.
///
/// Lanes with the same hash write to one slot, and the last one wins. The lanes with the winner's value are
/// settled then, and the others try again. A GPU has an instruction that compares the values of all lanes,
/// but it takes 400 to 1,000 cycles if the values differ. This takes a fifth of that.
#[cuda_std::inlined]
pub fn warp_is_chosen<T: warp::WarpShuffleValue + PartialEq>(
    warp: &mut WholeWarp,
    launch: &Launch,
    asks: bool,
    value: T,
    hash: u32,
) -> bool {
    if is_single() {
        return asks;
    }
    let (lane, slot) = (thread::thread_idx_x() % 32, WarpScratch::of_warp(launch).slot(hash));
    let (mut waits, mut is_chosen) = (asks, false);
    loop {
        if waits {
            // SAFETY: within SLOTS_BYTES for each lane, aligned. Exchanged, as several lanes may write there
            // at once.
            unsafe { slot.exchange(lane) };
        }
        sync_warp(warp);
        // SAFETY: as above, and nobody writes there before the warp has synchronised.
        let [winner] = if waits { unsafe { slot.read() } } else { [lane] };
        if from_lane(warp, value, winner) == value {
            is_chosen |= waits && winner == lane;
            waits = false;
        }
        if warp_ballot(warp, waits) == 0 {
            return is_chosen;
        }
        // All lanes have read before one writes again.
        sync_warp(warp);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::hash::mix;
    use crate::threads::testing::results;
    use crate::Launch;
    use std::collections::BTreeSet;
    use std::vec::Vec;

    #[test]
    fn one_of_those_with_a_value_is_chosen() {
        for seed in 0..40 {
            // From all alike to all different, in few slots or many.
            let values = 1 + mix(seed) % 40;
            let value = |tid: u32| (mix(seed << 8 | tid as u64) % values) << 33;
            let asks = |tid: u32| seed.is_multiple_of(5) || !mix(seed << 9 | tid as u64).is_multiple_of(4);
            let hash = |tid: u32| (value(tid) >> 33) as u32 * (seed % 3) as u32;
            let chosen = results(64, seed, |block, tid| {
                warp_is_chosen(block.warp(), &Launch::default(), asks(tid), value(tid), hash(tid))
            });
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
}
