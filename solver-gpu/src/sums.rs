//! Sum nogoods: weight constraints without their exponentially many nogoods.
//!
//! A sum nogood `(c; l_1 = w_1, ..; most)` is violated when its condition `c` holds and the items `l_i` that
//! hold weigh more than `most` together. With `(T w; F a = 1, F b = 1, F c = 1; 1)`, for instance, `w` holds
//! only if two of `a`, `b`, `c` hold.
//!
//! `commit` adds the weight of each literal to the counters by [`count`], in 64 bits, and `backjump`
//! subtracts it by [`uncount`]. A sum whose counter or condition changed is *touched*, and `propagate_sums`
//! looks at it.
//!
//! Invariant: counters count exactly the committed literals. At a fixpoint, a sum that is not in the queue
//! forces nothing and is not violated.
//!
//! The goal of a search is a sum with several counters, which are read as the digits of one number, highest
//! first: the costs must be less than the costs found so far. The bound of the goal never rises, so all that
//! followed from the goal stays true.

use crate::assign::{is_held, status, Status};
use crate::layout::{TrailPosition, NONE};
use crate::threads::barrier::sync_block;
use crate::threads::stride::{is_first, is_single, over_block, over_groups, over_lanes};
use crate::threads::token::{WholeBlock, WholeWarp};
use crate::threads::warp::{from_lane, warp_ballot, warp_reduce, warp_scan};
use crate::Lit;
use crate::{Own, Problem, Search, Settings};
use cuda_std::thread;

/// A sum of so many items is gone through by one thread as it is.
const FEW: u32 = 8;

/// A thread that works for itself looks for the only item among so many literals that were committed last.
const LAST: u32 = 4;

/// Adds the weights of the literals at positions `from .. to` of the trail, which are being committed, to the counters
/// of their items, and touches the sums in which the literals occur. A group of threads shares the items of a literal,
/// because most literals are in some ten sums. All blocks that work for the search call this.
#[cuda_std::inlined]
pub fn count(block: &mut WholeBlock, s: &Search, from: TrailPosition, to: TrailPosition) {
    let (problem, own) = (&s.problem, &s.own);
    let (positions, member) = over_groups(block, &s.launch, from.0, to.0);
    for at in positions {
        let lit = own.literal_at(TrailPosition(at));
        let (first, end) = (problem.sum_occurs_start.read(lit.0), problem.sum_occurs_start.read(lit.0 + 1));
        for i in member.over(first, end) {
            count_item(problem, own, problem.sum_occurs.read(i));
        }
    }
}

/// Counts an occurrence of a literal that is being committed: item `item` of a sum, or the condition of a sum. Called
/// by one thread.
#[cuda_std::inlined]
fn count_item(problem: &Problem, own: &Own, item: u32) {
    if item < problem.sum_items {
        let weight = own.sum_weight.read(item);
        // An item that was taken out changes nothing. The sum of all consequences may have thousands.
        if weight != 0 {
            own.sum_held.atomic(problem.sum_counter.read(item)).add(weight);
            touch(own, problem.sum_of.read(item));
        }
    } else {
        touch(own, item - problem.sum_items);
    }
}

/// Subtracts the weight of `lit`, which is being undone, from the counters of its items. Called by one thread
/// for each literal.
#[cuda_std::inlined]
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

/// Puts sum `sum` into the queue, unless the sum is in the queue already. Any thread may call this.
#[cuda_std::inlined]
pub fn touch(own: &Own, sum: u32) {
    if own.sum_touched.atomic(sum).put(1) == 0 {
        let at = own.state().touched.add(1);
        own.sum_queue.write(at, sum);
    }
}

/// Empties the queue, then puts the goal into the queue, because the goal's bound may have fallen since the
/// lower levels were propagated. Only one block runs.
#[cuda_std::inlined]
pub fn empty_queue(block: &mut WholeBlock, settings: &Settings, own: &Own) {
    let touched = &own.state().touched;
    let n = touched.load();
    for i in over_block(block, 0, n) {
        own.sum_touched.atomic(own.sum_queue.read(i)).store(0);
    }
    sync_block(block);
    if is_first() {
        touched.store(0);
        if settings.goal != NONE {
            touch(own, settings.goal);
        }
    }
}

