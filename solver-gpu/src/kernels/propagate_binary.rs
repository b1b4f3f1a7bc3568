//! PropagateAndCheck for input nogoods of two literals: an implication each.

use crate::assign::{in_frontier, propose, report_conflict, status, Status};
use crate::frontier::visit;
use crate::Search;
use cuda_std::prelude::*;

/// # Inputs
/// The frontier `visited .. committed` of the trail, the binary rows of `occurs`, `value`.
/// # Writes
/// Proposals (`reason`, `trail`) and `conflict`.
/// # Thread mapping
/// One block a literal of the frontier, one thread a nogood that contains it, both strided.
/// # Synchronisation
/// None; claims are atomic (see [`crate::assign`]).
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
    visit(s, 0, |lit, id| {
        let nogood = s.nogood(id);
        let first = nogood.lit(0);
        let other = if first == lit { nogood.lit(1) } else { first };
        match status(s, other) {
            Status::Open => propose(s, !other, id),
            // Both literals may be of this frontier; then only one of the two visits reports.
            Status::Held if !(in_frontier(s, other) && other < lit) => report_conflict(s, id),
            _ => {}
        }
    });
}
