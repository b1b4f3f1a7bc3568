//! Hashes of sets of literals, which do not depend on the order.

use crate::threads::warp::warp_sum;

/// The hash of two sets together, from theirs: the low and the high halves add up, each by itself.
#[inline(always)]
pub fn add_hashes(a: u64, b: u64) -> u64 {
    let high = ((a >> 32) as u32).wrapping_add((b >> 32) as u32);
    (high as u64) << 32 | (a as u32).wrapping_add(b as u32) as u64
}

/// The hash of the sets of all lanes of a warp together, for all of them.
#[inline(always)]
pub fn warp_hash(hash: u64) -> u64 {
    (warp_sum((hash >> 32) as u32) as u64) << 32 | warp_sum(hash as u32) as u64
}

/// A well-mixed word from `x`, for order-independent hashes by addition (the finaliser of SplitMix64, Steele et al. 2014).
#[inline(always)]
pub const fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
