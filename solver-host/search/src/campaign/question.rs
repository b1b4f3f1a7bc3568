//! What a phase of a plan looks for, in the terms of a proof: see `docs/proof.md`.
//!
//! Main function: [`Plan::question`].

use super::plan::Plan;
use crate::goal::{Optimization, Projection, Reasoning};
use yasmin_ground::program::Program;

/// What a proof has to prove next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What is looked for.
    pub kind: Kind,
    /// The largest costs, compared highest priority first. Priorities without a number are free.
    pub bounds: Vec<i64>,
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All answer sets.
    All,
    /// All answer sets that differ in an atom of a projection statement.
    Projected,
    /// All answer sets that differ in what is shown.
    Shown,
    /// The optimum.
    Optimum,
    /// Brave consequences.
    Brave,
    /// Cautious consequences.
    Cautious,
    /// Brave consequences, whatever the projection statement says.
    BraveShown,
    /// Cautious consequences, whatever the projection statement says.
    CautiousShown,
}

impl Kind {
    /// The number of the kind in the step `q`.
    pub fn code(self) -> i64 {
        1 + self as i64
    }
}

impl Plan {
    /// What the present phase looks for.
    pub fn question(&self, program: &Program) -> Question {
        let goal = self.goal();
        let minimizes = !program.minimize.is_empty() && goal.optimization != Optimization::Ignore;
        let improves = minimizes && goal.optimization != Optimization::Enum && self.phases_before() == 0;
        let shows = goal.projection == Projection::Show;
        let kind = match (goal.reasoning, goal.projection) {
            _ if improves => Kind::Optimum,
            (Reasoning::Brave, _) if shows => Kind::BraveShown,
            (Reasoning::Cautious, _) if shows => Kind::CautiousShown,
            (Reasoning::Brave, _) => Kind::Brave,
            (Reasoning::Cautious, _) => Kind::Cautious,
            (Reasoning::Enumerate, Projection::No) => Kind::All,
            (Reasoning::Enumerate, Projection::Project) => Kind::Projected,
            (Reasoning::Enumerate, Projection::Auto) if program.projection.is_some() => Kind::Projected,
            (Reasoning::Enumerate, _) => Kind::Shown,
        };
        let bounds = match self.best() {
            Some(best) if self.phases_before() > 0 => best.to_vec(),
            _ if minimizes => goal.bound.iter().copied().take(program.minimize.len()).collect(),
            _ => Vec::new(),
        };
        Question { kind, bounds }
    }
}
