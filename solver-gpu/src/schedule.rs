//! When to restart, and when to delete learned nogoods.
//!
//! [`crate::next_step`] asks [`is_worthwhile`], and the kernel `backjump` calls [`restarted`]. The file
//! [`crate::kernels::rephase`] says when to rephase.
//!
//! Invariant: all times are counted in conflicts, by `counts.conflicts` of [`State`].

use crate::kernels::rephase;
use crate::layout::restart_code;
use crate::layout::Restarts;
use crate::layout::{Depth, State};
use crate::quality::is_poor;

/// Sets the time of the first restart. Called by one thread.
pub fn begin(restarts: &Restarts, state: &State) {
    state.interval.store((restarts.base as f64).to_bits());
    set_next_restart(restarts, state);
}

/// Whether a restart is due.
#[cuda_std::inlined]
pub fn is_due(restarts: &Restarts, state: &State) -> bool {
    state.counts.conflicts.now() >= state.next_restart.now()
        && (restarts.kind != restart_code::QUALITY || is_poor(state, restarts.factor))
}

/// Whether a restart or rephasing is due and a jump back would undo something at the search's present
/// `depth`.
#[cuda_std::inlined]
pub fn is_worthwhile(restarts: &Restarts, state: &State, depth: Depth) -> bool {
    depth.level > depth.backtrack_level && (is_due(restarts, state) || rephase::is_due(state))
}

/// Whether a deletion of learned nogoods is due.
#[cuda_std::inlined]
pub fn has_many_learned(state: &State) -> bool {
    state.learned.now() > state.learned_limit.now()
}

/// Counts a restart and sets the time of the next restart. Called by one thread.
#[cuda_std::inlined]
pub fn restarted(restarts: &Restarts, state: &State) {
    state.counts.restarts.store(state.counts.restarts.now() + 1);
    if restarts.kind == restart_code::GEOMETRIC {
        let interval = f64::from_bits(state.interval.now()) * restarts.factor;
        state.interval.store(interval.to_bits());
    }
    set_next_restart(restarts, state);
}

/// Sets the time of the next restart.
#[cuda_std::inlined]
fn set_next_restart(restarts: &Restarts, state: &State) {
    let interval = match restarts.kind {
        restart_code::NONE => u64::MAX,
        restart_code::LUBY => (restarts.base as u64).saturating_mul(luby(state.counts.restarts.now() + 1)),
        // A float above `u64::MAX` becomes `u64::MAX`.
        restart_code::GEOMETRIC => f64::from_bits(state.interval.now()) as u64,
        _ => restarts.base as u64,
    };
    state.next_restart.store(state.counts.conflicts.now().saturating_add(interval));
}

/// Returns number `i`, counted from 1, of the sequence 1 1 2 1 1 2 4 ... (Luby, Sinclair and Zuckerman 1993).
#[cuda_std::inlined]
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
            let mut conflicts = state.counts.conflicts.load();
            while !is_due(&restarts, &state) {
                conflicts += 1;
                state.counts.conflicts.store(conflicts);
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
        none.counts.conflicts.store(u64::MAX - 1);
        assert!(!is_due(&Restarts::default(), &none));
    }
}
