//! PropagateAndCheck for input nogoods of three literals.

use crate::assign::{in_frontier, propose, report_conflict, status, Status};
use crate::frontier::visit;
use crate::layout::Nogood;
use crate::{Lit, Search};
use cuda_std::prelude::*;

/// # Inputs
/// The frontier `visited .. committed` of the trail, the ternary rows of `occurs`, `value`.
/// # Writes
/// Proposals (`reason`, `trail`) and `conflict`.
/// # Thread mapping
/// One block a literal of the frontier, one thread a nogood that contains it, both strided.
/// # Synchronisation
/// None; claims are atomic (see [`crate::assign`]).
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
    visit(s, 1, |lit, id| {
        let (a, b) = others(s.nogood(id), lit);
        check(s, id, lit, a, b);
    });
}

/// The two literals of a ternary nogood beside `lit`.
#[inline(always)]
fn others(nogood: Nogood, lit: Lit) -> (Lit, Lit) {
    let (x, y, z) = (nogood.lit(0), nogood.lit(1), nogood.lit(2));
    if x == lit {
        (y, z)
    } else if y == lit {
        (x, z)
    } else {
        (x, y)
    }
}

/// What follows from nogood `id` = `{lit, a, b}` of which `lit` holds and is of the frontier. When several of its literals
/// are of the frontier, only the visit of the smallest acts.
#[inline(always)]
fn check(s: &Search, id: u32, lit: Lit, a: Lit, b: Lit) {
    let earlier = |other: Lit| other < lit && in_frontier(s, other);
    match (status(s, a), status(s, b)) {
        (Status::Held, Status::Open) if !earlier(a) => propose(s, !b, id),
        (Status::Open, Status::Held) if !earlier(b) => propose(s, !a, id),
        (Status::Held, Status::Held) if !earlier(a) && !earlier(b) => report_conflict(s, id),
        _ => {}
    }
}
