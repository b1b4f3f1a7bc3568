//! Makes the proposals of the last round part of the assignment, each with its dependency bitmap.
//!
//! The main functions are [`run`], the kernel, and [`publish`] and [`publish_narrow`], which the resident
//! search calls.
//!
//! The paper has no such step: this project adds it between the paper's kernels. While nogoods are visited
//! the assignment is frozen. This step publishes a literal only once its reason and its dependencies can be
//! read. It also updates the counters of the sums that the literal counts in.
//!
//! Invariant: `value` has the literals below `committed` on the trail, and no others, between two commits.

use super::decide::advice_changed;
use crate::assign::reason_of;
use crate::deps::{all_decisions, collect, row, words_of};
use crate::explanation::explanation_by_warp;
use crate::layout::{count_up, Level, NogoodId, TrailPosition};
use crate::sums::count;
use crate::threads::barrier::sync_block;
use crate::threads::block::is_last_block;
use crate::threads::stride::is_first;
use crate::threads::stride::{over_grid_from_behind, over_lanes, over_warps, warp_width};
use crate::threads::token::{WholeBlock, WholeWarp};
use crate::threads::warp::warp_or;
use crate::{Lit, Search};
use crate::{Own, Problem};
use core::hint::cold_path;
use cuda_std::prelude::*;
use cuda_std::thread;

/// Makes the proposals on the trail part of the assignment.
///
/// # Inputs
/// Proposals `committed .. trail_len` of the trail, their `reason`s, `deps` and `value` of literals committed
/// before, `level`.
/// # Writes
/// `value`, `position` and `deps` of the proposed variables, and `round_start` of their positions. `sum_held`
/// and the queue of touched sums. `chunk_best` of candidates with directives. `visited`, `committed`,
/// `counts.propagations`, `counts.rounds`.
/// # Thread mapping
/// One thread for each proposal, strided. For bitmaps one warp for each proposal, whose lanes share the
/// reason's literals or the bitmap's words. For sums eight threads for each proposal, which share its items.
/// # Synchronisation
/// Warp shuffles and block barriers for bitmaps. Counters of sums are atomic. The last block moves the
/// frontier.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// Yes, given the trail, up to the order of the queue.
#[kernel]
pub unsafe fn commit(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function. All blocks of the grid call this.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    let state = s.own.state();
    let (from, to) = (s.own.committed(), s.own.trail_end());
    publish(block, s, from, to);
    if is_last_block(block, &s.own, &s.launch) && is_first() {
        state.visited.store(from.0);
        note(&s.own, from, to);
    }
}

/// Notes that positions `from .. to` of the trail are committed, and counts their literals. Must be called by
/// one thread, after all threads have read the old state.
#[cuda_std::inlined]
pub fn note(own: &Own, from: TrailPosition, to: TrailPosition) {
    let state = own.state();
    state.committed.store(to.0);
    count_up(&state.counts.propagations, (to - from) as u64);
    count_up(&state.counts.rounds, (to > from) as u64);
}

/// Makes the proposals at positions `from .. to` of the trail part of the assignment, but does not move the
/// bounds of the frontier. All blocks that work for the search call this.
#[cuda_std::inlined]
pub fn publish(block: &mut WholeBlock, s: &Search, from: TrailPosition, to: TrailPosition) {
    depend_all(block, s, from, to);
    count_all(block, s, from, to);
    for at in over_grid_from_behind(block, &s.launch, from.0, to.0) {
        assign(&s.own, TrailPosition(at), from);
    }
    advise_all(block, s, from, to);
}

/// Does the same as [`publish`] where the positions `from .. to` are no more than the threads of the only
/// block.
#[cuda_std::inlined]
pub fn publish_narrow(block: &mut WholeBlock, s: &Search, from: TrailPosition, to: TrailPosition) {
    depend_all(block, s, from, to);
    count_all(block, s, from, to);
    let at = from + (thread::block_dim_x() - 1 - thread::thread_idx_x());
    if at < to {
        assign(&s.own, at, from);
    }
    advise_all(block, s, from, to);
}

/// Makes the proposal at position `at` of the trail part of the assignment, in the round that begins at
/// position `from`. Called by one thread.
#[cuda_std::inlined]
fn assign(own: &Own, at: TrailPosition, from: TrailPosition) {
    let (lit, level) = (own.literal_at(at), own.level());
    // The level is below 2^31, because the number of variables bounds it.
    own.value.write(lit.var().0, if lit.is_false_sign() { -(level.0 as i32) } else { level.0 as i32 });
    own.position.atomic(lit.var().0).store(at.0);
    own.round_start.write(at.0, from.0);
}

/// Counts the proposals at positions `from .. to` of the trail in sums, if there are sums. All blocks that work for the
/// search call this.
#[cuda_std::inlined]
fn count_all(block: &mut WholeBlock, s: &Search, from: TrailPosition, to: TrailPosition) {
    if s.problem.sums > 0 {
        cold_path();
        count(block, s, from, to);
    }
}

/// Notes which candidates the literals at positions `from .. to` of the trail advise, if there are
/// directives. All blocks that work for the search call this.
#[cuda_std::inlined]
fn advise_all(block: &mut WholeBlock, s: &Search, from: TrailPosition, to: TrailPosition) {
    if s.problem.advised > 0 {
        cold_path();
        for at in over_grid_from_behind(block, &s.launch, from.0, to.0) {
            advice_changed(s, s.own.literal_at(TrailPosition(at)));
        }
    }
}

/// Writes the dependency bitmaps of the proposals at positions `from .. to` of the trail, if there are
/// bitmaps. All blocks that work for the search call this.
#[cuda_std::inlined]
fn depend_all(block: &mut WholeBlock, s: &Search, from: TrailPosition, to: TrailPosition) {
    if s.settings.track_deps == 1 {
        cold_path();
        for at in over_warps(&s.launch, from.0, to.0) {
            let lit = s.own.literal_at(TrailPosition(at));
            depend(block.warp(), &s.problem, &s.own, lit, s.own.level(), from);
        }
        // A sum is explained by positions, which are written after this barrier.
        sync_block(block);
    }
}

/// Writes the dependency bitmap of `lit`, which is being assigned at `level`.
///
/// The reason's literals were committed before, at positions below `committed`. So were the items that a sum
/// had counted when it proposed `lit`.
#[cuda_std::inlined]
fn depend(
    warp: &mut WholeWarp,
    problem: &Problem,
    own: &Own,
    lit: Lit,
    level: Level,
    committed: TrailPosition,
) {
    let words = words_of(level);
    let at = row(own, lit);
    let reason = reason_of(own, lit);
    if reason == NogoodId::DECISION {
        let (word, bit) = level.place();
        for w in over_lanes(warp, 0, words) {
            own.deps.write(at + w as usize, if w == word { 1 << bit } else { 0 });
        }
    } else if reason == NogoodId::ALL_DECISIONS {
        for w in over_lanes(warp, 0, words) {
            own.deps.write(at + w as usize, all_decisions(level, w));
        }
    } else {
        let nogood = explanation_by_warp(warp, problem, own, reason, committed, lit);
        let lane = thread::thread_idx_x() % 32;
        if nogood.len > words {
            for w in 0..words {
                let mine = collect(problem, own, nogood, lit, w, lane, warp_width());
                let word = warp_or(warp, mine);
                if lane == 0 {
                    own.deps.write(at + w as usize, word);
                }
            }
        } else {
            for w in over_lanes(warp, 0, words) {
                own.deps.write(at + w as usize, collect(problem, own, nogood, lit, w, 0, 1));
            }
        }
    }
}
