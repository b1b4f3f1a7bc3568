//! The resident search: Algorithm 1 in one launch, that returns when there is something for the host to do.
//!
//! One block searches. The steps are those of the other kernels; between two of them stands a barrier instead of the end of a launch, and what
//! is needed most lies in shared memory meanwhile (see [`crate::shared_copy`]). Rounds of propagation are in `rounds`. What is too large for one
//! block, all blocks of the grid do together, in global memory: `wide`.
//!
//! The search can be left after any round and taken up again: a launch that finds a fixpoint propagates once more, to no effect, and goes
//! on. So the host may change the team, or use the other kernels, between two launches.

use super::{
    backjump, complete, decide, learn_forward, learn_resolution, rebuild_watches, record_learned,
    reduce_learned, rephase, stability,
};
use crate::assign::{propose, status, Status};
use crate::layout::FIRST_LEARNED;
use crate::lit::unpack;
use crate::next_step::{next_step, NextStep};
use crate::schedule::{has_many_learned, is_rephase_due};
use crate::shared_copy;
use crate::threads::block::apart;
use crate::threads::grid_calls;
use crate::threads::stride::{is_first, is_single, over_warps};
use crate::threads::warp::warp_ballot;
use crate::Search;
use crate::{Own, Problem};
use core::hint::cold_path;
use cuda_std::prelude::*;
use cuda_std::thread;
use grid_task::{are_for_all, task};
use rounds::{commit_and_count, is_over, propagate, Run};

mod grid_rounds;
mod grid_task;
mod program_class;
mod rounds;

pub use program_class::ProgramClass;

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

/// # Inputs
/// The whole search. `budget` rounds at most; `stop`, a word that the host may set at any time; `answers_wanted`; `near`, `visits_alone`.
/// # Writes
/// As all kernels that it stands for; `answers`; `outcome`.
/// # Thread mapping
/// The first block searches, the others wait for it to call. Each step has its own mapping, see there.
/// # Synchronisation
/// The block's barrier between steps; over blocks, calls (see [`crate::threads::grid_calls`]).
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch. All blocks of the grid must run at once.
/// # Deterministic
/// As the steps are: the answer sets are, not their order.
#[kernel]
pub unsafe fn search(s: Search) {
    run(&ProgramClass::Any.known(s))
}

/// [`search`] for [`ProgramClass::Tight`].
/// # Safety
/// As there, and `s` must be of that kind.
#[kernel]
pub unsafe fn search_tight(s: Search) {
    run(&ProgramClass::Tight.known(s))
}

/// [`search`] for [`ProgramClass::WithLoops`].
/// # Safety
/// As there, and `s` must be of that kind.
#[kernel]
pub unsafe fn search_with_loops(s: Search) {
    run(&ProgramClass::WithLoops.known(s))
}

/// The kernel as a plain function. On the host it is one for all kinds, where leaving things out would gain nothing.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
fn run(s: &Search) {
    let near = &shared_copy::attach(s);
    let leads = grid_calls::leads(&s.launch);
    let mut run = Run::new(near, s.launch.budget);
    let (mut outcome, mut task, mut calls) = (outcome::PAUSED, task::SEARCH, 0);
    // All blocks go this way together, so that what they do together stands here once.
    loop {
        if leads {
            if task == task::SEARCH {
                shared_copy::copy(s.launch.shared_copy_bytes, &s.own, &near.own);
                outcome = search_on(near, &mut run);
                shared_copy::copy(s.launch.shared_copy_bytes, &near.own, &s.own);
                task = if outcome == outcome::CALLS { run.task } else { task::LEAVE };
            }
            grid_calls::call(&s.own, task);
        } else {
            task = grid_calls::wait(&s.own, calls);
            calls += 1;
        }
        grid_rounds::do_task(s, task);
        if leads {
            grid_calls::gather(&s.own, &s.launch);
            task = grid_rounds::end(s, task, &mut run);
        } else {
            grid_calls::done(&s.own);
        }
        if task == task::LEAVE {
            break;
        }
    }
    if leads {
        grid_calls::dismiss(&s.own);
        run.end(&s.own);
        if is_first() {
            s.own.state().outcome.store(outcome);
        }
    }
}

