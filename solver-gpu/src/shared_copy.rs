//! The shared-memory copy of what a search owns: the control words, and as many as find room of the arrays that every step waits for.
//!
//! The resident search runs on the copy. A load from shared memory takes a tenth of the time of one from device memory, and an atomic does
//! too. An array's address says where the array lies, so code that uses an array need not know whether it is a copy.

use crate::threads::scratch::{addresses, shared_copy_start};
use crate::{Own, Search};
use cuda_std::array::copy_by_block;

/// The same search as a single block's, with the first `shared_copy_bytes` of what the search owns in shared memory. Called by all threads of
/// the block.
#[inline(always)]
pub fn attach(s: &Search) -> Search {
    let mut single = *s;
    single.launch.single_block = 1;
    (single.launch.shared_base, single.launch.warp_scratch) = addresses();
    // SAFETY: the host launches with room for so many bytes (`Own::shared_copy_fitting`) in each block.
    single.own = unsafe { s.own.with_shared_copy(s.launch.shared_copy_bytes, shared_copy_start()) };
    single
}

/// Copies the first `bytes` of a block to another one that is laid out alike. Called by all threads of a thread block, which waits before and
/// after.
#[inline(always)]
pub fn copy(bytes: u32, from: &Own, to: &Own) {
    // SAFETY: both begin at multiples of 16 bytes and are as long as `Own::shared_copy_fitting` said, which is a multiple of `ALIGNMENT`;
    // nobody else uses them meanwhile.
    unsafe { copy_by_block(from.base(), to.base(), bytes) }
}
