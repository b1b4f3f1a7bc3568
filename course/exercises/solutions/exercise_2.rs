//! A solution of exercise 2: reverse tiles in shared memory.

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
    // SAFETY: the launch has this memory; a barrier is between one thread's write and another's read.
    let tile = unsafe { Words::<u32>::at(0, 64) };
    let (n, threads) = (x.len() as u32, thread::block_dim_x());
    let mut first = 64 * thread::block_idx_x();
    while first < n {
        let len = if n - first < 64 { n - first } else { 64 };
        let mut k = thread::thread_idx_x();
        while k < len {
            tile.set(k, x.read(first + k));
            k += threads;
        }
        thread::sync_threads();
        let mut k = thread::thread_idx_x();
        while k < len {
            reversed.write(first + k, tile.get(len - 1 - k));
            k += threads;
        }
        // Nobody writes the next tile before all have read this one.
        thread::sync_threads();
        first += 64 * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel
