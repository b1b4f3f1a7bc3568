//! Ground programs: what they are, how they are read, and how an answer set of theirs is verified.
//!
//! Modules stand on floors, lowest first: [`ids`] and [`text`]; [`program`]; [`input`], which reads all
//! formats; and [`check`], which knows programs alone.

pub mod check;
pub mod ids;
pub mod input;
pub mod program;
pub mod text;
