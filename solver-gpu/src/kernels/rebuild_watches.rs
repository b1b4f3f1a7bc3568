//! Lays the lists of watched literals out anew (see [`crate::watches`]), each with capacity to grow.
//!
//! The main function is [`run`]. The host loop launches the kernel after a deletion and when a list does not
//! fit, and the resident search calls [`run`] there.
//!
//! Invariant: afterwards each learned nogood is in the lists of its two watched literals, and `unlisted` is
//! 0.

use crate::layout::SPARE;
use crate::lit::unpack;
use crate::threads::block::block_scan;
use crate::threads::stride::over_block;
use crate::watches::{append, capacity_for};
use crate::{Lit, State};
use crate::{Own, Problem};
use cuda_std::prelude::*;
use cuda_std::thread;

/// Rebuilds the lists of watched literals from the watches of the learned nogoods.
///
/// # Inputs
/// `learned_watch`, `learned`.
/// # Writes
/// `watch_at`, `watch_len`, `watch_capacity`, `watch_list`, `watch_end`, `queued`, `unlisted`.
/// # Thread mapping
/// One block. Threads share the nogoods, and the literals tile by tile.
/// # Synchronisation
/// Block barriers. Counts are atomic.
/// # Safety
/// `problem` and `own` must describe valid memory that nobody else uses during the launch, with capacity for
/// all lists ([`has_room`]). The grid must be one block.
/// # Deterministic
/// Up to the order within a list.
#[kernel]
pub unsafe fn rebuild_watches(problem: Problem, own: Own) {
    run(&problem, &own)
}

/// Returns how many entries the lists of `learned` nogoods over `vars` variables need.
#[inline(always)]
pub const fn entries(learned: u32, vars: u32) -> u64 {
    // A nogood has two entries, lists get half as many entries again, and every list has a fixed minimum.
    3 * learned as u64 + 2 * vars as u64 * SPARE as u64
}

/// Returns whether `watch_list` can hold the lists of all learned nogoods three times over: once for the
/// lists, and twice for lists that grow. `state` are the control words, or a copy of them.
#[inline(always)]
pub fn has_room(problem: &Problem, own: &Own, state: &State) -> bool {
    3 * entries(state.learned.now(), problem.vars) <= own.watch_list.len() as u64
}

/// The kernel as a plain function. Must be called by all threads of the only block.
#[inline(always)]
pub fn run(problem: &Problem, own: &Own) {
    let (n, lits) = (own.state().learned.now(), 2 * problem.vars);
    let (tid, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    for lit in over_block(0, lits) {
        own.watch_len.atomic(lit).store(0);
    }
    thread::sync_threads();
    for i in over_block(0, n) {
        each_watch(own, i, |lit, _| {
            own.watch_len.atomic(lit.0).add(1);
        });
    }
    thread::sync_threads();
    let (mut base, mut end) = (0, 0);
    while base < lits {
        let lit = base + tid;
        let capacity = if lit < lits { capacity_for(own.watch_len.atomic(lit).now()) } else { 0 };
        let (before, total) = block_scan(capacity as u64);
        if lit < lits {
            own.watch_at.write(lit, end + before as u32);
            own.watch_capacity.write(lit, capacity);
            own.watch_len.atomic(lit).store(0);
        }
        end += total as u32;
        base += threads;
    }
    if tid == 0 {
        own.state().watch_end.store(end);
        own.state().queued.store(0);
        own.state().unlisted.store(0);
    }
    thread::sync_threads();
    for i in over_block(0, n) {
        each_watch(own, i, |lit, other| append(own, lit, i, other));
    }
}

/// Calls `f` with each watched literal of learned nogood `i` and with the other one.
///
/// A unit has one watched literal, which then is the other one as well. May be called by any thread.
#[inline(always)]
pub fn each_watch(own: &Own, i: u32, f: impl Fn(Lit, Lit)) {
    let (a, b) = unpack(own.learned_watch.read(i));
    f(a, b);
    if a != b {
        f(b, a);
    }
}
