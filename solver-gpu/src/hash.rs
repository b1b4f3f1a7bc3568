//! Hashes of sets of literals, which do not depend on the order of the literals.
//!
//! The learning kernels hash the nogoods that they learn, so that `record_learned` finds duplicates.
//!
//! Invariant: a hash is two sums of 32 bits, one in each half, because a warp can add 32 bits by one
//! instruction.

use crate::threads::token::WholeWarp;
use crate::threads::warp::warp_sum;

/// Returns the hash of the union of two disjoint sets with the hashes `a` and `b`. The low halves and the
/// high halves are added separately.
#[cuda_std::inlined]
pub fn add_hashes(a: u64, b: u64) -> u64 {
    let high = ((a >> 32) as u32).wrapping_add((b >> 32) as u32);
    (high as u64) << 32 | (a as u32).wrapping_add(b as u32) as u64
}

/// Returns to all lanes of a warp the hash of the union of the lanes' sets. `hash` is the hash of the calling
/// lane's set.
#[cuda_std::inlined]
pub fn warp_hash(warp: &mut WholeWarp, hash: u64) -> u64 {
    (warp_sum(warp, (hash >> 32) as u32) as u64) << 32 | warp_sum(warp, hash as u32) as u64
}

/// Returns a well-mixed word for `x`: the finaliser of SplitMix64 (Steele et al. 2014). The words of several
/// literals are added to a hash.
#[cuda_std::inlined]
pub const fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
