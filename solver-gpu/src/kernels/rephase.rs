//! Rephasing: changes the saved phases at intervals.
//!
//! The main function is [`run`]. The host loop launches the kernel after a restart, and the resident search
//! calls [`run`] there.
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

use crate::schedule::{next_phase_mode, phase_mode};
use crate::threads::stride::{is_first, over_block};
use crate::Search;
use cuda_std::prelude::*;
use cuda_std::thread;

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
    run(&s)
}

/// The kernel as a plain function. Must be called by all threads of the only block.
#[inline(always)]
pub fn run(s: &Search) {
    let state = s.own.state();
    let next = phase_mode::after(state.phase_mode.now());
    thread::sync_threads();
    for p in over_block(0, s.problem.vars) {
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
        next_phase_mode(s.settings.rephase, state);
    }
}
