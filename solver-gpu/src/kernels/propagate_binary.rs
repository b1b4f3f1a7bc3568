//! PropagateAndCheck for input nogoods of two literals: an implication each.
//!
//! The main functions are [`run`], the kernel, and [`follow`], which the resident search calls for each
//! visit.
//!
//! Invariant: when all visits of a frontier are done, no binary input nogood with a literal of the frontier
//! is unit and without a proposal, and none is violated and unreported.

use crate::assign::{in_frontier, propose, report_conflict, status, Status};
use crate::frontier::classes::BINARY;
use crate::frontier::sharing::Share;
use crate::frontier::visit::Visit;
use crate::frontier::{frontier, is_quiet, visit};
use crate::layout::NogoodId;
use crate::threads::token::WholeBlock;
use crate::{Lit, Search};
use crate::{Own, Problem};
use cuda_std::prelude::*;

/// Visits the binary input nogoods of the frontier and proposes or reports.
///
/// # Inputs
/// The frontier `visited .. committed` of the trail, `occurs_binary`, `value`.
/// # Writes
/// Proposals (`reason`, `trail`, `trail_len`), and `conflict` and `conflicts`.
/// # Thread mapping
/// One thread for each visit of a nogood (see [`crate::frontier`]), strided.
/// # Synchronisation
/// Block barriers while visits are shared out. Claims are atomic (see [`crate::assign`]).
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// The set of proposed variables is, and so is whether there is a conflict. Which nogood becomes the reason
/// is not.
#[kernel]
pub unsafe fn propagate_binary(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function. All blocks of the grid call this.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    if is_quiet(block, &s.own) {
        visit::<Follow>(block, s, Share::of_all(&s.launch, BINARY, BINARY + 1), frontier(&s.own));
    }
}

/// Visits the nogoods of this class with [`follow`].
struct Follow;

impl Visit for Follow {
    #[cuda_std::inlined]
    fn nogood(s: &Search, _class: u32, lit: Lit, at: u32) {
        follow(&s.problem, &s.own, lit, at);
    }
}

// ANCHOR: follow
/// Does what follows from the nogood at index `at` of `occurs_binary`, in the row of `lit`, a literal of the
/// frontier. May be called by any thread.
#[cuda_std::inlined]
pub fn follow(problem: &Problem, own: &Own, lit: Lit, at: u32) {
    let entry = problem.occurs_binary.read(at);
    let (id, other) = (NogoodId((entry >> 32) as u32), Lit(entry as u32));
    match status(own, other) {
        Status::Open => propose(own, !other, id),
        // Both literals may be in this frontier. Then only one of the two visits reports.
        Status::Held if !(in_frontier(own, other) && other < lit) => report_conflict(own, id),
        _ => {}
    }
}
// ANCHOR_END: follow
