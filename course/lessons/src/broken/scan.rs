//! Mistake 6: one step reads and writes the same array.

use crate::scan::TILE;
use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// [`crate::scan::scan_tiles`] with one array in shared memory in place of two.
///
/// # Safety
/// None: a thread reads an element that another one writes in the same step.
#[kernel]
pub unsafe fn scan_tiles(x: Array<u32>, sums: Array<u32>, totals: Array<u32>) {
    let words = unsafe { Array::from_raw(shared_array![u32; TILE as usize], TILE as usize) };
    let n = x.len() as u32;
    let mut tile = thread::block_idx_x();
    while tile * TILE < n {
        let mut i = thread::thread_idx_x();
        while i < TILE {
            let at = tile * TILE + i;
            words.write(i, if at < n { x.read(at) } else { 0 });
            i += thread::block_dim_x();
        }
        let mut distance = 1;
        while distance < TILE {
            thread::sync_threads();
            let mut i = thread::thread_idx_x();
            while i < TILE {
                let before = if i >= distance { words.read(i - distance) } else { 0 };
                words.write(i, words.read(i).wrapping_add(before));
                i += thread::block_dim_x();
            }
            distance *= 2;
        }
        thread::sync_threads();
        let mut i = thread::thread_idx_x();
        while i < TILE {
            if tile * TILE + i < n {
                sums.write(tile * TILE + i, words.read(i));
            }
            i += thread::block_dim_x();
        }
        if thread::thread_idx_x() == 0 {
            totals.write(tile, words.read(TILE - 1));
        }
        thread::sync_threads();
        tile += thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel
