//! When to start over, to delete learned nogoods, and to decide by other phases. The conflicts are those of [`State::conflict_steps`].

use crate::layout::restart_code;
use crate::layout::Restarts;
use crate::layout::{Depth, State, NONE};
use crate::quality::is_poor;

/// What decisions go by: these follow each other, as [`crate::kernels::rephase`] has it.
pub mod phase_mode {
    /// The phases that were saved.
    pub const SAVED: u32 = 0;
    /// Phases as if the search had just begun.
    pub const FRESH: u32 = 1;
    /// Those of the longest assignment without a conflict that this led to.
    pub const LONGEST: u32 = 2;

    /// The one behind this one.
    #[inline(always)]
    pub fn after(mode: u32) -> u32 {
        match mode {
            SAVED => FRESH,
            FRESH => LONGEST,
            _ => SAVED,
        }
    }
}

/// Begins the first turn, which is over after `base` conflicts; if that is 0, never.
pub fn begin_rephasing(base: u32, state: &State) {
    let len = if base == 0 { u64::MAX } else { base as u64 };
    set_phase_mode(state, phase_mode::SAVED, len, len);
}

/// Whether it is time for the next one.
#[inline(always)]
pub fn is_rephase_due(state: &State) -> bool {
    state.conflict_steps.now() >= state.rephase_at.now()
}

/// Begins it. Turns grow by `base` conflicts each time round; that of the saved phases is as long as the two others. For one thread.
#[inline(always)]
pub fn next_phase_mode(base: u32, state: &State) {
    let (next, len) = (phase_mode::after(state.phase_mode.now()), state.rephase_interval.now());
    match next {
        phase_mode::SAVED => set_phase_mode(state, next, len + base as u64, 2 * (len + base as u64)),
        _ => set_phase_mode(state, next, len, len),
    }
}

#[inline(always)]
fn set_phase_mode(state: &State, turn: u32, len: u64, conflicts: u64) {
    state.phase_mode.store(turn);
    state.rephase_interval.store(len);
    state.rephase_at.store(state.conflict_steps.now().saturating_add(conflicts));
    state.longest_len.store(if turn == phase_mode::SAVED { NONE } else { 0 });
}

/// Sets when the first restart is due.
pub fn begin(restarts: &Restarts, state: &State) {
    state.interval.store((restarts.base as f64).to_bits());
    go_on(restarts, state);
}

/// Whether it is time.
#[inline(always)]
pub fn is_due(restarts: &Restarts, state: &State) -> bool {
    state.conflict_steps.now() >= state.next_restart.now()
        && (restarts.kind != restart_code::QUALITY || is_poor(state, restarts.factor))
}

/// Whether it is time, or for another turn of phases, and there is something to undo, where the search is.
#[inline(always)]
pub fn is_worthwhile(restarts: &Restarts, state: &State, place: Depth) -> bool {
    place.level > place.backtrack_level && (is_due(restarts, state) || is_rephase_due(state))
}

/// Whether some learned nogoods should be deleted.
#[inline(always)]
pub fn has_many_learned(state: &State) -> bool {
    state.learned.now() > state.learned_limit.now()
}

/// Counts a restart and sets when the next one is due. For one thread.
#[inline(always)]
pub fn restarted(restarts: &Restarts, state: &State) {
    state.restarts.store(state.restarts.now() + 1);
    if restarts.kind == restart_code::GEOMETRIC {
        let interval = f64::from_bits(state.interval.now()) * restarts.factor;
        state.interval.store(interval.to_bits());
    }
    go_on(restarts, state);
}

#[inline(always)]
fn go_on(restarts: &Restarts, state: &State) {
    let interval = match restarts.kind {
        restart_code::NONE => u64::MAX,
        restart_code::LUBY => (restarts.base as u64).saturating_mul(luby(state.restarts.now() + 1)),
        // A float beyond u64 saturates.
        restart_code::GEOMETRIC => f64::from_bits(state.interval.now()) as u64,
        _ => restarts.base as u64,
    };
    state.next_restart.store(state.conflict_steps.now().saturating_add(interval));
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
            let mut conflicts = state.conflict_steps.load();
            while !is_due(&restarts, &state) {
                conflicts += 1;
                state.conflict_steps.store(conflicts);
            }
            restarted(&restarts, &state);
            conflicts
        })
    }

    #[test]
    fn restarts_follow_the_sequence() {
        let geometric = Restarts { kind: restart_code::GEOMETRIC, base: 10, factor: 2.0 };
        assert_eq!(first_restarts(geometric), [10, 30, 70, 150]);
        assert_eq!(
            first_restarts(Restarts { kind: restart_code::LUBY, base: 3, factor: 0.0 }),
            [3, 6, 12, 15]
        );
        let none = State::default();
        begin(&Restarts::default(), &none);
        none.conflict_steps.store(u64::MAX - 1);
        assert!(!is_due(&Restarts::default(), &none));
    }

    #[test]
    fn turns_grow() {
        let state = State::default();
        begin_rephasing(10, &state);
        let ends = [(); 7].map(|()| {
            let (turn, end) = (state.phase_mode.load(), state.rephase_at.load());
            state.conflict_steps.store(end - 1);
            assert!(!is_rephase_due(&state));
            state.conflict_steps.store(end);
            assert!(is_rephase_due(&state));
            next_phase_mode(10, &state);
            (turn, end)
        });
        assert_eq!(ends, [(0, 10), (1, 20), (2, 30), (0, 70), (1, 90), (2, 110), (0, 170)]);
        let none = State::default();
        begin_rephasing(0, &none);
        none.conflict_steps.store(u64::MAX - 1);
        assert!(!is_rephase_due(&none));
    }
}
