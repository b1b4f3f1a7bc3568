//! A ground program, as read: rules over dense atoms, and what to print of an answer set.
//!
//! Main types: [`Program`] and [`ProgramBuilder`]. The module knows nothing of how programs are read: see
//! [`crate::input`] for that.

mod builder;
mod bytes;
mod change;
mod data;
mod differences;
mod linear;
mod read_differences;
mod simplified;
mod theory;
mod write;

pub use builder::wide::add_weight;
pub use builder::{BuildError, External, ProgramBuilder, MOST_WEIGHT, MOST_WIDE};
pub use change::{DomainModification, UnknownName};
pub use data::{
    Digits, Disjunction, Formula, Head, Heuristic, Minimize, Modifier, Output, Program, Size, Statements, Sum,
};
pub use differences::{Differences, Edge, Minimized, TheoryError, MOST};
pub use theory::{Brackets, Theory, TheoryAtom, TheoryElement, TheoryTerm};
