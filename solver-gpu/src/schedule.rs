//! When to start over, to delete learned nogoods, and to decide by other phases. The conflicts are those of [`State::conflict_steps`].

use crate::atomics::Atomics;
use crate::layout::{SearchPlace, State, NONE};
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

/// What decisions go by: these follow each other, as [`crate::kernels::rephase`] has it.
pub mod turn {
    /// The phases that were saved.
    pub const SAVED: u32 = 0;
    /// Phases as if the search had just begun.
    pub const FRESH: u32 = 1;
    /// Those of the longest assignment without a conflict that this led to.
    pub const LONGEST: u32 = 2;

    /// The one behind this one.
    #[inline(always)]
    pub fn behind(turn: u32) -> u32 {
        match turn {
            SAVED => FRESH,
            FRESH => LONGEST,
            _ => SAVED,
        }
    }
}

/// Begins the first turn, which is over after `base` conflicts; if that is 0, never.
pub fn begin_turns(base: u32, state: &State) {
    let len = if base == 0 { u64::MAX } else { base as u64 };
    set_turn(state, turn::SAVED, len, len);
}

/// Whether it is time for the next one.
#[inline(always)]
pub fn is_turn_over(state: &State) -> bool {
    state.conflict_steps.now() >= state.turn_end.now()
}

/// Begins it. Turns grow by `base` conflicts each time round; that of the saved phases is as long as the two others. For one thread.
#[inline(always)]
pub fn next_turn(base: u32, state: &State) {
    let (next, len) = (turn::behind(state.turn.now()), state.turn_len.now());
    match next {
        turn::SAVED => set_turn(state, next, len + base as u64, 2 * (len + base as u64)),
        _ => set_turn(state, next, len, len),
    }
}

#[inline(always)]
fn set_turn(state: &State, turn: u32, len: u64, conflicts: u64) {
    state.turn.store(turn, Relaxed);
    state.turn_len.store(len, Relaxed);
    state.turn_end.store(state.conflict_steps.now().saturating_add(conflicts), Relaxed);
    state.longest_len.store(if turn == turn::SAVED { NONE } else { 0 }, Relaxed);
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

/// Whether it is time, or for another turn of phases, and there is something to undo, where the search is.
#[inline(always)]
pub fn is_worthwhile(restarts: &Restarts, state: &State, place: SearchPlace) -> bool {
    place.level > place.backtrack_level && (is_due(restarts, state) || is_turn_over(state))
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

    #[test]
    fn turns_grow() {
        let state = State::default();
        begin_turns(10, &state);
        let ends = [(); 7].map(|()| {
            let (turn, end) = (state.turn.load(Relaxed), state.turn_end.load(Relaxed));
            state.conflict_steps.store(end - 1, Relaxed);
            assert!(!is_turn_over(&state));
            state.conflict_steps.store(end, Relaxed);
            assert!(is_turn_over(&state));
            next_turn(10, &state);
            (turn, end)
        });
        assert_eq!(ends, [(0, 10), (1, 20), (2, 30), (0, 70), (1, 90), (2, 110), (0, 170)]);
        let none = State::default();
        begin_turns(0, &none);
        none.conflict_steps.store(u64::MAX - 1, Relaxed);
        assert!(!is_turn_over(&none));
    }
}
