//! Who visits which nogoods of the frontier. The frontier is the literals that were assigned in the last
//! round.
//!
//! Main function: [`visit()`]. A literal has a row of nogoods in each class (see [`classes`]). Rows have very
//! different lengths, so neither one block nor one thread for each literal is a fair share. The lengths of
//! several rows are added up, and warps take the entries 32 at a time, all of one class, so that the lanes of
//! a warp do not diverge. Lists of learned nogoods change while they are visited, so each list belongs to one
//! warp.
//!
//! A *narrow* frontier has at most 256 literals ([`narrow`]). Then no block waits for anything: each warp has
//! one class ([`sharing`]), adds up the rows of that class alone, in registers, and finds the row of an entry
//! by a bit for each row's beginning ([`rows`]). A *wide* frontier is visited in tiles of as many literals as
//! a block has threads ([`wide`]). The block keeps the sums in shared memory and finds the row of an entry by
//! binary search. If there are more blocks than tiles, the blocks that share a tile each take a part of every
//! row.

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
use crate::layout::TrailPosition;
use crate::threads::barrier::block_any;
use crate::threads::stride::is_single;
use crate::threads::token::WholeBlock;
use crate::Own;
use crate::Search;

/// The frontier of the last commit, as trail positions: the first, and the one after the last.
#[cuda_std::inlined]
pub fn frontier(own: &Own) -> (TrailPosition, TrailPosition) {
    (TrailPosition(own.state().visited.now()), own.committed())
}

/// Whether there is no conflict yet. Other blocks may report a conflict meanwhile, so the threads of a block
/// have to agree.
#[cuda_std::inlined]
pub fn is_quiet(block: &mut WholeBlock, own: &Own) -> bool {
    !block_any(block, in_conflict(own))
}

/// Visits the literals at trail positions `from .. to`, in the classes of `share`. All blocks of the
/// grid call this. Returns the visits that this thread accounts for.
#[cuda_std::inlined]
pub fn visit<V: Visit>(
    block: &mut WholeBlock,
    s: &Search,
    share: Share,
    (from, to): (TrailPosition, TrailPosition),
) -> u64 {
    if !is_single() && is_narrow(to - from, WINDOW.min(share.max_narrow())) {
        visit_narrow::<V>(block.warp(), s, share, (from, to))
    } else {
        visit_wide::<V>(block, s, share, (from, to))
    }
}
