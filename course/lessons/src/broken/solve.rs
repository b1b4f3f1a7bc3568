//! Mistake 18: a kernel writes to memory that all launches share and only read.

use crate::solve::{solve as right, Rows, Search};
use cuda_std::prelude::*;

// ANCHOR: kernel
/// [`crate::solve::solve`] after a clever thought: an empty body holds always, so its rule can be taken out
/// of the program for good.
///
/// # Safety
/// None: the program belongs to all searches.
#[kernel]
pub unsafe fn solve(rows: Rows, search: Search) {
    let mut rule = thread::thread_idx_x();
    while (rule as usize) < rows.heads.len() {
        if rows.bodies.read(rule) == rows.bodies.read(rule + 1) {
            rows.heads.write(rule, u32::MAX);
        }
        rule += thread::block_dim_x();
    }
    thread::sync_threads();
    unsafe { right(rows, search) }
}
// ANCHOR_END: kernel
