//! PropagateAndCheck for input nogoods of three literals.

use crate::assign::{in_frontier, propose, report_conflict, status, Status};
use crate::frontier::classes::TERNARY;
use crate::frontier::sharing::Share;
use crate::frontier::visit::Visit;
use crate::frontier::{frontier, is_quiet, visit};
use crate::lit::unpack;
use crate::threads::stride::is_single;
use crate::{Lit, Search};
use crate::{Own, Problem};
use cuda_std::prelude::*;

/// # Inputs
/// The frontier `visited .. committed` of the trail, `occurs_ternary`, `value`.
/// # Writes
/// Proposals (`reason`, `trail`) and `conflict`.
/// # Thread mapping
/// One thread a visit (see [`crate::frontier`]), strided.
/// # Synchronisation
/// Block barriers while visits are shared out; claims are atomic (see [`crate::assign`]).
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// As [`super::propagate_binary`].
#[kernel]
pub unsafe fn propagate_ternary(s: Search) {
    run(&s)
}

/// The kernel as a plain function.
#[inline(always)]
pub fn run(s: &Search) {
    if is_quiet(&s.own) {
        visit::<Follow>(s, Share::of_all(&s.launch, TERNARY, TERNARY + 1), frontier(&s.own));
    }
}

struct Follow;

impl Visit for Follow {
    #[inline(always)]
    fn nogood(s: &Search, _class: u32, lit: Lit, at: u32) {
        follow(&s.problem, &s.own, lit, at);
    }
}

/// What follows from the nogood at place `at` of the row of `lit`, which is of the frontier. When several of its literals are, only the
/// visit of the smallest acts.
#[inline(always)]
pub fn follow(problem: &Problem, own: &Own, lit: Lit, at: u32) {
    let (a, b) = unpack(problem.occurs_ternary.read(at));
    let of_a = status(own, a);
    // One thread need not look at the other one.
    if is_single() && of_a == Status::Falsified {
        return;
    }
    let of_b = status(own, b);
    // One way for all: lanes that part wait for each other.
    let (held, other, of_other) = if of_a == Status::Held { (a, b, of_b) } else { (b, a, of_a) };
    let is_held = of_a == Status::Held || of_b == Status::Held;
    if !is_held || of_other == Status::Falsified {
        return;
    }
    let earlier = |other: Lit| other < lit && in_frontier(own, other);
    if earlier(held) || of_other == Status::Held && earlier(other) {
        return;
    }
    let id = problem.occurs_ternary_id.read(at);
    if of_other == Status::Open {
        propose(own, !other, id);
    } else {
        report_conflict(own, id);
    }
}
