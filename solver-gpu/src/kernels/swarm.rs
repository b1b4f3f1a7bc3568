//! The resident search of a swarm: each block of a launch is one searcher (see [`crate::swarm`]).
//!
//! Invariant: a searcher is one block. Blocks wait for no other block but in sequence locks, so a launch may
//! have more blocks than the device runs at once.

use super::search::rounds::Run;
use super::search::{outcome, search_on, ProgramClass};
use crate::layout::writes;
use crate::shared_copy;
use crate::swarm::questions;
use crate::threads::barrier::sync_block;
use crate::threads::stride::{is_first, is_single};
use crate::threads::token::WholeBlock;
use crate::trace::is_on;
use crate::Search;
use cuda_std::prelude::*;
use cuda_std::thread;

/// All searchers return if one in so many of them cannot go on.
const PARKED: u32 = 8;

/// # Inputs
/// The whole search of the launch's first searcher; `swarm`. The blocks of memory of the other searchers follow
/// at a distance of `block_bytes`.
/// # Writes
/// Each block writes what [`super::search::search`] writes. All write the words and arrays of `swarm`.
/// # Thread mapping
/// Block `b` is searcher `first + b`.
/// # Synchronisation
/// As for [`super::search::search`]; what searchers share is atomic (see [`crate::layout::Hub`]).
/// # Safety
/// As for [`super::search::search`], for each searcher's memory.
/// # Deterministic
/// The set of answer sets is.
#[kernel]
pub unsafe fn swarm(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &ProgramClass::Any.known_searcher(s, writes::NOTHING))
}

/// The swarm for [`ProgramClass::Tight`]. See [`swarm`].
/// # Safety
/// As for [`swarm`], and `s` must be of that class.
#[kernel]
pub unsafe fn swarm_tight(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &ProgramClass::Tight.known_searcher(s, writes::NOTHING))
}

/// The swarm for [`ProgramClass::WithLoops`]. See [`swarm`].
/// # Safety
/// As for [`swarm`], and `s` must be of that class.
#[kernel]
pub unsafe fn swarm_with_loops(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &ProgramClass::WithLoops.known_searcher(s, writes::NOTHING))
}

/// The swarm whose searchers write what proves their results, for all programs. See [`swarm`].
/// # Safety
/// As for [`swarm`], and each searcher must have a ring.
#[kernel]
pub unsafe fn swarm_proved(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &ProgramClass::Any.known_searcher(s, writes::PROOF))
}

/// The swarm whose searchers write what they do, for all programs. See [`swarm`]. On a GPU no swarm is
/// traced, so there is no such kernel in the PTX.
/// # Safety
/// As for [`swarm`], and each searcher must have a ring.
#[cfg(not(target_arch = "nvptx64"))]
pub unsafe fn swarm_traced(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &ProgramClass::Any.known_searcher(s, writes::TRACE))
}

/// The kernel as a plain function.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
fn run(block: &mut WholeBlock, s: &Search) {
    let mut s = *s;
    let number = thread::block_idx_x();
    // SAFETY: the host has laid the searchers' blocks of memory out at this distance.
    s.own = unsafe { s.own.moved(s.own.base() + number as u64 * s.swarm.block_bytes) };
    // Neighbouring seeds would differ in the lowest bits alone.
    s.settings.seed ^= number.wrapping_mul(0x9e37_79b9);
    let near = &shared_copy::attach(block, &s);
    // The copy has not been filled yet.
    let has_lists = s.own.state().learned.now() > 0;
    let mut run = Run::new(near, s.launch.budget, has_lists);
    shared_copy::copy(block, s.launch.shared_copy_bytes, &s.own, &near.own);
    if is_first() {
        // The host has taken over the answer sets of the last launch.
        near.own.state().answers.store(0);
    }
    sync_block(block);
    if near.swarm.has_questions() {
        questions::leave_if_left(block, near);
    }
    let outcome = search_on(block, near, &mut run);
    shared_copy::copy(block, s.launch.shared_copy_bytes, &near.own, &s.own);
    run.end(&s.own);
    if is_first() {
        s.own.state().outcome.store(outcome);
        // On the processor each searcher is a launch of its own, and its host is at hand.
        let is_ring_full = outcome == outcome::PAUSED && is_on(&s.launch);
        let waits = matches!(outcome, outcome::NO_ROOM | outcome::ANSWER | outcome::ASKS);
        if !is_single() && (waits || is_ring_full) {
            park(&s);
        }
    }
}

/// Notes that the searcher cannot go on before the host has done something for it. If that is true of many
/// searchers, or of the first one, which reads the host's word for all, all return. Called by one thread.
#[cuda_std::inlined]
fn park(s: &Search) {
    let hub = s.swarm.hub();
    let parked = hub.parked.fetch_add(1) + 1;
    if parked * PARKED >= s.swarm.searchers || thread::block_idx_x() == 0 {
        hub.stop.store_relaxed(1);
    }
}
