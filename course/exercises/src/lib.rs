//! The book's exercises. Each is a file here, to be changed until `cargo xtask exercise N` says that it is
//! solved. None of them is a part of this crate: the crate in the folder `yours` is one of them at a time.
//!
//! The tests are in `hidden`, and solutions are in the folder `solutions`: look at neither before you have
//! tried. `cargo xtask hint N` gives hints, and `cargo xtask watch` tests whenever you save a file.
//!
//! With the feature `gpu`, the build compiles the solutions for a GPU, and a test runs them there.

#[cfg(not(target_arch = "nvptx64"))]
pub mod hidden;
#[cfg(not(target_arch = "nvptx64"))]
pub mod list;
/// The exercises, for this crate's own tests.
#[cfg(test)]
#[path = "."]
mod yours {
    pub mod exercise_1;
    pub mod exercise_10;
    pub mod exercise_11;
    pub mod exercise_12;
    pub mod exercise_13;
    pub mod exercise_14;
    pub mod exercise_15;
    pub mod exercise_16;
    pub mod exercise_17;
    pub mod exercise_18;
    pub mod exercise_19;
    pub mod exercise_2;
    pub mod exercise_20;
    pub mod exercise_21;
    pub mod exercise_3;
    pub mod exercise_4;
    pub mod exercise_5;
    pub mod exercise_6;
    pub mod exercise_7;
    pub mod exercise_8;
    pub mod exercise_9;
}

#[path = "../solutions/mod.rs"]
pub mod solutions;

/// The PTX of the solutions, or why this build has none.
#[cfg(all(feature = "gpu", not(target_arch = "nvptx64")))]
pub const KERNELS: Result<&str, &str> = cuda_launch::kernels!();
