//! Backjump: undoes all levels above the target, and flips a decision where that is what enumeration needs.
//!
//! The host's reason for it is the launch's `argument`: [`LEARNED`], [`RESTART`] or [`ANSWER`].
//!
//! Enumeration keeps no nogood an answer set. It flips the deepest decision and remembers its level as the backtrack
//! level: below it nothing was flipped yet, and no jump goes further (as clasp's default enumeration). A flipped
//! decision follows from all decisions below it: what is excluded was reported, or is refuted.
//!
//! When projecting, atoms that count are decided first. After an answer set the deepest of these decisions is flipped, so that all
//! answer sets that agree on what counts go with the one reported.

use super::decide::reopened;
use crate::assign::{claim_word, push};
use crate::layout::{ALL_DECISIONS, UNCLAIMED};
use crate::sums::{empty_queue, uncount};
use crate::threads::block::is_last_block;
use crate::threads::stride::is_first;
use crate::threads::stride::over_grid;
use crate::{schedule, Search};
use crate::{Own, Problem};
use cuda_std::prelude::*;

/// Jump to the level that [`super::record_learned`] has set.
pub const LEARNED: u32 = 0;
/// Jump to the backtrack level. If a restart was due, this is the restart.
pub const RESTART: u32 = 1;
/// An answer set was reported: flip the deepest decision, or end at level 1.
pub const ANSWER: u32 = 2;

/// # Inputs
/// `trail`, `trail_at`, `decision_at`, `target`, `flip` and `longest_len` (for [`LEARNED`]), `argument`.
/// # Writes
/// `value`, `reason` and `saved_phase` of the literals that are undone, and `chunk_best` of their chunks; `longest` and
/// `longest_len`; `sum_held`, and the queue of sums, which holds the goal alone afterwards; `level`, `trail_len`,
/// `committed`, `visited`, `conflicts`, `no_candidate`, `projected`, `look_late`, `backtrack_level`, `exhausted`,
/// `restarts` and when the next restart is due; the flipped decision as a proposal.
/// # Thread mapping
/// One thread a trail entry to undo, grid-stride.
/// # Synchronisation
/// Counters of sums and keys of chunks are atomic; the last block moves the state.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// Yes.
#[kernel]
pub unsafe fn backjump(s: Search) {
    run(&s)
}

/// The kernel as a plain function.
#[inline(always)]
pub fn run(s: &Search) {
    jump(s, s.launch.argument);
}

/// The level to jump to, and the level whose decision is flipped afterwards, or 0.
#[inline(always)]
pub fn target(problem: &Problem, own: &Own, how: u32) -> (u32, u32) {
    let state = own.state();
    // Decisions on other atoms than the projected ones are not flipped.
    let last = if problem.project == 1 { state.projected.now() } else { own.level() };
    match how {
        RESTART => (state.backtrack_level.now(), 0),
        ANSWER if last == 1 => (1, 0),
        ANSWER => (last - 1, last),
        _ => (state.target.now(), state.flip.now()),
    }
}

/// Jumps as `how` says: [`LEARNED`], [`RESTART`] or [`ANSWER`].
#[inline(always)]
pub fn jump(s: &Search, how: u32) {
    let (state, level) = (s.own.state(), s.own.level());
    // The same in every thread: nothing of this is written before the last block.
    let (target, flip) = target(&s.problem, &s.own, how);
    let (end, committed) = (state.trail_len.now(), state.committed.now());
    let keep = if target < level { s.own.trail_at.read(target + 1) } else { end };
    // The length of the trail before the last decision, which led to a conflict.
    let held = if how == LEARNED { s.own.trail_at.read(level) } else { 0 };
    let is_longest = held > state.longest_len.now();
    if is_longest {
        for at in over_grid(&s.launch, 0, held) {
            let lit = s.own.trail.read(at);
            s.own.longest.write(lit.var().0, 1 + lit.is_false_sign() as u32);
        }
    }
    for at in over_grid(&s.launch, keep, end) {
        let lit = s.own.trail.read(at);
        let p = lit.var().0;
        if s.problem.sums > 0 && at < committed {
            uncount(&s.problem, &s.own, lit);
        }
        s.own.saved_phase.write(p, 1 + lit.is_false_sign() as u32);
        s.own.value.write(p, 0);
        s.own.reason.write(p, UNCLAIMED);
        reopened(s, p);
    }
    if !is_last_block(&s.own, &s.launch) {
        return;
    }
    empty_queue(&s.settings, &s.own);
    if is_first() {
        if how == ANSWER && flip == 0 {
            state.exhausted.store(1);
        }
        if how == RESTART && schedule::is_due(&s.settings.restarts, state) {
            schedule::restarted(&s.settings.restarts, state);
        }
        if is_longest {
            state.longest_len.store(held);
        }
        state.level.store(target);
        state.projected.min(target);
        state.trail_len.store(keep);
        state.committed.store(keep);
        state.visited.store(keep);
        state.conflicts.store(0);
        state.look_late.store(1);
        state.no_candidate.store(0);
        if flip != 0 {
            state.backtrack_level.store(target);
            let lit = !s.own.decision_at.read(flip);
            s.own.reason.write(lit.var().0, claim_word(ALL_DECISIONS, lit));
            push(&s.own, lit);
        }
    }
}
