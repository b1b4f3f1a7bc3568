//! Work that is too large for one block: the tasks that the block that searches calls the grid's other blocks
//! for.
//!
//! Main functions: [`do_task`], which each block calls, and [`end`], which the block that searches calls
//! afterwards. How blocks call each other is in [`crate::threads::grid_calls`].

use super::grid_task::task;
use super::rounds::{is_over, All, Run};
use crate::frontier::classes::{BINARY, CLASSES};
use crate::frontier::frontier;
use crate::frontier::sharing::Share;
use crate::frontier::wide::visit_wide;
use crate::kernels::{backjump, commit, propagate_learned, propagate_sums};
use crate::threads::stride::is_first;
use crate::watches::settle;
use crate::Own;
use crate::Search;
use cuda_std::thread;

/// All blocks go on together while frontiers have at least this many literals, as returning to one block
/// takes a round's time.
const LITERALS_TO_GO_ON: u32 = 64;

/// This block's part of a task.
#[inline(always)]
pub fn do_task(s: &Search, task: u32) {
    match task {
        task::VISIT => visit(s),
        task::COMMIT => commit::publish(s, s.own.state().committed.now(), s.own.state().trail_len.now()),
        task::LEAVE | task::SEARCH => {}
        jump => backjump::jump(s, jump - task::JUMP),
    }
}

/// What the first block does after all blocks have done their parts. Returns the next task.
#[inline(always)]
pub fn end(s: &Search, task: u32, run: &mut Run) -> u32 {
    match task {
        task::VISIT => end_visit(s, run),
        task::COMMIT => {
            end_commit(&s.own);
            task::VISIT
        }
        task::LEAVE => task::LEAVE,
        _ => task::SEARCH,
    }
}

/// This block's part of a round, after the commit.
#[inline(always)]
fn visit(s: &Search) {
    // Other blocks may find no room in the lists meanwhile.
    let others = propagate_learned::others(s.own.state().stored(), s.own.state().beside());
    let visits = visit_wide::<All>(s, Share::of_all(&s.launch, BINARY, CLASSES), frontier(&s.own));
    if visits > 0 {
        s.own.state().visits.add(visits);
    }
    propagate_learned::look_at(&s.own, &s.launch, others, false);
    if s.problem.sums > 0 {
        propagate_sums::look_at_touched(s);
    }
}

/// What the first block does after all blocks have visited. Returns the next task.
#[inline(always)]
fn end_visit(s: &Search, run: &mut Run) -> u32 {
    let state = s.own.state();
    if s.problem.sums > 0 {
        propagate_sums::finish(&s.own);
    }
    let others = propagate_learned::others(state.stored(), state.beside());
    thread::sync_threads();
    if is_first() {
        propagate_learned::note_seen(&s.own, others);
        state.needs_grid.store(0);
    }
    run.end_round();
    if state.queued.now() > 0 {
        // The step begins with a barrier, as there is an entry, and the next task begins with another.
        settle(&s.own);
    }
    let proposed = state.trail_len.now() - state.committed.now();
    if run.looks && is_over(s, run) || state.conflicts.now() > 0 || proposed < LITERALS_TO_GO_ON {
        task::SEARCH
    } else {
        task::COMMIT
    }
}

/// Notes that all proposals are committed.
#[inline(always)]
fn end_commit(own: &Own) {
    let state = own.state();
    let (from, end) = (state.committed.now(), state.trail_len.now());
    thread::sync_threads();
    if is_first() {
        state.visited.store(from);
        commit::note(own, from, end);
    }
}
