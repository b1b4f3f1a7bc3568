//! Brings the trace of a search that the host drives up to date.
//!
//! The main function is [`trace()`]. The host launches the kernel at each fixpoint and each conflict of a
//! traced search, after a commit, and drains the ring. A resident search calls [`note`] by itself.
//!
//! Invariant: see [`crate::trace`].

use crate::threads::token::WholeBlock;
use crate::trace::note;
use crate::Search;
use cuda_std::prelude::*;

/// Writes new literals of the trail and violated nogoods to the ring.
///
/// # Inputs
/// `trail`, `committed`, `level`, `reason`, `round_start`, `conflict`, `conflicts`, the sums; `trace`.
/// # Writes
/// `trace_ring` and `trace`.
/// # Thread mapping
/// One block, whose first warp shares the literals.
/// # Synchronisation
/// A block barrier at the end.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch, with a ring. The grid must be one
/// block.
/// # Deterministic
/// Yes, given the trail and the conflicts.
#[kernel]
pub unsafe fn trace(s: Search) {
    // SAFETY: the kernel's entry.
    note(unsafe { &mut WholeBlock::at_entry() }, &s);
}