/// The weight that a sum nogood's items may still gain before the nogood is violated, provided that its
/// condition holds.
///
/// Every further item of a counter before `counter` violates the nogood. An item of `counter` violates it if
/// the item weighs more than `slack`. No single item of a later counter does. The type is not an `enum`, for
/// the reason that [`crate::not_held::Found`] states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slack {
    /// The first counter that is not at its limit, the end of the counters if all are, or [`NONE`] if the
    /// nogood is violated.
    counter: u32,
    /// The weight that may be added to `counter`.
    slack: i64,
}

impl Slack {
    /// Whether the nogood is violated, provided that its condition holds.
    #[cuda_std::inlined]
    pub fn is_none(self) -> bool {
        self.counter == NONE
    }

    /// Whether one more item of weight `weight` in counter `counter` would violate the nogood.
    #[cuda_std::inlined]
    pub fn is_exceeded_by(self, counter: u32, weight: i64) -> bool {
        weight > 0 && (counter < self.counter || (counter == self.counter && weight > self.slack))
    }
}

/// Returns the slack of sum `sum`. Counters are compared as digits, highest first. Any thread may call this.
#[cuda_std::inlined]
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
    // If this counter reaches its limit exactly, the later counters decide. If they are above their limits
    // already, this counter must stay below its limit.
    let mut lower = counter + 1;
    while lower < end && left(lower) == 0 {
        lower += 1;
    }
    let full = lower < end && left(lower) < 0;
    Slack { counter, slack: slack - full as i64 }
}

/// Whether the literal of item `item` is on the trail before position `before`.
#[cuda_std::inlined]
pub fn held_before(problem: &Problem, own: &Own, item: u32, before: TrailPosition) -> bool {
    let lit = problem.sum_lit.read(item);
    let at = || TrailPosition(own.position.atomic(lit.var().0).load());
    if is_single() {
        return is_held(own, lit) && at() < before;
    }
    // Other threads may be writing values. The stored position of an open literal is out of date, and the trail
    // has another literal there.
    let at = at();
    at < before && own.literal_at(at) == lit
}

/// The literals that explain `of` by a sum, or explain that the sum is violated if `of` is [`Lit::TRUE`], one after
/// the other. Only literals on the trail before a position count.
///
/// The first counter above its limit explains the sum, so the items of later counters are left out. The items
/// of that counter are in descending order of weight, and the last items are left out as long as the others
/// still weigh too much. A shorter explanation makes the learned nogood apply to more assignments (Chai and
/// Kuehlmann 2005 weaken constraints in this way).
///
/// Weights are added up from the first item on, and nobody looks at an item behind those that suffice.
#[derive(Clone, Copy)]
pub struct Needed {
    /// The sum.
    pub sum: u32,
    before: TrailPosition,
    of: Lit,
    /// How far its literals were told.
    pub reached: Reached,
}

/// How far the literals of an explanation were told.
#[derive(Clone, Copy)]
pub struct Reached {
    /// The number of items that were looked at.
    pub items: u32,
    /// What their counter may still weigh; negative if they suffice.
    pub left: i64,
}

impl Reached {
    /// Nothing was told.
    pub const NOTHING: Reached = Reached { items: 0, left: 0 };
}

impl Needed {
    /// The literals that come after those that were told.
    #[cuda_std::inlined]
    pub fn from(sum: u32, before: TrailPosition, of: Lit, reached: Reached) -> Needed {
        Needed { sum, before, of, reached }
    }

