//! Mistake 20: kernels that can panic. `scripts/xtask/tests/template.rs` builds this file for a GPU, which
//! is refused.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernels
/// The kernel of the lesson, whose divisor is an argument: it may be 0.
///
/// # Safety
/// None: a kernel on a GPU cannot panic.
#[kernel]
pub unsafe fn element_after(x: Array<u32>, next: Array<u32>, n: u32) {
    let mut i = thread::index_1d();
    while (i as usize) < next.len() {
        next.write(i, x.read((i + 1) % n));
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
}

/// Looks a number up in a table that may be too short.
///
/// # Safety
/// As above.
#[kernel]
pub unsafe fn count_four_bits(x: Array<u32>) {
    let i = thread::index_1d();
    x.write(i, count_of(x.read(i)));
}

fn count_of(number: u32) -> u32 {
    let counts = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];
    counts[number as usize]
}

/// Believes that there is a number below each number.
///
/// # Safety
/// As above.
#[kernel]
pub unsafe fn one_less(x: Array<u32>) {
    let i = thread::index_1d();
    x.write(i, x.read(i).checked_sub(1).unwrap());
}
// ANCHOR_END: kernels
