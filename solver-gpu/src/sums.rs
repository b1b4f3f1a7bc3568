//! Sum nogoods: weight constraints without their exponentially many nogoods.
//!
//! A sum nogood `(c; l_1 = w_1, ..; most)` is violated when its condition `c` holds and the items `l_i` that hold weigh more than
//! `most` together. With `(T w; F a = 1, F b = 1, F c = 1; 1)` for instance, `w` holds only if two of `a`, `b`, `c` do.
//!
//! `commit` counts what holds, in 64 bits, and `backjump` takes it back; a sum whose count or condition changed is *touched*, and
//! looked at by `propagate_sums`. Invariant: counters count exactly the committed literals; a sum that is not in the queue has
//! nothing more to say at a fixpoint.
//!
//! The goal of a search is a sum with several counters, read as the digits of one number, highest first: "the costs are less than
//! those found". Its bound only ever falls, so that whatever followed from it still does.

use crate::assign::{status, Status};
use crate::layout::NONE;
use crate::threads::stride::is_first;
use crate::threads::stride::{over_block, over_lanes, warp_width};
use crate::threads::warp::{from_lane, warp_ballot, warp_reduce, warp_scan};
use crate::Lit;
use crate::{Own, Problem, Settings};
use cuda_std::thread;

/// Adds a literal that is being committed to the counters it stands in; called by one thread.
#[inline(always)]
pub fn count(problem: &Problem, own: &Own, lit: Lit) {
    for i in problem.sum_occurs_start.read(lit.0)..problem.sum_occurs_start.read(lit.0 + 1) {
        let item = problem.sum_occurs.read(i);
        if item < problem.sum_items {
            own.sum_held.atomic(problem.sum_counter.read(item)).add(own.sum_weight.read(item));
            touch(own, problem.sum_of.read(item));
        } else {
            touch(own, item - problem.sum_items);
        }
    }
}

/// Takes a literal back that is being undone; called by one thread.
#[inline(always)]
pub fn uncount(problem: &Problem, own: &Own, lit: Lit) {
    let (mut i, end) = (problem.sum_occurs_start.read(lit.0), problem.sum_occurs_start.read(lit.0 + 1));
    while i < end {
        let item = problem.sum_occurs.read(i);
        if item < problem.sum_items {
            own.sum_held.atomic(problem.sum_counter.read(item)).sub(own.sum_weight.read(item));
        }
        i += 1;
    }
}

/// Puts a sum into the queue, unless it is there.
#[inline(always)]
pub fn touch(own: &Own, sum: u32) {
    if own.sum_touched.atomic(sum).put(1) == 0 {
        let at = own.state().touched.add(1);
        own.sum_queue.write(at, sum);
    }
}

/// Empties the queue, and puts the goal into it: its bound may have fallen since the levels below were propagated. Called by all
/// threads of the only block that runs.
#[inline(always)]
pub fn empty_queue(settings: &Settings, own: &Own) {
    let touched = &own.state().touched;
    let n = touched.load();
    for i in over_block(0, n) {
        own.sum_touched.atomic(own.sum_queue.read(i)).store(0);
    }
    thread::sync_threads();
    if is_first() {
        touched.store(0);
        if settings.goal != NONE {
            touch(own, settings.goal);
        }
    }
}

/// What is left until a sum nogood is violated (if its condition holds): items of counters before `counter` are too much, those of `counter` if
/// they weigh more than `slack`, and of later counters none is. (Not an enumeration, see [`crate::not_held::Found`].)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slack {
    /// The first counter that is not at its limit; [`NONE`] if it is violated.
    counter: u32,
    /// How much may be added to it.
    slack: i64,
}

impl Slack {
    /// Whether there is none: the nogood is violated.
    #[inline(always)]
    pub fn is_none(self) -> bool {
        self.counter == NONE
    }

    /// Whether an item of this weight in this counter is too much.
    #[inline(always)]
    pub fn is_exceeded_by(self, counter: u32, weight: i64) -> bool {
        weight > 0 && (counter < self.counter || (counter == self.counter && weight > self.slack))
    }
}

/// The room in sum `sum`. Counters are compared as digits, highest first.
#[inline(always)]
pub fn slack_of(problem: &Problem, own: &Own, sum: u32) -> Slack {
    let (from, end) = (problem.sum_counters.read(sum), problem.sum_counters.read(sum + 1));
    let left = |at: u32| own.sum_most.read(at) - own.sum_held.atomic(at).load();
    let mut counter = from;
    while counter < end && left(counter) == 0 {
        counter += 1;
    }
    if counter == end {
        return Slack { counter, slack: 0 };
    }
    let slack = left(counter);
    if slack < 0 {
        return Slack { counter: NONE, slack };
    }
    // Filled up exactly, this counter hands over to the next ones: if those are too full already, it must not be.
    let mut lower = counter + 1;
    while lower < end && left(lower) == 0 {
        lower += 1;
    }
    let full = lower < end && left(lower) < 0;
    Slack { counter, slack: slack - full as i64 }
}

