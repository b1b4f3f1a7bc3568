//! The resident search: Algorithm 1 in one launch, which returns when there is something for the host to do.
//!
//! Main function: `search_on`. One block searches. Its steps are the functions of the other kernels, with a
//! barrier between two steps instead of the end of a launch. Meanwhile the arrays that every step waits for
//! have a copy in shared memory (see [`crate::shared_copy`]). Rounds of propagation are in `rounds`. The
//! other blocks of a launch, if there are any, are searchers of a swarm ([`crate::swarm`]).
//!
//! Invariant: the search can be left after any round and taken up again. A launch that finds a fixpoint
//! propagates once more, to no effect, and goes on. So the host may use the other kernels between two
//! launches.

use super::{
    backjump, complete, decide, differences, learn_forward, learn_resolution, place, rebuild_watches,
    record_learned, reduce_learned, rephase, stability, tighten,
};
use crate::assign::{propose, status, Status};
use crate::layout::{count_up, writes, Level, NogoodId, State, TrailPosition, BETTER, COUNTED, NONE};
use crate::lit::unpack;
use crate::next_step::{is_short, next_step, NextStep};
use crate::schedule::has_many_learned;
use crate::shared_copy;
use crate::swarm::cube::{self, Next, Placed};
use crate::swarm::{goals, lookahead, near, questions, share, told};
use crate::threads::barrier::{apart, sync_block};
use crate::threads::stride::{is_first, is_single, over_warps};
use crate::threads::token::{WholeBlock, WholeWarp};
use crate::threads::warp::warp_ballot;
use crate::trace;
use crate::Search;
use crate::{Own, Problem};
use core::hint::cold_path;
use cuda_std::prelude::*;
use cuda_std::thread;
use rounds::{commit_and_count, is_over, propagate, Run};

mod program_class;
pub(super) mod rounds;

/// How long a searcher without work sleeps before it looks for work again, in nanoseconds.
const NAP_NANOS: u32 = 1000;

pub use program_class::ProgramClass;

/// Why the resident search returned.
pub mod outcome {
    /// The budget of rounds is used up, or the host asked the search to return.
    pub const PAUSED: u32 = 0;
    /// There are no more answer sets.
    pub const EXHAUSTED: u32 = 1;
    /// There is an answer set in the assignment, or as many as were wanted in `answers`.
    pub const ANSWER: u32 = 2;
    /// An array has to grow before the next step: a store of learned nogoods, the lists of watches, or the
    /// bitmaps.
    pub const NO_ROOM: u32 = 3;
    /// Completion left variables open: an error in the solver.
    pub const INCOMPLETE: u32 = 4;
    /// A searcher of a swarm waits for a cube.
    pub const IDLE: u32 = 5;
    /// The host is asked for nogoods, at a fixpoint.
    pub const ASKS: u32 = 6;
}

/// # Inputs
/// The whole search. `budget`, the most rounds; `stop`, a word that the host may set at any time;
/// `answers_wanted`; `shared_copy_bytes`.
/// # Writes
/// What the kernels of all steps write; `answers`; `outcome`.
/// # Thread mapping
/// One block searches. Each step has a mapping of its own.
/// # Synchronisation
/// The block's barrier between steps.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch, which has one block.
/// # Deterministic
/// The set of answer sets is; their order is not.
#[kernel]
pub unsafe fn search(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &ProgramClass::Any.known(s))
}

/// The resident search for [`ProgramClass::Tight`]. See [`search`].
/// # Safety
/// As for [`search`], and `s` must be of that class.
#[kernel]
pub unsafe fn search_tight(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &ProgramClass::Tight.known(s))
}

/// The resident search for [`ProgramClass::WithLoops`]. See [`search`].
/// # Safety
/// As for [`search`], and `s` must be of that class.
#[kernel]
pub unsafe fn search_with_loops(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &ProgramClass::WithLoops.known(s))
}

