//! The shared-memory copy of the first arrays of `Own`: the control words, and as many of the following
//! arrays as fit.
//!
//! The resident search calls [`attach`] and works on the copy, and calls [`copy`] to fill the copy and to
//! write it back. A load from shared memory takes a tenth of the time of a load from global memory, and so
//! does an atomic operation.
//!
//! Invariant: an array's address says where the array lies, so code that uses an array need not know whether
//! the array is a copy.

use crate::threads::scratch::{addresses, shared_copy_start};
use crate::threads::token::WholeBlock;
use crate::{Own, Search};
use cuda_std::array::copy_by_block;

/// Returns `s` as a search of a single block, whose first arrays lie in shared memory.
///
/// The arrays are those in the first `shared_copy_bytes` bytes of the search's block of memory. The function
/// copies no contents; see [`copy`].
#[cuda_std::inlined]
pub fn attach(block: &mut WholeBlock, s: &Search) -> Search {
    let mut single = *s;
    single.launch.single_block = 1;
    (single.launch.shared_base, single.launch.warp_scratch) = addresses(block.warp());
    // SAFETY: the host launches with `shared_copy_bytes` bytes of shared memory for the copy in each block,
    // and takes the number from `Own::shared_copy_fitting`. Callers fill the copy before they read it.
    single.own = unsafe { s.own.with_shared_copy(s.launch.shared_copy_bytes, shared_copy_start()) };
    single
}

/// Copies the first `bytes` bytes of the block of memory `from` to the block `to`, which has the same layout.
///
/// The function begins and ends with a barrier.
#[cuda_std::inlined]
pub fn copy(_: &mut WholeBlock, bytes: u32, from: &Own, to: &Own) {
    // SAFETY: both blocks begin at multiples of 16 bytes and have at least `bytes` bytes, a number that
    // `Own::shared_copy_fitting` returned and that is a multiple of `ALIGNMENT`. The barriers of
    // `copy_by_block` keep other threads from using the bytes during the copy.
    unsafe { copy_by_block(from.base(), to.base(), bytes) }
}
