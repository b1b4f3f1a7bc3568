//! PropagateAndCheck for sum nogoods.
//!
//! The main functions are [`run`], the kernel, and [`look_at_touched`] and [`finish`], which the resident
//! search calls. The step adds nothing up: it looks at the counters that [`super::commit`] and
//! [`super::backjump`] keep (see [`crate::sums`]).
//!
//! Invariant: a sum is in the queue when its consequences may have changed since the last visit.

use crate::assign::{propose, report_conflict, status, Status};
use crate::layout::NogoodId;
use crate::sums::{condition_status, slack_of};
use crate::threads::barrier::sync_block;
use crate::threads::block::is_last_block;
use crate::threads::stride::{is_first, over_block, over_groups, Member};
use crate::threads::token::WholeBlock;
use crate::Search;
use crate::{Own, Problem};
use cuda_std::prelude::*;

/// Visits the touched sums and proposes or reports.
///
/// # Inputs
/// The queue of touched sums, their counters, items and conditions; `value`.
/// # Writes
/// Proposals (`reason`, `trail`, `trail_len`), and `conflict` and `conflicts`. It also empties the queue
/// (`touched`, `sum_touched`).
/// # Thread mapping
/// A group of eight threads for each sum, strided. They share the items, heaviest first, up to the first item that is
/// not too heavy.
/// # Synchronisation
/// Claims are atomic (see [`crate::assign`]). The last block empties the queue.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// As [`super::propagate_binary`].
#[kernel]
pub unsafe fn propagate_sums(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function. All blocks of the grid call this.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    // The sums are visited even if there is a conflict already. Another block may report one meanwhile, and
    // all blocks have to meet at the end.
    look_at_touched(block, s);
    if is_last_block(block, &s.own, &s.launch) {
        finish(block, &s.own);
    }
}

/// Visits the sums in the queue. Returns how many items this thread has looked at. All blocks that share the
/// step call this.
#[cuda_std::inlined]
pub fn look_at_touched(block: &mut WholeBlock, s: &Search) -> u64 {
    let (places, member) = over_groups(block, &s.launch, 0, s.own.state().touched.load());
    let mut items = 0;
    for i in places {
        items += follow(&s.problem, &s.own, s.own.sum_queue.read(i), member) as u64;
    }
    items
}

/// Empties the queue. Only one block runs.
#[cuda_std::inlined]
pub fn finish(block: &mut WholeBlock, own: &Own) {
    let touched = own.state().touched.load();
    for i in over_block(block, 0, touched) {
        own.sum_touched.atomic(own.sum_queue.read(i)).store(0);
    }
    sync_block(block);
    if is_first() {
        own.state().touched.store(0);
    }
}

/// Does what follows from sum `sum`, as one thread of a group. Returns how many items this thread has looked at.
#[cuda_std::inlined]
fn follow(problem: &Problem, own: &Own, sum: u32, member: Member) -> u32 {
    let mut items = 0;
    let (condition, slack) = (condition_status(problem, own, sum), slack_of(problem, own, sum));
    match (condition, slack.is_none()) {
        (Status::Falsified, _) => {}
        (Status::Held, true) => {
            if member.is_first() {
                report_conflict(own, NogoodId::of_sum(sum));
            }
        }
        (Status::Open, true) => {
            if member.is_first() {
                propose(own, !problem.sum_condition.read(sum), NogoodId::of_sum(sum));
            }
        }
        (Status::Open, _) => {}
        (Status::Held, _) => {
            let (from, end) = (problem.sum_start.read(sum), problem.sum_start.read(sum + 1));
            for item in member.over(from, end) {
                items += 1;
                let (counter, weight) = (problem.sum_counter.read(item), own.sum_weight.read(item));
                if slack.is_exceeded_by(counter, weight) {
                    let lit = problem.sum_lit.read(item);
                    if status(own, lit) == Status::Open {
                        propose(own, !lit, NogoodId::of_sum(sum));
                    }
                } else if weight > 0 {
                    // The remaining items are not heavier, or they are in a counter of lower priority. (A
                    // weight of 0 means that the item was taken out.)
                    break;
                }
            }
        }
    }
    items
}
