//! InitialPropagation: assigns what the unit nogoods of the input force (paper, Algorithm 1, line 2).
//!
//! Simplification leaves no unit nogoods; `--no-simplify` does. Learned units are looked after by
//! [`super::propagate_learned`], together with the binary ones.

use crate::assign::{propose, report_conflict, status, Status};
use crate::nogood::nogood_of;
use crate::threads::stride::over_grid;
use crate::Search;
use cuda_std::prelude::*;

/// # Inputs
/// The input nogoods `0 .. units`; `value`.
/// # Writes
/// Proposals (`reason`, `trail`) and `conflict`.
/// # Thread mapping
/// One thread a unit nogood, grid-stride.
/// # Synchronisation
/// None; claims are atomic (see [`crate::assign`]).
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// The set of proposals is; their order on the trail is not.
#[kernel]
pub unsafe fn initial_propagation(s: Search) {
    run(&s)
}

/// The kernel as a plain function.
#[inline(always)]
pub fn run(s: &Search) {
    for id in over_grid(&s.launch, 0, s.problem.units) {
        let lit = nogood_of(&s.problem, &s.own, id).lit(0);
        match status(&s.own, lit) {
            Status::Open => propose(&s.own, !lit, id),
            Status::Held => report_conflict(&s.own, id),
            Status::Falsified => {}
        }
    }
}
