//! What a search had done when the present question was asked: [`Before`].

/// See the module's documentation. Other searchers join after so much time, or so many conflicts or answer
/// sets, of each question.
#[derive(Clone, Copy, Default)]
pub struct Before {
    /// How long the solver had searched.
    pub seconds: f64,
    /// The number of conflicts of all searches.
    pub conflicts: u64,
    /// The number of answer sets that were told.
    pub answers: u64,
}
