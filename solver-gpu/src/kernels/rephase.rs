//! Rephasing: changes the saved phases at intervals.
//!
//! The main functions are [`is_due`], which [`crate::schedule`] asks, and [`run`]. The host loop launches the
//! kernel after a restart, and the resident search calls [`run`] there. The kernel `backjump` records the
//! longest assignment.
//!
//! In the mode [`phase_mode::SAVED`] decisions follow the phases that variables had last (phase saving). In
//! the mode [`phase_mode::FRESH`] the search decides as if it had just begun. In the mode
//! [`phase_mode::LONGEST`] it starts from there with the longest assignment without a conflict (rephasing and
//! target phases, Biere and Fleury 2020).
//!
//! Saved phases keep a search where it is. In some programs the answer sets are elsewhere, and no restart
//! takes the search there.
//!
//! Invariant: `kept_phase` holds the saved phases of the mode `SAVED` while another mode runs.

use crate::layout::{State, NONE};
use crate::threads::barrier::sync_block;
use crate::threads::stride::{is_first, over_block};
use crate::threads::token::WholeBlock;
use crate::Search;
use cuda_std::prelude::*;

/// The phases that decisions follow. The modes follow each other in a cycle.
pub mod phase_mode {
    /// Decisions follow the saved phases.
    pub const SAVED: u32 = 0;
    /// Decisions follow the phases with which a search begins, and the longest assignment found since
    /// rephasing.
    pub const FRESH: u32 = 1;
    /// Decisions follow the phases of the longest assignment that the mode [`FRESH`] has found.
    pub const LONGEST: u32 = 2;

    /// Returns the mode that follows `mode`.
    #[cuda_std::inlined]
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
pub fn begin(base: u32, state: &State) {
    let len = if base == 0 { u64::MAX } else { base as u64 };
    begin_mode(state, phase_mode::SAVED, len, len);
}

/// Whether the present rephasing interval has ended.
#[cuda_std::inlined]
pub fn is_due(state: &State) -> bool {
    state.counts.conflicts.now() >= state.rephase_at.now()
}

/// Begins the next rephasing interval. Called by one thread.
///
/// The intervals grow by `base` conflicts in each cycle of the modes. The interval with the mode
/// [`phase_mode::SAVED`] is as long as the two other intervals of the cycle together.
#[cuda_std::inlined]
fn begin_next(base: u32, state: &State) {
    let (next, len) = (phase_mode::after(state.phase_mode.now()), state.rephase_interval.now());
    match next {
        phase_mode::SAVED => begin_mode(state, next, len + base as u64, 2 * (len + base as u64)),
        _ => begin_mode(state, next, len, len),
    }
}

/// Sets the phase mode, the interval length `len` of the present cycle, and the end of the interval after
/// `conflicts` more conflicts.
#[cuda_std::inlined]
fn begin_mode(state: &State, mode: u32, len: u64, conflicts: u64) {
    state.phase_mode.store(mode);
    state.rephase_interval.store(len);
    state.rephase_at.store(state.counts.conflicts.now().saturating_add(conflicts));
    state.longest_len.store(if mode == phase_mode::SAVED { NONE } else { 0 });
}

/// Changes the saved phases for the next phase mode.
///
/// # Inputs
/// `saved_phase`, `kept_phase`, `longest`, `phase_mode`, `rephase_interval`; the present interval is over.
/// # Writes
/// `saved_phase`. If the next mode is [`phase_mode::FRESH`], it is set as if nothing had ever been undone,
/// and its old contents go to `kept_phase`. If the next mode is [`phase_mode::LONGEST`], it takes the signs
/// of `longest` where there are any. If the next mode is [`phase_mode::SAVED`], it is `kept_phase`. Then
/// `longest`, which is cleared, `longest_len`, `phase_mode`, `rephase_interval` and `rephase_at`.
/// # Thread mapping
/// One thread for each variable. One block.
/// # Synchronisation
/// Block barriers.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch. The grid must be one block.
/// # Deterministic
/// Yes.
#[kernel]
pub unsafe fn rephase(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function. There is one block.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    let state = s.own.state();
    let next = phase_mode::after(state.phase_mode.now());
    sync_block(block);
    for p in over_block(block, 0, s.problem.vars) {
        let (phase, longest) = (s.own.saved_phase.read(p), s.own.longest.read(p));
        match next {
            phase_mode::FRESH => {
                s.own.kept_phase.write(p, phase);
                s.own.saved_phase.write(p, 0);
            }
            phase_mode::LONGEST if longest != 0 => s.own.saved_phase.write(p, longest),
            phase_mode::LONGEST => {}
            _ => s.own.saved_phase.write(p, s.own.kept_phase.read(p)),
        }
        s.own.longest.write(p, 0);
    }
    if is_first() {
        begin_next(s.settings.rephase, state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_grow() {
        let state = State::default();
        begin(10, &state);
        let ends = [(); 7].map(|()| {
            let (mode, end) = (state.phase_mode.load(), state.rephase_at.load());
            state.counts.conflicts.store(end - 1);
            assert!(!is_due(&state));
            state.counts.conflicts.store(end);
            assert!(is_due(&state));
            begin_next(10, &state);
            (mode, end)
        });
        assert_eq!(ends, [(0, 10), (1, 20), (2, 30), (0, 70), (1, 90), (2, 110), (0, 170)]);
        let none = State::default();
        begin(0, &none);
        none.counts.conflicts.store(u64::MAX - 1);
        assert!(!is_due(&none));
    }
}
