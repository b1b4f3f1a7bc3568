//! Loops that share `from .. to` out to the threads of a grid, a block or a warp.
//!
//! No function assumes a width: in a launch of one block of one thread each loop is a plain loop.
//!
//! Invariant: while threads loop over indices of their own, the token of the threads that share the indices
//! is borrowed (see [`crate::threads::token`]). All threads of a block see the same indices of
//! [`over_blocks`], and all lanes of a warp those of [`over_warps`], so these two borrow no token.

use crate::threads::token::{WholeBlock, WholeWarp};
use crate::Launch;
use core::marker::PhantomData;
use cuda_std::thread;

/// The number of this block among the blocks that work for the search, and how many there are. With
/// [`Launch::single_block`], and in a launch of one thread, that is this block alone.
#[cuda_std::inlined]
pub fn block_of_grid(launch: &Launch) -> (u32, u32) {
    if launch.single_block == 1 || (is_single() && thread::grid_dim_x() == 1) {
        (0, 1)
    } else {
        (thread::block_idx_x(), launch.blocks)
    }
}

/// The number of this warp among the warps of the grid, and how many there are. Neighbouring numbers are in
/// different blocks.
#[cuda_std::inlined]
pub fn warp_of_grid(launch: &Launch) -> (u32, u32) {
    let (block, blocks) = block_of_grid(launch);
    (thread::thread_idx_x() / 32 * blocks + block, thread::block_dim_x().div_ceil(32) * blocks)
}

/// Indices `next`, `next + step`, ... below `end`. It borrows a token for the time `'t`.
///
/// A loop that many rounds go through takes the indices as they are: an adapter such as `map` costs a GPU four
/// instructions.
pub struct Stride<'t> {
    next: u32,
    end: u32,
    step: u32,
    token: PhantomData<&'t mut WholeWarp>,
}

impl Stride<'_> {
    /// The indices of `from .. to` that fall to number `rank` of `size`.
    #[cuda_std::inlined]
    pub fn new(from: u32, to: u32, rank: u32, size: u32) -> Self {
        Stride { next: from.saturating_add(rank), end: to, step: size, token: PhantomData }
    }
}

impl Iterator for Stride<'_> {
    type Item = u32;
    #[cuda_std::inlined]
    fn next(&mut self) -> Option<u32> {
        if self.next >= self.end {
            return None;
        }
        let i = self.next;
        // Past the end of u32 there is nothing left to visit.
        self.next = i.checked_add(self.step).unwrap_or(self.end);
        Some(i)
    }
}

/// `from .. to`, one index for each thread of the grid in turn.
#[cuda_std::inlined]
pub fn over_grid<'t>(_: &'t mut WholeBlock, launch: &Launch, from: u32, to: u32) -> Stride<'t> {
    let ((block, blocks), threads) = (block_of_grid(launch), thread::block_dim_x());
    Stride::new(from, to, block * threads + thread::thread_idx_x(), blocks * threads)
}

/// `from .. to`, as [`over_grid`], but the last thread has the first index: the first threads often have more
/// to do.
#[cuda_std::inlined]
pub fn over_grid_from_behind<'t>(_: &'t mut WholeBlock, launch: &Launch, from: u32, to: u32) -> Stride<'t> {
    let ((block, blocks), threads) = (block_of_grid(launch), thread::block_dim_x());
    Stride::new(from, to, (blocks - block) * threads - 1 - thread::thread_idx_x(), blocks * threads)
}

/// `from .. to`, one index for each block of the grid in turn. All threads of a block see the same indices.
#[cuda_std::inlined]
pub fn over_blocks(launch: &Launch, from: u32, to: u32) -> Stride<'static> {
    let (block, blocks) = block_of_grid(launch);
    Stride::new(from, to, block, blocks)
}

/// `from .. to`, one index for each thread of the block in turn.
#[cuda_std::inlined]
pub fn over_block(_: &mut WholeBlock, from: u32, to: u32) -> Stride<'_> {
    Stride::new(from, to, thread::thread_idx_x(), thread::block_dim_x())
}

/// `from .. to`, one index for each warp of the grid in turn. All lanes of a warp see the same indices.
#[cuda_std::inlined]
pub fn over_warps(launch: &Launch, from: u32, to: u32) -> Stride<'static> {
    let ((block, blocks), warps) = (block_of_grid(launch), thread::block_dim_x().div_ceil(32));
    Stride::new(from, to, block * warps + thread::thread_idx_x() / 32, blocks * warps)
}

/// How many threads a group has.
const GROUP: u32 = 8;

/// `from .. to`, one index for each group of eight threads of the grid in turn, and [`Member`], which shares further
/// indices out to the threads of the group. A block of one thread is a group.
#[cuda_std::inlined]
pub fn over_groups<'t>(_: &'t mut WholeBlock, launch: &Launch, from: u32, to: u32) -> (Stride<'t>, Member) {
    let ((block, blocks), tid) = (block_of_grid(launch), thread::thread_idx_x());
    let size = if is_single() { 1 } else { GROUP };
    let groups = thread::block_dim_x() / size;
    let stride = Stride::new(from, to, block * groups + tid / size, blocks * groups);
    (stride, Member { rank: tid % size, size })
}

/// A thread's place in its group.
#[derive(Clone, Copy)]
pub struct Member {
    rank: u32,
    size: u32,
}

impl Member {
    /// Whether this is the first thread of the group.
    #[cuda_std::inlined]
    pub fn is_first(self) -> bool {
        self.rank == 0
    }

    /// `from .. to`, one index for each thread of the group in turn.
    #[cuda_std::inlined]
    pub fn over(self, from: u32, to: u32) -> Stride<'static> {
        Stride::new(from, to, self.rank, self.size)
    }
}

/// `from .. to`, one index for each lane of the warp in turn.
#[cuda_std::inlined]
pub fn over_lanes(_: &mut WholeWarp, from: u32, to: u32) -> Stride<'_> {
    Stride::new(from, to, thread::thread_idx_x() % 32, warp_width())
}

pub use cuda_std::thread::is_single;

/// How many lanes this warp has: 32, or 1 in a block of one thread. No other block sizes are launched.
#[cuda_std::inlined]
pub fn warp_width() -> u32 {
    if is_single() {
        1
    } else {
        32
    }
}

/// Whether this is the first thread of its block.
#[cuda_std::inlined]
pub fn is_first() -> bool {
    thread::thread_idx_x() == 0
}

/// Whether this is the last thread of its block.
#[cuda_std::inlined]
pub fn is_last() -> bool {
    thread::thread_idx_x() + 1 == thread::block_dim_x()
}

/// Whether one of the block's last `threads` threads is in this thread's warp.
#[cuda_std::inlined]
pub fn is_in_warp_of_last(threads: u32) -> bool {
    (thread::thread_idx_x() | 31) + threads >= thread::block_dim_x()
}
