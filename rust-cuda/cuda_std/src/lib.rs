//! What kernels use: thread indices, barriers, fences, warp operations, shared memory.
//!
//! Names and signatures are those of rust-cuda's `cuda_std`, so that kernels written against one compile with the other.
//! On `nvptx64-nvidia-cuda` each function is an instruction or two. On the host, where kernels are plain functions, each asks
//! the executor that is running the kernel: see [`host`].
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(stdarch_nvptx, asm_experimental_arch, link_llvm_intrinsics))]
#![cfg_attr(target_arch = "nvptx64", allow(internal_features))]

pub mod array;
pub mod atomic;
#[cfg(not(target_arch = "nvptx64"))]
pub mod host;
mod operation;
#[cfg(target_arch = "nvptx64")]
mod panic;
pub mod shared;
pub mod thread;
pub mod warp;

pub use cuda_std_macros::kernel;

/// Everything a kernel's file needs.
pub mod prelude {
    pub use crate::{kernel, shared, shared_array, thread, warp};
}
