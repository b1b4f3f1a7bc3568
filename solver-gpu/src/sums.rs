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
use crate::stride::over_block;
use crate::{Lit, Search};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::thread;

/// Adds a literal that is being committed to the counters it stands in; called by one thread.
#[inline(always)]
pub fn count(s: &Search, lit: Lit) {
    for i in s.sum_occurs_start.read(lit.0)..s.sum_occurs_start.read(lit.0 + 1) {
        let item = s.sum_occurs.read(i);
        if item < s.sum_items {
            s.sum_held.atomic(s.sum_counter.read(item)).fetch_add(s.sum_weight.read(item), Relaxed);
            touch(s, s.sum_of.read(item));
        } else {
            touch(s, item - s.sum_items);
        }
    }
}

/// Takes a literal back that is being undone; called by one thread.
#[inline(always)]
pub fn uncount(s: &Search, lit: Lit) {
    let (mut i, end) = (s.sum_occurs_start.read(lit.0), s.sum_occurs_start.read(lit.0 + 1));
    while i < end {
        let item = s.sum_occurs.read(i);
        if item < s.sum_items {
            s.sum_held.atomic(s.sum_counter.read(item)).fetch_sub(s.sum_weight.read(item), Relaxed);
        }
        i += 1;
    }
}

/// Puts a sum into the queue, unless it is there.
#[inline(always)]
pub fn touch(s: &Search, sum: u32) {
    if s.sum_touched.atomic(sum).swap(1, Relaxed) == 0 {
        let at = s.state().touched.fetch_add(1, Relaxed);
        s.sum_queue.write(at, sum);
    }
}

/// Empties the queue, and puts the goal into it: its bound may have fallen since the levels below were propagated. Called by all
/// threads of the only block that runs.
#[inline(always)]
pub fn empty_queue(s: &Search) {
    let touched = &s.state().touched;
    let n = touched.load(Relaxed);
    for i in over_block(0, n) {
        s.sum_touched.atomic(s.sum_queue.read(i)).store(0, Relaxed);
    }
    thread::sync_threads();
    if thread::thread_idx_x() == 0 {
        touched.store(0, Relaxed);
        if s.goal != NONE {
            touch(s, s.goal);
        }
    }
}

/// What is left until a sum nogood is violated (if its condition holds).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Room {
    /// It is violated.
    None,
    /// Items of counters before `counter` are too much, those of `counter` if they weigh more than `slack`, and of later counters
    /// none is.
    Left {
        /// The first counter that is not at its limit.
        counter: u32,
        /// How much may be added to it.
        slack: i64,
    },
}

impl Room {
    /// Whether an item of this weight in this counter is too much.
    #[inline(always)]
    pub fn is_exceeded_by(self, counter: u32, weight: i64) -> bool {
        match self {
            Room::None => true,
            Room::Left { counter: first, slack } => {
                weight > 0 && (counter < first || (counter == first && weight > slack))
            }
        }
    }
}

/// The room in sum `sum`. Counters are compared as digits, highest first.
#[inline(always)]
pub fn room(s: &Search, sum: u32) -> Room {
    let (from, end) = (s.sum_counters.read(sum), s.sum_counters.read(sum + 1));
    let left = |at: u32| s.sum_most.read(at) - s.sum_held.atomic(at).load(Relaxed);
    let mut at = from;
    while at < end && left(at) == 0 {
        at += 1;
    }
    if at == end {
        return Room::Left { counter: end, slack: 0 };
    }
    let slack = left(at);
    if slack < 0 {
        return Room::None;
    }
    // Filled up exactly, this counter hands over to the next ones: if those are too full already, it must not be.
    let mut lower = at + 1;
    while lower < end && left(lower) == 0 {
        lower += 1;
    }
    let full = lower < end && left(lower) < 0;
    Room::Left { counter: at, slack: slack - full as i64 }
}

/// Status of a sum's condition.
#[inline(always)]
pub fn condition_status(s: &Search, sum: u32) -> Status {
    match s.sum_condition.read(sum) {
        Lit::TRUE => Status::Held,
        lit => status(s, lit),
    }
}
