//! The resident search: Algorithm 1 in one launch, that returns when there is something for the host to do.
//!
//! One block searches. The steps are those of the other kernels; between two of them stands a barrier instead of the end of a launch, and what
//! is needed most lies in shared memory meanwhile (see [`crate::near`]). Rounds of many visits are made by all blocks of the grid (see
//! [`crate::team`]), in global memory.
//!
//! The search can be left after any round and taken up again: a launch that finds a fixpoint propagates once more, to no effect, and goes
//! on. So the host may change the team, or use the other kernels, between two launches.

use super::propagate_learned::{visit_lists, Others};
use super::{
    backjump, commit, complete, decide, learn_forward, learn_resolution, propagate_binary, propagate_learned,
    propagate_long, propagate_sums, propagate_ternary, rebuild_watches, record_learned, reduce_learned,
    stability,
};
use crate::deps::words_of;
use crate::frontier::{frontier, visit_few, visit_many, Share, Visit, BINARY, CLASSES, FEW, TERNARY};
use crate::layout::{count_up, Search, NONE};
use crate::near;
use crate::schedule::{has_many_learned, is_worthwhile};
use crate::stride::{is_single, over_grid};
use crate::team::{self, is_first};
use crate::watches::settle;
use crate::Lit;
use core::hint::cold_path;
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
    /// Something is for all blocks. Not seen by the host.
    pub(super) const CALLS: u32 = 5;
}

/// A round of so many visits more counts as one more.
const VISITS_A_ROUND: u64 = 128;

/// After so many rounds the search looks whether the host wants it to stop.
const ROUNDS_A_LOOK: u32 = 16;

/// What the team is called for.
mod task {
    /// Nothing: the first block searches, or goes on.
    pub const SEARCH: u32 = 0;
    /// To visit the frontier, which is committed.
    pub const VISIT: u32 = 1;
    /// To commit what is proposed.
    pub const COMMIT: u32 = 2;
    /// To leave.
    pub const LEAVE: u32 = 3;
    /// To jump back, as the rest says (see [`crate::kernels::backjump`]).
    pub const JUMP: u32 = 4;
}

/// # Inputs
/// The whole search. `budget` rounds at most; `stop`, a word that the host may set at any time; `answers_wanted`; `near`, `visits_alone`.
/// # Writes
/// As all kernels that it stands for; `answers`; `outcome`.
/// # Thread mapping
/// The first block searches, the others wait for it to call. Each step has its own mapping, see there.
/// # Synchronisation
/// The block's barrier between steps; over blocks, calls (see [`crate::team`]).
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
    let near = &near::moved(s);
    let mut run = Run::new(near, s.state().budget.load(Relaxed));
    let (mut outcome, mut task, mut calls) = (outcome::PAUSED, task::SEARCH, 0);
    // All blocks go this way together, so that what they do together stands here once.
    loop {
        if team::leads() {
            if task == task::SEARCH {
                near::copy(s.near, s, near);
                outcome = search_on(near, &mut run);
                near::copy(s.near, near, s);
                task = if outcome == outcome::CALLS { run.task } else { task::LEAVE };
            }
            team::call(s, task);
        } else {
            task = team::wait(s, calls);
            calls += 1;
        }
        match task {
            task::VISIT => visit_by_all(s),
            task::COMMIT => {
                commit::publish(s, s.state().committed.load(Relaxed), s.state().trail_len.load(Relaxed))
            }
            task::LEAVE | task::SEARCH => {}
            jump => backjump::jump(s, jump - task::JUMP),
        }
        if !team::leads() {
            team::done(s);
        } else {
            team::gather(s);
            task = match task {
                task::VISIT => end_wide_round(s, &mut run),
                task::COMMIT => {
                    committed_by_all(s, &mut run);
                    task::VISIT
                }
                task::LEAVE => task::LEAVE,
                _ => task::SEARCH,
            };
        }
        if task == task::LEAVE {
            break;
        }
    }
    if team::leads() {
        team::dismiss(s);
        run.end(s);
        if is_first() {
            s.state().outcome.store(outcome, Relaxed);
        }
    }
}

/// What all blocks have begun goes on with frontiers of so many, as it takes as long as one of their rounds to leave it to one again.
const LITERALS_TO_GO_ON: u32 = 64;

/// This block's part of a round, behind its commit.
#[inline(always)]
fn visit_by_all(s: &Search) {
    let others = propagate_learned::others(s);
    let visits = visit_many::<All>(s, Share::of_all(s, BINARY, CLASSES), frontier(s));
    if visits > 0 {
        s.state().visits.fetch_add(visits, Relaxed);
    }
    propagate_learned::look_at(s, others);
    if s.sums > 0 {
        propagate_sums::look_at_touched(s);
    }
}

