//! Reading the assignment, proposing literals, reporting conflicts.
//!
//! The kernels of propagation call [`status`], [`propose`] and [`report_conflict`].
//!
//! While kernels visit nogoods, `value` does not change. A thread that proposes a literal claims `reason[p]`
//! by one compare-and-swap. The thread that wins puts the literal on the trail, after the `committed`
//! entries, where no thread takes the literal for assigned before `commit` has run. A thread that loses to a
//! claim of the same sign agrees with that claim. A thread that loses to a claim of the other sign has found
//! a conflict: its own nogood is violated once the other claim is committed.
//!
//! Invariant: a nogood is judged only by literals that were committed before the visits began, so every
//! interleaving of threads is correct.

use crate::layout::{Level, NogoodId, MAX_CONFLICTS, UNCLAIMED};
use crate::Lit;
use crate::Own;

/// The status of a literal under the assignment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// The variable of the literal is unassigned.
    Open,
    /// The literal is in the assignment.
    Held,
    /// The complement of the literal is in the assignment, so a nogood with this literal cannot be violated.
    Falsified,
}

/// Returns the status of `lit` under the committed assignment. Any thread may call this.
#[cuda_std::inlined]
pub fn status(own: &Own, lit: Lit) -> Status {
    match signed_level(own, lit) {
        0 => Status::Open,
        1.. => Status::Held,
        _ => Status::Falsified,
    }
}

/// Whether `lit` is in the committed assignment. Any thread may call this.
#[cuda_std::inlined]
pub fn is_held(own: &Own, lit: Lit) -> bool {
    signed_level(own, lit) > 0
}

/// Returns the decision level of a literal that holds, its negative if the complement holds, or 0.
///
/// Visits ask this of literal after literal, and nobody can foretell the answer. So there is no branch.
#[cuda_std::inlined]
fn signed_level(own: &Own, lit: Lit) -> i32 {
    let value = own.value.read(lit.var().0);
    let mask = -(lit.is_false_sign() as i32);
    (value ^ mask) - mask
}

/// Returns the decision level at which the variable of `lit` was assigned, or [`Level::OPEN`] if the
/// variable is unassigned.
#[cuda_std::inlined]
pub fn level_of(own: &Own, lit: Lit) -> Level {
    Level(own.value.read(lit.var().0).unsigned_abs())
}

/// Of two literals that hold, the one of the higher level, which is undone first; `other` if they are of one
/// level.
#[cuda_std::inlined]
pub fn later(own: &Own, lit: Lit, other: Lit) -> Lit {
    if level_of(own, lit) > level_of(own, other) {
        lit
    } else {
        other
    }
}

/// Whether `lit`, which must hold, belongs to the frontier of this round.
#[cuda_std::inlined]
pub fn in_frontier(own: &Own, lit: Lit) -> bool {
    own.position.read(lit.var().0) >= own.state().visited.now()
}

/// Returns the word of array `reason` that says: the variable is assigned as `lit`, because of `reason`.
#[cuda_std::inlined]
pub fn claim_word(reason: NogoodId, lit: Lit) -> u32 {
    reason.0 << 1 | lit.is_false_sign() as u32
}

/// Returns the reason of the assigned variable of `lit`: a nogood's id, [`NogoodId::DECISION`] or
/// [`NogoodId::ALL_DECISIONS`].
#[cuda_std::inlined]
pub fn reason_of(own: &Own, lit: Lit) -> NogoodId {
    NogoodId(own.reason.read(lit.var().0) >> 1)
}

/// Puts `lit` on the trail. Called by the thread that has claimed the variable, or where no other thread can
/// claim it.
#[cuda_std::inlined]
pub fn push(own: &Own, lit: Lit) {
    let at = own.state().trail_len.add(1);
    own.trail.write(at, lit);
}

// ANCHOR: propose
/// Proposes `lit`, which nogood `id` forces (paper, Algorithm "propandcheck", lines 16-19).
///
/// If the complement of `lit` has been proposed already, the function reports nogood `id` as a conflict
/// instead. Any thread may call this while nogoods are visited.
#[cuda_std::inlined]
pub fn propose(own: &Own, lit: Lit, id: NogoodId) {
    let word = claim_word(id, lit);
    match own.reason.claim(lit.var().0, UNCLAIMED, word) {
        Ok(_) => push(own, lit),
        Err(found) if (found ^ word) & 1 == 1 => report_conflict(own, id),
        Err(_) => {}
    }
}
// ANCHOR_END: propose

/// Reports that nogood `id` is violated, now or once this round's proposals are committed. Any thread may
/// call this.
#[cuda_std::inlined]
pub fn report_conflict(own: &Own, id: NogoodId) {
    let at = own.state().conflicts.add(1);
    if at < MAX_CONFLICTS {
        own.conflict.write(at, id.0);
    }
}

/// Whether a conflict has been reported since the last backjump. Other threads may report one at the same
/// time.
#[cuda_std::inlined]
pub fn in_conflict(own: &Own) -> bool {
    own.state().conflicts.load() > 0
}

/// Opens a new decision level and proposes `lit` as its decision. Called by one thread, while no other thread
/// of the search writes.
#[cuda_std::inlined]
pub fn decide(own: &Own, lit: Lit) {
    let state = own.state();
    let level = state.level.now() + 1;
    let (at, deepest) = (state.trail_len.now(), state.counts.deepest_level.now());
    state.level.store(level);
    state.counts.deepest_level.store(deepest.max(level));
    own.trail_at.write(level, at);
    own.decision_at.write(level, lit);
    own.reason.write(lit.var().0, claim_word(NogoodId::DECISION, lit));
    // `push` would work here too, but its atomic addition takes longer on a GPU than the rest of this
    // function.
    own.trail.write(at, lit);
    state.trail_len.store(at + 1);
}
