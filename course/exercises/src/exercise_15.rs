//! Exercise 15: a row to a lane, or to a warp.

// ANCHOR: kernel
/// How many passes a warp takes for 32 rows of these lengths: with a row to each lane, and with one row after
/// the other for the whole warp. In a pass, each lane adds at most one element.
pub fn passes(lengths: [u32; 32]) -> (u32, u32) {
    // Not solved yet. This counts elements, as for a single lane.
    let all = lengths.iter().sum();
    (all, all)
}
// ANCHOR_END: kernel
