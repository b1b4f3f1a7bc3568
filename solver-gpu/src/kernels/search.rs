//! The resident search: Algorithm 1 in one launch, that returns when there is something for the host to do.
//!
//! The grid is a [`crate::team`]. The steps are those of the other kernels; between two of them stands the team's barrier instead of
//! the end of a launch. Where one block is the team, what it needs most lies in its shared memory meanwhile (see [`crate::near`]).
//!
//! The search can be left after any round and taken up again: a launch that finds a fixpoint propagates once more, to no effect, and goes
//! on. So the host may change the team, or use the other kernels, between two launches.

use super::propagate_learned::visit_lists;
use super::{
    backjump, commit, complete, decide, learn_forward, learn_resolution, propagate_binary, propagate_learned,
    propagate_long, propagate_sums, propagate_ternary, rebuild_watches, record_learned, reduce_learned,
    stability,
};
use crate::deps::words_of;
use crate::frontier::{visit_few, visit_many, Share, Visit, BINARY, FEW, TERNARY};
use crate::layout::{count_up, Search};
use crate::near;
use crate::schedule::{has_many_learned, is_worthwhile};
use crate::stride::{is_single, over_grid};
use crate::team::{alone, is_first, sync};
use crate::watches::settle;
use crate::Lit;
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::prelude::*;

/// Why the search returned.
pub mod outcome {
    /// The rounds it was given are used up, or it was asked to stop.
    pub const PAUSED: u32 = 0;
    /// There are no more answer sets.
    pub const EXHAUSTED: u32 = 1;
    /// There is an answer set: the assignment, or as many as were wanted, in `answers`.
    pub const ANSWER: u32 = 2;
    /// Something has to grow before the next step: a store of learned nogoods, the lists of watches, or the bitmaps.
    pub const NO_ROOM: u32 = 3;
    /// Completion left variables open: an error in the solver.
    pub const INCOMPLETE: u32 = 4;
}

/// After so many rounds the search looks whether the host wants it to stop.
const ROUNDS_A_LOOK: u32 = 16;

/// # Inputs
/// The whole search. `budget` rounds at most; `stop`, a word that the host may set at any time; `answers_wanted`.
/// # Writes
/// As all kernels that it stands for; `answers`; `outcome`.
/// # Thread mapping
/// The grid is one team. Each step has its own mapping, see there.
/// # Synchronisation
/// The team's barrier between steps.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch. All blocks of the grid must run at once.
/// # Deterministic
/// As the steps are: the answer sets are, not their order.
#[kernel]
pub unsafe fn search(s: Search) {
    run(&s)
}

/// The kernel as a plain function.
#[inline(always)]
pub fn run(s: &Search) {
    let moved = near::bring(s);
    let s_near = &moved;
    let mut run = Run::new(s_near);
    let outcome = search_on(s_near, &mut run);
    sync(s_near);
    run.end(s_near);
    if is_first() {
        s_near.state().outcome.store(outcome, Relaxed);
    }
    near::give_back(s_near, s);
}

/// What each thread keeps of the launch in registers.
struct Run {
    /// What its warp visits.
    share: Share,
    /// Rounds until the search has to return, the same in all threads,
    left: u32,
    /// and whether it has to now.
    is_over: bool,
    /// Rounds that had something to commit,
    rounds: u32,
    /// and how much, the same in all threads.
    propagations: u64,
    /// Visits on this thread's account.
    visits: u64,
}

impl Run {
    #[inline(always)]
    fn new(s: &Search) -> Run {
        let left = s.state().budget.load(Relaxed);
        Run { share: Share::by_class(s), left, is_over: false, rounds: 0, propagations: 0, visits: 0 }
    }

    /// Adds what was counted to the control words.
    #[inline(always)]
    fn end(&self, s: &Search) {
        let state = s.state();
        if self.visits > 0 {
            state.visits.fetch_add(self.visits, Relaxed);
        }
        if is_first() {
            count_up(&state.propagations, self.propagations);
            count_up(&state.rounds, self.rounds as u64);
        }
    }
}

