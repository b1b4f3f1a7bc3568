//! Backjump: undoes all levels above the target, and flips a decision where enumeration needs that.
//!
//! The main functions are [`run`], the kernel, and [`jump`], which the resident search calls. The launch's
//! `argument` says why: [`LEARNED`], [`RESTART`], [`PROBED`] or [`ANSWER`].
//!
//! Enumeration keeps no nogood for each answer set. It flips the deepest decision and remembers that
//! decision's level as the backtrack level. Below that level nothing was flipped, and no jump goes further
//! (as in clasp's default enumeration). A flipped decision follows from all decisions below it: everything
//! that the flip excludes was reported or is refuted.
//!
//! When projecting, atoms that count are decided first. After an answer set the kernel flips the deepest of
//! these decisions, so that all answer sets that agree on the atoms that count are excluded together with the
//! reported one.
//!
//! Invariant: the trail's entries below the new length keep their values, reasons and positions.

use super::decide::{advice_changed, reopened};
use super::stability::note_undone;
use crate::assign::{claim_word, push};
use crate::layout::{asks, mode, Level, NogoodId, TrailPosition, UNCLAIMED};
use crate::sums::{empty_queue, uncount};
use crate::threads::block::is_last_block;
use crate::threads::stride::{is_first, over_grid};
use crate::threads::token::WholeBlock;
use crate::trace::note_jump;
use crate::{schedule, Search};
use crate::{Own, Problem};
use core::hint::cold_path;
use cuda_std::prelude::*;

/// A jump after a conflict: to the level that [`super::record_learned`] has set, with the flip that it has
/// set.
pub const LEARNED: u32 = 0;
/// A jump to the backtrack level. If a restart was due, this jump is the restart.
pub const RESTART: u32 = 1;
/// A jump to the backtrack level that leaves no trace: the saved phases stay, and no restart is counted.
pub const PROBED: u32 = 4;
/// A jump after a reported answer set: flip the deepest decision, or end the search at level 1.
pub const ANSWER: u32 = 2;
/// A jump to the backtrack level, which is no restart: the search goes on with something else.
pub const AGAIN: u32 = 3;

/// Undoes all levels above the target level.
///
/// # Inputs
/// `trail`, `trail_at`, `decision_at`, `target`, `flip`, `longest_len` (for [`LEARNED`]), `projected`,
/// `backtrack_level`, `argument`.
/// # Writes
/// `value`, `reason` and, if the jump is far, `saved_phase` of undone variables, and `chunk_best` of their
/// chunks and of those that they advise. `longest`, `longest_len`. `sum_held`, and the queue of sums, then
/// only the goal. `level`, `trail_len`, `committed`, `visited`, `checked`, `set_len`, `asked`, `bounded`,
/// `conflicts`, `no_candidate`, `projected`, `look_late`, `seen`, `backtrack_level`, `flips`, `founded`
/// and `unfounded_atom` of undone atoms, `exhausted`, `counts.restarts` and the time of the next restart.
/// The flipped decision as a proposal. The trace.
/// # Thread mapping
/// One thread for each trail entry to undo, grid-stride.
/// # Synchronisation
/// Counters of sums and keys of chunks are atomic. The last block changes the control words.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// Yes.
#[kernel]
pub unsafe fn backjump(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function. All blocks of the grid call this.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    jump(block, s, s.launch.argument);
}

/// Returns the level to jump to, and the level whose decision is flipped afterwards, or [`Level::OPEN`] for
/// no flip.
///
/// `how` is [`LEARNED`], [`RESTART`], [`PROBED`] or [`ANSWER`]. May be called by any thread while no thread
/// changes the control words.
#[cuda_std::inlined]
pub fn target(problem: &Problem, own: &Own, how: u32) -> (Level, Level) {
    let state = own.state();
    // The search is not to vary decisions on atoms that do not count.
    let last = if problem.project == 1 { Level(state.projected.now()) } else { own.level() };
    match how {
        RESTART | AGAIN | PROBED => (Level(state.backtrack_level.now()), Level::OPEN),
        ANSWER if last <= Level(state.root.now()).max(Level::FIRST) => (Level::FIRST, Level::OPEN),
        ANSWER => (last.below(), last),
        _ => (Level(state.target.now()), Level(state.flip.now())),
    }
}

