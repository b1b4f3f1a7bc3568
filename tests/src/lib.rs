//! What the tests of yasmin stand on: an oracle, a generator of random programs, and the runner that
//! compares.
//!
//! Invariant: nothing in [`oracle`] and in `rich/meaning.rs` uses code of the solver, so that both cannot be
//! wrong in the same way.

pub mod answers;
pub mod calls;
pub mod claims;
pub mod conform;
pub mod data;
pub mod differences;
pub mod floors;
pub mod judge;
pub mod lrat;
pub mod machine;
pub mod nonground;
pub mod oracle;
#[cfg(feature = "mpi")]
pub mod parts;
pub mod proofs;
pub mod questions;
pub mod random;
pub mod reference;
pub mod replay;
pub mod rich;
pub mod spec;
pub mod structured;
pub mod traces;

pub use spec::Spec;