/// Whether the literal of `item` stands on the trail before place `before`.
#[inline(always)]
pub fn held_before(problem: &Problem, own: &Own, item: u32, before: u32) -> bool {
    let lit = problem.sum_lit.read(item);
    // The position of an open literal is an old one, and somebody else stands there.
    let at = own.position.atomic(lit.var().0).load();
    at < before && own.trail.read(at) == lit
}

/// How many items of sum `sum` are enough for what it said: that it is violated, or that `of` follows, by what stood on the trail before
/// place `before`.
///
/// The counters that come after the first that is above its limit say nothing; and of that one's items the lightest, which come last, are
/// left out as long as those that stay still weigh too much. So what is learned holds of more assignments than the one at hand (Chai and
/// Kuehlmann 2005 weaken constraints in this way).
#[inline(always)]
pub fn needed(problem: &Problem, own: &Own, sum: u32, before: u32, of: Lit) -> u32 {
    let (from, end) = (problem.sum_start.read(sum), problem.sum_start.read(sum + 1));
    let (counter, mut excess) = excess(problem, own, sum, |counter| {
        let weigh = |item| weight_in(problem, own, item, counter, before, of);
        (from..end).map(weigh).fold(0, u64::wrapping_add)
    });
    if counter == NONE {
        return end - from;
    }
    let mut cut = end;
    while cut > from && problem.sum_counter.read(cut - 1) >= counter {
        let weight = weight_left_out(problem, own, cut - 1, counter, before, of);
        if weight > excess {
            break;
        }
        excess -= weight;
        cut -= 1;
    }
    cut - from
}

/// The same, called by all lanes of a warp.
#[inline(always)]
pub fn needed_by_warp(problem: &Problem, own: &Own, sum: u32, before: u32, of: Lit) -> u32 {
    if warp_width() == 1 {
        return needed(problem, own, sum, before, of);
    }
    let (from, end) = (problem.sum_start.read(sum), problem.sum_start.read(sum + 1));
    let (counter, mut excess) = excess(problem, own, sum, |counter| {
        let weigh = |item| weight_in(problem, own, item, counter, before, of);
        from_lane(
            warp_reduce(over_lanes(from, end).map(weigh).fold(0, u64::wrapping_add), u64::wrapping_add),
            0,
        )
    });
    if counter == NONE {
        return end - from;
    }
    // Lanes take 32 items at a time, the last one first.
    let mut cut = end;
    while cut > from {
        let behind = thread::thread_idx_x() % 32;
        let item = (behind < cut - from).then(|| cut - 1 - behind);
        let weight = item.map_or(0, |item| weight_left_out(problem, own, item, counter, before, of));
        let so_far = warp_scan(weight);
        let stays = item.is_none_or(|item| problem.sum_counter.read(item) < counter) || so_far > excess;
        let first = warp_ballot(stays);
        if first != 0 {
            return cut - first.trailing_zeros() - from;
        }
        excess -= from_lane(so_far, 31);
        cut -= 32;
    }
    0
}

/// The first counter of a sum that is above its limit, and what its items could weigh less. `weight` is that of a counter's items. [`NONE`]
/// if none is, which is not to happen where something has to be explained.
#[inline(always)]
fn excess(problem: &Problem, own: &Own, sum: u32, weight: impl Fn(u32) -> u64) -> (u32, u64) {
    let (mut counter, end) = (problem.sum_counters.read(sum), problem.sum_counters.read(sum + 1));
    while counter < end {
        let above = weight(counter) as i64 - own.sum_most.read(counter);
        if above != 0 {
            return if above > 0 { (counter, above as u64 - 1) } else { (NONE, 0) };
        }
        counter += 1;
    }
    (NONE, 0)
}

/// What `item` weighs in `counter` among those before place `before`, with that which `of` speaks against.
#[inline(always)]
fn weight_in(problem: &Problem, own: &Own, item: u32, counter: u32, before: u32, of: Lit) -> u64 {
    let counts = problem.sum_counter.read(item) == counter
        && (problem.sum_lit.read(item) == !of || held_before(problem, own, item, before));
    if counts {
        own.sum_weight.read(item) as u64
    } else {
        0
    }
}

/// What it takes from the weight of `counter` to leave `item` out of an explanation of `of`: that which `of` speaks against is in none.
#[inline(always)]
fn weight_left_out(problem: &Problem, own: &Own, item: u32, counter: u32, before: u32, of: Lit) -> u64 {
    if problem.sum_lit.read(item) == !of {
        0
    } else {
        weight_in(problem, own, item, counter, before, of)
    }
}

/// Status of a sum's condition.
#[inline(always)]
pub fn condition_status(problem: &Problem, own: &Own, sum: u32) -> Status {
    match problem.sum_condition.read(sum) {
        Lit::TRUE => Status::Held,
        lit => status(own, lit),
    }
}
