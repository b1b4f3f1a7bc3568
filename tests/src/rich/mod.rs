//! Small random programs with everything that aspif can say, their meaning by the definition, and the comparison.
//!
//! Main functions: [`generate()`] makes the program of a seed, [`Meaning::of`] tries all sets of its atoms, [`compare()`] solves it in
//! every way of reasoning and compares. [`program`] has the plain form that all three share, [`read()`] reads that form from the text of a
//! ground program.

mod compare;
mod generate;
mod meaning;
pub mod program;
mod read;
mod weighted;

pub use compare::{
    compare, external_programs, heavy_programs, leave_out, overlapping_programs, programs, weighted_programs,
    wide_programs,
};
pub use generate::{generate, generate_external, generate_overlapping, generate_wide};
pub use meaning::{consequences, defined, printed, projections, Meaning};
pub use program::Rich;
pub use read::{read, read_aspif};
pub use weighted::{generate_heavy, generate_weighted};
