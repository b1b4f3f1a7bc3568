//! Who visits which nogoods of the frontier: the literals assigned in the last round.
//!
//! A literal has a row of nogoods in each class. Rows are of very different lengths, so neither a block nor a thread a literal is a
//! fair share. The lengths of a tile of literals are added up, and the warps take the visits in turn, 32 at a time, all of one class, so
//! that their lanes go the same way; the literal of a visit is found by binary search in the sums. The lists of learned nogoods change
//! while they are visited, so each belongs to one warp.
//!
//! Most frontiers are *few*, no more literals than a warp has lanes, or some windows of so many. Then no block waits for anything: each warp has a
//! class ([`Share`]), adds up the lengths of that class by itself, in registers, and takes its turns among the warps of its class. Else a tile is as many literals as
//! a block has threads; the block has the sums in shared memory, and where there are more blocks than tiles, each row is cut into as many
//! parts as blocks share a tile.

pub mod classes;
pub mod narrow;
pub mod rows;
pub mod sharing;
pub mod visit;
pub mod wide;

use crate::assign::in_conflict;
use crate::frontier::narrow::visit_narrow;
use crate::frontier::sharing::{is_narrow, Share, WINDOW};
use crate::frontier::visit::Visit;
use crate::frontier::wide::visit_wide;
use crate::threads::stride::is_single;
use crate::Own;
use crate::Search;
use cuda_std::thread;

/// The frontier of the last commit: addresses on the trail.
#[inline(always)]
pub fn frontier(own: &Own) -> (u32, u32) {
    (own.state().visited.now(), own.state().committed.now())
}

/// Whether there is no conflict yet. As others may report one meanwhile, a block's threads have to agree; called by all of them.
#[inline(always)]
pub fn is_quiet(own: &Own) -> bool {
    thread::sync_threads_or(in_conflict(own) as u32) == 0
}

/// Visits the literals at addresses `from .. to` of the trail, in the classes of `share`. Called by all threads of the grid; returns how many
/// visits fell to this thread's account.
#[inline(always)]
pub fn visit<V: Visit>(s: &Search, share: Share, (from, to): (u32, u32)) -> u64 {
    if !is_single() && is_narrow(to - from, WINDOW.min(share.max_narrow())) {
        visit_narrow::<V>(s, share, (from, to))
    } else {
        visit_wide::<V>(s, share, (from, to))
    }
}
