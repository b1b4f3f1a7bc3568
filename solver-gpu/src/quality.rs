//! The quality of the nogoods that the search learns.
//!
//! If recent nogoods have more levels than usual, the search is in an unpromising region and should restart
//! (Audemard and Simon 2012). `record_learned` calls [`note`] for each nogood, and [`crate::schedule`] asks
//! [`is_poor`].
//!
//! Invariant: the two averages are exponential moving averages (Biere and Fröhlich 2015), in units of 1/4096
//! of a level.

use crate::layout::State;

/// The binary logarithm of the number of units in a level.
const PART_BITS: u32 = 12;
/// The binary logarithm of the number of nogoods over which the recent average runs.
const RECENT_BITS: u32 = 5;
/// The binary logarithm of the number of nogoods over which the long-term average runs.
const EVER_BITS: u32 = 12;

/// Adds a nogood of `lbd` levels to both averages. Called by one thread.
///
/// While there are few nogoods, each one counts about as much as in the average of all nogoods so far.
/// Otherwise the first nogood would dominate the long-term average for thousands of conflicts.
#[cuda_std::inlined]
pub fn note(state: &State, lbd: u32) {
    let new = lbd.min(u32::MAX >> PART_BITS) << PART_BITS;
    let before = state.counts.conflicts.now();
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

/// Whether the recent average LBD times `factor` exceeds the long-term average.
#[cuda_std::inlined]
pub fn is_poor(state: &State, factor: f64) -> bool {
    state.lbd_recent.now() as f64 * factor > state.lbd_ever.now() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two averages, in levels, after conflicts that each give a nogood with an LBD of `lbds`.
    fn after(lbds: impl IntoIterator<Item = u32>) -> [f64; 2] {
        let state = State::default();
        for (conflict, lbd) in (0..).zip(lbds) {
            state.counts.conflicts.store(conflict);
            note(&state, lbd);
        }
        [&state.lbd_recent, &state.lbd_ever].map(|average| average.now() as f64 / (1 << PART_BITS) as f64)
    }

    #[test]
    fn averages_approach_the_usual_lbd() {
        for (first, later) in [(300, 10), (1, 10), (10, 10)] {
            let [recent, ever] = after([first].into_iter().chain([later; 200]));
            assert!((recent - later as f64).abs() < 1.0, "{first}: {recent}");
            assert!((ever - later as f64).abs() < 4.0, "{first}: {ever}");
        }
        // The newest nogood has a weight of 1/32 in the recent average, and of 1/4096 in the long-term
        // average.
        let [recent, ever] = after([10; 10_000].into_iter().chain([42]));
        assert!((recent - 11.0).abs() < 0.1 && (ever - 10.0).abs() < 0.1, "{recent} {ever}");
    }
}
