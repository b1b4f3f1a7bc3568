//! Lays the lists of watched literals out anew (see [`crate::watches`]), each with capacity to grow.
//!
//! The main function is [`run`]. The host loop launches the kernel after a deletion and when a list does not
//! fit, and the resident search calls [`run`] there.
//!
//! Invariant: afterwards each nogood that belongs into lists is in those of its two watched literals, and
//! `unlisted` is 0.

use crate::layout::SPARE;
use crate::threads::barrier::sync_block;
use crate::threads::block::block_scan;
use crate::threads::stride::over_block;
use crate::threads::token::WholeBlock;
use crate::watches::{append, capacity_for, each_watch, listed_inputs, number_of};
use crate::{Own, Problem, State};
use cuda_std::prelude::*;
use cuda_std::thread;

/// Rebuilds the lists of watched literals from the watches of the nogoods.
///
/// # Inputs
/// The records of learned nogoods, `learned`, `watch`.
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
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &problem, &own)
}

/// Returns how many entries the lists of so many `nogoods` over `vars` variables need.
#[cuda_std::inlined]
pub const fn entries(nogoods: u32, vars: u32) -> u64 {
    // A nogood has two entries, lists get half as many entries again, and every list has a fixed minimum.
    3 * nogoods as u64 + 2 * vars as u64 * SPARE as u64
}

/// Returns whether `watch_list` can hold the lists of all nogoods three times over: once for the
/// lists, and twice for lists that grow. `state` are the control words, or a copy of them.
#[cuda_std::inlined]
pub fn has_room(problem: &Problem, own: &Own, state: &State) -> bool {
    3 * entries(state.learned.now() + listed_inputs(own), problem.vars) <= own.watch_list.len() as u64
}

/// The kernel as a plain function. There is one block.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, problem: &Problem, own: &Own) {
    let (learned, lits) = (own.state().learned.now(), 2 * problem.vars);
    let n = learned + listed_inputs(own);
    let (tid, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    for lit in over_block(block, 0, lits) {
        own.watch_len.atomic(lit).store(0);
    }
    sync_block(block);
    for i in over_block(block, 0, n) {
        each_watch(own, number_of(i, learned), |lit, _| {
            own.watch_len.atomic(lit.0).add(1);
        });
    }
    sync_block(block);
    let (mut base, mut end) = (0, 0);
    while base < lits {
        let lit = base + tid;
        let capacity = if lit < lits { capacity_for(own.watch_len.atomic(lit).now()) } else { 0 };
        let (before, total) = block_scan(block, capacity as u64);
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
    sync_block(block);
    for i in over_block(block, 0, n) {
        let i = number_of(i, learned);
        each_watch(own, i, |lit, other| append(own, lit, i, other));
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::hash::mix;
    use crate::layout::Shape;
    use crate::lit::{pack, unpack};
    use crate::threads::testing::{own_of, results};
    use crate::watches::{of_entry, pair_of, settle, INPUT};
    use crate::Lit;
    use std::vec::Vec;

    const VARS: u32 = 4;
    /// So many nogoods are there when lists are rebuilt.
    const OLD: u32 = 200;
    /// So many are input nogoods.
    const INPUTS: u32 = 50;
    /// So many come later: each thread has one.
    const NEW: u32 = 64;

    #[test]
    fn lists_are_rebuilt_and_grow() {
        for seed in 0..6 {
            let nogoods = (OLD + NEW) as usize;
            let inputs = INPUTS as usize;
            let shape = Shape {
                vars: VARS as usize,
                learned: nogoods,
                long_nogoods: inputs,
                listed: inputs,
                watch_entries: 4000,
                ..Shape::default()
            };
            let (own, _memory) = own_of(&shape);
            let problem = Problem { vars: VARS, ..Problem::default() };
            let lit = |number: u64| Lit((number % (2 * VARS as u64)) as u32);
            let watch = |i: u32, a: Lit, b: Lit| pair_of(&own, i).store(pack(a, b));
            for i in (0..OLD).chain((0..INPUTS).map(|i| INPUT | i)) {
                let a = mix(seed << 32 | i as u64);
                watch(i, lit(a), lit(a / 8));
            }
            // All of these are in the same two lists, which have to grow.
            let lit_of_new = |more: u64| lit(seed + more);
            (OLD..OLD + NEW).for_each(|i| watch(i, lit_of_new(0), lit_of_new(3)));
            own.state().learned.store(OLD);
            // What earlier lists left behind.
            (0..2 * VARS).for_each(|lit| own.watch_len.atomic(lit).store(1000));
            results(NEW, seed, |block, tid| {
                run(block, &problem, &own);
                sync_block(block);
                each_watch(&own, OLD + tid, |lit, other| append(&own, lit, OLD + tid, other));
                sync_block(block);
                settle(block, &own);
            });
            let state = own.state();
            assert_eq!((state.queued.now(), state.unlisted.now()), (0, 0), "seed {seed}");
            let mut found = Vec::new();
            for lit in 0..2 * VARS {
                let (from, len) = (own.watch_at.read(lit), own.watch_len.atomic(lit).now());
                assert!(len <= own.watch_capacity.read(lit) && from + len <= state.watch_end.now());
                if ![lit_of_new(0), lit_of_new(3)].contains(&Lit(lit)) {
                    assert_eq!(own.watch_capacity.read(lit), capacity_for(len), "seed {seed}");
                }
                let entry = |at: u32| of_entry(own.watch_list.read(from + at));
                found.extend((0..len).map(entry).map(|(i, other)| (i, lit, other.0)));
            }
            let watches = |i: u32| {
                let (a, b) = unpack(pair_of(&own, i).now());
                [(i, a.0, b.0), (i, b.0, a.0)].into_iter().take(if a == b { 1 } else { 2 })
            };
            let all = OLD + NEW;
            let numbers = (0..all + INPUTS).map(|index| number_of(index, all));
            let mut expected: Vec<_> = numbers.flat_map(watches).collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "seed {seed}");
        }
    }
}
