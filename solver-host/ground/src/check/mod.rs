//! Verifies answer sets by the definition, with code that shares nothing with the search.
//!
//! Main function: [`Checker::check`]. A [`Checker`] is made of the [`Program`](crate::program::Program)
//! alone, and verifies in linear time what the search claims of a set of atoms: see [`Claim`]. What is wrong
//! with the claim is a [`Flaw`].
//!
//! Invariant: nothing here knows the crates of nogoods and of the search.

mod checker;
mod components;
mod flaw;
mod rows;
#[cfg(test)]
mod tests;

pub use checker::{Checker, Claim, Workspace};
pub use flaw::Flaw;
