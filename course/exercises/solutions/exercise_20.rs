//! A solution of exercise 20: find a violated nogood.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// Sets `least` to the number of the first violated nogood, if there is one. Nogood `k` has the literals
/// `literals[starts[k] .. starts[k + 1]]`, and is violated if all of them hold. A literal is `2 * variable`
/// for true and `2 * variable + 1` for false. A value is 0 for open, 1 for true, 2 for false.
///
/// # Safety
/// `starts` has an element more than there are nogoods, `least` is one element, which is `u32::MAX`, and
/// nobody else uses `least` during the launch.
#[kernel]
pub unsafe fn find_violated(starts: Array<u32>, literals: Array<u32>, values: Array<u32>, least: Array<u32>) {
    let nogoods = starts.len() as u32 - 1;
    let mut k = thread::index_1d();
    while k < nogoods {
        let (mut at, end) = (starts.read(k), starts.read(k + 1));
        while at < end && values.read(literals.read(at) / 2) == 1 + literals.read(at) % 2 {
            at += 1;
        }
        if at == end {
            least.atomic(0u32).min(k);
        }
        k += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel
