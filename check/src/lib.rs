//! Checks proofs of the Answer Set Programming solver yasmin. `docs/proof.md` defines the format.
//!
//! Main type: [`Checker`]. Nothing here is shared with the solver: whoever trusts this crate need not trust the
//! solver.
#![forbid(unsafe_code)]

mod answers;
mod checker;
pub mod clauses;
mod completion;
mod components;
mod conclusion;
mod loops;
mod minimal;
mod numbers;
pub mod parts;
pub mod program;
pub mod proof;
mod propagate;
mod question;
mod rewriting;
mod serials;
pub mod trim;
mod trusted;
mod vocabulary;

pub use checker::{Checker, Refusal, Share};
pub use conclusion::Conclusion;
pub use question::Kind;
