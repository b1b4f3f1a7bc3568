//! Stores a nogood that the host tells the search: the loop nogood of a smaller model (disjunctive programs
//! with head cycles), or the complement of a propagator's clause.
//!
//! The main function is [`run`]. The host launches the kernel after it has written the nogood to slot 0.
//!
//! A told nogood may be violated at a lower level than the present one, or be unit there. The search stays at
//! its level. If the nogood would be unit after a jump to a level between, it is one of the late nogoods,
//! which are looked at again after each jump (see [`super::propagate_learned`]).
//!
//! Invariant: the nogood holds for every answer set that the caller asks for.

use super::record_learned::next_stamp;
use super::stability::{enter_told, Told};
use crate::threads::barrier::sync_block;
use crate::threads::token::WholeBlock;
use crate::Search;
use cuda_std::prelude::*;

/// The bit of the launch's `argument` that says that no deletion removes the nogood.
pub const STAYS: u32 = 1 << 31;

/// Stores the nogood in slot 0, and reports it as a conflict if it is violated.
///
/// # Inputs
/// The launch's `argument`: the number of literals in slot 0, at least 1, plus [`STAYS`] if the nogood stays
/// for as long as the search lasts. `slot_lits`, `value`, `level`, `stamp`, `late`.
/// # Writes
/// The store of learned nogoods with one more nogood, the lists of watches, `late`, `serials`, `conflict` and
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
pub unsafe fn record_told(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function. There is one block.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    let stamp = s.own.state().stamp.now();
    sync_block(block);
    let argument = s.launch.argument;
    let told = if argument & STAYS != 0 { Told::ToStay } else { Told::ByHost };
    enter_told(block, s, argument & !STAYS, told);
    next_stamp(block, &s.own, stamp);
}
