//! What to do with each entry of a frontier.

use crate::frontier::rows::{Batch, Rows};
use crate::{Lit, Search};
use cuda_std::thread;

/// What to do with a frontier. (Not closures: the compiler must inline all of it, and only functions can be told so.)
pub trait Visit {
    /// Called with each literal and each place of its rows, in the classes of input nogoods that are visited.
    #[inline(always)]
    fn nogood(_s: &Search, _class: u32, _lit: Lit, _at: u32) {}

    /// If [`LEARNED`](crate::frontier::classes::LEARNED) is visited, called with the lists that are to be visited, and their first turn, and whether they are of few literals: by all
    /// lanes of a warp.
    #[inline(always)]
    fn lists(_s: &Search, _lists: Rows, _first: Batch, _are_few: bool) {}

    /// The same for one thread: a literal whose list is to be visited, and how long that is.
    #[inline(always)]
    fn list(_s: &Search, _lit: Lit, _len: u32) {}
}

/// What a warp has done, on the account of its first lane.
#[inline(always)]
pub fn of_warp(visits: u32) -> u64 {
    if thread::thread_idx_x().is_multiple_of(32) {
        visits as u64
    } else {
        0
    }
}
