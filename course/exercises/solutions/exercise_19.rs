//! A solution of exercise 19: follow nogoods of two literals.

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
    let holds = |literal: u32| values.read(literal / 2) == 1 + literal % 2;
    let is_open = |literal: u32| values.read(literal / 2) == 0;
    let mut k = thread::index_1d();
    while 2 * (k as usize) < nogoods.len() {
        let (a, b) = (nogoods.read(2 * k), nogoods.read(2 * k + 1));
        if holds(a) && is_open(b) {
            follows.atomic(b ^ 1).store(1);
        }
        if holds(b) && is_open(a) {
            follows.atomic(a ^ 1).store(1);
        }
        k += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel
