//! When to start over, and to delete learned nogoods: the restart sequences. The conflicts are those of [`State::conflict_steps`].

use crate::atomics::Atomics;
use crate::layout::{SearchPlace, State};
use crate::quality::is_poor;
use core::sync::atomic::Ordering::Relaxed;

/// How restarts follow each other.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Restarts {
    /// One of [`kind`].
    pub kind: u32,
    /// Conflicts before the first one.
    pub base: u32,
    /// By what intervals grow; or how much of what is usual the levels of recent nogoods may be.
    pub factor: f64,
}

/// What a sequence is.
pub mod kind {
    /// None.
    pub const NONE: u32 = 0;
    /// Luby, Sinclair and Zuckerman's.
    pub const LUBY: u32 = 1;
    /// Each interval is the one before times the factor.
    pub const GEOMETRIC: u32 = 2;
    /// After the base, when recent nogoods are poor (see [`crate::quality`]).
    pub const QUALITY: u32 = 3;
}

/// Sets when the first restart is due.
pub fn begin(restarts: &Restarts, state: &State) {
    state.interval.store((restarts.base as f64).to_bits(), Relaxed);
    go_on(restarts, state);
}

/// Whether it is time.
#[inline(always)]
pub fn is_due(restarts: &Restarts, state: &State) -> bool {
    state.conflict_steps.now() >= state.next_restart.now()
        && (restarts.kind != kind::QUALITY || is_poor(state, restarts.factor))
}

/// Whether it is time, and there is something to undo, where the search is.
#[inline(always)]
pub fn is_worthwhile(restarts: &Restarts, state: &State, place: SearchPlace) -> bool {
    place.level > place.backtrack_level && is_due(restarts, state)
}

/// Whether some learned nogoods should be deleted.
#[inline(always)]
pub fn has_many_learned(state: &State) -> bool {
    state.learned.now() > state.learned_limit.now()
}

/// Counts a restart and sets when the next one is due. For one thread.
#[inline(always)]
pub fn restarted(restarts: &Restarts, state: &State) {
    state.restarts.store(state.restarts.now() + 1, Relaxed);
    if restarts.kind == kind::GEOMETRIC {
        let interval = f64::from_bits(state.interval.now()) * restarts.factor;
        state.interval.store(interval.to_bits(), Relaxed);
    }
    go_on(restarts, state);
}

#[inline(always)]
fn go_on(restarts: &Restarts, state: &State) {
    let interval = match restarts.kind {
        kind::NONE => u64::MAX,
        kind::LUBY => (restarts.base as u64).saturating_mul(luby(state.restarts.now() + 1)),
        // A float beyond u64 saturates.
        kind::GEOMETRIC => f64::from_bits(state.interval.now()) as u64,
        _ => restarts.base as u64,
    };
    state.next_restart.store(state.conflict_steps.now().saturating_add(interval), Relaxed);
}

/// Number `i` (from 1) of the sequence 1 1 2 1 1 2 4 ... (Luby, Sinclair and Zuckerman 1993).
#[inline(always)]
fn luby(mut i: u64) -> u64 {
    loop {
        let k = 64 - i.leading_zeros();
        if i == (1 << k) - 1 {
            return 1 << (k - 1);
        }
        i -= (1 << (k - 1)) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn luby_begins_as_published() {
        let mut first = [0; 15];
        (1..=15).for_each(|i| first[i as usize - 1] = luby(i));
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }

    /// The first conflicts at which a restart is due.
    fn first_restarts(restarts: Restarts) -> [u64; 4] {
        let state = State::default();
        begin(&restarts, &state);
        [(); 4].map(|()| {
            let mut conflicts = state.conflict_steps.load(Relaxed);
            while !is_due(&restarts, &state) {
                conflicts += 1;
                state.conflict_steps.store(conflicts, Relaxed);
            }
            restarted(&restarts, &state);
            conflicts
        })
    }

    #[test]
    fn restarts_follow_the_sequence() {
        let geometric = Restarts { kind: kind::GEOMETRIC, base: 10, factor: 2.0 };
        assert_eq!(first_restarts(geometric), [10, 30, 70, 150]);
        assert_eq!(first_restarts(Restarts { kind: kind::LUBY, base: 3, factor: 0.0 }), [3, 6, 12, 15]);
        let none = State::default();
        begin(&Restarts::default(), &none);
        none.conflict_steps.store(u64::MAX - 1, Relaxed);
        assert!(!is_due(&Restarts::default(), &none));
    }
}
