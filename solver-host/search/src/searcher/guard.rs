//! The guards that a search has taken. What they are for says `guards.rs`.

use solver_gpu::Lit;

/// The guards of a search.
#[derive(Default)]
pub struct Guards {
    /// How many were taken.
    pub taken: u32,
    /// That of the present question.
    pub present: Option<Lit>,
}
