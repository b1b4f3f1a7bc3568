//! What to do with each entry of a frontier.

use crate::frontier::rows::{Batch, Rows};
use crate::threads::token::WholeWarp;
use crate::{Lit, Search};
use cuda_std::thread;

/// What to do with a frontier. (A trait rather than closures, because the compiler must inline all of it.)
pub trait Visit {
    /// Called with each literal and the position of each entry of its rows, in the classes of input nogoods
    /// that are visited.
    #[cuda_std::inlined]
    fn nogood(_s: &Search, _class: u32, _lit: Lit, _at: u32) {}

    /// Called with the lists that are to be visited and their first batch, if
    /// [`LEARNED`](super::classes::LEARNED) is visited. `_are_narrow`: the frontier is narrow.
    #[cuda_std::inlined]
    fn lists(_: &mut WholeWarp, _s: &Search, _lists: Rows, _first: Batch, _are_narrow: bool) {}

    /// Called in a block of one thread with a literal whose list is to be visited, and the list's length.
    #[cuda_std::inlined]
    fn list(_: &mut WholeWarp, _s: &Search, _lit: Lit, _len: u32) {}
}

/// The visits of a warp, which the warp's first lane accounts for.
#[cuda_std::inlined]
pub fn of_warp(visits: u32) -> u64 {
    if thread::thread_idx_x().is_multiple_of(32) {
        visits as u64
    } else {
        0
    }
}
