//! The goal of a search: which answer sets it looks for, and what it tells of them.

/// What a search looks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goal {
    /// Answer sets one by one, or their union or intersection.
    pub reasoning: Reasoning,
    /// What to do about minimize statements.
    pub optimization: Optimization,
    /// The largest costs that an answer set may have, compared highest priority first. Priorities without a number are
    /// free, so an empty bound allows every answer set.
    pub bound: Vec<i64>,
    /// Which answer sets count as different.
    pub projection: Projection,
}

/// How answer sets are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reasoning {
    /// One by one.
    #[default]
    Enumerate,
    /// The atoms that are true in at least one: each answer makes the union larger.
    Brave,
    /// The atoms that are true in all: each answer makes the intersection smaller.
    Cautious,
}

/// What to do about minimize statements, as clasp's `--opt-mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Optimization {
    /// Find one optimal answer set; each answer is better than the one before.
    #[default]
    Opt,
    /// Find answer sets within the bound.
    Enum,
    /// Find the optimum as `Opt` does, then all optimal answer sets.
    OptN,
    /// Ignore them.
    Ignore,
}

/// Which answer sets count as different, as clasp's `--project`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Projection {
    /// Those that differ in any atom.
    #[default]
    No,
    /// Those that differ in an atom of a projection statement, if there is one, else in what is printed.
    Auto,
    /// Those that differ in what is printed.
    Show,
    /// Those that differ in an atom of a projection statement.
    Project,
}

/// How far the consequences are known (brave and cautious reasoning).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consequences {
    /// The number of printed names that are consequences for sure.
    pub known: u64,
    /// The number of names that may still turn out to be consequences (brave), or not to be (cautious).
    pub open: u64,
}
