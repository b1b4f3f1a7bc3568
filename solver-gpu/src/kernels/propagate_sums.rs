//! PropagateAndCheck for sum nogoods: a block adds nothing up, it looks at what `commit` has counted (see [`crate::sums`]).

use crate::assign::{propose, report_conflict, status, Status};
use crate::layout::FIRST_SUM;
use crate::sums::{condition_status, slack_of};
use crate::threads::block::is_last_block;
use crate::threads::stride::is_first;
use crate::threads::stride::{over_block, over_blocks};
use crate::Search;
use crate::{Own, Problem};
use cuda_std::prelude::*;
use cuda_std::thread;

/// # Inputs
/// The queue of touched sums, their counters and items; `value`.
/// # Writes
/// Proposals (`reason`, `trail`) and `conflict`; empties the queue.
/// # Thread mapping
/// One block a sum, strided; its threads share the items, heaviest first, as far as they are too heavy.
/// # Synchronisation
/// Claims are atomic (see [`crate::assign`]); the last block empties the queue.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// As [`super::propagate_binary`].
#[kernel]
pub unsafe fn propagate_sums(s: Search) {
    run(&s)
}

/// The kernel as a plain function.
#[inline(always)]
pub fn run(s: &Search) {
    // Also where there is a conflict already: whether there is may change while this runs, and all blocks have to meet.
    look_at_touched(s);
    if is_last_block(&s.own, &s.launch) {
        finish(&s.own);
    }
}

/// Looks at the sums in the queue.
#[inline(always)]
pub fn look_at_touched(s: &Search) {
    for i in over_blocks(&s.launch, 0, s.own.state().touched.load()) {
        look(&s.problem, &s.own, s.own.sum_queue.read(i));
    }
}

/// Empties the queue. Called by all threads of the only block that runs.
#[inline(always)]
pub fn finish(own: &Own) {
    let touched = own.state().touched.load();
    for i in over_block(0, touched) {
        own.sum_touched.atomic(own.sum_queue.read(i)).store(0);
    }
    thread::sync_threads();
    if is_first() {
        own.state().touched.store(0);
    }
}

/// What follows from one sum.
#[inline(always)]
fn look(problem: &Problem, own: &Own, sum: u32) {
    let (condition, room) = (condition_status(problem, own, sum), slack_of(problem, own, sum));
    match (condition, room.is_none()) {
        (Status::Falsified, _) => {}
        (Status::Held, true) => {
            if is_first() {
                report_conflict(own, FIRST_SUM + sum);
            }
        }
        (Status::Open, true) => {
            if is_first() {
                propose(own, !problem.sum_condition.read(sum), FIRST_SUM + sum);
            }
        }
        (Status::Open, _) => {}
        (Status::Held, _) => {
            for item in over_block(problem.sum_start.read(sum), problem.sum_start.read(sum + 1)) {
                let (counter, weight) = (problem.sum_counter.read(item), own.sum_weight.read(item));
                if room.is_exceeded_by(counter, weight) {
                    let lit = problem.sum_lit.read(item);
                    if status(own, lit) == Status::Open {
                        propose(own, !lit, FIRST_SUM + sum);
                    }
                } else if weight > 0 {
                    // Those that follow are not heavier, or count for less. (A weight of 0 was taken out.)
                    break;
                }
            }
        }
    }
}
