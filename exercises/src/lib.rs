//! The book's exercises. Each is a file here, to be changed until `cargo xtask exercise N` says that it is
//! solved.
//!
//! The tests are in `hidden`, and solutions are in the folder `solutions`: look at neither before you have
//! tried. `cargo xtask hint N` gives hints, and `cargo xtask watch` tests whenever you save a file.
//!
//! With the feature `gpu`, the build compiles the solutions for a GPU, and a test runs them there.

// A GPU's kernels have one name space: there the solutions are alone.
#[cfg(not(target_arch = "nvptx64"))]
pub mod exercise_1;
#[cfg(not(target_arch = "nvptx64"))]
pub mod exercise_10;
#[cfg(not(target_arch = "nvptx64"))]
pub mod exercise_11;
#[cfg(not(target_arch = "nvptx64"))]
pub mod exercise_12;
#[cfg(not(target_arch = "nvptx64"))]
pub mod exercise_13;
#[cfg(not(target_arch = "nvptx64"))]
pub mod exercise_14;
#[cfg(not(target_arch = "nvptx64"))]
pub mod exercise_15;
#[cfg(not(target_arch = "nvptx64"))]
pub mod exercise_2;
#[cfg(not(target_arch = "nvptx64"))]
pub mod exercise_3;
#[cfg(not(target_arch = "nvptx64"))]
pub mod exercise_4;
#[cfg(not(target_arch = "nvptx64"))]
pub mod exercise_5;
#[cfg(not(target_arch = "nvptx64"))]
pub mod exercise_6;
#[cfg(not(target_arch = "nvptx64"))]
pub mod exercise_7;
#[cfg(not(target_arch = "nvptx64"))]
pub mod exercise_8;
#[cfg(not(target_arch = "nvptx64"))]
pub mod exercise_9;
#[cfg(not(target_arch = "nvptx64"))]
pub mod hidden;
#[cfg(not(target_arch = "nvptx64"))]
pub mod list;

#[path = "../solutions/mod.rs"]
pub mod solutions;

/// The PTX of the solutions, or why this build has none.
#[cfg(all(feature = "gpu", not(target_arch = "nvptx64")))]
pub const KERNELS: Result<&str, &str> = cuda_launch::kernels!();