/// The resident search that writes what it does to `trace_ring`, for all programs. See [`search`].
/// # Safety
/// As for [`search`], and there must be a ring.
#[kernel]
pub unsafe fn search_traced(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &ProgramClass::Any.writing(s, writes::TRACE))
}

/// The resident search that writes what proves its results to `trace_ring`, for all programs. See [`search`].
/// # Safety
/// As for [`search`], and there must be a ring.
#[kernel]
pub unsafe fn search_proved(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &ProgramClass::Any.writing(s, writes::PROOF))
}

/// The kernel as a plain function. On the host all classes share one function, where leaving code out would
/// gain nothing.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
fn run(block: &mut WholeBlock, s: &Search) {
    let near = &shared_copy::attach(block, s);
    // The copy has not been filled yet.
    let has_lists = s.own.state().learned.now() > 0;
    let mut run = Run::new(near, s.launch.budget, has_lists);
    shared_copy::copy(block, s.launch.shared_copy_bytes, &s.own, &near.own);
    let outcome = search_on(block, near, &mut run);
    shared_copy::copy(block, s.launch.shared_copy_bytes, &near.own, &s.own);
    run.end(&s.own);
    if is_first() {
        s.own.state().outcome.store(outcome);
    }
}

/// Algorithm 1, until there is something for the host to do.
#[cuda_std::inlined]
pub(super) fn search_on(block: &mut WholeBlock, s: &Search, run: &mut Run) -> u32 {
    let state = s.own.state();
    loop {
        if s.launch.answers_wanted > 0 && state.answers.now() == s.launch.answers_wanted {
            return outcome::ANSWER;
        }
        // PropagateAndCheck.
        let committed = propagate(block, s, run);
        if run.looks {
            if is_over(block, s, run) {
                return outcome::PAUSED;
            }
            if state.conflicts.now() == 0 && s.own.trail_end() > committed {
                continue;
            }
        }
        let committed =
            if trace::is_trace(&s.launch) { commit_conflict(block, s, committed) } else { committed };
        if trace::is_on(&s.launch) && !trace::note(block, s) {
            return outcome::PAUSED;
        }
        let mut is_founded = false;
        let held = if is_single() { held(state) } else { [0; 2] };
        loop {
            match makes_do(block, s, next_step(s, state, is_founded)) {
                NextStep::Exhausted if s.swarm.is_any() => {
                    if s.own.level() > Level::FIRST {
                        // A literal of the cube is falsified, and the backtrack level is still 1.
                        backjump::jump(block, s, backjump::RESTART);
                    }
                    match cube::next(block, s) {
                        Next::Over => return outcome::EXHAUSTED,
                        Next::Searches => {}
                        // A thread of the host does something else meanwhile.
                        Next::Waits if is_single() => return outcome::IDLE,
                        Next::Waits => {
                            thread::nanosleep(NAP_NANOS);
                            run.wait();
                        }
                    }
                }
                NextStep::Exhausted => return outcome::EXHAUSTED,
                NextStep::MakeRoom => return outcome::NO_ROOM,
                NextStep::Incomplete => return outcome::INCOMPLETE,
                NextStep::RebuildWatches => {
                    apart(block, |block| rebuild_watches::run(block, &s.problem, &s.own));
                    continue;
                }
                NextStep::Learn => learn_and_backjump(block, s, committed),
                NextStep::CheckFoundedness => {
                    // If a set is unfounded, a loop nogood was learned, which is violated or unit. (The
                    // compiler leaves the check out where it knows that there are no loops, but only if that
                    // is said here.)
                    if s.problem.loop_rules == 0 || !is_unfounded(block, s) {
                        is_founded = true;
                        continue;
                    }
                }
                NextStep::CheckDifferences => {
                    cold_path();
                    if s.problem.arcs == 0 || !differences::run(block, s) {
                        continue;
                    }
                }
                NextStep::Ask => return outcome::ASKS,
                NextStep::Place => {
                    if place::run(block, s) == Placed::All {
                        continue;
                    }
                }
                NextStep::LookAhead => lookahead::probe(block, s),
                NextStep::Answer => {
                    cold_path();
                    if !goes_on_after_answer(block, s) {
                        return outcome::ANSWER;
                    }
                }
                NextStep::Restart => restart(block, s),
                NextStep::Import => share::import(block, s),
                NextStep::Decide => {
                    if cube::is_asked(s) {
                        cold_path();
                        if lookahead::is_due(s) {
                            lookahead::begin(block, s);
                            break;
                        }
                        cube::give(block, s);
                    }
                    decide::run(block, s);
                    sync_block(block);
                    if state.no_candidate.now() == 1 {
                        cold_path();
                        complete::run(block, s);
                        sync_block(block);
                    }
                }
            }
            break;
        }
        if is_single() {
            run.worked(changed(held, state));
        }
    }
}

