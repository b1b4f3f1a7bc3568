//! PropagateAndCheck for input nogoods of two literals: an implication each.

use crate::assign::{in_frontier, propose, report_conflict, status, Status};
use crate::frontier::classes::BINARY;
use crate::frontier::sharing::Share;
use crate::frontier::visit::Visit;
use crate::frontier::{frontier, is_quiet, visit};
use crate::{Lit, Search};
use crate::{Own, Problem};
use cuda_std::prelude::*;

/// # Inputs
/// The frontier `visited .. committed` of the trail, `occurs_binary`, `value`.
/// # Writes
/// Proposals (`reason`, `trail`) and `conflict`.
/// # Thread mapping
/// One thread a visit (see [`crate::frontier`]), strided.
/// # Synchronisation
/// Block barriers while visits are shared out; claims are atomic (see [`crate::assign`]).
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// The set of proposed variables and whether there is a conflict are; which nogood becomes the reason is not.
#[kernel]
pub unsafe fn propagate_binary(s: Search) {
    run(&s)
}

/// The kernel as a plain function.
#[inline(always)]
pub fn run(s: &Search) {
    if is_quiet(&s.own) {
        visit::<Follow>(s, Share::of_all(&s.launch, BINARY, BINARY + 1), frontier(&s.own));
    }
}

struct Follow;

impl Visit for Follow {
    #[inline(always)]
    fn nogood(s: &Search, _class: u32, lit: Lit, at: u32) {
        follow(&s.problem, &s.own, lit, at);
    }
}

/// What follows from the nogood at place `at` of the row of `lit`, which is of the frontier.
#[inline(always)]
pub fn follow(problem: &Problem, own: &Own, lit: Lit, at: u32) {
    let entry = problem.occurs_binary.read(at);
    let (id, other) = ((entry >> 32) as u32, Lit(entry as u32));
    match status(own, other) {
        Status::Open => propose(own, !other, id),
        // Both literals may be of this frontier; then only one of the two visits reports.
        Status::Held if !(in_frontier(own, other) && other < lit) => report_conflict(own, id),
        _ => {}
    }
}
