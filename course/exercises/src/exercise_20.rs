//! Exercise 20: find a violated nogood.

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
    // Not solved yet. Several threads may find a nogood. Which of them writes last?
    let _ = (starts, literals, values, least);
}
// ANCHOR_END: kernel
