//! Operations among the 32 lanes of a warp.
//!
//! Each operation takes a mask of the lanes that take part. All lanes of the mask have to call the operation,
//! and the caller has to be one of them.

mod reduce;

pub use crate::operation::WarpReductionOp;
pub use reduce::{warp_reduce, WarpReduceValue};

#[cfg(target_arch = "nvptx64")]
use core::arch::asm;

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::current;
#[cfg(not(target_arch = "nvptx64"))]
use crate::operation::WarpOp;

/// LLVM's shuffles, votes and barriers of a warp. These intrinsics are `convergent`: the compiler must not
/// copy a call into both arms of a branch, where the lanes of a warp would wait for each other at two places
/// for ever. The compiler does copy inline assembly, and kernels that used inline assembly here hung.
#[cfg(target_arch = "nvptx64")]
mod intrinsics {
    extern "C" {
        #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
        pub fn shuffle_down(mask: u32, value: u32, delta: u32, clamp: u32) -> u32;
        #[link_name = "llvm.nvvm.shfl.sync.up.i32"]
        pub fn shuffle_up(mask: u32, value: u32, delta: u32, clamp: u32) -> u32;
        #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
        pub fn shuffle_idx(mask: u32, value: u32, idx: u32, clamp: u32) -> u32;
        #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"]
        pub fn shuffle_xor(mask: u32, value: u32, lane_mask: u32, clamp: u32) -> u32;
        #[link_name = "llvm.nvvm.vote.all.sync"]
        pub fn vote_all(mask: u32, predicate: bool) -> bool;
        #[link_name = "llvm.nvvm.vote.any.sync"]
        pub fn vote_any(mask: u32, predicate: bool) -> bool;
        #[link_name = "llvm.nvvm.vote.ballot.sync"]
        pub fn vote_ballot(mask: u32, predicate: bool) -> u32;
        #[link_name = "llvm.nvvm.match.any.sync.i32"]
        pub fn match_any(mask: u32, value: u32) -> u32;
        #[link_name = "llvm.nvvm.match.any.sync.i64"]
        pub fn match_any_wide(mask: u32, value: u64) -> u32;
        #[link_name = "llvm.nvvm.bar.warp.sync"]
        pub fn bar_warp_sync(mask: u32);
    }
}

/// Index of the lane in its warp.
#[inline(always)]
pub fn lane_id() -> u32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let lane: u32;
        // SAFETY: reads a special register.
        unsafe { asm!("mov.u32 {}, %laneid;", out(reg32) lane, options(pure, nomem, nostack)) };
        lane
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        crate::thread::number_in_block() % 32
    }
}

/// The lanes of the warp that are running this instruction, as bits. A GPU may split them as it likes. The
/// simulation does not: a lane waits until each other one is here too, has finished, or waits elsewhere.
#[inline(always)]
#[track_caller]
pub fn activemask() -> u32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let mask: u32;
        // SAFETY: reads a mask.
        unsafe { asm!("activemask.b32 {};", out(reg32) mask) };
        mask
    }
    #[cfg(not(target_arch = "nvptx64"))]
    current::active()
}