/// What one block has to do behind that, and the next task.
#[inline(always)]
fn end_wide_round(s: &Search, run: &mut Run) -> u32 {
    let state = s.state();
    if s.sums > 0 {
        propagate_sums::finish(s);
    }
    let others = propagate_learned::others(s);
    thread::sync_threads();
    if is_first() {
        propagate_learned::note_seen(s, others);
        state.wide.store(0, Relaxed);
    }
    end_round(s, run);
    if state.queued.load(Relaxed) > 0 {
        apart(s, settle);
    }
    let proposed = state.trail_len.load(Relaxed) - state.committed.load(Relaxed);
    if run.is_over || state.conflicts.load(Relaxed) > 0 || proposed < LITERALS_TO_GO_ON {
        task::SEARCH
    } else {
        task::COMMIT
    }
}

/// Notes that all proposals were committed.
#[inline(always)]
fn committed_by_all(s: &Search, run: &mut Run) {
    let state = s.state();
    let (from, end) = (state.committed.load(Relaxed), state.trail_len.load(Relaxed));
    run.committed(from, end);
    thread::sync_threads();
    if is_first() {
        state.visited.store(from, Relaxed);
        state.committed.store(end, Relaxed);
    }
}

/// Does something with a barrier before and behind.
#[inline(always)]
#[track_caller]
fn apart(s: &Search, step: impl Fn(&Search)) {
    thread::sync_threads();
    step(s);
    thread::sync_threads();
}

/// What each thread keeps of the launch in registers.
struct Run {
    /// What its warp visits.
    share: Share,
    /// Rounds until the search has to return, the same in all threads of a block,
    left: u32,
    /// and whether it has to now.
    is_over: bool,
    /// Rounds that had something to commit,
    rounds: u32,
    /// and how much, the same in all threads.
    propagations: u64,
    /// Visits on this thread's account.
    visits: u64,
    /// What all blocks have to do next, the same in all threads.
    task: u32,
}

impl Run {
    #[inline(always)]
    fn new(s: &Search, left: u32) -> Run {
        let most = if team::has_others() { s.visits_alone } else { NONE };
        Run {
            share: Share::by_class(s).of_at_most(most),
            left,
            is_over: false,
            rounds: 0,
            propagations: 0,
            visits: 0,
            task: task::SEARCH,
        }
    }

    /// Counts a commit.
    #[inline(always)]
    fn committed(&mut self, from: u32, end: u32) {
        self.propagations += (end - from) as u64;
        self.rounds += (end > from) as u32;
    }

