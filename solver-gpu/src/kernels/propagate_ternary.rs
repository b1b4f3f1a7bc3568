//! PropagateAndCheck for input nogoods of three literals.
//!
//! The main functions are [`run`], the kernel, and [`follow`], which the resident search calls for each
//! visit.
//!
//! Invariant: when all visits of a frontier are done, no ternary input nogood with a literal of the frontier
//! is unit and without a proposal, and none is violated and unreported.

use crate::assign::{in_frontier, propose, report_conflict, status, Status};
use crate::frontier::classes::TERNARY;
use crate::frontier::sharing::Share;
use crate::frontier::visit::Visit;
use crate::frontier::{frontier, is_quiet, visit};
use crate::layout::NogoodId;
use crate::lit::unpack;
use crate::threads::stride::is_single;
use crate::threads::token::WholeBlock;
use crate::{Lit, Search};
use crate::{Own, Problem};
use cuda_std::prelude::*;

/// Visits the ternary input nogoods of the frontier and proposes or reports.
///
/// # Inputs
/// The frontier `visited .. committed` of the trail, `occurs_ternary`, `occurs_ternary_id`, `value`.
/// # Writes
/// Proposals (`reason`, `trail`, `trail_len`), and `conflict` and `conflicts`.
/// # Thread mapping
/// One thread for each visit of a nogood (see [`crate::frontier`]), strided.
/// # Synchronisation
/// Block barriers while visits are shared out. Claims are atomic (see [`crate::assign`]).
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// As [`super::propagate_binary`].
#[kernel]
pub unsafe fn propagate_ternary(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function. All blocks of the grid call this.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    if is_quiet(block, &s.own) {
        visit::<Follow>(block, s, Share::of_all(&s.launch, TERNARY, TERNARY + 1), frontier(&s.own));
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

/// Does what follows from the nogood at index `at` of `occurs_ternary`, in the row of `lit`, a literal of the
/// frontier.
///
/// If several literals of the nogood are in the frontier, only the visit of the smallest acts. May be called
/// by any thread.
#[cuda_std::inlined]
pub fn follow(problem: &Problem, own: &Own, lit: Lit, at: u32) {
    let (a, b) = unpack(problem.occurs_ternary.read(at));
    let of_a = status(own, a);
    // A block of one thread need not look at the other literal.
    if is_single() && of_a == Status::Falsified {
        return;
    }
    let of_b = status(own, b);
    // All lanes take the same branches: when lanes diverge, they wait for each other.
    let (held, other, of_other) = if of_a == Status::Held { (a, b, of_b) } else { (b, a, of_a) };
    let is_held = of_a == Status::Held || of_b == Status::Held;
    if !is_held || of_other == Status::Falsified {
        return;
    }
    let earlier = |other: Lit| other < lit && in_frontier(own, other);
    if earlier(held) || of_other == Status::Held && earlier(other) {
        return;
    }
    let id = NogoodId(problem.occurs_ternary_id.read(at));
    if of_other == Status::Open {
        propose(own, !other, id);
    } else {
        report_conflict(own, id);
    }
}
