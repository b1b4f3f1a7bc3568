//! An answer set was reported: changes the goal so that it is violated, and the next answer set must say something new.
//!
//! The launch's `argument` says how: [`BETTER`] lowers the bound of an objective to just below the costs found; [`NARROW`] takes
//! out of the goal what does not hold. With the goal `(TRUE; T a, T b, T c; 2)` of cautious reasoning, "not all of `a`, `b`, `c`",
//! an answer set without `b` leaves `(TRUE; T a, T c; 1)`. Brave reasoning does the same with `F a`, `F b`, `F c`.
//!
//! A goal only ever says more than before, so learned nogoods stay right.

use crate::assign::{report_conflict, status, Status};
use crate::block::block_reduce;
use crate::layout::SUMS;
use crate::stride::over_block;
use crate::Search;
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::prelude::*;

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
    let first = thread::thread_idx_x() == 0;
    let (from, end) = (s.sum_counters.read(s.goal), s.sum_counters.read(s.goal + 1));
    if s.argument == BETTER {
        for counter in over_block(from, end) {
            let less = (counter + 1 == end) as i64;
            s.sum_most.write(counter, s.sum_held.atomic(counter).load(Relaxed) - less);
        }
        thread::sync_threads();
        if first {
            report_conflict(s, SUMS + s.goal);
        }
        return;
    }
    let mut held = 0;
    for item in over_block(s.sum_start.read(s.goal), s.sum_start.read(s.goal + 1)) {
        if s.sum_weight.read(item) == 0 {
            continue;
        }
        if status(s, s.sum_lit.read(item)) == Status::Held {
            held += 1;
        } else {
            s.sum_weight.write(item, 0);
        }
    }
    let held = block_reduce(held, 0, u64::wrapping_add) as i64;
    if first {
        s.sum_held.atomic(from).store(held, Relaxed);
        s.sum_most.write(from, held - 1);
        if held == 0 {
            s.state().exhausted.store(1, Relaxed);
        } else {
            report_conflict(s, SUMS + s.goal);
        }
    }
}