    /// Counts visits on this thread's account. On the processor nobody can ask a launch to return, so there a round of many counts as several.
    #[inline(always)]
    fn visited(&mut self, visits: u64) {
        self.visits += visits;
        if is_single() {
            let rounds = visits / VISITS_A_ROUND;
            self.left = self.left.saturating_sub(rounds.min(u32::MAX as u64) as u32);
        }
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
    run.task = task::SEARCH;
    loop {
        if run.task != task::SEARCH {
            return outcome::CALLS;
        }
        if s.answers_wanted > 0 && state.answers.load(Relaxed) == s.answers_wanted {
            return outcome::ANSWER;
        }
        // PropagateAndCheck.
        let committed = propagate(s, run);
        if run.task != task::SEARCH {
            return outcome::CALLS;
        }
        if run.is_over {
            return outcome::PAUSED;
        }
        if state.exhausted.load(Relaxed) == 1 {
            return outcome::EXHAUSTED;
        }
        if state.unlisted.load(Relaxed) == 1 && rebuild_watches::has_room(s, state) {
            apart(s, rebuild_watches::run);
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
            jump(s, backjump::ANSWER, run);
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
            thread::sync_threads();
            complete::run(s);
            thread::sync_threads();
        }
    }
}

/// Commits what is proposed at places `committed .. end` of the trail, and waits for all.
#[inline(always)]
fn commit_and_count(s: &Search, committed: u32, end: u32, run: &mut Run) {
    commit::publish(s, committed, end);
    if is_first() {
        s.state().visited.store(committed, Relaxed);
    }
    run.committed(committed, end);
    thread::sync_threads();
    // Now all have read what it was.
    if is_first() {
        s.state().committed.store(end, Relaxed);
    }
}

/// What the control words say between two rounds. They are read together, as each takes its time.
#[derive(Clone, Copy)]
struct Control {
    conflicts: u32,
    trail_len: u32,
    queued: u32,
    wide: u32,
    others: Others,
}

impl Control {
    #[inline(always)]
    fn read(s: &Search) -> Control {
        let state = s.state();
        Control {
            conflicts: state.conflicts.load(Relaxed),
            trail_len: state.trail_len.load(Relaxed),
            queued: state.queued.load(Relaxed),
            wide: state.wide.load(Relaxed),
            others: propagate_learned::others(s),
        }
    }
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

/// Rounds, until there is a conflict, nothing left to visit, a round that is for all blocks, or the search has to return; how much is
/// committed then.
///
/// The inner loop is what most rounds are. What few of them need stands behind it, so that its instructions lie close together: fetching
/// them is a fifth of what a round waits for.
#[inline(always)]
fn propagate(s: &Search, run: &mut Run) -> u32 {
    let state = s.state();
    // All threads keep in mind how much is committed, as the control word changes while others are further on.
    let mut committed = state.committed.load(Relaxed);
    loop {
        let (mut from, mut others);
        let mut now = Control::read(s);
        let rest = loop {
            if now.conflicts > 0 {
                return committed;
            }
            (from, others) = (committed, now.others);
            if are_for_all(s, now.trail_len - from) {
                run.task = task::COMMIT;
                return committed;
            }
            committed = now.trail_len;
            commit_and_count(s, from, committed, run);
            if is_single() || committed - from > FEW {
                break Rest::Many;
            }
            run.visited(visit_few::<All>(s, run.share, (from, committed)));
            if others.are_any() || s.sums > 0 && state.touched.load(Relaxed) > 0 {
                break Rest::Others;
            }
            end_round(s, run);
            now = Control::read(s);
            if now.queued > 0 {
                break Rest::Queued;
            }
            if ends(now, committed, run) {
                return committed;
            }
        };
        if rest != Rest::Queued {
            if rest == Rest::Many {
                run.visited(visit_many::<All>(s, run.share, (from, committed)));
            }
            // What stands in lists that are still visited has to wait.
            thread::sync_threads();
            propagate_learned::look_at(s, others);
            // The next commit touches more as soon as it begins.
            let has_touched = s.sums > 0 && state.touched.load(Relaxed) > 0;
            if has_touched {
                propagate_sums::look_at_touched(s);
            }
            end_round(s, run);
            if has_touched {
                apart(s, propagate_sums::finish);
            }
            if is_first() {
                propagate_learned::note_seen(s, others);
            }
            thread::sync_threads();
        }
        if state.queued.load(Relaxed) > 0 {
            apart(s, settle);
        }
        if ends(Control::read(s), committed, run) {
            return committed;
        }
    }
}

/// Whether there is no next round, or this one is left to all blocks.
#[inline(always)]
fn ends(now: Control, committed: u32, run: &mut Run) -> bool {
    if now.wide == 1 {
        cold_path();
        run.task = task::VISIT;
    }
    now.wide == 1 || run.is_over || committed == now.trail_len
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
    thread::sync_threads();
    run.is_over = run.left == 0 || looks && budget.load(Relaxed) == 0;
}

/// Learning and Backjump.
#[inline(always)]
fn learn_and_backjump(s: &Search, committed: u32, run: &mut Run) {
    // What the conflict's round proposed has to be part of the assignment: the violated nogoods need it.
    commit_and_count(s, committed, s.state().trail_len.load(Relaxed), run);
    thread::sync_threads();
    if s.track_deps == 1 {
        learn_forward::run(s);
        thread::sync_threads();
    }
    if s.resolves == 1 {
        learn_resolution::run(s);
    }
    apart(s, record_learned::run);
    jump(s, backjump::LEARNED, run);
}

/// Whether so many literals are to be committed or undone by all blocks: that takes a block a third of the time of visits.
#[inline(always)]
fn are_for_all(s: &Search, literals: u32) -> bool {
    team::has_others() && literals / 3 > s.visits_alone
}

/// Jumps as `how` says, or leaves that to all blocks.
#[inline(always)]
fn jump(s: &Search, how: u32, run: &mut Run) {
    let state = s.state();
    let (target, end) = (backjump::target(s, how).0, state.trail_len.load(Relaxed));
    if target < s.level() && are_for_all(s, end - s.trail_at.read(target + 1)) {
        cold_path();
        run.task = task::JUMP + how;
    } else {
        backjump::jump(s, how);
        thread::sync_threads();
    }
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
    apart(s, stability::run);
    s.state().unfounded.load(Relaxed) == 1
}

/// Starts over, as far as the enumeration allows, and deletes learned nogoods if there are many.
#[inline(always)]
fn restart(s: &Search) {
    backjump::jump(s, backjump::RESTART);
    thread::sync_threads();
    if has_many_learned(s.state()) {
        apart(s, reduce_learned::run);
        apart(s, rebuild_watches::run);
    }
}

/// Appends the program's true atoms to `answers`, as bits, and goes on to the next answer set.
#[inline(always)]
fn keep_answer(s: &Search) {
    let state = s.state();
    let words = s.atom_vars.div_ceil(32);
    let row = state.answers.load(Relaxed) as usize * words as usize;
    for w in over_grid(s, 0, words) {
        let mut word = 0;
        for bit in 0..(s.atom_vars - w * 32).min(32) {
            word |= ((s.value.read(w * 32 + bit) > 0) as u32) << bit;
        }
        s.answers.write(row + w as usize, word);
    }
    thread::sync_threads();
    if is_first() {
        state.answers.fetch_add(1, Relaxed);
    }
    thread::sync_threads();
}
