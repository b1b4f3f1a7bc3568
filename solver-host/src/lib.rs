//! yasmin: an Answer Set Programming solver whose search runs on the GPU.
//!
//! The way of a program through the crate is the list of its modules:
//! [`input`] -> [`program`] -> [`nogoods`] -> device -> search -> output.

pub mod device;
pub mod ids;
pub mod input;
pub mod nogoods;
pub mod output;
pub mod program;
pub mod search;
