//! Decides on the next literal of the cube, and says which literals of the cube a refutation needs.
//!
//! The main function is [`run`]. The host loop launches the kernel, and the resident search calls [`run`],
//! while a search under assumptions has yet to decide on some of them.
//!
//! *Assumptions* are literals that the search decides on first, each at a level of its own, like the literals
//! of a cube (see [`crate::swarm::cube`]). If one of them is falsified, the assumptions before it refute it.
//! The *core* is this literal and the decisions from which its complement follows (final conflict analysis,
//! Eén and Sörensson 2003). No answer set has all literals of the core.
//!
//! A conflict that depends on no level above the root level does not end the search at once:
//! [`super::record_learned`] learns a nogood and jumps below the root level. The search then decides on its
//! assumptions again, and meets one that is falsified. What is learned stays valid, because assumptions are
//! decisions and no facts.
//!
//! Invariant: while the search decides on assumptions, all decisions are assumptions.

use super::record_learned::next_stamp;
use crate::assign::{level_of, reason_of};
use crate::explanation::explanation_by_warp;
use crate::layout::{mode, Level, NogoodId, TrailPosition};
use crate::learned::append::Store;
use crate::marks::Marks;
use crate::next_step::has_room;
use crate::swarm::cube::{self, Placed};
use crate::swarm::share;
use crate::threads::barrier::sync_block;
use crate::threads::stride::{is_first, over_block, over_lanes, warp_width};
use crate::threads::token::{WholeBlock, WholeWarp};
use crate::threads::warp::{from_lane, sync_warp, warp_ballot};
use crate::trace::learner;
use crate::watches::settle;
use crate::{Lit, Search};
use cuda_std::prelude::*;
use cuda_std::thread;

/// Decides on the next open literal of the cube. If a literal of the cube is falsified, the search is over. A
/// search under assumptions and one with a cube find the core then, and the one with a cube learns it.
///
/// # Inputs
/// `cube`, `cube_len`, `placed`; `value`, `trail`, `trail_at`, `decision_at`, `reason`, `position`,
/// `round_start`, and the nogoods.
/// # Writes
/// `placed`. Then a proposal at a new level (`reason`, `trail`, `trail_len`, `level`, `trail_at`,
/// `decision_at`, `counts.deepest_level`, `projected`); or `exhausted`, `core`, `core_len` and
/// `counts.cores`, and what [`Store::append`] writes; or `root` and `backtrack_level`. Scratch: row 0 of
/// `mark` and of `slot_deps`; `stamp`.
/// # Thread mapping
/// One block. Its first warp goes down the trail: the lanes share positions and literals of reasons.
/// # Synchronisation
/// Votes and shuffles of a warp; block barriers around the analysis. Marks are atomic.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch, with capacity for one more level.
/// The grid must be one block.
/// # Deterministic
/// Yes.
#[kernel]
pub unsafe fn place(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s);
}

/// The kernel as a plain function. There is one block. The function begins and ends with a barrier.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) -> Placed {
    let placed = cube::place(block, s);
    let has_cube = s.own.state().mode.now() == mode::CUBE;
    if placed == Placed::Refuted && (s.settings.assumes == 1 || has_cube) {
        find_core(block, s);
        if has_cube {
            learn_core(block, s);
        }
    }
    placed
}

/// Finds the core, after the last literal that was to be decided on turned out to be falsified. A barrier
/// has to come before; the function ends with one.
#[cuda_std::inlined]
fn find_core(block: &mut WholeBlock, s: &Search) {
    let state = s.own.state();
    let stamp = state.stamp.now();
    let (marks, _) = Marks::none(block, s, 0);
    sync_block(block);
    if let Some(warp) = block.first_warp() {
        let failed = s.own.cube.read(state.placed.now() - 1);
        let len = trace(warp, s, &marks, failed);
        if thread::thread_idx_x() == 0 {
            state.core_len.store(len);
            state.counts.cores.store(state.counts.cores.now() + s.settings.assumes);
        }
    }
    sync_block(block);
    next_stamp(block, &s.own, stamp);
    sync_block(block);
}

