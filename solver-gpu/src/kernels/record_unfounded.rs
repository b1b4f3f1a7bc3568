//! Learns the loop nogood that the host found, when it looked for a smaller model (disjunctive programs with head cycles).

use super::record_learned::next_stamp;
use super::stability::learn_loop;
use crate::Search;
use cuda_std::prelude::*;
use cuda_std::thread;

/// # Inputs
/// `argument` literals in slot 0, all of which hold.
/// # Writes
/// A learned nogood, reported as a conflict; `stamp`. Scratch: slot 0.
/// # Thread mapping
/// One block; threads share the literals.
/// # Synchronisation
/// Block barriers.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch, with room for one more learned nogood; the grid must be
/// one block.
/// # Deterministic
/// Yes.
#[kernel]
pub unsafe fn record_unfounded(s: Search) {
    run(&s)
}

/// The kernel as a plain function.
#[inline(always)]
pub fn run(s: &Search) {
    let stamp = s.own.state().stamp.now();
    thread::sync_threads();
    learn_loop(s, s.launch.argument, true);
    next_stamp(&s.own, stamp);
}
