//! From one cube to the next: back to level 1, and what a search has there when a cube begins.
//!
//! Main functions: [`leave_if`] and [`begin`].
//!
//! Invariant: the search has assigned nothing above level 1, and looks at all learned nogoods again.

use super::told::note_begun;
use crate::kernels::backjump;
use crate::layout::{looking, Level};
use crate::threads::barrier::sync_block;
use crate::threads::scratch::counter;
use crate::threads::stride::is_first;
use crate::threads::token::WholeBlock;
use crate::Search;

/// Index of the shared counter that says whether the search leaves its cube.
const LEAVES: usize = 1;

/// Jumps to level 1 if the search is at its backtrack level and `wants` says so, which one thread asks.
/// Returns whether the cube was left. The function begins and ends with a barrier; the next cube has to
/// [begin].
#[cuda_std::inlined]
pub fn leave_if(block: &mut WholeBlock, s: &Search, wants: impl Fn() -> bool) -> bool {
    let state = s.own.state();
    sync_block(block);
    if is_first() {
        let leaves = s.own.level() <= Level(state.root.now()).max(Level::FIRST) && wants();
        if leaves {
            state.backtrack_level.store(1);
        }
        counter(&s.launch, LEAVES).store(leaves as u32);
    }
    sync_block(block);
    let leaves = counter(&s.launch, LEAVES).now() == 1;
    if leaves && s.own.level() > Level::FIRST {
        // What is assumed is decided again.
        backjump::jump(block, s, backjump::AGAIN);
    }
    sync_block(block);
    leaves
}

/// Begins a cube of `len` literals besides what is assumed, in a search at level 1. Called by one thread.
#[cuda_std::inlined]
pub fn begin(s: &Search, len: u32) {
    begin_untold(s, len);
    note_begun(s);
}

/// Sets the control words of a search at level 1 that begins a cube of `len` literals besides what is
/// assumed. The caller [says](note_begun) so once it has the cube. Called by one thread.
#[cuda_std::inlined]
pub fn begin_untold(s: &Search, len: u32) {
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
