//! A solution of exercise 10: count different values.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// Puts the elements of `x` into a hash table, each value once, and adds the number of different values to
/// `count`. A value belongs to the first open slot from that of its hash on.
///
/// # Safety
/// The length of `table` is a power of two, greater than the number of different values; its elements are 0;
/// no element of `x` is 0; `count` has one element; nobody else uses `table` and `count` during the launch.
#[kernel]
pub unsafe fn count_different(x: Array<u32>, table: Array<u32>, count: Array<u32>) {
    let last = table.len() as u32 - 1;
    let mut i = thread::index_1d();
    while (i as usize) < x.len() {
        let value = x.read(i);
        let mut slot = value.wrapping_mul(0x9e37_79b1) & last;
        loop {
            match table.claim(slot, 0, value) {
                Ok(_) => {
                    count.atomic(0u32).add(1);
                    break;
                }
                Err(found) if found == value => break,
                Err(_) => slot = (slot + 1) & last,
            }
        }
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel
