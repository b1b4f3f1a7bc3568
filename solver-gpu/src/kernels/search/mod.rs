//! The resident search: Algorithm 1 in one launch, that returns when there is something for the host to do.
//!
//! One block searches. The steps are those of the other kernels; between two of them stands a barrier instead of the end of a launch, and what
//! is needed most lies in shared memory meanwhile (see [`crate::near`]). Rounds of propagation are in `rounds`. What is too large for one
//! block, all blocks of the grid do together, in global memory: `wide`.
//!
//! The search can be left after any round and taken up again: a launch that finds a fixpoint propagates once more, to no effect, and goes
//! on. So the host may change the team, or use the other kernels, between two launches.

mod kind;
mod rounds;
mod wide;

use super::propagate_long::unpack;
use super::{
    backjump, complete, decide, learn_forward, learn_resolution, rebuild_watches, record_learned,
    reduce_learned, rephase, stability,
};
use crate::assign::{propose, status, Status};
use crate::atomics::Atomics;
use crate::block::warp_ballot;
use crate::deps::words_of;
use crate::layout::{Search, Stored};
use crate::near;
use crate::schedule::{has_many_learned, is_turn_over, is_worthwhile};
use crate::stride::{is_single, over_warps};
use crate::team::{self, is_first};
use core::hint::cold_path;
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::prelude::*;
pub use kind::Kind;
use rounds::{commit_and_count, is_over, propagate, Run};
use wide::{are_for_all, task};

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
/// The block's barrier between steps; over blocks, calls (see [`crate::team`]).
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch. All blocks of the grid must run at once.
/// # Deterministic
/// As the steps are: the answer sets are, not their order.
#[kernel]
pub unsafe fn search(s: Search) {
    run(&Kind::Any.known(s))
}

/// [`search`] for [`Kind::Tight`].
/// # Safety
/// As there, and `s` must be of that kind.
#[kernel]
pub unsafe fn search_tight(s: Search) {
    run(&Kind::Tight.known(s))
}

/// [`search`] for [`Kind::Founded`].
/// # Safety
/// As there, and `s` must be of that kind.
#[kernel]
pub unsafe fn search_founded(s: Search) {
    run(&Kind::Founded.known(s))
}