/// Algorithm 1, until there is something for the host to do.
#[inline(always)]
fn search_on(s: &Search, run: &mut Run) -> u32 {
    let state = s.own.state();
    run.task = task::SEARCH;
    loop {
        if run.task != task::SEARCH {
            return outcome::CALLS;
        }
        if s.launch.answers_wanted > 0 && state.answers.now() == s.launch.answers_wanted {
            return outcome::ANSWER;
        }
        // PropagateAndCheck.
        let committed = propagate(s, run);
        if run.task != task::SEARCH {
            return outcome::CALLS;
        }
        if run.looks {
            if is_over(&s.own, &s.launch, run) {
                return outcome::PAUSED;
            }
            if state.conflicts.now() == 0 && state.trail_len.now() > committed {
                continue;
            }
        }
        let mut is_founded = false;
        loop {
            match next_step(s, state, is_founded) {
                NextStep::Exhausted => return outcome::EXHAUSTED,
                NextStep::MakeRoom => return outcome::NO_ROOM,
                NextStep::Incomplete => return outcome::INCOMPLETE,
                NextStep::RebuildWatches => {
                    apart(|| rebuild_watches::run(&s.problem, &s.own));
                    continue;
                }
                NextStep::Learn => learn_and_backjump(s, committed, run),
                NextStep::CheckFoundedness => {
                    // If a set is unfounded, a loop nogood was learned, which is violated or unit. (The compiler leaves the check out where it
                    // knows that there are no loops, but only if that is said here.)
                    if s.problem.loop_rules == 0 || !is_unfounded(s) {
                        is_founded = true;
                        continue;
                    }
                }
                NextStep::Answer => {
                    cold_path();
                    if s.launch.answers_wanted == 0 {
                        return outcome::ANSWER;
                    }
                    keep_answer(s);
                    jump(s, backjump::ANSWER, run, || ());
                }
                NextStep::Restart => restart(s),
                NextStep::Decide => {
                    decide::run(s);
                    thread::sync_threads();
                    if state.no_candidate.now() == 1 {
                        cold_path();
                        apart(|| complete::run(s));
                    }
                }
            }
            break;
        }
    }
}

/// Learning and Backjump.
#[inline(always)]
fn learn_and_backjump(s: &Search, committed: u32, run: &mut Run) {
    // What the conflict's round proposed has to be part of the assignment: the violated nogoods need it.
    commit_and_count(s, committed, s.own.state().trail_len.now());
    thread::sync_threads();
    if s.settings.track_deps == 1 {
        learn_forward::run(s);
        thread::sync_threads();
    }
    if s.settings.resolves == 1 {
        learn_resolution::run(s);
    }
    let known = s.own.state().learned.now();
    apart(|| record_learned::run(s));
    jump(s, backjump::LEARNED, run, || assert_learned(&s.own, known));
}

/// Proposes what follows from learned nogood `known`, if that is the only one that was learned in the last conflict. Mostly it is, and then no round
/// has to look for it, nor does one have to look at it. By one thread, behind the jump.
#[inline(always)]
fn assert_learned(own: &Own, known: u32) {
    let state = own.state();
    if state.learned.now() != known + 1 || state.seen.now() != known || state.flip.now() != 0 {
        return;
    }
    // Those of the two highest levels: if the other one holds so do all the rest.
    let (other, last) = unpack(own.learned_watch.read(known));
    if status(own, last) == Status::Open && (other == last || status(own, other) == Status::Held) {
        propose(own, !last, FIRST_LEARNED + known);
        state.seen.store(known + 1);
    }
}

/// Jumps as `how` says, and then one thread does something, or leaves that to all blocks, and nobody does.
#[inline(always)]
fn jump(s: &Search, how: u32, run: &mut Run, then: impl Fn()) {
    let state = s.own.state();
    let (target, end) = (backjump::target(&s.problem, &s.own, how).0, state.trail_len.now());
    if target < s.own.level() && are_for_all(&s.launch, end - s.own.trail_at.read(target + 1)) {
        cold_path();
        run.task = task::JUMP + how;
    } else {
        backjump::jump(s, how);
        if is_first() {
            then();
        }
        thread::sync_threads();
    }
}

/// Whether atoms that are not false have no foundation; then a loop nogood of one of them was learned.
#[inline(always)]
fn is_unfounded(s: &Search) -> bool {
    let is_unfounded = stability::run(s);
    if is_unfounded {
        thread::sync_threads();
    }
    is_unfounded
}

/// Starts over, as far as the enumeration allows; deletes learned nogoods if there are many, and begins the next turn of phases if one is over.
#[inline(always)]
fn restart(s: &Search) {
    backjump::jump(s, backjump::RESTART);
    thread::sync_threads();
    if has_many_learned(s.own.state()) {
        apart(|| reduce_learned::run(&s.problem, &s.own));
        apart(|| rebuild_watches::run(&s.problem, &s.own));
    }
    if is_rephase_due(s.own.state()) {
        apart(|| rephase::run(s));
    }
}

/// Which of the 32 atoms of a word are true, as bits. Called by all lanes of a warp.
#[inline(always)]
fn true_atoms(problem: &Problem, own: &Own, word: u32) -> u32 {
    let is_true = |bit: u32| word * 32 + bit < problem.atom_vars && own.value.read(word * 32 + bit) > 0;
    if is_single() {
        (0..32).map(|bit| (is_true(bit) as u32) << bit).sum()
    } else {
        warp_ballot(is_true(thread::thread_idx_x() % 32))
    }
}

/// Appends the program's true atoms to `answers`, as bits, and goes on to the next answer set.
#[inline(always)]
fn keep_answer(s: &Search) {
    let state = s.own.state();
    let words = s.problem.atom_vars.div_ceil(32);
    let row = state.answers.now() as usize * words as usize;
    for w in over_warps(&s.launch, 0, words) {
        let word = true_atoms(&s.problem, &s.own, w);
        if thread::thread_idx_x().is_multiple_of(32) {
            s.own.answers.write(row + w as usize, word);
        }
    }
    thread::sync_threads();
    if is_first() {
        state.answers.add(1);
    }
    thread::sync_threads();
}