/// Jumps as `how` says: [`LEARNED`], [`RESTART`], [`PROBED`] or [`ANSWER`]. All blocks that work
/// for the search call this.
#[cuda_std::inlined]
pub fn jump(block: &mut WholeBlock, s: &Search, how: u32) {
    let (state, level) = (s.own.state(), s.own.level());
    // All threads compute the same values, because only the last block writes the control words.
    let (target, flip) = target(&s.problem, &s.own, how);
    let (end, committed) = (s.own.trail_end(), s.own.committed());
    let keep = if target < level { s.own.begin_of(target.above()) } else { end };
    // The number of literals on the trail before the last decision, which led to a conflict.
    let held = if how == LEARNED { s.own.trail_at.read(level.0) } else { 0 };
    let far = s.settings.save_progress;
    let saves = how != PROBED && far > 0 && level.0.saturating_sub(target.0) > far;
    let is_longest = held > state.longest_len.now();
    if is_longest {
        for at in over_grid(block, &s.launch, 0, held) {
            let lit = s.own.trail.read(at);
            s.own.longest.write(lit.var().0, 1 + lit.is_false_sign() as u32);
        }
    }
    for at in over_grid(block, &s.launch, keep.0, end.0) {
        let at = TrailPosition(at);
        let lit = s.own.literal_at(at);
        let p = lit.var().0;
        if s.problem.sums > 0 && at < committed {
            uncount(&s.problem, &s.own, lit);
        }
        if saves {
            s.own.saved_phase.write(p, 1 + lit.is_false_sign() as u32);
        }
        s.own.value.write(p, 0);
        s.own.reason.write(p, UNCLAIMED);
        reopened(s, lit.var());
        if s.problem.advised > 0 {
            cold_path();
            advice_changed(s, lit);
        }
        note_undone(&s.problem, &s.own, lit);
    }
    if !is_last_block(block, &s.own, &s.launch) {
        return;
    }
    empty_queue(block, &s.settings, &s.own);
    if is_first() {
        if how == ANSWER && flip == Level::OPEN {
            state.exhausted.store(1);
        }
        let restarts = how == RESTART && schedule::is_due(&s.settings.restarts, state);
        if restarts {
            schedule::restarted(&s.settings.restarts, state);
        }
        note_jump(s, how, (level, target), flip != Level::OPEN, restarts, keep);
        if is_longest {
            state.longest_len.store(held);
        }
        state.level.store(target.0);
        state.projected.min(target.0);
        state.trail_len.store(keep.0);
        state.committed.store(keep.0);
        state.visited.store(keep.0);
        state.checked.min(keep.0);
        state.set_len.store(0);
        if s.problem.arcs > 0 {
            state.bounded.min(keep.0 + 1);
        }
        if s.settings.asks != asks::NEVER {
            state.asked.store(state.asked.now().min(keep.0 as u64));
        }
        state.conflicts.store(0);
        state.look_late.store(1);
        if state.root.now() == 0 && state.mode.now() == mode::CUBE && s.settings.assumes == 0 {
            // A cube is decided on again, and the jump may undo what held at its root level. A nogood that
            // was learned or imported there is not late (see `Search::kept_level`), so all nogoods are looked
            // at. Assumptions are many and decided on often: each such nogood of theirs is late.
            state.seen.store(0);
        }
        state.placed.store(0);
        state.no_candidate.store(0);
        if flip != Level::OPEN {
            state.backtrack_level.store(target.0);
            state.flips.store(state.flips.now() + 1);
            let lit = !s.own.decision_of(flip);
            s.own.reason.write(lit.var().0, claim_word(NogoodId::ALL_DECISIONS, lit));
            push(&s.own, lit);
        }
    }
}
