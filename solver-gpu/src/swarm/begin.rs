//! The beginning of a cube: what a search at level 1 has then.
//!
//! Main function: [`begin`].
//!
//! Invariant: the search has assigned nothing above level 1, and looks at all learned nogoods again.

use crate::layout::looking;
use crate::Search;

/// Sets the control words of a search at level 1 that begins a cube of `len` literals besides what is assumed.
/// Called by one thread.
#[inline(always)]
pub fn begin(s: &Search, len: u32) {
    let (state, len) = (s.own.state(), s.settings.assumed + len);
    state.exhausted.store(0);
    state.backtrack_level.store(1);
    state.root.store((len == 0) as u32);
    state.cube_len.store(len);
    state.core_len.store(0);
    state.flips.store(0);
    state.placed.store(0);
    state.looking.store(looking::NOT);
    state.split_at.store(state.counts.conflicts.now());
    // All learned nogoods are looked at, as some may be unit now that all levels are gone.
    state.seen.store(0);
    state.late.store(0);
    state.look_late.store(0);
}
