//! An answer set was reported: changes the goal so that it is violated, and the next answer set must say something new.
//!
//! The launch's `argument` says how: [`BETTER`] lowers the bound of an objective to just below the costs found; [`NARROW`] takes
//! out of the goal what does not hold. With the goal `(TRUE; T a, T b, T c; 2)` of cautious reasoning, "not all of `a`, `b`, `c`",
//! an answer set without `b` leaves `(TRUE; T a, T c; 1)`. Brave reasoning does the same with `F a`, `F b`, `F c`.
//!
//! A goal only ever says more than before, so learned nogoods stay right.

use crate::assign::{report_conflict, status, Status};
use crate::layout::FIRST_SUM;
use crate::threads::block::block_reduce;
use crate::threads::stride::is_first;
use crate::threads::stride::over_block;
use crate::Search;
use cuda_std::prelude::*;
use cuda_std::thread;

/// The bound falls to just below the costs.
pub const BETTER: u32 = 0;
/// What does not hold is taken out.
pub const NARROW: u32 = 1;

/// # Inputs
/// The goal's items and counters; `value`, which is total; `argument`.
/// # Writes
/// `sum_most`, `sum_weight` and `sum_held` of the goal; a conflict with it, or `exhausted` if nothing is left to ask.
/// # Thread mapping
/// One block; threads share the items.
/// # Synchronisation
/// Block barriers.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch, and have a goal; the grid must be one block.
/// # Deterministic
/// Yes.
#[kernel]
pub unsafe fn tighten(s: Search) {
    run(&s)
}

/// The kernel as a plain function.
#[inline(always)]
pub fn run(s: &Search) {
    let first = is_first();
    let (from, end) =
        (s.problem.sum_counters.read(s.settings.goal), s.problem.sum_counters.read(s.settings.goal + 1));
    if s.launch.argument == BETTER {
        for counter in over_block(from, end) {
            let less = (counter + 1 == end) as i64;
            s.own.sum_most.write(counter, s.own.sum_held.atomic(counter).load() - less);
        }
        thread::sync_threads();
        if first {
            report_conflict(&s.own, FIRST_SUM + s.settings.goal);
        }
        return;
    }
    let mut held = 0;
    for item in
        over_block(s.problem.sum_start.read(s.settings.goal), s.problem.sum_start.read(s.settings.goal + 1))
    {
        if s.own.sum_weight.read(item) == 0 {
            continue;
        }
        if status(&s.own, s.problem.sum_lit.read(item)) == Status::Held {
            held += 1;
        } else {
            s.own.sum_weight.write(item, 0);
        }
    }
    let held = block_reduce(held, 0, u64::wrapping_add) as i64;
    if first {
        s.own.sum_held.atomic(from).store(held);
        s.own.sum_most.write(from, held - 1);
        if held == 0 {
            s.own.state().exhausted.store(1);
        } else {
            report_conflict(&s.own, FIRST_SUM + s.settings.goal);
        }
    }
}
