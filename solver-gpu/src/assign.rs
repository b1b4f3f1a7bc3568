//! Reading the assignment, proposing literals, reporting conflicts.
//!
//! While nogoods are visited `value` is frozen. A proposal claims `reason[p]` by one compare-and-swap; the winner puts
//! the literal on the trail, behind `committed`, where nobody takes it for assigned before `commit` has run. Whoever
//! loses to a claim of the same sign agrees with it; whoever loses to the other sign has found a conflict: once the
//! claim is committed its own nogood is violated. Every interleaving is right, because a nogood is only judged by
//! literals that were committed before the launch.

use crate::layout::{DECISION, MAX_CONFLICTS, UNCLAIMED};
use crate::{Lit, Search};

/// What the assignment says of a literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Its variable is unassigned.
    Open,
    /// The literal is in the assignment.
    Held,
    /// Its complement is: a nogood with this literal cannot be violated.
    Falsified,
}

/// Status of `lit` under the committed assignment.
#[inline(always)]
pub fn status(s: &Search, lit: Lit) -> Status {
    let value = s.own.value.read(lit.var().0);
    if value == 0 {
        Status::Open
    } else if (value < 0) == lit.is_false_sign() {
        Status::Held
    } else {
        Status::Falsified
    }
}

/// Level at which the literal's variable was assigned; 0 if it is not.
#[inline(always)]
pub fn level_of(s: &Search, lit: Lit) -> u32 {
    s.own.value.read(lit.var().0).unsigned_abs()
}

/// Whether `lit`, which holds, belongs to the frontier that is being visited.
#[inline(always)]
pub fn in_frontier(s: &Search, lit: Lit) -> bool {
    s.own.position.read(lit.var().0) >= s.own.state().visited.now()
}

/// The word that stands for "assigned because of `reason`, as `lit`".
#[inline(always)]
pub fn claim_word(reason: u32, lit: Lit) -> u32 {
    reason << 1 | lit.is_false_sign() as u32
}

/// The reason of an assigned variable: a nogood id, [`DECISION`] or [`crate::layout::ALL_DECISIONS`].
#[inline(always)]
pub fn reason_of(s: &Search, lit: Lit) -> u32 {
    s.own.reason.read(lit.var().0) >> 1
}

/// Puts `lit` on the trail. The caller has claimed its variable, or nobody else can.
#[inline(always)]
pub fn push(s: &Search, lit: Lit) {
    let at = s.own.state().trail_len.add(1);
    s.own.trail.write(at, lit);
}

/// Proposes `lit` because nogood `id` has no other way out (paper, Algorithm "propandcheck", lines 16-19).
#[inline(always)]
pub fn propose(s: &Search, lit: Lit, id: u32) {
    let word = claim_word(id, lit);
    match s.own.reason.claim(lit.var().0, UNCLAIMED, word) {
        Ok(_) => push(s, lit),
        Err(found) if (found ^ word) & 1 == 1 => report_conflict(s, id),
        Err(_) => {}
    }
}

/// Reports that nogood `id` is violated, now or once this round's proposals are committed.
#[inline(always)]
pub fn report_conflict(s: &Search, id: u32) {
    let at = s.own.state().conflicts.add(1);
    if at < MAX_CONFLICTS {
        s.own.conflict.write(at, id);
    }
}

/// Whether a conflict was found since the last backjump.
#[inline(always)]
pub fn in_conflict(s: &Search) -> bool {
    s.own.state().conflicts.load() > 0
}

/// Opens a new decision level and proposes `lit` as its decision. For one thread, with no launch beside it.
#[inline(always)]
pub fn decide(s: &Search, lit: Lit) {
    let state = s.own.state();
    let level = state.level.now() + 1;
    let (at, deepest) = (state.trail_len.now(), state.deepest.now());
    state.level.store(level);
    state.deepest.store(deepest.max(level));
    s.own.trail_at.write(level, at);
    s.own.decision_at.write(level, lit);
    s.own.reason.write(lit.var().0, claim_word(DECISION, lit));
    // Not `push`: a GPU's atomic additions take longer than all the rest.
    s.own.trail.write(at, lit);
    state.trail_len.store(at + 1);
}
