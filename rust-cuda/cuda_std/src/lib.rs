//! What kernels use: thread indices, barriers, fences, warp operations, shared memory, arrays, atomics, and
//! lines that they print.
//!
//! In [`thread`], [`warp`] and [`shared`], names and signatures are those of rust-cuda's `cuda_std`, so that
//! kernels written against one compile with the other. The README of `rust-cuda` lists the differences. On
//! `nvptx64-nvidia-cuda` each function is one or two instructions. On the host, kernels are plain functions,
//! and each function here asks the executor that is running the kernel: see [`host`].
//!
//! Invariant: a file imports only from floors below its own. From the lowest to the highest:
//!
//! 1. `operation`: what the threads of a block, or the lanes of a warp, do together; and [`float`]
//! 2. [`host`]: the executors
//! 3. [`thread`], [`io`], and `touch`: telling the executor of an access to memory
//! 4. [`warp`] and [`atomic`]
//! 5. [`mod@array`]
//! 6. [`shared`]
// The tests belong to the package `cuda_std`: they run blocks of many threads.
#![cfg(not(all(test, feature = "alone")))]
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(stdarch_nvptx, asm_experimental_arch, link_llvm_intrinsics))]
#![cfg_attr(target_arch = "nvptx64", allow(internal_features))]

pub mod array;
pub mod atomic;
pub mod float;
#[cfg(not(target_arch = "nvptx64"))]
pub mod host;
pub mod io;
mod operation;
#[cfg(target_arch = "nvptx64")]
mod panic;
pub mod shared;
pub mod thread;
mod touch;
pub mod warp;

pub use cuda_std_macros::{inlined, kernel};

/// Everything a kernel's file needs.
pub mod prelude {
    pub use crate::{kernel, shared, shared_array, thread, warp};
}
