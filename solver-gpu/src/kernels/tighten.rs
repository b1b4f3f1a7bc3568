//! Changes the goal after a reported answer set, so that the answer set violates the goal and the next one
//! must say something new.
//!
//! The main function is [`run`]. The host launches the kernel after it has reported an answer set of a search
//! with a goal. A searcher of a swarm calls [`run`] after it has kept an answer set.
//!
//! The launch's `argument` says how the goal changes. [`BETTER`] lowers the bound of an objective to just
//! below the costs found. [`NARROW`](crate::layout::NARROW) takes items that do not hold out of the goal.
//! With the goal `(TRUE; T a, T b, T c; 2)` of cautious reasoning, "not all of `a`, `b`, `c`", an answer set
//! without `b` leaves `(TRUE; T a, T c; 1)`. Brave reasoning does the same with `F a`, `F b`, `F c`.
//!
//! Invariant: a goal only ever excludes more than before, so learned nogoods stay right.

use crate::assign::{report_conflict, status, Status};
use crate::layout::{NogoodId, BETTER};
use crate::swarm::goals;
use crate::threads::barrier::sync_block;
use crate::threads::block::block_reduce;
use crate::threads::stride::{is_first, over_block};
use crate::threads::token::WholeBlock;
use crate::Search;
use cuda_std::prelude::*;

/// Changes the goal, and reports a conflict with the changed goal.
///
/// # Inputs
/// The goal's items and counters; `value`, which is total; the launch's `argument`.
/// # Writes
/// `sum_most`, `sum_weight` and `sum_held` of the goal. A conflict with the goal (`conflict`, `conflicts`),
/// or `exhausted` if no item is left. The goal that all searchers of a swarm share.
/// # Thread mapping
/// One block. Threads share the items.
/// # Synchronisation
/// Block barriers.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch, and have a goal. The grid must be
/// one block.
/// # Deterministic
/// Yes.
#[kernel]
pub unsafe fn tighten(s: Search) {
    // SAFETY: the kernel's entry.
    let block = unsafe { &mut WholeBlock::at_entry() };
    run(block, &s);
    if s.swarm.is_any() {
        sync_block(block);
        goals::publish(block, &s);
    }
}

/// The kernel as a plain function. There is one block.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    let first = is_first();
    let (from, end) =
        (s.problem.sum_counters.read(s.settings.goal), s.problem.sum_counters.read(s.settings.goal + 1));
    if s.launch.argument == BETTER {
        for counter in over_block(block, from, end) {
            let less = (counter + 1 == end) as i64;
            s.own.sum_most.write(counter, s.own.sum_held.atomic(counter).load() - less);
        }
        if first {
            report_conflict(&s.own, NogoodId::of_sum(s.settings.goal));
        }
        return;
    }
    let mut held = 0;
    let items = (s.problem.sum_start.read(s.settings.goal), s.problem.sum_start.read(s.settings.goal + 1));
    for item in over_block(block, items.0, items.1) {
        if s.own.sum_weight.read(item) == 0 {
            continue;
        }
        if status(&s.own, s.problem.sum_lit.read(item)) == Status::Held {
            held += 1;
        } else {
            s.own.sum_weight.write(item, 0);
        }
    }
    let held = block_reduce(block, held, 0, u64::wrapping_add) as i64;
    if first {
        s.own.sum_held.atomic(from).store(held);
        s.own.sum_most.write(from, held - 1);
        if held == 0 {
            s.own.state().exhausted.store(1);
        } else {
            report_conflict(&s.own, NogoodId::of_sum(s.settings.goal));
        }
    }
}
