//! The book's exercises. Each is a file here, to be changed until `cargo xtask exercise N` says that it is
//! solved.
//!
//! The tests are in [`hidden`], and solutions are in the folder `solutions`: look at neither before you
//! have tried.

pub mod exercise_1;
pub mod exercise_2;
pub mod exercise_3;
pub mod exercise_4;
pub mod exercise_5;
pub mod hidden;

#[path = "../solutions/mod.rs"]
pub mod solutions;
