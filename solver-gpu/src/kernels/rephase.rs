//! Turns of phases: for a while the search decides as variables were last (phase saving), then for as long as if it had just begun, going
//! from there after the longest assignment without a conflict (rephasing and target phases, Biere and Fleury 2020).
//!
//! Saved phases keep a search where it is. In some programs answer sets are elsewhere, and no restart gets it there.

use crate::atomics::Atomics;
use crate::schedule::{next_turn, turn};
use crate::stride::over_block;
use crate::team::is_first;
use crate::Search;
use cuda_std::prelude::*;

/// # Inputs
/// `phase`, `kept_phase`, `longest`, `turn`, which is over.
/// # Writes
/// `phase`: if the next turn is [`turn::FRESH`], as if nothing had ever been undone; what it was goes into `kept_phase`. If it is
/// [`turn::LONGEST`], what `longest` says, where that says something; if [`turn::SAVED`], `kept_phase`. Then `longest`, which says nothing any
/// more, `longest_len`, `turn`, `turn_len` and `turn_end`.
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
    let state = s.state();
    let next = turn::behind(state.turn.now());
    thread::sync_threads();
    for p in over_block(0, s.vars) {
        let (phase, longest) = (s.phase.read(p), s.longest.read(p));
        match next {
            turn::FRESH => {
                s.kept_phase.write(p, phase);
                s.phase.write(p, 0);
            }
            turn::LONGEST if longest != 0 => s.phase.write(p, longest),
            turn::LONGEST => {}
            _ => s.phase.write(p, s.kept_phase.read(p)),
        }
        s.longest.write(p, 0);
    }
    if is_first() {
        next_turn(s.turn_base, state);
    }
}
