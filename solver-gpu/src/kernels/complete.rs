//! CompleteAssignment: makes every unassigned atom false (paper, Algorithm 1, line 13).
//!
//! The main function is [`run`]. The host loop launches the kernel after every decision, and the resident
//! search calls [`run`] when there is no candidate.
//!
//! The step applies at a fixpoint without an applicable rule. Then every rule of an unassigned atom that is
//! not falsified has an unassigned atom in its positive body. The unassigned atoms are therefore an unfounded
//! set, and their falsity follows from the decisions taken. Their reason is "all decisions"; the step is not
//! a decision.
//!
//! The kernel does nothing if a decision was taken (`no_candidate` is 0). The host can therefore launch it
//! without looking at the control words in between.
//!
//! Invariant: the step opens no level.

use crate::assign::{claim_word, push};
use crate::layout::NogoodId;
use crate::threads::stride::{block_of_grid, is_first, over_grid};
use crate::threads::token::WholeBlock;
use crate::Search;
use crate::{Lit, Var};
use cuda_std::prelude::*;

/// Makes every unassigned atom false, unless a decision was taken.
///
/// # Inputs
/// `value`, `no_candidate`.
/// # Writes
/// Proposals (`reason`, `trail`, `trail_len`), and `counts.completions`.
/// # Thread mapping
/// One thread for each program atom, grid-stride.
/// # Synchronisation
/// None.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// Up to the order on the trail.
#[kernel]
pub unsafe fn complete(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function. All blocks of the grid call this.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    let state = s.own.state();
    if state.no_candidate.now() == 0 {
        return;
    }
    if block_of_grid(&s.launch).0 == 0 && is_first() {
        state.counts.completions.add(1);
    }
    for p in over_grid(block, &s.launch, 0, s.problem.atom_vars) {
        if s.own.value.read(p) == 0 {
            let lit = Lit::f(Var(p));
            s.own.reason.write(p, claim_word(NogoodId::ALL_DECISIONS, lit));
            push(&s.own, lit);
        }
    }
}
