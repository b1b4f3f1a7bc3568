//! Reading the assignment, proposing literals, reporting conflicts.
//!
//! While nogoods are visited `value` is frozen. A proposal claims `reason[p]` by one compare-and-swap; the winner puts
//! the literal on the trail, behind `committed`, where nobody takes it for assigned before `commit` has run. Whoever
//! loses to a claim of the same sign agrees with it; whoever loses to the other sign has found a conflict: once the
//! claim is committed its own nogood is violated. Every interleaving is right, because a nogood is only judged by
//! literals that were committed before the launch.

use crate::layout::{Nogood, DECISION, MAX_CONFLICTS, UNCLAIMED};
use crate::{Lit, Search};
use core::array::from_fn;
use core::sync::atomic::Ordering::Relaxed;

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
    let value = s.value.read(lit.var().0);
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
    s.value.read(lit.var().0).unsigned_abs()
}

/// Literals that are looked at together, so that they are loaded at the same time: on a GPU a load takes as long as hundreds of
/// additions, but many can be under way.
pub const BATCH: u32 = if cfg!(target_arch = "nvptx64") { 4 } else { 1 };

/// The place of a literal beside `a` and `b` that does not hold, looked for from `from` on and around: where the last one was found, as
/// literals before it mostly hold still (Gent 2013).
#[inline(always)]
pub fn not_held(s: &Search, nogood: Nogood, from: u32, a: Lit, b: Lit) -> Option<u32> {
    let from = if from < nogood.len { from } else { 0 };
    let mut done = 0;
    while done < nogood.len {
        let place = |k: usize| {
            let at = from + (done + k as u32).min(nogood.len - 1);
            if at < nogood.len {
                at
            } else {
                at - nogood.len
            }
        };
        let lits: [Lit; BATCH as usize] = from_fn(|k| nogood.lit(place(k)));
        let values: [i32; BATCH as usize] = from_fn(|k| s.value.read(lits[k].var().0));
        let mut found = None;
        for k in (0..BATCH as usize).rev() {
            let is_held = values[k] != 0 && (values[k] < 0) == lits[k].is_false_sign();
            if !is_held && lits[k] != a && lits[k] != b {
                found = Some(place(k));
            }
        }
        if found.is_some() {
            return found;
        }
        done += BATCH;
    }
    None
}

/// Whether `lit`, which holds, belongs to the frontier that is being visited.
#[inline(always)]
pub fn in_frontier(s: &Search, lit: Lit) -> bool {
    s.position.read(lit.var().0) >= s.state().visited.load(Relaxed)
}

/// The word that stands for "assigned because of `reason`, as `lit`".
#[inline(always)]
pub fn claim_word(reason: u32, lit: Lit) -> u32 {
    reason << 1 | lit.is_false_sign() as u32
}

/// The reason of an assigned variable: a nogood id, [`DECISION`] or [`crate::layout::ALL_DECISIONS`].
#[inline(always)]
pub fn reason_of(s: &Search, lit: Lit) -> u32 {
    s.reason.read(lit.var().0) >> 1
}

/// Puts `lit` on the trail. The caller has claimed its variable, or nobody else can.
#[inline(always)]
pub fn push(s: &Search, lit: Lit) {
    let at = s.state().trail_len.fetch_add(1, Relaxed);
    s.trail.write(at, lit);
}

/// Proposes `lit` because nogood `id` has no other way out (paper, Algorithm "propandcheck", lines 16-19).
#[inline(always)]
pub fn propose(s: &Search, lit: Lit, id: u32) {
    let word = claim_word(id, lit);
    match s.reason.claim(lit.var().0, UNCLAIMED, word) {
        Ok(_) => push(s, lit),
        Err(found) if (found ^ word) & 1 == 1 => report_conflict(s, id),
        Err(_) => {}
    }
}

/// Reports that nogood `id` is violated, now or once this round's proposals are committed.
#[inline(always)]
pub fn report_conflict(s: &Search, id: u32) {
    let at = s.state().conflicts.fetch_add(1, Relaxed);
    if at < MAX_CONFLICTS {
        s.conflict.write(at, id);
    }
}

/// Whether a conflict was found since the last backjump.
#[inline(always)]
pub fn in_conflict(s: &Search) -> bool {
    s.state().conflicts.load(Relaxed) > 0
}

/// Opens a new decision level and proposes `lit` as its decision. For one thread, with no launch beside it.
#[inline(always)]
pub fn decide(s: &Search, lit: Lit) {
    let state = s.state();
    let level = state.level.load(Relaxed) + 1;
    state.level.store(level, Relaxed);
    state.deepest.fetch_max(level, Relaxed);
    s.trail_at.write(level, state.trail_len.load(Relaxed));
    s.decision_at.write(level, lit);
    s.reason.write(lit.var().0, claim_word(DECISION, lit));
    push(s, lit);
}
