//! Rephasing: for some conflicts the search decides by the saved phases; then, for as many, as if it had just begun, and
//! from there by the longest assignment without a conflict (rephasing and target phases, Biere and Fleury 2020).
//!
//! Saved phases keep a search where it is. In some programs answer sets are elsewhere, and no restart gets it there.

use crate::schedule::{next_phase_mode, phase_mode};
use crate::threads::stride::{is_first, over_block};
use crate::Search;
use cuda_std::prelude::*;
use cuda_std::thread;

/// # Inputs
/// `saved_phase`, `kept_phase`, `longest`, and `phase_mode`, whose interval is over.
/// # Writes
/// `saved_phase`. If the next mode is [`phase_mode::FRESH`]: no phase, and the saved phases go into `kept_phase`. If it is
/// [`phase_mode::LONGEST`]: the phases in `longest`, where there are some. If it is [`phase_mode::SAVED`]: `kept_phase`.
/// Then `longest`, which is emptied, `longest_len`, `phase_mode`, `rephase_interval` and `rephase_at`.
/// # Thread mapping
/// One thread a variable; one block.
/// # Synchronisation
/// Block barriers.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch; the grid must be one block.
/// # Deterministic
/// Yes.
#[kernel]
pub unsafe fn rephase(s: Search) {
    run(&s)
}

/// The kernel as a plain function.
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
