//! CompleteAssignment: makes every unassigned atom false (paper, Algorithm 1, line 13).
//!
//! Runs at a fixpoint without an applicable rule. Then every rule of an unassigned atom that is not falsified has an
//! unassigned atom in its positive body: the unassigned atoms are an unfounded set, and their falsity follows from the
//! decisions taken. Launched after every decision; it does nothing when one was taken (`no_candidate` is 0), so that the
//! host need not look in between. Their reason is "all decisions"; this is no decision of its own.

use crate::assign::{claim_word, push};
use crate::layout::ALL_DECISIONS;
use crate::threads::stride::over_grid;
use crate::threads::stride::{block_of_grid, is_first};
use crate::Search;
use crate::{Lit, Var};
use cuda_std::prelude::*;

/// # Inputs
/// `value`, `no_candidate`.
/// # Writes
/// Proposals (`reason`, `trail`).
/// # Thread mapping
/// One thread a program atom, grid-stride.
/// # Synchronisation
/// None.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// Up to the order on the trail.
#[kernel]
pub unsafe fn complete(s: Search) {
    run(&s)
}

/// The kernel as a plain function.
#[inline(always)]
pub fn run(s: &Search) {
    let state = s.own.state();
    if state.no_candidate.now() == 0 {
        return;
    }
    if block_of_grid(&s.launch).0 == 0 && is_first() {
        state.completions.add(1);
    }
    for p in over_grid(&s.launch, 0, s.problem.atom_vars) {
        if s.own.value.read(p) == 0 {
            let lit = Lit::f(Var(p));
            s.own.reason.write(p, claim_word(ALL_DECISIONS, lit));
            push(&s.own, lit);
        }
    }
}