/// Keeps an answer set, and begins the search for the next one. Returns whether the search goes on without
/// the host.
#[cuda_std::inlined]
fn goes_on_after_answer(block: &mut WholeBlock, s: &Search) -> bool {
    if s.swarm.has_questions() {
        return answer_question(block, s);
    }
    if s.launch.answers_wanted == 0 {
        return false;
    }
    keep_answer(block, s);
    if s.swarm.is_any() && s.swarm.hub().answers_limit.load_relaxed() == 1 {
        // No answer set is excluded, so that what was learned holds in a later search.
        sync_block(block);
        return false;
    }
    if s.swarm.is_any() && s.settings.goal != NONE {
        tighten_for_all(block, s);
    } else {
        jump(block, s, backjump::ANSWER, || ());
    }
    true
}

/// What a step may add or take away: the literals on the trail, and those of learned nogoods.
#[cuda_std::inlined]
fn held(state: &State) -> [u32; 2] {
    [state.trail_len.now(), state.learned_lits.now()]
}

/// How many literals a step has added or taken away, as if each were a visit.
#[cuda_std::inlined]
fn changed(before: [u32; 2], state: &State) -> u64 {
    let now = held(state);
    before[0].abs_diff(now[0]) as u64 + before[1].abs_diff(now[1]) as u64
}

/// Commits the proposals of a conflict's round for the trace, whose explanations need them. Returns how many
/// literals are committed, and ends with a barrier.
#[cuda_std::inlined]
fn commit_conflict(block: &mut WholeBlock, s: &Search, committed: TrailPosition) -> TrailPosition {
    let end = s.own.trail_end();
    if end > committed {
        commit_and_count(block, s, committed, end);
        sync_block(block);
    }
    end
}

/// Learning and Backjump.
#[cuda_std::inlined]
fn learn_and_backjump(block: &mut WholeBlock, s: &Search, committed: TrailPosition) {
    // The violated nogoods need the proposals of the conflict's round to be part of the assignment.
    commit_and_count(block, s, committed, s.own.trail_end());
    sync_block(block);
    if s.settings.track_deps == 1 {
        learn_forward::run(block, s);
    }
    if s.settings.resolves == 1 {
        learn_resolution::run(block, s);
    }
    let known = s.own.state().learned.now();
    apart(block, |block| record_learned::run(block, s));
    if s.swarm.share_len > 0 && is_first() {
        share::offer_learned(s, known, s.swarm.share_lbd);
    }
    jump(block, s, backjump::LEARNED, || assert_learned(&s.own, known));
}

/// Proposes the literal that learned nogood `known` asserts, if that nogood is the only one learned from the
/// last conflict. This is the usual case, and saves the round that would look for the literal. Called by one
/// thread after the backjump.
#[cuda_std::inlined]
fn assert_learned(own: &Own, known: u32) {
    let state = own.state();
    if state.learned.now() != known + 1 || state.seen.now() != known || state.flip.now() != 0 {
        return;
    }
    // The two literals of the highest levels: if the other one holds, so do all the rest.
    let (other, last) = unpack(own.learned_record.get(known).watch.now());
    if status(own, last) == Status::Open && (other == last || status(own, other) == Status::Held) {
        propose(own, !last, NogoodId::of_learned(known));
        state.seen.store(known + 1);
    }
}

