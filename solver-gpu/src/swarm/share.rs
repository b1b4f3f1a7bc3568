//! Sharing nogoods: what a searcher offers to others, and what it imports.
//!
//! Main functions: [`offer_learned`], after each conflict, and [`import`]. A searcher offers the nogoods that it has
//! learned, if they are short and depend on few levels, and the literals of level 1. It imports the shortest nogoods
//! first, and of these the newest. When an import is due, the searcher stays at the level where it is, as in Gimsatul
//! (Fleury and Biere 2022). Nogoods of one literal come at restarts alone, because their literals belong to the
//! backtrack level.
//!
//! Invariant: a shared nogood holds for all searchers of the swarm (see [`super::cube`]). An imported nogood
//! is one of the fresh nogoods, which the next round looks at, so it may be unit or violated already. One that may be
//! unit at a lower level is also a late nogood (see [`crate::kernels::propagate_learned`]), which is looked at again
//! after a jump.

use super::pool::{self, Offer};
use super::told::{note_imported, note_offered};
use crate::assign::{level_of, status, Status};
use crate::hash::{add_hashes, mix};
use crate::layout::{count_up, width_of, Level, Origin, State, CLASSES, CLASS_SLOTS, MAX_SHARED, NONE};
use crate::learned::append::{append_each, Foreign};
use crate::nogood::learned_nogood;
use crate::threads::barrier::sync_block;
use crate::threads::scratch::counter;
use crate::threads::stride::is_first;
use crate::threads::token::WholeBlock;
use crate::watches::settle;
use crate::{Lit, Search};
use cuda_std::thread;

/// Index of the shared counter that holds the end of a class of the pool.
const END: usize = 1;

/// So few searchers import all that others learn, and soon. What others learn during one conflict grows with
/// their number, and imports of hundreds of searchers would take all the time.
const FEW: u32 = 32;

/// The factor by which the interval between imports of many searchers grows with each import.
const GROWTH: (u64, u64) = (21, 20);

/// The longest interval between two imports of many searchers, in conflicts.
const LONGEST_INTERVAL: u64 = 2000;

/// Offers the learned nogoods from index `from` on to the other searchers, as far as they are short enough and have an
/// LBD of at most `most`. Called by one thread.
#[cuda_std::inlined]
pub fn offer_learned(s: &Search, from: u32, most: u32) {
    let state = s.own.state();
    for i in from..state.learned.now() {
        let nogood = learned_nogood(&s.own, i);
        let lbd = s.own.learned_record.get(i).lbd.now();
        if nogood.len <= s.swarm.share_len.min(MAX_SHARED) && (lbd <= most || nogood.len <= 2) {
            let hash = (0..nogood.len).map(|at| mix(nogood.lit(at).0 as u64)).fold(0, add_hashes);
            let origin = s.own.learned_origin.read(i);
            count(s, pool::offer(&s.swarm, origin, nogood.len, hash, |at| nogood.lit(at)));
        }
    }
}

/// Counts what became of an offer. Called by one thread.
#[cuda_std::inlined]
fn count(s: &Search, offer: Offer) {
    let state = s.own.state();
    match offer {
        Offer::Taken => count_up(&state.counts.offered, 1),
        Offer::Double => count_up(&state.counts.doubled, 1),
        Offer::Dropped => {}
    }
}

/// Offers the literals that level 1 has gained, as nogoods of one literal. Called by one thread.
#[cuda_std::inlined]
fn offer_units(s: &Search) {
    let state = s.own.state();
    let end = if s.own.level() > Level::FIRST { s.own.trail_at.read(2u32) } else { state.committed.now() };
    note_offered(s, state.units_offered.now(), end);
    for at in state.units_offered.now()..end {
        let lit = !s.own.trail.read(at);
        let origin = Origin::new(s.swarm.me(), state.serials.now());
        count_up(&state.serials, 1);
        count(s, pool::offer(&s.swarm, origin, 1, mix(lit.0 as u64), |_| lit));
    }
    state.units_offered.store(end);
}

/// Whether nogoods may be imported. If the backtrack level is above the root level, a nogood might be unit at a lower
/// level than that, where the search cannot assert it. `state` are the control words.
#[cuda_std::inlined]
fn may_import(s: &Search, state: &State) -> bool {
    s.swarm.share_len > 0 && state.backtrack_level.now() == state.root.now()
}

/// Whether an import is due, and possible. `state` are the control words.
#[cuda_std::inlined]
pub fn is_import_due(s: &Search, state: &State) -> bool {
    state.counts.conflicts.now() >= state.import_at.now() && may_import(s, state)
}

/// Imports nogoods at a fixpoint: those of one literal if the search is at the backtrack level, and the others if an
/// import is due. The function begins and ends with a barrier.
#[cuda_std::inlined]
pub fn import(block: &mut WholeBlock, s: &Search) {
    let state = s.own.state();
    sync_block(block);
    let (is_due, has_jumped) = (is_import_due(s, state), s.own.level().0 == state.backtrack_level.now());
    let classes = if has_jumped { 0 } else { 1 }..if is_due { CLASSES } else { 1 };
    if !may_import(s, state) || classes.is_empty() {
        return;
    }
    let (mut budget, mut all) = (s.swarm.import_most, 0);
    sync_block(block);
    if is_first() && is_due {
        offer_units(s);
        let every = state.import_every.now();
        state.import_at.store(state.counts.conflicts.now() + every);
        if s.swarm.searchers > FEW {
            let grown = (every * GROWTH.0).div_ceil(GROWTH.1);
            state.import_every.store(grown.min(LONGEST_INTERVAL.max(every)));
        }
    }
    for class in classes {
        if is_first() {
            counter(&s.launch, END).store(pool::end(&s.swarm, class));
        }
        sync_block(block);
        let end = counter(&s.launch, END).now();
        let seen = s.own.pool_seen.read(class);
        // Older nogoods may be gone any time. Of longer nogoods the newest are taken.
        let most = if class == 0 { CLASS_SLOTS / 2 } else { budget.min(CLASS_SLOTS / 2) };
        let from = end.wrapping_sub(end.wrapping_sub(seen).min(most));
        sync_block(block);
        if is_first() {
            s.own.pool_seen.write(class, end);
        }
        let taken = import_class(block, s, class, from, end);
        budget = budget.saturating_sub(taken);
        all += taken;
    }
    if is_first() {
        note_imported(s, all);
        // There is ten times as much of what others learned, and the search would forget its own nogoods, and
        // the others', before it could use them. So these do not bring the next deletion nearer, or half as
        // much where many searchers have little memory and time for them.
        let spared = if s.swarm.searchers > FEW { all / 2 } else { all };
        state.learned_limit.store(state.learned_limit.now().saturating_add(spared));
    }
    sync_block(block);
    if state.queued.now() > 0 {
        settle(block, &s.own);
        sync_block(block);
    }
}

/// Imports the nogoods `from .. end` of a class, one for each thread in turn, as far as there is room. Returns
/// how many were imported.
#[cuda_std::inlined]
fn import_class(block: &mut WholeBlock, s: &Search, class: u32, from: u32, end: u32) -> u32 {
    let (state, tid, threads) = (s.own.state(), thread::thread_idx_x(), thread::block_dim_x());
    let (row, me, mut imported, mut from) = (tid * width_of(class), s.swarm.me(), 0, from);
    while from != end {
        let is_there = tid < end.wrapping_sub(from);
        let copied = is_there.then(|| {
            let to = |i: u32, lit: Lit| s.own.spare_lit.write(row + i, lit);
            pool::copy(&s.swarm, class, from.wrapping_add(tid), |searcher| searcher == me, to)
        });
        let found = copied.flatten().and_then(|(len, origin)| foreign(s, row, len, origin));
        let Some(nogoods) = append_each(block, s, found) else { break };
        imported += nogoods;
        if is_first() {
            count_up(&state.counts.imported, nogoods as u64);
        }
        from = from.wrapping_add(threads.min(end.wrapping_sub(from)));
    }
    imported
}

/// The nogood of `len` literals at `row` of `spare_lit`, with the literals to watch: those that do not hold, and after
/// these the ones of the highest levels. `None` if a literal is falsified as long as the root level stands, because the
/// nogood is of no use then. Called by the thread that has written the literals.
#[cuda_std::inlined]
fn foreign(s: &Search, row: u32, len: u32, origin: Origin) -> Option<Foreign> {
    let (level, backtrack) = (s.own.level().0, s.own.state().backtrack_level.now());
    let (mut best, mut second) = ((0, Lit::TRUE), (0, Lit::TRUE));
    for i in 0..len {
        let lit = s.own.spare_lit.read(row + i);
        let worth = match status(&s.own, lit) {
            Status::Falsified if level_of(&s.own, lit).0 <= backtrack => return None,
            Status::Open | Status::Falsified => NONE,
            Status::Held => level_of(&s.own, lit).0,
        };
        if worth > best.0 {
            (second, best) = (best, (worth, lit));
        } else if worth > second.0 {
            second = (worth, lit);
        }
    }
    // Without its best literal the nogood holds since the level of the second one. A jump to a level between that
    // one and the present one leaves the second watched literal assigned, so no list would be visited.
    let is_late = level > s.kept_level().0 && second.0 < level;
    let watch = (if len == 1 { best.1 } else { second.1 }, best.1);
    (best.0 > 0).then_some(Foreign { at: row, len, watch, is_late, origin })
}