/// Waits for the lanes of the mask. What they wrote before is visible afterwards.
///
/// # Safety
/// All lanes of `mask`, the caller among them, must call this.
#[inline(always)]
#[track_caller]
pub unsafe fn sync_warp(mask: u32) {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: the caller's contract.
    unsafe {
        intrinsics::bar_warp_sync(mask)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    current::warp(WarpOp::Sync, mask, 0);
}

/// A value that lanes can pass to each other: one of 32 or 64 bits.
pub trait WarpShuffleValue: Copy {
    /// The bits of the value.
    fn to_bits(self) -> u64;
    /// The value whose bits are `bits`.
    fn from_bits(bits: u64) -> Self;
    /// Whether the value has 64 bits.
    const WIDE: bool;
}

macro_rules! shuffle_value {
    ($($t:ty, $wide:literal, $to:expr, $from:expr;)*) => {$(
        impl WarpShuffleValue for $t {
            const WIDE: bool = $wide;
            #[inline(always)]
            fn to_bits(self) -> u64 {
                let to: fn($t) -> u64 = $to;
                to(self)
            }
            #[inline(always)]
            fn from_bits(bits: u64) -> Self {
                let from: fn(u64) -> $t = $from;
                from(bits)
            }
        }
    )*};
}

shuffle_value! {
    u32, false, |v| v as u64, |b| b as u32;
    i32, false, |v| v as u32 as u64, |b| b as i32;
    f32, false, |v| f32::to_bits(v) as u64, |b| f32::from_bits(b as u32);
    u64, true, |v| v, |b| b;
    i64, true, |v| v as u64, |b| b as i64;
    f64, true, f64::to_bits, f64::from_bits;
}

macro_rules! shuffle {
    ($(#[$doc:meta])* $name:ident, $by:ident, $op:ident, $intrinsic:ident, $clamp:literal, $in_range:expr) => {
        $(#[$doc])*
        ///
        /// Returns the value, and whether the lane that the value comes from is in range. If that lane is not
        /// in range, the value is the caller's own. `width`, a power of two up to 32, splits the warp into
        /// groups of `width` lanes; each group shuffles alone.
        ///
        /// # Safety
        /// All lanes of `mask`, the caller and the lane read from among them, must call this.
        #[inline(always)]
        #[track_caller]
        pub unsafe fn $name<T: WarpShuffleValue>(mask: u32, value: T, $by: u32, width: u32) -> (T, bool) {
            #[cfg(target_arch = "nvptx64")]
            {
                let (bits, clamp) = (value.to_bits(), (32 - width) << 8 | $clamp);
                // SAFETY: the caller's contract.
                let low = unsafe { intrinsics::$intrinsic(mask, bits as u32, $by, clamp) };
                let high = match T::WIDE {
                    // SAFETY: as above.
                    true => unsafe { intrinsics::$intrinsic(mask, (bits >> 32) as u32, $by, clamp) },
                    false => 0,
                };
                let from: fn(u32, u32, u32) -> bool = $in_range;
                (T::from_bits((high as u64) << 32 | low as u64), from(lane_id() % width, $by, width))
            }
            #[cfg(not(target_arch = "nvptx64"))]
            {
                let (bits, valid) = current::warp(WarpOp::$op { $by, width }, mask, value.to_bits());
                (T::from_bits(bits), valid)
            }
        }
    };
}

shuffle!(
    /// The value of the lane `delta` above.
    warp_shuffle_down, delta, ShuffleDown, shuffle_down, 0x1f, |lane, delta, width| lane + delta < width
);
shuffle!(
    /// The value of the lane `delta` below.
    warp_shuffle_up, delta, ShuffleUp, shuffle_up, 0, |lane, delta, _| lane >= delta
);
shuffle!(
    /// The value of lane `idx`.
    warp_shuffle_idx, idx, ShuffleIdx, shuffle_idx, 0x1f, |_, _, _| true
);
shuffle!(
    /// The value of the lane whose index is this one's exclusive-or `lane_mask`.
    warp_shuffle_xor, lane_mask, ShuffleXor, shuffle_xor, 0x1f, |lane, mask, width| lane ^ mask < width
);

/// Returns whether the predicate holds in all lanes of the mask.
///
/// # Safety
/// All lanes of `mask`, the caller among them, must call this.
#[inline(always)]
#[track_caller]
pub unsafe fn warp_vote_all(mask: u32, predicate: bool) -> bool {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: the caller's contract.
    return unsafe { intrinsics::vote_all(mask, predicate) };
    #[cfg(not(target_arch = "nvptx64"))]
    {
        current::warp(WarpOp::VoteAll, mask, predicate as u64).1
    }
}

/// Returns whether the predicate holds in some lane of the mask.
///
/// # Safety
/// All lanes of `mask`, the caller among them, must call this.
#[inline(always)]
#[track_caller]
pub unsafe fn warp_vote_any(mask: u32, predicate: bool) -> bool {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: the caller's contract.
    return unsafe { intrinsics::vote_any(mask, predicate) };
    #[cfg(not(target_arch = "nvptx64"))]
    {
        current::warp(WarpOp::VoteAny, mask, predicate as u64).1
    }
}

/// Returns the lanes of the mask in which the predicate holds, as bits.
///
/// # Safety
/// All lanes of `mask`, the caller among them, must call this.
#[inline(always)]
#[track_caller]
pub unsafe fn warp_vote_ballot(mask: u32, predicate: bool) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: the caller's contract.
    return unsafe { intrinsics::vote_ballot(mask, predicate) };
    #[cfg(not(target_arch = "nvptx64"))]
    {
        current::warp(WarpOp::Ballot, mask, predicate as u64).0 as u32
    }
}

/// A value by whose bits lanes can be compared.
pub trait WarpMatchValue: WarpShuffleValue {}

impl<T: WarpShuffleValue> WarpMatchValue for T {}

/// Returns the lanes of the mask, as bits, whose value has the same bits as the caller's.
///
/// # Safety
/// All lanes of `mask`, the caller among them, must call this.
#[inline(always)]
#[track_caller]
pub unsafe fn warp_match_any<T: WarpMatchValue>(mask: u32, value: T) -> u32 {
    let bits = value.to_bits();
    #[cfg(target_arch = "nvptx64")]
    {
        // SAFETY: the caller's contract.
        unsafe {
            match T::WIDE {
                true => intrinsics::match_any_wide(mask, bits),
                false => intrinsics::match_any(mask, bits as u32),
            }
        }
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        current::warp(WarpOp::MatchAny, mask, bits).0 as u32
    }
}
