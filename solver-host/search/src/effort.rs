//! How much a search has done, by which others decide what it does next.

/// How much a search has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// The number of conflicts that it has met.
    pub conflicts: u64,
    /// How many literals the nogoods have that it has learned, together.
    pub literals: u64,
    /// The number of literals that it has assigned without a decision.
    pub propagations: u64,
    /// The number of its decisions, without assumptions.
    pub decisions: u64,
}
