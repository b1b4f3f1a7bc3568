//! Exercise 21: the level to jump back to.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// Sets `two[0]` to the greatest level of the literals of a nogood, and `two[1]` to the greatest level that
/// is less, or to 0 if there is none: after a conflict, the search jumps back to the second one. The level of
/// literal `l` is `levels[l / 2]`.
///
/// # Safety
/// `two` has two elements, which are 0, the launch is one block, and nobody else uses `two` during the
/// launch.
#[kernel]
pub unsafe fn two_levels(nogood: Array<u32>, levels: Array<u32>, two: Array<u32>) {
    // Not solved yet. When is the greatest level known?
    let mut i = thread::thread_idx_x();
    while (i as usize) < nogood.len() {
        let level = levels.read(nogood.read(i) / 2);
        two.atomic(0u32).max(level);
        if level < two.atomic(0u32).load() {
            two.atomic(1u32).max(level);
        }
        i += thread::block_dim_x();
    }
}
// ANCHOR_END: kernel