/// Algorithm 1, until there is something for the host to do.
#[inline(always)]
fn search_on(s: &Search, run: &mut Run) -> u32 {
    let state = s.state();
    loop {
        // PropagateAndCheck.
        let committed = propagate(s, run);
        if run.is_over {
            return outcome::PAUSED;
        }
        if state.exhausted.load(Relaxed) == 1 {
            return outcome::EXHAUSTED;
        }
        if state.unlisted.load(Relaxed) == 1 && rebuild_watches::has_room(s, state) {
            alone(s, rebuild_watches::run);
        }
        let is_total = state.committed.load(Relaxed) == s.vars;
        if state.conflicts.load(Relaxed) > 0 {
            if !has_room(s, s.slots, if s.resolves == 0 { state.level.load(Relaxed) } else { s.vars }) {
                return outcome::NO_ROOM;
            }
            learn_and_backjump(s, committed, run);
        } else if s.loop_rules > 0 && (is_total || s.check_fixpoints == 1) && !has_room(s, 1, s.vars) {
            return outcome::NO_ROOM;
        } else if s.loop_rules > 0 && (is_total || s.check_fixpoints == 1) && is_unfounded(s) {
            // A loop nogood was learned; it is violated or unit.
        } else if is_total {
            if s.answers_wanted == 0 {
                return outcome::ANSWER;
            }
            keep_answer(s);
            if state.exhausted.load(Relaxed) == 1 {
                return outcome::EXHAUSTED;
            }
            if state.answers.load(Relaxed) == s.answers_wanted {
                return outcome::ANSWER;
            }
        } else if state.no_candidate.load(Relaxed) == 1 {
            return outcome::INCOMPLETE;
        } else if has_many_learned(state) && !rebuild_watches::has_room(s, state) {
            return outcome::NO_ROOM;
        } else if has_many_learned(state) || is_worthwhile(&s.restarts, state) {
            restart(s);
        } else if words_of(state.level.load(Relaxed) + 1) > s.deps_words {
            return outcome::NO_ROOM;
        } else {
            decide::run(s);
            sync(s);
            complete::run(s);
            sync(s);
        }
    }
}

/// Commits what is proposed behind place `committed` of the trail, up to the place that is returned, and waits for all.
#[inline(always)]
fn commit_and_count(s: &Search, committed: u32, run: &mut Run) -> u32 {
    let end = s.state().trail_len.load(Relaxed);
    commit::publish(s, committed, end);
    if is_first() {
        s.state().visited.store(committed, Relaxed);
    }
    run.propagations += (end - committed) as u64;
    run.rounds += (end > committed) as u32;
    sync(s);
    // Now all have read what it was.
    if is_first() {
        s.state().committed.store(end, Relaxed);
    }
    end
}

/// Why a round leaves the inner loop of [`propagate`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// Its frontier is not of few literals.
    Many,
    /// There is something to look at beside the frontier.
    Others,
    /// Lists of watches have no room for what was appended.
    Queued,
}

/// Rounds, until there is a conflict, nothing left to visit, or the search has to return; how much is committed then.
///
/// The inner loop is what most rounds are. What few of them need stands behind it, so that its instructions lie close together: fetching
/// them is a fifth of what a round waits for.
#[inline(always)]
fn propagate(s: &Search, run: &mut Run) -> u32 {
    let state = s.state();
    loop {
        // All threads keep in mind how much is committed, as the control word changes while others are further on.
        let mut committed = state.committed.load(Relaxed);
        let (mut from, mut others);
        let rest = loop {
            if state.conflicts.load(Relaxed) > 0 {
                return committed;
            }
            from = committed;
            others = propagate_learned::others(s);
            committed = commit_and_count(s, from, run);
            if is_single() || committed - from > FEW {
                break Rest::Many;
            }
            run.visits += visit_few::<All>(s, run.share, (from, committed));
            if others.are_any() || s.sums > 0 && state.touched.load(Relaxed) > 0 {
                break Rest::Others;
            }
            end_round(s, run);
            if state.queued.load(Relaxed) > 0 {
                break Rest::Queued;
            }
            if run.is_over || committed == state.trail_len.load(Relaxed) {
                return committed;
            }
        };
        if rest != Rest::Queued {
            if rest == Rest::Many {
                run.visits += visit_many::<All>(s, run.share, (from, committed));
            }
            propagate_learned::look_at(s, others);
            // The next commit touches more as soon as it begins.
            let has_touched = s.sums > 0 && state.touched.load(Relaxed) > 0;
            if has_touched {
                propagate_sums::look_at_touched(s);
            }
            end_round(s, run);
            if has_touched {
                alone(s, propagate_sums::finish);
            }
            if is_first() {
                propagate_learned::note_seen(s, others);
            }
            sync(s);
        }
        if state.queued.load(Relaxed) > 0 {
            alone(s, settle);
        }
        if run.is_over || committed == state.trail_len.load(Relaxed) {
            return committed;
        }
    }
}

/// Nogoods of all classes.
struct All;

impl Visit for All {
    #[inline(always)]
    fn nogood(s: &Search, class: usize, lit: Lit, at: u32) {
        match class {
            BINARY => propagate_binary::follow(s, lit, at),
            TERNARY => propagate_ternary::follow(s, lit, at),
            _ => propagate_long::follow(s, lit, at),
        }
    }

    #[inline(always)]
    fn lists(s: &Search, lit: Lit, len: u32) {
        visit_lists(s, lit, len);
    }
}

/// Waits for all. What the control words say afterwards changes behind the next barrier.
#[inline(always)]
fn end_round(s: &Search, run: &mut Run) {
    let budget = &s.state().budget;
    run.left = run.left.saturating_sub(1);
    // The host's word is as far away as a whole round.
    let looks = run.left.is_multiple_of(ROUNDS_A_LOOK);
    if looks && is_first() && s.stop.atomic(0u32).load(Relaxed) != 0 {
        budget.store(0, Relaxed);
    }
    sync(s);
    run.is_over = run.left == 0 || looks && budget.load(Relaxed) == 0;
}

/// Learning and Backjump.
#[inline(always)]
fn learn_and_backjump(s: &Search, committed: u32, run: &mut Run) {
    // What the conflict's round proposed has to be part of the assignment: the violated nogoods need it.
    commit_and_count(s, committed, run);
    sync(s);
    if s.track_deps == 1 {
        learn_forward::run(s);
        sync(s);
    }
    if s.resolves == 1 {
        learn_resolution::run(s);
    }
    alone(s, record_learned::run);
    backjump::jump(s, backjump::LEARNED);
    sync(s);
}

/// Whether so many nogoods of at most so many literals can be learned, and all lists of watches are in order.
#[inline(always)]
fn has_room(s: &Search, nogoods: u32, longest: u32) -> bool {
    let state = s.state();
    let (n, lits) = (state.learned.load(Relaxed), state.learned_lits.load(Relaxed));
    n as usize + nogoods as usize <= s.learned_start.len()
        && lits as u64 + nogoods as u64 * longest as u64 <= s.learned_lit.len() as u64
        && state.unlisted.load(Relaxed) == 0
}

/// Whether atoms that are not false have no foundation; then a loop nogood of one of them was learned.
#[inline(always)]
fn is_unfounded(s: &Search) -> bool {
    alone(s, stability::run);
    s.state().unfounded.load(Relaxed) == 1
}

/// Starts over, as far as the enumeration allows, and deletes learned nogoods if there are many.
#[inline(always)]
fn restart(s: &Search) {
    backjump::jump(s, backjump::RESTART);
    sync(s);
    if has_many_learned(s.state()) {
        alone(s, reduce_learned::run);
        alone(s, rebuild_watches::run);
    }
}

/// Appends the program's true atoms to `answers`, as bits, and goes on to the next answer set.
#[inline(always)]
fn keep_answer(s: &Search) {
    let state = s.state();
    let words = s.atom_vars.div_ceil(32);
    let row = state.answers.load(Relaxed) as usize * words as usize;
    for w in over_grid(0, words) {
        let mut word = 0;
        for bit in 0..(s.atom_vars - w * 32).min(32) {
            word |= ((s.value.read(w * 32 + bit) > 0) as u32) << bit;
        }
        s.answers.write(row + w as usize, word);
    }
    sync(s);
    if is_first() {
        state.answers.fetch_add(1, Relaxed);
    }
    backjump::jump(s, backjump::ANSWER);
    sync(s);
}