/// Jumps as `how` says, and has one thread call `then` afterwards.
#[cuda_std::inlined]
fn jump(block: &mut WholeBlock, s: &Search, how: u32, then: impl Fn()) {
    backjump::jump(block, s, how);
    if is_first() {
        then();
    }
    sync_block(block);
}

/// Whether atoms that are not false are unfounded. Then a loop nogood of one of them was learned.
#[cuda_std::inlined]
fn is_unfounded(block: &mut WholeBlock, s: &Search) -> bool {
    let is_unfounded = stability::run(block, s);
    if is_unfounded {
        sync_block(block);
    }
    is_unfounded
}

/// Restarts as far as the enumeration allows, deletes learned nogoods if there are many, and rephases if that
/// is due. The next barrier is that of the next commit.
#[cuda_std::inlined]
fn restart(block: &mut WholeBlock, s: &Search) {
    if s.swarm.is_any() && s.settings.goal != NONE {
        goals::adopt(block, s);
    }
    backjump::jump(block, s, backjump::RESTART);
    sync_block(block);
    if s.swarm.is_any() {
        exchange(block, s);
    }
    if s.swarm.makes_do == 1 {
        ask_to_delete(block, s);
    }
    if has_many_learned(s.own.state()) {
        loop {
            reduce_learned::run(block, s);
            sync_block(block);
            // Else the step was not due without room. The reasons alone always fit: there is room for the
            // lists of more nogoods than there are variables.
            if s.swarm.makes_do == 0 || rebuild_watches::has_room(&s.problem, &s.own, s.own.state()) {
                break;
            }
            if is_first() {
                s.own.state().keep.store(0);
            }
            sync_block(block);
        }
        if s.swarm.makes_do == 1 {
            keep_again(block, s);
        }
        rebuild_watches::run(block, &s.problem, &s.own);
    }
    if rephase::is_due(s.own.state()) {
        rephase::run(block, s);
    }
}

/// Returns `step`, but if the searcher is out of room and the device as well, the search restarts and deletes
/// learned nogoods.
#[cuda_std::inlined]
fn makes_do(_: &mut WholeBlock, s: &Search, step: NextStep) -> NextStep {
    // A jump must undo something: then no conflict of the backtrack level is forgotten.
    let can_jump = s.own.level().0 > s.own.state().backtrack_level.now();
    if step == NextStep::MakeRoom && can_jump && is_short(s, s.own.state()) {
        cold_path();
        return NextStep::Restart;
    }
    step
}

/// How many conflicts after a deletion because of too little memory the next one deletes all that it can.
const SOON: u64 = 200;

/// Lets a deletion come if the searcher is short of room, and the device as well. The deletion keeps half of
/// the nogoods that may be deleted. If the last such deletion was a short time ago, it keeps the reasons
/// alone. The function begins and ends with a barrier.
#[cuda_std::inlined]
fn ask_to_delete(block: &mut WholeBlock, s: &Search) {
    let state = s.own.state();
    cold_path();
    sync_block(block);
    if is_first() && is_short(s, s.own.state()) {
        let conflicts = state.counts.conflicts.now();
        let is_soon = state.short_at.now() > 0 && conflicts - state.short_at.now() < SOON;
        state.short_at.store(conflicts);
        state.keep.store(if is_soon { 0 } else { state.keep.now().min(state.learned.now() / 2) });
        state.learned_limit.store(0);
    }
    sync_block(block);
}