    /// The next literal for which `is_wanted` returns true, or [`Lit::TRUE`] if there is none. Each thread calls this
    /// for itself, and the function looks at no literal behind the one that it returns.
    #[cuda_std::inlined]
    pub fn find(&mut self, problem: &Problem, own: &Own, mut is_wanted: impl FnMut(Lit) -> bool) -> Lit {
        let Needed { sum, before, of, reached: Reached { items, mut left } } = *self;
        let (from, end) = (problem.sum_start.read(sum), problem.sum_start.read(sum + 1));
        let counters = problem.sum_counters.read(sum + 1);
        let may_weigh =
            |counter: u32| own.sum_most.read(counter) - weight_of_explained(problem, own, counter, of);
        let (mut item, mut counter) = (from + items, problem.sum_counters.read(sum));
        if items > 0 {
            counter = problem.sum_counter.read(item - 1);
        } else {
            if may_have_only_item(problem, own, sum, of) {
                let at = before.0.saturating_sub(LAST)..before.0;
                let only = only_item(problem, own, sum, at, of);
                if only != NONE {
                    self.reached = Reached { items: only + 1 - from, left: -1 };
                    let lit = problem.sum_lit.read(only);
                    return if is_wanted(lit) { lit } else { Lit::TRUE };
                }
            }
            left = may_weigh(counter);
        }
        let mut found = Lit::TRUE;
        // The counter is the first above its limit if all counters before are at their limits. Else nothing
        // suffices, which does not happen if the sum has something to explain.
        loop {
            let is_last = counter + 1 == counters;
            while left >= 0 && item < end && (is_last || problem.sum_counter.read(item) == counter) {
                item += 1;
                if held_before(problem, own, item - 1, before) {
                    let (lit, weight) = (problem.sum_lit.read(item - 1), own.sum_weight.read(item - 1));
                    left -= weight;
                    if weight > 0 && is_wanted(lit) {
                        found = lit;
                        break;
                    }
                }
            }
            if left < 0 || found != Lit::TRUE || is_last {
                break;
            }
            counter += 1;
            left = if left == 0 { may_weigh(counter) } else { i64::MAX };
        }
        self.reached = Reached { items: item - from, left };
        found
    }
}

/// Whether one item explains `of` alone in any case: the sum has one counter, which any two items exceed. Of a
/// sum of few items nobody needs to know.
#[cuda_std::inlined]
fn may_have_only_item(problem: &Problem, own: &Own, sum: u32, of: Lit) -> bool {
    let (from, end) = (problem.sum_start.read(sum), problem.sum_start.read(sum + 1));
    let counter = problem.sum_counters.read(sum);
    // The items are in descending order of weight.
    of != Lit::TRUE
        && end - from > FEW
        && counter + 1 == problem.sum_counters.read(sum + 1)
        && 2 * own.sum_weight.read(end - 1) > own.sum_most.read(counter)
}

/// Returns the item that explains `of` alone if its literal is at one of the positions `at` of the trail, and
/// else [`NONE`]. The sum is one that [`may_have_only_item`]: no other item holds at these positions.
#[cuda_std::inlined]
fn only_item(problem: &Problem, own: &Own, sum: u32, at: impl Iterator<Item = u32>, of: Lit) -> u32 {
    let counter = problem.sum_counters.read(sum);
    for at in at {
        let lit = own.literal_at(TrailPosition(at));
        for i in problem.sum_occurs_start.read(lit.0)..problem.sum_occurs_start.read(lit.0 + 1) {
            let item = problem.sum_occurs.read(i);
            let is_of_sum = item < problem.sum_items && problem.sum_of.read(item) == sum;
            let left = || own.sum_most.read(counter) - weight_of_explained(problem, own, counter, of);
            if is_of_sum && own.sum_weight.read(item) > left() {
                return item;
            }
        }
    }
    NONE
}

/// Returns what the complement of `of` weighs in counter `counter`. An explanation of `of` does not
/// need that literal, and may count on its weight.
#[cuda_std::inlined]
fn weight_of_explained(problem: &Problem, own: &Own, counter: u32, of: Lit) -> i64 {
    let mut weight = 0;
    if of != Lit::TRUE {
        let lit = !of;
        for i in problem.sum_occurs_start.read(lit.0)..problem.sum_occurs_start.read(lit.0 + 1) {
            let item = problem.sum_occurs.read(i);
            if item < problem.sum_items && problem.sum_counter.read(item) == counter {
                weight += own.sum_weight.read(item);
            }
        }
    }
    weight
}

