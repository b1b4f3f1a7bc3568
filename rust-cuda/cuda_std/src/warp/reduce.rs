//! Reductions over the lanes of a warp, in one instruction, which GPUs from Ampere (compute capability 8.0)
//! on have.
//!
//! Main function: [`warp_reduce`].

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::current;
#[cfg(not(target_arch = "nvptx64"))]
use crate::operation::WarpOp;
use crate::operation::WarpReductionOp;

/// A value that a warp can reduce: `u32` or `i32`.
pub trait WarpReduceValue: Copy {
    /// Reduces the lanes' values, as [`warp_reduce`] says.
    ///
    /// # Safety
    /// All lanes of `mask`, the caller among them, must call this with the same operation.
    #[track_caller]
    unsafe fn reduce(mask: u32, value: Self, op: WarpReductionOp) -> Self;
}

/// LLVM's reductions, which are `convergent` (see [`super`]).
#[cfg(target_arch = "nvptx64")]
mod intrinsics {
    extern "C" {
        #[link_name = "llvm.nvvm.redux.sync.add"]
        pub fn add(value: u32, mask: u32) -> u32;
        #[link_name = "llvm.nvvm.redux.sync.umin"]
        pub fn min_u32(value: u32, mask: u32) -> u32;
        #[link_name = "llvm.nvvm.redux.sync.umax"]
        pub fn max_u32(value: u32, mask: u32) -> u32;
        #[link_name = "llvm.nvvm.redux.sync.min"]
        pub fn min_i32(value: i32, mask: u32) -> i32;
        #[link_name = "llvm.nvvm.redux.sync.max"]
        pub fn max_i32(value: i32, mask: u32) -> i32;
        #[link_name = "llvm.nvvm.redux.sync.and"]
        pub fn and(value: u32, mask: u32) -> u32;
        #[link_name = "llvm.nvvm.redux.sync.or"]
        pub fn or(value: u32, mask: u32) -> u32;
        #[link_name = "llvm.nvvm.redux.sync.xor"]
        pub fn xor(value: u32, mask: u32) -> u32;
    }
}

macro_rules! reduce_value {
    ($($type:ty, $signed:literal, $min:ident, $max:ident;)*) => {$(
        impl WarpReduceValue for $type {
            #[inline(always)]
            unsafe fn reduce(mask: u32, value: Self, op: WarpReductionOp) -> Self {
                #[cfg(target_arch = "nvptx64")]
                // SAFETY: the caller's contract.
                return unsafe {
                    match op {
                        WarpReductionOp::Add => intrinsics::add(value as u32, mask) as $type,
                        WarpReductionOp::Min => intrinsics::$min(value, mask),
                        WarpReductionOp::Max => intrinsics::$max(value, mask),
                        WarpReductionOp::And => intrinsics::and(value as u32, mask) as $type,
                        WarpReductionOp::Or => intrinsics::or(value as u32, mask) as $type,
                        WarpReductionOp::Xor => intrinsics::xor(value as u32, mask) as $type,
                    }
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
    u32, false, min_u32, max_u32;
    i32, true, min_i32, max_i32;
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
