//! Learns the loop nogood that the host found when it looked for a smaller model (disjunctive programs with
//! head cycles).
//!
//! The main function is [`run`]. The host launches the kernel after it has written the nogood to slot 0.
//!
//! Invariant: the nogood holds for every answer set, and all its literals hold now, so the conflict is real.

use super::record_learned::next_stamp;
use super::stability::learn_loop;
use crate::threads::barrier::sync_block;
use crate::threads::token::WholeBlock;
use crate::Search;
use cuda_std::prelude::*;

/// Learns the nogood in slot 0 and reports it as a conflict.
///
/// # Inputs
/// The launch's `argument`: the number of literals in slot 0, all of which hold. `slot_lits`, `value`,
/// `level`, `stamp`.
/// # Writes
/// The store of learned nogoods with one more nogood, the lists of watches, `serials`, `conflict` and
/// `conflicts`, `stamp`; `mark` when the stamps start over. Scratch: slot 0 of `slot_lits` and `slot_deps`.
/// # Thread mapping
/// One block. Threads share the literals.
/// # Synchronisation
/// Block barriers.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch, with capacity for one more learned
/// nogood. The grid must be one block.
/// # Deterministic
/// Yes.
#[kernel]
pub unsafe fn record_unfounded(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function. There is one block.
#[inline(always)]
pub fn run(block: &mut WholeBlock, s: &Search) {
    let stamp = s.own.state().stamp.now();
    sync_block(block);
    learn_loop(block, s, s.launch.argument, true);
    next_stamp(block, &s.own, stamp);
}