/// After a deletion that kept no nogood for its worth, lets further deletions keep some. The
/// function ends with a barrier.
#[cuda_std::inlined]
fn keep_again(block: &mut WholeBlock, s: &Search) {
    let state = s.own.state();
    if is_first() && state.keep.now() == 0 {
        let keep = (s.own.learned_record.len() / 4) as u32;
        state.keep.store(keep);
        state.learned_limit.store(state.learned.now() + keep);
    }
    sync_block(block);
}

/// What a searcher of a swarm does after a jump to the backtrack level: changes its role, takes the
/// next neighbourhood if that is due, and imports nogoods. The function ends with a barrier.
#[cuda_std::inlined]
fn exchange(block: &mut WholeBlock, s: &Search) {
    cube::change_role(block, s);
    near::renew(block, s);
    share::import(block, s);
    sync_block(block);
}

/// Makes the goal stricter after an answer set, for all searchers.
#[cuda_std::inlined]
fn tighten_for_all(block: &mut WholeBlock, s: &Search) {
    let mut tightening = *s;
    tightening.launch.argument = s.swarm.tightens;
    if s.swarm.tightens != BETTER {
        // The conflict that follows looks at the goal again.
        goals::adopt(block, s);
    }
    sync_block(block);
    tighten::run(block, &tightening);
    sync_block(block);
    if is_first() {
        near::note_better(s.own.state());
        told::note_goal(s);
    }
    goals::publish(block, s);
    sync_block(block);
}

/// Which of the 32 atoms of a word are true, as bits.
#[cuda_std::inlined]
fn true_atoms(warp: &mut WholeWarp, problem: &Problem, own: &Own, word: u32) -> u32 {
    let is_true = |bit: u32| word * 32 + bit < problem.atom_vars && own.value.read(word * 32 + bit) > 0;
    if is_single() {
        (0..32).map(|bit| (is_true(bit) as u32) << bit).sum()
    } else {
        warp_ballot(warp, is_true(thread::thread_idx_x() % 32))
    }
}

/// Calls `write` with each word of the program's true atoms, as bits.
#[cuda_std::inlined]
fn write_answer(block: &mut WholeBlock, s: &Search, write: impl Fn(u32, u32)) {
    for w in over_warps(&s.launch, 0, s.problem.atom_vars.div_ceil(32)) {
        let word = true_atoms(block.warp(), &s.problem, &s.own, w);
        if thread::thread_idx_x().is_multiple_of(32) {
            write(w, word);
        }
    }
}

/// Tells an answer set of the searcher's question. Returns false if there is no room for that.
#[cuda_std::inlined]
fn answer_question(block: &mut WholeBlock, s: &Search) -> bool {
    questions::answer(block, s, |block, at| {
        write_answer(block, s, |w, word| s.swarm.replies.write(at + w, word));
    })
}

/// Appends the program's true atoms to `answers`, as bits, and goes on to the next answer set. A jump
/// follows, which has the next barrier.
#[cuda_std::inlined]
fn keep_answer(block: &mut WholeBlock, s: &Search) {
    let state = s.own.state();
    if s.launch.answers_wanted == COUNTED {
        if is_first() {
            count_up(&state.counted, 1);
            note_answer(s);
        }
        return;
    }
    let row = state.answers.now() as usize * s.problem.atom_vars.div_ceil(32) as usize;
    write_answer(block, s, |w, word| s.own.answers.write(row + w as usize, word));
    sync_block(block);
    if is_first() {
        state.answers.add(1);
        trace::note_answer(s);
        note_answer(s);
    }
}

/// Counts an answer set for all searchers, and has them return if it is the last one that is wanted. Called
/// by one thread.
#[cuda_std::inlined]
fn note_answer(s: &Search) {
    if s.swarm.is_any() {
        let hub = s.swarm.hub();
        let (found, limit) = (hub.answers.fetch_add(1) + 1, hub.answers_limit.load_relaxed());
        if limit > 0 && found >= limit {
            hub.winner.store_relaxed(1 + s.swarm.me());
            hub.stop.store_relaxed(1);
        }
    }
}
