//! Which of the violated nogoods a block learns from: the shortest first.
//!
//! Main function: [`for_each_slot`]. Invariant: all threads of a block choose the same nogood for a slot.

use crate::activity::took_part;
use crate::explanation::{explanation_by_warp, length_of, Explanation};
use crate::layout::{Learned, MAX_CONFLICTS, NONE};
use crate::threads::block::block_max;
use crate::threads::stride::{is_first, over_block, over_blocks};
use crate::{Lit, Search};
use crate::{Own, Problem};

/// The id of the violated nogood that has rank `slot` by length, then by id; [`NONE`] if there are not that many. Called
/// by all threads of a block.
#[inline(always)]
fn select(s: &Search, slot: u32) -> u32 {
    let n = s.own.state().conflicts.now().min(MAX_CONFLICTS);
    if n == 1 {
        return if slot == 0 { s.own.conflict.read(0u32) } else { NONE };
    }
    // The nogoods with keys below this one come before.
    let (mut from, mut found) = (0, u64::MAX);
    for _ in 0..=slot {
        let mut least = u64::MAX;
        for i in over_block(0, n) {
            let key = key(&s.problem, &s.own, i);
            if key >= from {
                least = least.min(key);
            }
        }
        found = !block_max(&s.launch, !least);
        from = found.saturating_add(1);
    }
    // An id is below 2^31, so no key is the maximum, whose low half is `NONE`.
    found as u32
}

/// Which kind of learning fills a slot.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Learner {
    /// Forward learning fills the even slots if both kinds learn.
    Forward,
    /// Resolution fills the odd slots if both kinds learn.
    Resolution,
}

/// Calls `learn` with each slot of the learner, the explanation of the violated nogood to learn from, and the nogood's
/// id. Each block takes other slots. In a slot without a violated nogood nothing is learned.
#[inline(always)]
pub fn for_each_slot(s: &Search, learner: Learner, learn: impl Fn(u32, Explanation, u32)) {
    let both = s.settings.track_deps & s.settings.resolves;
    for slot in over_blocks(&s.launch, 0, s.settings.slots) {
        if both == 1 && (slot % 2 == 0) != (learner == Learner::Forward) {
            continue;
        }
        match select(s, slot >> both) {
            NONE => write_learned(&s.own, slot, Learned::NOTHING),
            id => {
                if is_first() {
                    took_part(&s.own, id);
                }
                learn(
                    slot,
                    explanation_by_warp(&s.problem, &s.own, id, s.own.state().committed.now(), Lit::TRUE),
                    id,
                )
            }
        }
    }
}

/// The key of reported conflict `i`: length, then id. The length of a sum counts all its items.
#[inline(always)]
fn key(problem: &Problem, own: &Own, i: u32) -> u64 {
    let id = own.conflict.read(i);
    (length_of(problem, own, id) as u64) << 32 | id as u64
}

/// Writes what was learned from the conflict of a slot, by the block's first thread.
#[inline(always)]
pub fn write_learned(own: &Own, slot: u32, learned: Learned) {
    if is_first() {
        own.slot.write(slot, learned);
    }
}
