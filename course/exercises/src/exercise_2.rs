//! Exercise 2: reverse tiles in shared memory.

use cuda_std::array::Array;
use cuda_std::prelude::*;
use cuda_std::shared::Words;

// ANCHOR: kernel
/// Reverses each tile of 64 elements: the first elements of `reversed` are those of the first tile of `x`,
/// from its last to its first. The last tile may be shorter.
///
/// # Safety
/// Both arrays are equally long, a block has 64 words of dynamic shared memory, and nobody else uses
/// `reversed` during the launch.
#[kernel]
pub unsafe fn reverse_tiles(x: Array<u32>, reversed: Array<u32>) {
    // Not solved yet. Copy the tile to shared memory, wait, and write the tile from its end.
    // SAFETY: the launch has this memory; a barrier has to be between one thread's write and another's read.
    let _tile = unsafe { Words::<u32>::at(0, 64) };
    let mut first = 64 * thread::block_idx_x();
    while (first as usize) < x.len() {
        let _ = reversed;
        first += 64 * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel
