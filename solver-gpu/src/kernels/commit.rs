//! Makes the proposals of the last round part of the assignment, each with its dependency bitmap.
//!
//! This kernel is ours; it runs between the paper's. While nogoods are visited the assignment is frozen. A literal is
//! published here only once its reason and its dependencies can be read. The counters of sums are brought up to date.

use crate::assign::reason_of;
use crate::deps::{all_decisions, collect, row, words_of};
use crate::explanation::explanation_by_warp;
use crate::layout::{count_up, ALL_DECISIONS, DECISION};
use crate::sums::count;
use crate::threads::block::is_last_block;
use crate::threads::stride::is_first;
use crate::threads::stride::{over_grid_from_behind, over_lanes, over_warps, warp_width};
use crate::threads::warp::warp_or;
use crate::{Lit, Search};
use crate::{Own, Problem};
use core::hint::cold_path;
use cuda_std::prelude::*;
use cuda_std::thread;

/// # Inputs
/// The proposals at positions `committed .. trail_len` of the trail, and their `reason`s; `deps` and `value` of the literals
/// that were committed before.
/// # Writes
/// `value`, `position`, `round_start` and `deps` of the proposed variables; `sum_held` and the queue of touched sums;
/// `visited`, `committed`, `propagations`, `rounds`.
/// # Thread mapping
/// One thread a proposal, strided. Bitmaps: one warp a proposal; the lanes share its reason's literals or its bitmap's words.
/// # Synchronisation
/// Warp shuffles; counters of sums are atomic; the last block moves the frontier.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// Yes, given the trail, up to the order of the queue.
#[kernel]
pub unsafe fn commit(s: Search) {
    run(&s)
}

/// The kernel as a plain function.
#[inline(always)]
pub fn run(s: &Search) {
    let state = s.own.state();
    let (from, to) = (state.committed.now(), state.trail_len.now());
    publish(s, from, to);
    if is_last_block(&s.own, &s.launch) && is_first() {
        state.visited.store(from);
        note(&s.own, from, to);
    }
}

/// Notes that trail positions `from .. to` are committed, and counts them. Called by one thread, when all have read the old words.
#[inline(always)]
pub fn note(own: &Own, from: u32, to: u32) {
    let state = own.state();
    state.committed.store(to);
    count_up(&state.propagations, (to - from) as u64);
    count_up(&state.rounds, (to > from) as u64);
}

/// Makes the proposals at trail positions `from .. to` part of the assignment, all but the frontier's bounds.
#[inline(always)]
pub fn publish(s: &Search, from: u32, to: u32) {
    depend_all(s, from, to);
    for at in over_grid_from_behind(&s.launch, from, to) {
        assign(&s.problem, &s.own, at, from);
    }
}

/// Does the same for at most as many proposals as a single block has threads.
#[inline(always)]
pub fn publish_narrow(s: &Search, from: u32, to: u32) {
    depend_all(s, from, to);
    let at = from + (thread::block_dim_x() - 1 - thread::thread_idx_x());
    if at < to {
        assign(&s.problem, &s.own, at, from);
    }
}

/// Makes the proposal at trail position `at` part of the assignment. The round's proposals begin at position `from`.
#[inline(always)]
fn assign(problem: &Problem, own: &Own, at: u32, from: u32) {
    let (lit, level) = (own.trail.read(at), own.level());
    if problem.sums > 0 {
        cold_path();
        count(problem, own, lit);
    }
    // Level < 2^31: it is bounded by the number of variables.
    own.value.write(lit.var().0, if lit.is_false_sign() { -(level as i32) } else { level as i32 });
    own.position.atomic(lit.var().0).store(at);
    own.round_start.write(at, from);
}

/// Writes the bitmaps of the proposals at trail positions `from .. to`, if there are bitmaps.
#[inline(always)]
fn depend_all(s: &Search, from: u32, to: u32) {
    if s.settings.track_deps == 1 {
        cold_path();
        for at in over_warps(&s.launch, from, to) {
            depend(&s.problem, &s.own, s.own.trail.read(at), s.own.level(), from);
        }
        // Positions, which are written below, tell what a sum had counted.
        thread::sync_threads();
    }
}

/// Writes the bitmap of `lit`, which is being assigned at `level`. Its reason has literals committed before, at trail positions below
/// `committed`: what a sum had counted when it proposed `lit` is among them.
#[inline(always)]
fn depend(problem: &Problem, own: &Own, lit: Lit, level: u32, committed: u32) {
    let words = words_of(level);
    let at = row(own, lit);
    let reason = reason_of(own, lit);
    if reason == DECISION {
        for w in over_lanes(0, words) {
            own.deps.write(at + w as usize, if w == (level - 2) / 32 { 1 << ((level - 2) % 32) } else { 0 });
        }
    } else if reason == ALL_DECISIONS {
        for w in over_lanes(0, words) {
            own.deps.write(at + w as usize, all_decisions(level, w));
        }
    } else {
        let nogood = explanation_by_warp(problem, own, reason, committed, lit);
        let lane = thread::thread_idx_x() % 32;
        if nogood.len > words {
            for w in 0..words {
                let mine = collect(problem, own, nogood, lit, w, lane, warp_width());
                let word = warp_or(mine);
                if lane == 0 {
                    own.deps.write(at + w as usize, word);
                }
            }
        } else {
            for w in over_lanes(0, words) {
                own.deps.write(at + w as usize, collect(problem, own, nogood, lit, w, 0, 1));
            }
        }
    }
}
