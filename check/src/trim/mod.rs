//! Proofs without the steps that are not needed.
//!
//! Main type: [`Plan`]. Nothing here is trusted: [`Checker`](crate::Checker) checks what is left of a proof like any
//! other.

mod engine;
mod nogoods;
mod search;
mod steps;
mod unfounded;

pub use steps::{Plan, Rejection, Steps};
