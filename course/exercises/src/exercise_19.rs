//! Exercise 19: follow nogoods of two literals.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// For each nogood of which one literal holds and the other is open, sets the word of the open literal's
/// complement in `follows` to 1. Nogood `k` has the literals `nogoods[2 * k]` and `nogoods[2 * k + 1]`. A
/// literal is `2 * variable` for true and `2 * variable + 1` for false. A value is 0 for open, 1 for true, 2
/// for false.
///
/// # Safety
/// `follows` has a 0 for each literal, and nobody else uses it during the launch.
#[kernel]
pub unsafe fn follow(nogoods: Array<u32>, values: Array<u32>, follows: Array<u32>) {
    // Not solved yet. Several nogoods may say the same: that is a race, unless the write is atomic.
    let _ = (nogoods, values, follows);
}
// ANCHOR_END: kernel
