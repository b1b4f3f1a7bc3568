//! Reductions over the lanes of a warp, in one instruction: GPUs from Ampere (compute 8.0) on.

#[cfg(target_arch = "nvptx64")]
use core::arch::asm;

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::{current, WarpOp};

/// What a warp's reduction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpReductionOp {
    /// The sum, which wraps around.
    Add,
    /// The least.
    Min,
    /// The greatest.
    Max,
    /// The bitwise conjunction.
    And,
    /// The bitwise disjunction.
    Or,
    /// The bitwise exclusive-or.
    Xor,
}

/// What a warp can reduce: `u32` and `i32`.
pub trait WarpReduceValue: Copy {
    /// See [`warp_reduce`].
    ///
    /// # Safety
    /// All lanes of `mask`, the caller among them, must call this with the same operation.
    #[track_caller]
    unsafe fn reduce(mask: u32, value: Self, op: WarpReductionOp) -> Self;
}

#[cfg(target_arch = "nvptx64")]
macro_rules! redux {
    ($instruction:literal, $type:ty, $value:expr, $mask:expr) => {{
        let result: $type;
        // SAFETY: the caller's contract.
        unsafe {
            asm!(
                concat!($instruction, " {}, {}, {};"),
                out(reg32) result, in(reg32) $value, in(reg32) $mask,
            );
        }
        result
    }};
}

macro_rules! reduce_value {
    ($($type:ty, $signed:literal, $add:literal, $min:literal, $max:literal;)*) => {$(
        impl WarpReduceValue for $type {
            #[inline(always)]
            unsafe fn reduce(mask: u32, value: Self, op: WarpReductionOp) -> Self {
                #[cfg(target_arch = "nvptx64")]
                return match op {
                    WarpReductionOp::Add => redux!($add, $type, value, mask),
                    WarpReductionOp::Min => redux!($min, $type, value, mask),
                    WarpReductionOp::Max => redux!($max, $type, value, mask),
                    WarpReductionOp::And => redux!("redux.sync.and.b32", $type, value, mask),
                    WarpReductionOp::Or => redux!("redux.sync.or.b32", $type, value, mask),
                    WarpReductionOp::Xor => redux!("redux.sync.xor.b32", $type, value, mask),
                };
                #[cfg(not(target_arch = "nvptx64"))]
                {
                    current::warp(WarpOp::Reduce { op, signed: $signed }, mask, value as u32 as u64).0 as $type
                }
            }
        }
    )*};
}

reduce_value! {
    u32, false, "redux.sync.add.u32", "redux.sync.min.u32", "redux.sync.max.u32";
    i32, true, "redux.sync.add.s32", "redux.sync.min.s32", "redux.sync.max.s32";
}

/// Reduces the values of the lanes of the mask; each of them gets the result.
///
/// # Safety
/// All lanes of `mask`, the caller among them, must call this with the same operation.
#[inline(always)]
#[track_caller]
pub unsafe fn warp_reduce<T: WarpReduceValue>(mask: u32, value: T, op: WarpReductionOp) -> T {
    // SAFETY: the caller's contract.
    unsafe { T::reduce(mask, value, op) }
}
