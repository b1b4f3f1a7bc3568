//! How good the nogoods are that the search learns: when those of late are of more levels than usual, it is in the wrong place, and
//! better starts over (Audemard and Simon 2012). The averages are exponential moving ones (Biere and Fröhlich 2015).

use crate::atomics::Atomics;
use crate::layout::State;
use core::sync::atomic::Ordering::Relaxed;

/// Averages count in parts of a level, 2 to this many.
const PART_BITS: u32 = 12;
/// A nogood is one in 2 to this many in the average of late,
const RECENT_BITS: u32 = 5;
/// and in the other one.
const EVER_BITS: u32 = 12;

/// Counts a nogood of `lbd` levels. For one thread.
#[inline(always)]
pub fn note(state: &State, lbd: u32) {
    let new = lbd.min(u32::MAX >> PART_BITS) << PART_BITS;
    let next = |old: u32, bits: u32| match old {
        0 => new,
        old if new >= old => old + ((new - old) >> bits),
        old => old - ((old - new) >> bits),
    };
    state.lbd_recent.store(next(state.lbd_recent.now(), RECENT_BITS), Relaxed);
    state.lbd_ever.store(next(state.lbd_ever.now(), EVER_BITS), Relaxed);
}

/// Whether recent nogoods times `factor` are of more levels than usual.
#[inline(always)]
pub fn is_poor(state: &State, factor: f64) -> bool {
    state.lbd_recent.now() as f64 * factor > state.lbd_ever.now() as f64
}
