//! Which parts of the search space are refuted, of those that searchers have given to each other.
//!
//! Main type: [`Cubes`]. When both sides of a decision are refuted, so is what the decision divided.

/// The cubes of a phase.
#[derive(Default)]
pub struct Cubes {}
