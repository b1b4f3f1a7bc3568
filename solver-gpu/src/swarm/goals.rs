//! Goals that all searchers share: the best bound on costs, and the consequences that are known.
//!
//! Main functions: [`publish`], after an answer set has tightened the searcher's goal, and [`adopt`], before
//! the searcher jumps. The goal is a sum nogood (see [`crate::kernels::tighten`]).
//!
//! The bound of an objective has several words, and their version is a lock. The version is odd while a
//! searcher reads or changes the words. A searcher waits for this lock only if it has found a better bound.
//!
//! Invariant: the shared goal only becomes stricter. A searcher's own goal excludes no answer set that is
//! better than all answer sets that were kept, or that says more.

use super::told::note_goal;
use crate::assign::{status, Status};
use crate::layout::BETTER;
use crate::threads::barrier::sync_block;
use crate::threads::block::block_reduce;
use crate::threads::scratch::counter;
use crate::threads::stride::{is_first, over_block};
use crate::threads::token::WholeBlock;
use crate::Search;
use cuda_std::thread::{device_fence, nanosleep};

/// How long a thread sleeps between two looks at the version, in nanoseconds.
const NAP_NANOS: u32 = 50;

/// Index of the shared counter that says whether there is a stricter goal.
const NEWS: usize = 1;

/// The counters of the goal: the first one and the one after the last.
#[cuda_std::inlined]
fn counters(s: &Search) -> (u32, u32) {
    (s.problem.sum_counters.read(s.settings.goal), s.problem.sum_counters.read(s.settings.goal + 1))
}

/// The items of the goal: the first one and the one after the last.
#[cuda_std::inlined]
fn items(s: &Search) -> (u32, u32) {
    (s.problem.sum_start.read(s.settings.goal), s.problem.sum_start.read(s.settings.goal + 1))
}

/// Reads the shared limit of the goal's counter with index `i`.
#[cuda_std::inlined]
fn limit(s: &Search, i: u32) -> i64 {
    let half = |at: u32| s.swarm.bound.get(2 * i + at).load_relaxed() as u64;
    (half(1) << 32 | half(0)) as i64
}

/// Returns whether the searcher's own limits are less than the shared ones, compared highest priority first,
/// or `None` if they are equal. Called by one thread.
#[cuda_std::inlined]
fn is_own_less(s: &Search) -> Option<bool> {
    let (from, end) = counters(s);
    for i in 0..end - from {
        let (own, shared) = (s.own.sum_most.read(from + i), limit(s, i));
        if own != shared {
            return Some(own < shared);
        }
    }
    None
}

/// Makes the shared goal as strict as this searcher's goal, which an answer set has tightened. A barrier has
/// to come before.
#[cuda_std::inlined]
pub fn publish(block: &mut WholeBlock, s: &Search) {
    let hub = s.swarm.hub();
    if s.swarm.tightens == BETTER {
        if is_first() {
            let version = loop {
                let found = hub.bound_version.load_relaxed();
                if found & 1 == 0 && hub.bound_version.compare_exchange(found, found + 1).is_ok() {
                    break found;
                }
                nanosleep(NAP_NANOS);
            };
            device_fence();
            if version == 0 || is_own_less(s) == Some(true) {
                let (from, end) = counters(s);
                for i in 0..end - from {
                    let most = s.own.sum_most.read(from + i) as u64;
                    s.swarm.bound.get(2 * i).store_relaxed(most as u32);
                    s.swarm.bound.get(2 * i + 1).store_relaxed((most >> 32) as u32);
                }
            }
            hub.bound_version.store_release(version + 2);
        }
        return;
    }
    let (from, end) = items(s);
    for item in over_block(block, from, end) {
        if s.own.sum_weight.read(item) == 0 {
            let i = item - from;
            s.swarm.known.get(i / 32).fetch_or(1 << (i % 32));
        }
    }
    sync_block(block);
    if is_first() {
        device_fence();
        hub.bound_version.fetch_add(2);
        if s.own.state().exhausted.now() == 1 {
            // All consequences are known.
            hub.refuted.store_relaxed(1);
            hub.winner.store_relaxed(1 + s.swarm.me());
            hub.done.store_relaxed(1);
        }
    }
}

/// Adopts the shared goal, if it is stricter than the searcher's own. The search must jump afterwards: a jump
/// has the goal looked at again. The function begins and ends with a barrier.
#[cuda_std::inlined]
pub fn adopt(block: &mut WholeBlock, s: &Search) {
    let (state, hub) = (s.own.state(), s.swarm.hub());
    sync_block(block);
    if is_first() {
        let version = hub.bound_version.load_acquire();
        let mut is_new = version & 1 == 0 && version != state.bound_seen.now();
        if is_new && s.swarm.tightens == BETTER {
            // If another searcher has the lock, the next look finds the new version again.
            is_new = hub.bound_version.compare_exchange(version, version + 1).is_ok();
            if is_new {
                adopt_bound(s);
                hub.bound_version.store_release(version);
            }
        }
        if is_new {
            state.bound_seen.store(version);
        }
        counter(&s.launch, NEWS).store(is_new as u32);
        state.news.store(0);
    }
    sync_block(block);
    let is_new = counter(&s.launch, NEWS).now() == 1;
    sync_block(block);
    if is_new && s.swarm.tightens != BETTER {
        adopt_known(block, s);
    }
    if is_new && is_first() {
        note_goal(s);
    }
    sync_block(block);
}

/// Adopts the shared limits, if they are less than the searcher's own. Called by one thread.
#[cuda_std::inlined]
fn adopt_bound(s: &Search) {
    let (from, end) = counters(s);
    if is_own_less(s) == Some(false) {
        for i in 0..end - from {
            s.own.sum_most.write(from + i, limit(s, i));
        }
    }
}

/// Takes the items that are known out of the goal. If no item is left, all consequences are known, and the
/// search is over.
#[cuda_std::inlined]
fn adopt_known(block: &mut WholeBlock, s: &Search) {
    let (from, end) = items(s);
    let (mut held, mut left) = (0u64, 0u64);
    for item in over_block(block, from, end) {
        let i = item - from;
        if s.own.sum_weight.read(item) == 0 {
            continue;
        }
        if s.swarm.known.get(i / 32).load_relaxed() >> (i % 32) & 1 == 1 {
            s.own.sum_weight.write(item, 0);
        } else {
            left += 1;
            held += (status(&s.own, s.problem.sum_lit.read(item)) == Status::Held) as u64;
        }
    }
    let counts = block_reduce(block, left << 32 | held, 0, u64::wrapping_add);
    let (left, held) = (counts >> 32, counts as u32);
    if is_first() {
        let counter = counters(s).0;
        s.own.sum_held.atomic(counter).store(held as i64);
        s.own.sum_most.write(counter, left as i64 - 1);
        if left == 0 {
            s.swarm.hub().refuted.store_relaxed(1);
            s.swarm.hub().done.store_relaxed(1);
        }
    }
}
