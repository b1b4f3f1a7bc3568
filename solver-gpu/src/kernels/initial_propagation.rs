//! InitialPropagation: assigns what the unit nogoods of the input force (paper, Algorithm 1, line 2).
//!
//! The main function is [`run`]. The host launches the kernel before the search, and when the search starts
//! over.
//!
//! Simplification leaves no unit nogoods; `--no-simplify` does. Learned units are visited by
//! [`super::propagate_learned`], together with the binary learned nogoods.
//!
//! Invariant: afterwards each unit nogood's literal is falsified or its complement is proposed, or there is a
//! conflict.

use crate::assign::{propose, report_conflict, status, Status};
use crate::layout::NogoodId;
use crate::nogood::nogood_of;
use crate::threads::stride::over_grid;
use crate::threads::token::WholeBlock;
use crate::Search;
use cuda_std::prelude::*;

/// Proposes the complements of the literals of unit input nogoods.
///
/// # Inputs
/// The input nogoods `0 .. units`; `value`.
/// # Writes
/// Proposals (`reason`, `trail`, `trail_len`), and `conflict` and `conflicts`.
/// # Thread mapping
/// One thread for each unit nogood, grid-stride.
/// # Synchronisation
/// None. Claims are atomic (see [`crate::assign`]).
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// The set of proposals is. Their order on the trail is not.
#[kernel]
pub unsafe fn initial_propagation(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function. All blocks of the grid call this.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    for id in over_grid(block, &s.launch, 0, s.problem.units) {
        let id = NogoodId(id);
        let lit = nogood_of(&s.problem, &s.own, id).lit(0);
        match status(&s.own, lit) {
            Status::Open => propose(&s.own, !lit, id),
            Status::Held => report_conflict(&s.own, id),
            Status::Falsified => {}
        }
    }
}
