//! Lays the lists of watched literals out anew (see [`crate::watches`]), with room to grow in each.

use crate::layout::SPARE;
use crate::lit::unpack;
use crate::threads::block::block_scan;
use crate::threads::stride::over_block;
use crate::watches::{append, capacity_for};
use crate::{Lit, State};
use crate::{Own, Problem};
use cuda_std::prelude::*;
use cuda_std::thread;

/// # Inputs
/// `learned_watch`, `learned`.
/// # Writes
/// `watch_at`, `watch_len`, `watch_room`, `watch_list`, `watch_end`, `unlisted`.
/// # Thread mapping
/// One block; threads share the nogoods, and the literals tile by tile.
/// # Synchronisation
/// Block barriers; counts are atomic.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch, with room for all lists ([`has_room`]); the grid must be
/// one block.
/// # Deterministic
/// Up to the order within a list.
#[kernel]
pub unsafe fn rebuild_watches(problem: Problem, own: Own) {
    run(&problem, &own)
}

/// Entries that the lists of so many learned nogoods need.
#[inline(always)]
pub const fn entries(learned: u32, vars: u32) -> u64 {
    // Two entries a nogood, half as many again, and what every list has.
    3 * learned as u64 + 2 * vars as u64 * SPARE as u64
}

/// Whether the lists of all learned nogoods find room, and twice as much for those that grow. `state` are the control words, or a copy.
#[inline(always)]
pub fn has_room(problem: &Problem, own: &Own, state: &State) -> bool {
    3 * entries(state.learned.now(), problem.vars) <= own.watch_list.len() as u64
}

/// The kernel as a plain function.
#[inline(always)]
pub fn run(problem: &Problem, own: &Own) {
    let (n, lits) = (own.state().learned.now(), 2 * problem.vars);
    let (tid, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    thread::sync_threads();
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
        let room = if lit < lits { capacity_for(own.watch_len.atomic(lit).now()) } else { 0 };
        let (before, total) = block_scan(room as u64);
        if lit < lits {
            own.watch_at.write(lit, end + before as u32);
            own.watch_capacity.write(lit, room);
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

/// Calls `f` with each watched literal of learned nogood `i` and the other one: two, or one of a unit.
#[inline(always)]
pub fn each_watch(own: &Own, i: u32, f: impl Fn(Lit, Lit)) {
    let (a, b) = unpack(own.learned_watch.read(i));
    f(a, b);
    if a != b {
        f(b, a);
    }
}
