//! Forward learning: the learned nogood is the set of decisions that a conflict depends on (paper, Algorithm
//! "fwd-learning").
//!
//! The main function is [`run`]. The host loop launches the kernel, and the resident search calls [`run`].
//!
//! Propagation has gathered the dependencies, so the kernel only computes one disjunction of bitmaps: a
//! strided collection over the violated nogood, an OR-reduction by warp shuffles, one word for each warp in
//! shared memory, and a last reduction by the first warp. The paper's bitmap is one machine word. Here the
//! reduction runs once for each word up to the current level, so that there is no cap on decision levels.
//!
//! Invariant: the literals of a learned nogood are decisions that hold, with the deepest decision last.

use crate::activity::bump;
use crate::conflict::{for_each_slot, violated, write_learned, Learner};
use crate::deps::{collect, words_of};
use crate::hash::{add_hashes, mix, warp_hash};
use crate::layout::{Learned, Level, NogoodId};
use crate::threads::barrier::sync_block;
use crate::threads::block::block_reduce;
use crate::threads::stride::{over_block, over_lanes};
use crate::threads::token::{WholeBlock, WholeWarp};
use crate::{Lit, Search};
use cuda_std::prelude::*;
use cuda_std::thread;

/// Learns from each conflict the set of decisions that the conflict depends on.
///
/// # Inputs
/// `conflict`, `deps`, `value`, `level`, `decision_at`, and the nogoods.
/// # Writes
/// Row `slot` of `slot_lits` and `slot_deps`, and the slot's element of `slot`. The activities of
/// learned nogoods that took part. `rank` if activities are kept.
/// # Thread mapping
/// One block for each conflict, strided over the slots. Threads share the violated nogood's literals. The
/// first warp stores the decisions, coalesced.
/// # Synchronisation
/// Warp shuffles, shared memory and block barriers.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// Yes, given the conflicts.
#[kernel]
pub unsafe fn learn_forward(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function. All blocks that work for the search `s` call this.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    for_each_slot(block, s, Learner::Forward, |block, slot, id| learn(block, s, slot, id));
}

/// Learns from violated nogood or sum `id` into slot `slot`.
#[cuda_std::inlined]
fn learn(block: &mut WholeBlock, s: &Search, slot: u32, id: NogoodId) {
    let violated = violated(block.warp(), s, id);
    let tid = thread::thread_idx_x();
    let words = words_of(s.own.level());
    let row = slot as usize * s.own.deps_words as usize;
    for i in over_block(block, 0, violated.len) {
        let lit = violated.lit(&s.problem, &s.own, i);
        if lit != Lit::TRUE {
            bump(&s.settings, &s.own, lit.var());
        }
    }
    for w in 0..words {
        let mine = collect(&s.problem, &s.own, violated, Lit::TRUE, w, tid, thread::block_dim_x());
        let word = block_reduce(block, mine as u64, 0, |a, b| a | b) as u32;
        if tid == 0 {
            s.own.slot_deps.write(row + w as usize, word);
        }
    }
    sync_block(block);
    if let Some(warp) = block.first_warp() {
        store(warp, s, slot, row, words);
    }
}

/// Writes the decisions of the bitmap at index `row` of `slot_deps` to slot `slot`, deepest last, with what
/// the slot says of them.
///
/// `words` is the number of words of the bitmap. Called by the first warp.
#[cuda_std::inlined]
fn store(warp: &mut WholeWarp, s: &Search, slot: u32, row: usize, words: u32) {
    let out = slot as usize * s.problem.vars as usize;
    let (mut len, mut top, mut second, mut hash) = (0, Level::FIRST, Level::FIRST, 0u64);
    for w in 0..words {
        let word = s.own.slot_deps.read(row + w as usize);
        if word == 0 {
            continue;
        }
        for bit in over_lanes(warp, 0, 32) {
            if word >> bit & 1 == 1 {
                let before = (word & ((1 << bit) - 1)).count_ones();
                let decision = s.own.decision_of(Level::at_place(w, bit));
                s.own.slot_lits.write(out + (len + before) as usize, decision);
                hash = add_hashes(hash, mix(decision.0 as u64));
                bump(&s.settings, &s.own, decision.var());
            }
        }
        let highest = 31 - word.leading_zeros();
        let rest = word & !(1 << highest);
        second = if rest == 0 { top } else { Level::at_place(w, 31 - rest.leading_zeros()) };
        top = Level::at_place(w, highest);
        len += word.count_ones();
    }
    let hash = warp_hash(warp, hash);
    write_learned(&s.own, slot, Learned { len, top, second, lbd: len, hash });
}
