//! Who visits which nogoods of the frontier: the literals assigned in the last round.

use crate::assign::in_conflict;
use crate::stride::{over_block, over_blocks};
use crate::{Lit, Search};
use core::sync::atomic::Ordering::Relaxed;

/// Calls `visit` with each literal of the frontier and the id of each input nogood of a class (0 binary, 1 ternary, 2 long)
/// that contains it: one block a literal, one thread a nogood (paper, Algorithm "propandcheck", lines 1-5). Does nothing once
/// there is a conflict.
#[inline(always)]
pub fn visit(s: &Search, class: usize, visit: impl Fn(Lit, u32)) {
    let state = s.state();
    if in_conflict(s) {
        return;
    }
    for at in over_blocks(state.visited.load(Relaxed), state.committed.load(Relaxed)) {
        let lit = s.trail.read(at);
        let (from, to) = (s.occurs_start[class].read(lit.0), s.occurs_start[class].read(lit.0 + 1));
        for i in over_block(from, to) {
            visit(lit, s.occurs[class].read(i));
        }
    }
}
