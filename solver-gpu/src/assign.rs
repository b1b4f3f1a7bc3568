//! Reading the assignment, proposing literals, reporting conflicts.
//!
//! While nogoods are visited `value` is frozen. A proposal claims `reason[p]` by one compare-and-swap; the winner puts
//! the literal on the trail, behind `committed`, where nobody takes it for assigned before `commit` has run. Whoever
//! loses to a claim of the same sign agrees with it; whoever loses to the other sign has found a conflict: once the
//! claim is committed its own nogood is violated. Every interleaving is right, because a nogood is only judged by
//! literals that were committed before the launch.

use crate::layout::{DECISION, MAX_CONFLICTS, UNCLAIMED};
use crate::Lit;
use crate::Own;

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
pub fn status(own: &Own, lit: Lit) -> Status {
    let value = own.value.read(lit.var().0);
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
pub fn level_of(own: &Own, lit: Lit) -> u32 {
    own.value.read(lit.var().0).unsigned_abs()
}

/// Whether `lit`, which holds, belongs to the frontier that is being visited.
#[inline(always)]
pub fn in_frontier(own: &Own, lit: Lit) -> bool {
    own.position.read(lit.var().0) >= own.state().visited.now()
}

/// The word that stands for "assigned because of `reason`, as `lit`".
#[inline(always)]
pub fn claim_word(reason: u32, lit: Lit) -> u32 {
    reason << 1 | lit.is_false_sign() as u32
}

/// The reason of an assigned variable: a nogood id, [`DECISION`] or [`crate::layout::ALL_DECISIONS`].
#[inline(always)]
pub fn reason_of(own: &Own, lit: Lit) -> u32 {
    own.reason.read(lit.var().0) >> 1
}

/// Puts `lit` on the trail. The caller has claimed its variable, or nobody else can.
#[inline(always)]
pub fn push(own: &Own, lit: Lit) {
    let at = own.state().trail_len.add(1);
    own.trail.write(at, lit);
}

/// Proposes `lit` because nogood `id` has no other way out (paper, Algorithm "propandcheck", lines 16-19).
#[inline(always)]
pub fn propose(own: &Own, lit: Lit, id: u32) {
    let word = claim_word(id, lit);
    match own.reason.claim(lit.var().0, UNCLAIMED, word) {
        Ok(_) => push(own, lit),
        Err(found) if (found ^ word) & 1 == 1 => report_conflict(own, id),
        Err(_) => {}
    }
}

/// Reports that nogood `id` is violated, now or once this round's proposals are committed.
#[inline(always)]
pub fn report_conflict(own: &Own, id: u32) {
    let at = own.state().conflicts.add(1);
    if at < MAX_CONFLICTS {
        own.conflict.write(at, id);
    }
}

/// Whether a conflict was found since the last backjump.
#[inline(always)]
pub fn in_conflict(own: &Own) -> bool {
    own.state().conflicts.load() > 0
}

/// Opens a new decision level and proposes `lit` as its decision. For one thread, with no launch beside it.
#[inline(always)]
pub fn decide(own: &Own, lit: Lit) {
    let state = own.state();
    let level = state.level.now() + 1;
    let (at, deepest) = (state.trail_len.now(), state.deepest.now());
    state.level.store(level);
    state.deepest.store(deepest.max(level));
    own.trail_at.write(level, at);
    own.decision_at.write(level, lit);
    own.reason.write(lit.var().0, claim_word(DECISION, lit));
    // Not `push`: a GPU's atomic additions take longer than all the rest.
    own.trail.write(at, lit);
    state.trail_len.store(at + 1);
}
