//! PropagateAndCheck for learned nogoods: one kernel for up to two literals, one for three, one for more.
//!
//! As in the paper each thread looks at one learned nogood, whatever was assigned; there is no map for them. A learned
//! unit is kept as the pair of its literal with itself.
//!
//! Learned nogoods of more than three literals watch two of them. A nogood that was learned while the search could not
//! jump as far as it asked (see [`super::record_learned`]) may later be unit without a watched literal being assigned;
//! since every round looks at every learned nogood, that is noticed all the same.

use super::propagate_long::{rewatch, rewatch_both, unpack};
use crate::assign::{in_conflict, level_of, propose, report_conflict, status, Status};
use crate::stride::over_grid;
use crate::{Lit, Search};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::prelude::*;

/// Learned nogoods of one or two literals.
/// # Inputs
/// `learned_class[0]`, `learned_watch`, `value`.
/// # Writes
/// Proposals (`reason`, `trail`) and `conflict`.
/// # Thread mapping
/// One thread a learned nogood, grid-stride.
/// # Synchronisation
/// None; claims are atomic (see [`crate::assign`]).
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// As [`super::propagate_binary`].
#[kernel]
pub unsafe fn propagate_learned_binary(s: Search) {
    run_binary(&s)
}

/// Learned nogoods of three literals. Everything else as [`propagate_learned_binary`].
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
#[kernel]
pub unsafe fn propagate_learned_ternary(s: Search) {
    run_ternary(&s)
}

/// Learned nogoods of more than three literals, by watched literals. Writes `learned_watch` as well; everything
/// else as [`propagate_learned_binary`].
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
#[kernel]
pub unsafe fn propagate_learned_long(s: Search) {
    run_long(&s)
}

/// [`propagate_learned_binary`] as a plain function.
#[inline(always)]
pub fn run_binary(s: &Search) {
    if in_conflict(s) {
        return;
    }
    for at in over_grid(0, s.state().learned_of[0].load(Relaxed)) {
        let i = s.learned_class[0].read(at);
        let id = s.nogoods + i;
        let (a, b) = unpack(s.learned_watch.read(i));
        match (status(s, a), status(s, b)) {
            (Status::Held, Status::Held) => report_conflict(s, id),
            (Status::Held, Status::Open) => propose(s, !b, id),
            (Status::Open, Status::Held) => propose(s, !a, id),
            (Status::Open, Status::Open) if a == b => propose(s, !a, id),
            _ => {}
        }
    }
}

/// [`propagate_learned_ternary`] as a plain function.
#[inline(always)]
pub fn run_ternary(s: &Search) {
    if in_conflict(s) {
        return;
    }
    for at in over_grid(0, s.state().learned_of[1].load(Relaxed)) {
        let i = s.learned_class[1].read(at);
        let id = s.nogoods + i;
        let nogood = s.nogood(id);
        let (mut held, mut open) = (0, None);
        for j in 0..3 {
            let lit = nogood.lit(j);
            match status(s, lit) {
                Status::Held => held += 1,
                Status::Open => open = Some(lit),
                Status::Falsified => {}
            }
        }
        match (held, open) {
            (3, _) => report_conflict(s, id),
            (2, Some(lit)) => propose(s, !lit, id),
            _ => {}
        }
    }
}

/// [`propagate_learned_long`] as a plain function.
#[inline(always)]
pub fn run_long(s: &Search) {
    if in_conflict(s) {
        return;
    }
    for at in over_grid(0, s.state().learned_of[2].load(Relaxed)) {
        let i = s.learned_class[2].read(at);
        let id = s.nogoods + i;
        let watch = s.learned_watch.atomic(i);
        let (a, b) = unpack(watch.load(Relaxed));
        match (status(s, a), status(s, b)) {
            (Status::Held, Status::Open) => rewatch(s, id, s.nogood(id), watch, a, b),
            (Status::Open, Status::Held) => rewatch(s, id, s.nogood(id), watch, b, a),
            (Status::Held, Status::Held) => {
                // The literal that stays watched, if one does, is the one of the higher level: it is undone first.
                let (low, high): (Lit, Lit) = if level_of(s, a) > level_of(s, b) { (b, a) } else { (a, b) };
                rewatch_both(s, id, s.nogood(id), watch, low, high);
            }
            _ => {}
        }
    }
}