/// The kernel as a plain function. On the host it is one for all kinds, where leaving things out would gain nothing.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
fn run(s: &Search) {
    let near = &near::moved(s);
    let mut run = Run::new(near, s.state().budget.now());
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
        wide::part(s, task);
        if team::leads() {
            team::gather(s);
            task = wide::end(s, task, &mut run);
        } else {
            team::done(s);
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

/// Does something with a barrier before and behind.
#[inline(always)]
#[track_caller]
fn apart(s: &Search, step: impl Fn(&Search)) {
    thread::sync_threads();
    step(s);
    thread::sync_threads();
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
        if s.answers_wanted > 0 && state.answers.now() == s.answers_wanted {
            return outcome::ANSWER;
        }
        // PropagateAndCheck.
        let committed = propagate(s, run);
        if run.task != task::SEARCH {
            return outcome::CALLS;
        }
        if run.looks {
            if is_over(s, run) {
                return outcome::PAUSED;
            }
            if state.conflicts.now() == 0 && state.trail_len.now() > committed {
                continue;
            }
        }
        // Asked for together, as each takes its time.
        let (now, place) = (state.between_rounds(), state.place());
        let (mut stored, beside) = (state.stored(), state.beside());
        // What happens seldom stands elsewhere, so that these instructions lie close together.
        if place.exhausted == 1 {
            cold_path();
            return outcome::EXHAUSTED;
        }
        if stored.unlisted == 1 && rebuild_watches::has_room(s, state) {
            cold_path();
            apart(s, rebuild_watches::run);
            stored = state.stored();
        }
        let is_total = place.committed == s.vars;
        let has_many = stored.learned > stored.learned_limit;
        let checks = s.loop_rules > 0 && (is_total || s.check_fixpoints == 1);
        if now.conflicts > 0 {
            if !has_room(s, stored, s.slots, if s.resolves == 0 { place.level } else { s.vars }) {
                cold_path();
                return outcome::NO_ROOM;
            }
            learn_and_backjump(s, committed, run);
        } else if checks && !has_room(s, stored, 1, s.vars) {
            cold_path();
            return outcome::NO_ROOM;
        } else if checks && is_unfounded(s) {
            // A loop nogood was learned; it is violated or unit.
        } else if is_total {
            cold_path();
            if s.answers_wanted == 0 {
                return outcome::ANSWER;
            }
            keep_answer(s);
            jump(s, backjump::ANSWER, run, |_| ());
        } else if beside.no_candidate == 1 {
            cold_path();
            return outcome::INCOMPLETE;
        } else if has_many && !rebuild_watches::has_room(s, state) {
            cold_path();
            return outcome::NO_ROOM;
        } else if has_many || is_worthwhile(&s.restarts, state, place) {
            cold_path();
            restart(s);
        } else if words_of(place.level + 1) > s.deps_words {
            cold_path();
            return outcome::NO_ROOM;
        } else {
            decide::run(s);
            thread::sync_threads();
            if state.no_candidate.now() == 1 {
                cold_path();
                apart(s, complete::run);
            }
        }
    }
}

/// Learning and Backjump.
#[inline(always)]
fn learn_and_backjump(s: &Search, committed: u32, run: &mut Run) {
    // What the conflict's round proposed has to be part of the assignment: the violated nogoods need it.
    commit_and_count(s, committed, s.state().trail_len.now());
    thread::sync_threads();
    if s.track_deps == 1 {
        learn_forward::run(s);
        thread::sync_threads();
    }
    if s.resolves == 1 {
        learn_resolution::run(s);
    }
    let known = s.state().learned.now();
    apart(s, record_learned::run);
    jump(s, backjump::LEARNED, run, |s| assert_learned(s, known));
}

/// Proposes what follows from learned nogood `known`, if that is the only one that was learned in the last conflict. Mostly it is, and then no round
/// has to look for it, nor does one have to look at it. By one thread, behind the jump.
#[inline(always)]
fn assert_learned(s: &Search, known: u32) {
    let state = s.state();
    if state.learned.now() != known + 1 || state.seen.now() != known || state.flip.now() != 0 {
        return;
    }
    // Those of the two highest levels: if the other one holds so do all the rest.
    let (other, last) = unpack(s.learned_watch.read(known));
    if status(s, last) == Status::Open && (other == last || status(s, other) == Status::Held) {
        propose(s, !last, s.nogoods + known);
        state.seen.store(known + 1, Relaxed);
    }
}

/// Jumps as `how` says, and then one thread does something, or leaves that to all blocks, and nobody does.
#[inline(always)]
fn jump(s: &Search, how: u32, run: &mut Run, then: impl Fn(&Search)) {
    let state = s.state();
    let (target, end) = (backjump::target(s, how).0, state.trail_len.now());
    if target < s.level() && are_for_all(s, end - s.trail_at.read(target + 1)) {
        cold_path();
        run.task = task::JUMP + how;
    } else {
        backjump::jump(s, how);
        if is_first() {
            then(s);
        }
        thread::sync_threads();
    }
}

/// Whether so many nogoods of at most so many literals can be learned beside those that are, and all lists of watches are in order.
#[inline(always)]
fn has_room(s: &Search, stored: Stored, nogoods: u32, longest: u32) -> bool {
    stored.learned as usize + nogoods as usize <= s.learned_start.len()
        && stored.learned_lits as u64 + nogoods as u64 * longest as u64 <= s.learned_lit.len() as u64
        && stored.unlisted == 0
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
    if has_many_learned(s.state()) {
        apart(s, reduce_learned::run);
        apart(s, rebuild_watches::run);
    }
    if is_turn_over(s.state()) {
        apart(s, rephase::run);
    }
}

/// Which of the 32 atoms of a word are true, as bits. Called by all lanes of a warp.
#[inline(always)]
fn true_atoms(s: &Search, word: u32) -> u32 {
    let is_true = |bit: u32| word * 32 + bit < s.atom_vars && s.value.read(word * 32 + bit) > 0;
    if is_single() {
        (0..32).map(|bit| (is_true(bit) as u32) << bit).sum()
    } else {
        warp_ballot(is_true(thread::thread_idx_x() % 32))
    }
}

/// Appends the program's true atoms to `answers`, as bits, and goes on to the next answer set.
#[inline(always)]
fn keep_answer(s: &Search) {
    let state = s.state();
    let words = s.atom_vars.div_ceil(32);
    let row = state.answers.now() as usize * words as usize;
    for w in over_warps(s, 0, words) {
        let word = true_atoms(s, w);
        if thread::thread_idx_x().is_multiple_of(32) {
            s.answers.write(row + w as usize, word);
        }
    }
    thread::sync_threads();
    if is_first() {
        state.answers.add(1);
    }
    thread::sync_threads();
}
