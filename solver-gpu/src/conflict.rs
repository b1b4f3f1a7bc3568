//! Choosing the violated nogoods from which a step learns: the shortest first.
//!
//! Both learning kernels call [`for_each_slot`], which gives each slot one conflict and each block one slot
//! at a time.
//!
//! Invariant: the choice depends on the set of reported conflicts only, not on the order in which they were
//! reported.

use crate::activity::took_part;
use crate::explanation::{explanation_by_warp, length_of, Explanation};
use crate::layout::{Learned, NogoodId, MAX_CONFLICTS};
use crate::threads::block::block_max;
use crate::threads::stride::{is_first, over_block, over_blocks};
use crate::threads::token::{WholeBlock, WholeWarp};
use crate::{Lit, Search};
use crate::{Own, Problem};

/// Returns the id of the conflict of rank `rank` in the order of length, then id;
/// [`NogoodId::NONE`] if there are not that many conflicts.
#[cuda_std::inlined]
fn select(block: &mut WholeBlock, s: &Search, rank: u32) -> NogoodId {
    let n = s.own.state().conflicts.now().min(MAX_CONFLICTS);
    if n == 1 {
        return if rank == 0 { NogoodId(s.own.conflict.read(0u32)) } else { NogoodId::NONE };
    }
    // The conflicts with keys below `from` have been passed.
    let (mut from, mut found) = (0, u64::MAX);
    for _ in 0..=rank {
        let mut least = u64::MAX;
        for i in over_block(block, 0, n) {
            let key = key(&s.problem, &s.own, i);
            if key >= from {
                least = least.min(key);
            }
        }
        found = !block_max(block, &s.launch, !least);
        from = found.saturating_add(1);
    }
    // An id is below 2^31, so no conflict has the key `u64::MAX`. The low half of `u64::MAX` is `NONE`.
    NogoodId(found as u32)
}

/// The kind of learning that fills a slot.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Learner {
    /// Forward learning, which fills the even slots if both kinds learn, and else all slots.
    Forward,
    /// Learning by resolution, which fills the odd slots if both kinds learn, and else all slots.
    Resolution,
}

/// Calls `learn` with the index of each slot of `learner` and the id of the violated nogood to learn from.
///
/// Each block of the grid takes one slot at a time. A slot without a conflict gets [`Learned::NOTHING`].
/// All blocks of the search call this.
#[cuda_std::inlined]
pub fn for_each_slot(
    block: &mut WholeBlock,
    s: &Search,
    learner: Learner,
    learn: impl Fn(&mut WholeBlock, u32, NogoodId),
) {
    let both = s.settings.track_deps & s.settings.resolves;
    for slot in over_blocks(&s.launch, 0, s.settings.slots) {
        if both == 1 && (slot % 2 == 0) != (learner == Learner::Forward) {
            continue;
        }
        match select(block, s, slot >> both) {
            NogoodId::NONE => write_learned(&s.own, slot, Learned::NOTHING),
            id => {
                if is_first() {
                    took_part(&s.own, id);
                }
                learn(block, slot, id)
            }
        }
    }
}

/// Returns why nogood or sum `id` is violated. The block's first warp or all its warps call this.
#[cuda_std::inlined]
pub fn violated(warp: &mut WholeWarp, s: &Search, id: NogoodId) -> Explanation {
    explanation_by_warp(warp, &s.problem, &s.own, id, s.own.committed(), Lit::TRUE)
}

/// Returns the sort key of reported conflict `i`: the length in the high half, the id in the low half. The
/// length of a sum is the number of its items plus one.
#[cuda_std::inlined]
fn key(problem: &Problem, own: &Own, i: u32) -> u64 {
    let id = NogoodId(own.conflict.read(i));
    (length_of(problem, own, id) as u64) << 32 | id.0 as u64
}

/// Writes `learned`, the result of learning from one conflict, to slot `slot`, if the caller is
/// the block's first thread.
#[cuda_std::inlined]
pub fn write_learned(own: &Own, slot: u32, learned: Learned) {
    if is_first() {
        own.slot.write(slot, learned);
    }
}
