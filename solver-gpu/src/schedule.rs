//! When to restart, to delete learned nogoods, and to rephase.
//!
//! [`crate::next_step`] asks [`is_worthwhile`]. The kernel `backjump` calls [`restarted`], and the kernel
//! `rephase` calls [`next_phase_mode`].
//!
//! Invariant: all times are counted in conflicts, by [`State::conflict_steps`].

use crate::layout::restart_code;
use crate::layout::Restarts;
use crate::layout::{Depth, State, NONE};
use crate::quality::is_poor;

/// The phases that decisions follow. The modes follow each other in a cycle (see
/// [`crate::kernels::rephase`]).
pub mod phase_mode {
    /// Decisions follow the saved phases.
    pub const SAVED: u32 = 0;
    /// Decisions follow the phases with which a search begins, and the longest assignment found since
    /// rephasing.
    pub const FRESH: u32 = 1;
    /// Decisions follow the phases of the longest assignment that the mode [`FRESH`] has found.
    pub const LONGEST: u32 = 2;

    /// Returns the mode that follows `mode`.
    #[inline(always)]
    pub fn after(mode: u32) -> u32 {
        match mode {
            SAVED => FRESH,
            FRESH => LONGEST,
            _ => SAVED,
        }
    }
}

/// Begins the first rephasing interval, which ends after `base` conflicts, or never if `base` is 0. Called by
/// one thread.
pub fn begin_rephasing(base: u32, state: &State) {
    let len = if base == 0 { u64::MAX } else { base as u64 };
    set_phase_mode(state, phase_mode::SAVED, len, len);
}

/// Whether the present rephasing interval has ended.
#[inline(always)]
pub fn is_rephase_due(state: &State) -> bool {
    state.conflict_steps.now() >= state.rephase_at.now()
}

/// Begins the next rephasing interval. Called by one thread.
///
/// The intervals grow by `base` conflicts in each cycle of the modes. The interval with the mode
/// [`phase_mode::SAVED`] is as long as the two other intervals of the cycle together.
#[inline(always)]
pub fn next_phase_mode(base: u32, state: &State) {
    let (next, len) = (phase_mode::after(state.phase_mode.now()), state.rephase_interval.now());
    match next {
        phase_mode::SAVED => set_phase_mode(state, next, len + base as u64, 2 * (len + base as u64)),
        _ => set_phase_mode(state, next, len, len),
    }
}

/// Sets the phase mode, the interval length `len` of the present cycle, and the end of the interval after
/// `conflicts` more conflicts.
#[inline(always)]
fn set_phase_mode(state: &State, mode: u32, len: u64, conflicts: u64) {
    state.phase_mode.store(mode);
    state.rephase_interval.store(len);
    state.rephase_at.store(state.conflict_steps.now().saturating_add(conflicts));
    state.longest_len.store(if mode == phase_mode::SAVED { NONE } else { 0 });
}

/// Sets the time of the first restart. Called by one thread.
pub fn begin(restarts: &Restarts, state: &State) {
    state.interval.store((restarts.base as f64).to_bits());
    set_next_restart(restarts, state);
}

/// Whether a restart is due.
#[inline(always)]
pub fn is_due(restarts: &Restarts, state: &State) -> bool {
    state.conflict_steps.now() >= state.next_restart.now()
        && (restarts.kind != restart_code::QUALITY || is_poor(state, restarts.factor))
}

/// Whether a restart or rephasing is due and a jump back would undo something at the search's present
/// `depth`.
#[inline(always)]
pub fn is_worthwhile(restarts: &Restarts, state: &State, depth: Depth) -> bool {
    depth.level > depth.backtrack_level && (is_due(restarts, state) || is_rephase_due(state))
}

/// Whether a deletion of learned nogoods is due.
#[inline(always)]
pub fn has_many_learned(state: &State) -> bool {
    state.learned.now() > state.learned_limit.now()
}

/// Counts a restart and sets the time of the next restart. Called by one thread.
#[inline(always)]
pub fn restarted(restarts: &Restarts, state: &State) {
    state.restarts.store(state.restarts.now() + 1);
    if restarts.kind == restart_code::GEOMETRIC {
        let interval = f64::from_bits(state.interval.now()) * restarts.factor;
        state.interval.store(interval.to_bits());
    }
    set_next_restart(restarts, state);
}

/// Sets the time of the next restart.
#[inline(always)]
fn set_next_restart(restarts: &Restarts, state: &State) {
    let interval = match restarts.kind {
        restart_code::NONE => u64::MAX,
        restart_code::LUBY => (restarts.base as u64).saturating_mul(luby(state.restarts.now() + 1)),
        // A float above `u64::MAX` becomes `u64::MAX`.
        restart_code::GEOMETRIC => f64::from_bits(state.interval.now()) as u64,
        _ => restarts.base as u64,
    };
    state.next_restart.store(state.conflict_steps.now().saturating_add(interval));
}

/// Returns number `i`, counted from 1, of the sequence 1 1 2 1 1 2 4 ... (Luby, Sinclair and Zuckerman 1993).
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

    /// The numbers of conflicts at which the first four restarts are due.
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
    fn intervals_grow() {
        let state = State::default();
        begin_rephasing(10, &state);
        let ends = [(); 7].map(|()| {
            let (mode, end) = (state.phase_mode.load(), state.rephase_at.load());
            state.conflict_steps.store(end - 1);
            assert!(!is_rephase_due(&state));
            state.conflict_steps.store(end);
            assert!(is_rephase_due(&state));
            next_phase_mode(10, &state);
            (mode, end)
        });
        assert_eq!(ends, [(0, 10), (1, 20), (2, 30), (0, 70), (1, 90), (2, 110), (0, 170)]);
        let none = State::default();
        begin_rephasing(0, &none);
        none.conflict_steps.store(u64::MAX - 1);
        assert!(!is_rephase_due(&none));
    }
}