/// Returns the first of the items that explain what [`Needed`] explains, and how many there are from it on. All
/// lanes pass the same arguments, and share the items.
#[cuda_std::inlined]
pub fn needed_by_warp(
    warp: &mut WholeWarp,
    problem: &Problem,
    own: &Own,
    sum: u32,
    before: TrailPosition,
    of: Lit,
) -> (u32, u32) {
    let (from, end) = (problem.sum_start.read(sum), problem.sum_start.read(sum + 1));
    if may_have_only_item(problem, own, sum, of) {
        let last = if is_single() { LAST } else { 32 };
        let at = over_lanes(warp, before.0.saturating_sub(last), before.0);
        let mine = u64::from(only_item(problem, own, sum, at, of));
        let all = warp_reduce(warp, mine, u64::min);
        let only = from_lane(warp, all, 0) as u32;
        if only != NONE {
            return (only, 1);
        }
    }
    if is_single() {
        let mut needed = Needed::from(sum, before, of, Reached::NOTHING);
        needed.find(problem, own, |_| false);
        return (from, needed.reached.items);
    }
    let (counter, mut excess) = excess(problem, own, sum, |counter| {
        let weigh = |item| weight_in(problem, own, item, counter, before, of);
        let mine = over_lanes(warp, from, end).map(weigh).fold(0, u64::wrapping_add);
        let all = warp_reduce(warp, mine, u64::wrapping_add);
        from_lane(warp, all, 0)
    });
    if counter == NONE {
        return (from, end - from);
    }
    // The lanes take 32 items at a time, from the last item backwards.
    let mut cut = end;
    while cut > from {
        let offset = thread::thread_idx_x() % 32;
        let item = (offset < cut - from).then(|| cut - 1 - offset);
        let weight = item.map_or(0, |item| weight_left_out(problem, own, item, counter, before, of));
        let so_far = warp_scan(warp, weight);
        let stays = item.is_none_or(|item| problem.sum_counter.read(item) < counter) || so_far > excess;
        let first = warp_ballot(warp, stays);
        if first != 0 {
            return (from, cut - first.trailing_zeros() - from);
        }
        excess -= from_lane(warp, so_far, 31);
        cut -= 32;
    }
    (from, 0)
}

/// Returns the first counter of sum `sum` above its limit, and the weight that its items can lose and still
/// be above the limit.
///
/// `weight` returns the weight of a counter's items. The counter is [`NONE`] if no counter is above its
/// limit, which does not happen if the sum has something to explain.
#[cuda_std::inlined]
fn excess(problem: &Problem, own: &Own, sum: u32, mut weight: impl FnMut(u32) -> u64) -> (u32, u64) {
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

/// Returns the weight of item `item` in counter `counter`, or 0 if the item does not count there.
///
/// An item counts if its literal is on the trail before position `before`, or if its literal is the
/// complement of `of`.
#[cuda_std::inlined]
fn weight_in(problem: &Problem, own: &Own, item: u32, counter: u32, before: TrailPosition, of: Lit) -> u64 {
    let counts = problem.sum_counter.read(item) == counter
        && (problem.sum_lit.read(item) == !of || held_before(problem, own, item, before));
    if counts {
        own.sum_weight.read(item) as u64
    } else {
        0
    }
}

/// Returns the weight that counter `counter` loses if item `item` is left out of an explanation of `of`.
///
/// The item whose literal is the complement of `of` is in no explanation, so leaving it out costs nothing.
#[cuda_std::inlined]
fn weight_left_out(
    problem: &Problem,
    own: &Own,
    item: u32,
    counter: u32,
    before: TrailPosition,
    of: Lit,
) -> u64 {
    if problem.sum_lit.read(item) == !of {
        0
    } else {
        weight_in(problem, own, item, counter, before, of)
    }
}

/// Returns the status of the condition of sum `sum`. A sum without a condition has a condition that holds.
#[cuda_std::inlined]
pub fn condition_status(problem: &Problem, own: &Own, sum: u32) -> Status {
    match problem.sum_condition.read(sum) {
        Lit::TRUE => Status::Held,
        lit => status(own, lit),
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::layout::Shape;
    use crate::threads::testing::{own_of, results};
    use std::vec::Vec;

    #[test]
    fn an_emptied_queue_has_the_goal_alone() {
        for seed in 0..6 {
            let (sums, goal) = (64, if seed % 2 == 0 { NONE } else { 7 });
            let (own, _memory) = own_of(&Shape { sums, ..Shape::default() });
            let settings = Settings { goal, ..Settings::default() };
            (0..sums as u32).for_each(|sum| touch(&own, sum));
            results(64, seed, |block, _| empty_queue(block, &settings, &own));
            let touched: Vec<u32> =
                (0..sums as u32).filter(|&sum| own.sum_touched.atomic(sum).now() == 1).collect();
            let expected = if goal == NONE { Vec::new() } else { std::vec![goal] };
            assert_eq!(
                (own.state().touched.now() as usize, touched),
                (expected.len(), expected),
                "seed {seed}"
            );
        }
    }
}
