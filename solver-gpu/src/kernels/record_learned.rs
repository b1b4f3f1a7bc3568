//! Stores the nogoods that the blocks of a learning kernel learned, and says where to jump.
//!
//! The main function is [`run`]. The host loop launches the kernel after the learning kernels, and the
//! resident search calls [`run`].
//!
//! Several conflicts may give the same nogood; the kernel stores it once. The search jumps to the lowest of
//! the levels that the nogoods call for, but never below the backtrack level of the enumeration. A conflict
//! that depends on no level above the backtrack level refutes everything under the highest decision that it
//! depends on (except answer sets already reported). In that case the highest decision is flipped instead.
//!
//! Invariant: each different nogood of a slot that is not empty joins the store once.

use super::decide::ranks_changed;
use crate::activity::{is_large, next_bump, scaled_down};
use crate::layout::{count_up, looking, mode, Learned, Level, NONE};
use crate::learned::append::Store;
use crate::learned::remove::rename_late;
use crate::marks::LAST_STAMP;
use crate::threads::barrier::sync_block;
use crate::threads::stride::{is_first, over_block};
use crate::threads::token::WholeBlock;
use crate::trace::learner;
use crate::watches::settle;
use crate::Own;
use crate::{quality, Search};
use cuda_std::prelude::*;
use cuda_std::thread;

/// Stores the learned nogoods of all slots and sets the target of the next backjump.
///
/// # Inputs
/// The slots of the last learning kernels, `slot_lits`, `backtrack_level`, `flips`, `late`, `conflicts`.
/// # Writes
/// The store of learned nogoods, the lists of watches, `late`. `target`, `flip`, `exhausted`, `refuted`,
/// `stamp`, `bump`, `rank`, `sign_score`, `chunk_best`, `lbd_recent`, `lbd_ever`, `serials`. `learned`,
/// `learned_literals`, `conflicts` and `violations` of `counts`. `mark` when the stamps start over. The
/// trace.
/// # Thread mapping
/// One block. Threads share the literals.
/// # Synchronisation
/// Block barriers.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch, with capacity for all learned
/// nogoods. The grid must be one block.
/// # Deterministic
/// Yes, given the slots.
#[kernel]
pub unsafe fn record_learned(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function. There is one block.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    let state = s.own.state();
    let first = is_first();
    let (backtrack, root) = (Level(state.backtrack_level.now()), Level(state.root.now()).max(Level::FIRST));
    rename_late(block, &s.own, |i| i);
    let mut store = Store::open(s);
    let (mut top, mut second) = (Level::BEYOND, Level::BEYOND);
    for slot in 0..s.settings.slots {
        let learned = s.own.slot.read(slot);
        if learned.len == NONE {
            continue;
        }
        top = top.min(learned.top);
        second = second.min(learned.second);
        let is_same = |o: Learned| o.len == learned.len && o.hash == learned.hash;
        if learned.len > 0 && !(0..slot).any(|o| is_same(s.own.slot.read(o))) {
            let id = store.append(block, slot, learned.len, learned.lbd, learner::of_slot(&s.settings, slot));
            store.late(block, id, learned.second.max(s.kept_level()) < backtrack);
            if first {
                quality::note(state, learned.lbd);
            }
        }
    }
    let (bump, stamp) = (state.bump.now(), state.stamp.now());
    sync_block(block);
    if s.settings.track_activity == 1 && is_large(bump) {
        for p in over_block(block, 0, s.problem.vars) {
            s.own.rank.write(p, scaled_down(s.own.rank.read(p)));
        }
        ranks_changed(block, &s.own);
    }
    if first {
        store.close();
        count_up(&state.counts.conflicts, 1);
        count_up(&state.counts.violations, state.conflicts.now() as u64);
        state.bump.store(next_bump(bump));
        if top <= root && may_spare_some(s, top) {
            reopen(s, second.max(Level::FIRST));
        } else if top <= root {
            state.exhausted.store(1);
            state.refuted.max((top <= Level::FIRST) as u32);
            state.target.store(1);
            state.flip.store(0);
        } else if top <= backtrack {
            state.target.store(top.below().0);
            state.flip.store(top.0);
        } else {
            state.target.store(second.max(backtrack).0);
            state.flip.store(0);
        }
    }
    settle(block, &s.own);
    next_stamp(block, &s.own, stamp);
}

/// Whether a conflict of level `top` refutes assumptions or a cube, whose core may leave some of them out:
/// the conflict depends on one of them, and enumeration has flipped no decision. A flipped decision may be of
/// the root level, and a jump below that level would undo it.
#[cuda_std::inlined]
fn may_spare_some(s: &Search, top: Level) -> bool {
    let state = s.own.state();
    let are_there = s.settings.assumes == 1 || state.mode.now() == mode::CUBE;
    are_there && top > Level::FIRST && state.flips.now() == 0
}

/// Lets the next jump go below the root level, to `target`, where the learned nogood is unit. The search then
/// decides on its assumptions and on its cube again, until one of these literals is falsified: that one says
/// which others are refuted. Called by one thread.
#[cuda_std::inlined]
fn reopen(s: &Search, target: Level) {
    let state = s.own.state();
    state.root.store(0);
    state.backtrack_level.store(1);
    state.target.store(target.0);
    state.flip.store(0);
    state.looking.store(looking::NOT);
}

/// Makes all marks with the stamp `stamp` old by changing the stamp.
///
/// There is one block. Its threads have read `stamp` before a barrier, and have marked nothing since that
/// barrier.
#[cuda_std::inlined]
pub fn next_stamp(_: &mut WholeBlock, own: &Own, stamp: u32) {
    if stamp == LAST_STAMP {
        let mut at = thread::thread_idx_x() as usize;
        while at < own.mark.len() {
            own.mark.write(at, 0);
            at += thread::block_dim_x() as usize;
        }
    }
    if is_first() {
        own.state().stamp.store(if stamp == LAST_STAMP { 1 } else { stamp + 1 });
    }
}
