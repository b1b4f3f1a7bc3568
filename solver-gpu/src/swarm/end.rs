//! The end of a cube: what a searcher counts then, what it may do next, and whether it wants another cube.
//!
//! Invariant: the hub counts a searcher among those that want a cube just if the searcher's control word
//! `hungers` is 1.

use crate::layout::{count_up, mode};
use crate::Search;

/// The whole search space as [`closed`](crate::layout::Counters::closed) counts it, as a power of two. A
/// search may have thousands of phases, each of which closes all of it.
pub const WHOLE: u32 = 40;

/// What a searcher without work does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// There is nothing left to search, for any searcher.
    Over,
    /// The searcher has something to search again.
    Searches,
    /// There is no cube for the searcher now.
    Waits,
}

/// Counts a cube that was searched to the end. Called by one thread.
#[cuda_std::inlined]
pub fn count_refuted(s: &Search) {
    let state = s.own.state();
    let (counts, decisions) = (&state.counts, state.cube_len.now() - s.settings.assumed);
    count_up(&counts.cubes_refuted, 1);
    count_up(&counts.cube_decisions, decisions as u64);
    if state.core_len.now() > 0 {
        // What is assumed is in the cube and in the core.
        let spared = state.cube_len.now() - state.core_len.now();
        count_up(&counts.spared_decisions, spared.min(decisions) as u64);
    }
    // Each decision has halved the search space.
    if decisions <= WHOLE {
        count_up(&counts.closed, 1_u64 << (WHOLE - decisions));
    }
}

/// Sees to it that the hub counts the searcher among those that want a cube just if the searcher would take
/// one. Called by one thread.
#[cuda_std::inlined]
pub fn settle_hunger(s: &Search) {
    let state = s.own.state();
    let hungers = state.mode.now() != mode::CUBE && state.races.now() == 0;
    if hungers as u32 != state.hungers.now() {
        state.hungers.store(hungers as u32);
        s.swarm.hub().hungry.fetch_add(if hungers { 1 } else { u32::MAX });
    }
}

/// Says that there is nothing left to search. Called by one thread.
#[cuda_std::inlined]
pub fn end(s: &Search) {
    let hub = s.swarm.hub();
    hub.winner.store_relaxed(1 + s.swarm.me());
    hub.done.store_relaxed(1);
}
