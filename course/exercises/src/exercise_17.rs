//! Exercise 17: thirty-two banks.

use cuda_std::array::Array;
use cuda_std::prelude::*;
use cuda_std::shared::Words;

// ANCHOR: kernel
/// Where the element of a row and a column of a tile lies in shared memory: the number of a word, less than
/// 1,056. The tile has 32 rows and 32 columns. Lanes that read a row, and lanes that read a column, are to
/// find each word in another bank. Word `w` is in bank `w % 32`.
pub fn place(row: u32, column: u32) -> u32 {
    // Not solved yet. Here all words of a column are in one bank.
    32 * row + column
}

/// Turns a matrix of 32 rows and 32 columns over: row `r` of `turned` is column `r` of `x`.
///
/// # Safety
/// Both arrays have 1,024 elements; the launch is one block with 1,056 words of dynamic shared memory; nobody
/// else uses `turned` during the launch.
#[kernel]
pub unsafe fn turn_over(x: Array<u32>, turned: Array<u32>) {
    // SAFETY: a barrier is between the writes and the reads.
    let tile = unsafe { Words::<u32>::at(0, 1056) };
    let mut i = thread::thread_idx_x();
    while i < 1024 {
        tile.set(place(i / 32, i % 32), x.read(i));
        i += thread::block_dim_x();
    }
    thread::sync_threads();
    let mut i = thread::thread_idx_x();
    while i < 1024 {
        turned.write(i, tile.get(place(i % 32, i / 32)));
        i += thread::block_dim_x();
    }
}
// ANCHOR_END: kernel