/// Learns the core of a refuted cube, and offers it to others, if the core leaves out some of the cube's
/// literals: all cubes that have the core's literals are refuted as well. The function begins after a barrier
/// and ends with one.
#[cuda_std::inlined]
fn learn_core(block: &mut WholeBlock, s: &Search) {
    let state = s.own.state();
    let (len, known) = (state.core_len.now(), state.learned.now());
    // Assumptions may exclude each other by themselves.
    let is_open = || s.own.core.read(1u32) != !s.own.core.read(0u32);
    let is_news = len > 1 && len < state.cube_len.now() && len <= s.swarm.share_len && is_open();
    sync_block(block);
    // Room for the next conflict is left.
    if !is_news || !has_room(&s.own, state.stored(), 1 + 2 * s.settings.slots, s.problem.vars) {
        return;
    }
    for i in over_block(block, 0, len) {
        s.own.slot_lits.write(i, s.own.core.read(i));
    }
    sync_block(block);
    let mut store = Store::open(s);
    // All of it is undone before the search goes on, which then looks at each nogood.
    store.append(block, 0, len, len, learner::CORE);
    sync_block(block);
    if is_first() {
        store.close();
        share::offer_learned(s, known, s.swarm.share_len);
    }
    settle(block, &s.own);
    sync_block(block);
}

/// Writes the core of the falsified literal `failed` and returns how many literals the core has. Called by
/// the first warp.
#[cuda_std::inlined]
fn trace(warp: &mut WholeWarp, s: &Search, marks: &Marks, failed: Lit) -> u32 {
    let (own, width) = (&s.own, warp_width());
    let lane = thread::thread_idx_x() % width;
    if lane == 0 {
        own.core.write(0u32, failed);
        marks.add(true, failed.var());
    }
    let mut len = 1;
    if level_of(own, failed) <= Level::FIRST {
        return len;
    }
    let first = own.trail_at.read(2u32);
    let mut end = own.position.read(failed.var().0) + 1;
    // All lanes must see what one lane has marked.
    sync_warp(warp);
    while end > first {
        let has_position = lane < end - first;
        let lit = own.trail.read(if has_position { end - 1 - lane } else { first });
        let reason = reason_of(own, lit);
        let mut done = 0;
        loop {
            let marked = warp_ballot(warp, has_position && marks.has(lit.var())) & !done;
            if marked == 0 {
                break;
            }
            // The highest marked position: its reason marks lower ones.
            let of = marked.trailing_zeros();
            done |= 1 << of;
            // All lanes have read marks before one marks.
            sync_warp(warp);
            let (lit, reason) = (Lit(from_lane(warp, lit.0, of)), NogoodId(from_lane(warp, reason.0, of)));
            if reason == NogoodId::DECISION {
                if lane == 0 {
                    own.core.write(len, lit);
                }
                len += 1;
            } else {
                mark_reason(warp, s, marks, lit, reason, TrailPosition(end - 1 - of));
            }
            sync_warp(warp);
        }
        end -= width.min(end - first);
    }
    len
}

/// Marks what `lit`, at position `at` of the trail, follows from by `reason`, except what is of level 1.
#[cuda_std::inlined]
fn mark_reason(
    warp: &mut WholeWarp,
    s: &Search,
    marks: &Marks,
    lit: Lit,
    reason: NogoodId,
    at: TrailPosition,
) {
    let own = &s.own;
    if reason == NogoodId::ALL_DECISIONS {
        for level in over_lanes(warp, 2, level_of(own, lit).above().0) {
            marks.add(true, own.decision_of(Level(level)).var());
        }
        return;
    }
    // A sum explains a literal by the items that held when the sum proposed it.
    let nogood = explanation_by_warp(warp, &s.problem, own, reason, own.round_start_of(at), lit);
    for i in over_lanes(warp, 0, nogood.len) {
        let other = nogood.lit(&s.problem, own, i);
        if other != Lit::TRUE && other.var() != lit.var() && level_of(own, other) > Level::FIRST {
            marks.add(true, other.var());
        }
    }
}
