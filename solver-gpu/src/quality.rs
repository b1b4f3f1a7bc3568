//! How good the nogoods are that the search learns: when those of late are of more levels than usual, it is in the wrong place, and
//! better starts over (Audemard and Simon 2012). The averages are exponential moving ones (Biere and Fröhlich 2015).

use crate::layout::State;

/// Averages count in parts of a level, 2 to this many.
const PART_BITS: u32 = 12;
/// A nogood is one in 2 to this many in the average of late,
const RECENT_BITS: u32 = 5;
/// and in the other one.
const EVER_BITS: u32 = 12;

/// Counts a nogood of `lbd` levels. For one thread.
///
/// At first a new one counts as much as in an average of all so far, about: else the first one would for thousands.
#[inline(always)]
pub fn note(state: &State, lbd: u32) {
    let new = lbd.min(u32::MAX >> PART_BITS) << PART_BITS;
    let before = state.conflict_steps.now();
    let next = |old: u32, bits: u32| {
        let bits = bits.min(63 - (before + 1).leading_zeros());
        if new >= old {
            old + ((new - old) >> bits)
        } else {
            old - ((old - new) >> bits)
        }
    };
    state.lbd_recent.store(next(state.lbd_recent.now(), RECENT_BITS));
    state.lbd_ever.store(next(state.lbd_ever.now(), EVER_BITS));
}

/// Whether recent nogoods times `factor` are of more levels than usual.
#[inline(always)]
pub fn is_poor(state: &State, factor: f64) -> bool {
    state.lbd_recent.now() as f64 * factor > state.lbd_ever.now() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The averages after nogoods of these levels, one a conflict.
    fn after(lbds: impl IntoIterator<Item = u32>) -> [f64; 2] {
        let state = State::default();
        for (conflict, lbd) in (0..).zip(lbds) {
            state.conflict_steps.store(conflict);
            note(&state, lbd);
        }
        [&state.lbd_recent, &state.lbd_ever].map(|average| average.now() as f64 / (1 << PART_BITS) as f64)
    }

    #[test]
    fn averages_come_to_what_is_usual() {
        for (first, later) in [(300, 10), (1, 10), (10, 10)] {
            let [recent, ever] = after([first].into_iter().chain([later; 200]));
            assert!((recent - later as f64).abs() < 1.0, "{first}: {recent}");
            assert!((ever - later as f64).abs() < 4.0, "{first}: {ever}");
        }
        // What is new counts one in 32, and one in 4,096.
        let [recent, ever] = after([10; 10_000].into_iter().chain([42]));
        assert!((recent - 11.0).abs() < 0.1 && (ever - 10.0).abs() < 0.1, "{recent} {ever}");
    }
}
