//! What a way to an optimum is asked for, and what it asks of the search.
//!
//! Main type: [`Tactic`]. A tactic is told of answer sets and refutations, and says what to assume next and
//! what to add to the search. It knows literals and numbers, and nothing of the search.

use crate::search::Statistics;
use solver_gpu::{Lit, Var};

/// Whether there may be a better answer set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There may be one: the search goes on, under the tactic's assumptions.
    GoesOn,
    /// The best answer set so far is optimal, or there is none.
    Over,
}

/// A literal with a weight.
pub type Weighted = (Lit, i64);

/// A sum that is to be added to the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Addition {
    /// Nothing may hold the first literal while the weights of the others that hold are more than the number.
    Nogood(Lit, Vec<Weighted>, i64),
    /// The literal holds if and only if the weights of the others that hold are at least the number.
    Defined(Lit, i64, Vec<Weighted>),
}

/// What is to be added to the search before it goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Additions {
    /// How many variables are new.
    pub vars: u32,
    /// The sums.
    pub sums: Vec<Addition>,
}

impl Additions {
    /// Whether there is nothing to add.
    pub fn is_empty(&self) -> bool {
        self.vars == 0 && self.sums.is_empty()
    }

    /// Demands that all of these literals hold.
    pub fn demand(&mut self, lits: impl Iterator<Item = Lit>) {
        let items: Vec<Weighted> = lits.map(|lit| (!lit, 1)).collect();
        if !items.is_empty() {
            self.sums.push(Addition::Nogood(Lit::TRUE, items, 0));
        }
    }
}

/// A way to an optimum. Costs are those of the counters: a tactic knows nothing of what is always paid.
pub trait Tactic: Send {
    /// Whether the search looks for better answer sets only. If not, each answer set under the assumptions
    /// will do.
    fn demands_better(&self) -> bool;

    /// An answer set was found. The best one so far has these costs.
    fn answered(&mut self, costs: &[i64]) -> Verdict;

    /// Another search has found an answer set with these costs.
    fn told(&mut self, costs: &[i64]) -> Verdict;

    /// Whether there is something to add.
    fn has_changed(&self) -> bool;

    /// The assumptions are refuted: no better answer set has all literals of `core`.
    fn refuted(&mut self, core: &[Lit]) -> Verdict;

    /// The search met as many conflicts as [`Tactic::budget`] allows.
    fn gave_up(&mut self) -> Verdict;

    /// What to assume now.
    fn assumptions(&self) -> Vec<Lit>;

    /// How many conflicts the search may meet under the assumptions, if there is a limit.
    fn budget(&self) -> Option<u64>;

    /// What to add before the search goes on. The first new variable is the one that was named when the
    /// tactic was made, or the one after the last that was added.
    fn additions(&mut self) -> Additions;

    /// Costs that no answer set is below, compared highest priority first.
    fn lower(&self) -> &[i64];

    /// What the tactic has counted.
    fn counts(&self) -> Statistics {
        Statistics::default()
    }
}

/// Numbers for new variables.
#[derive(Clone, Copy, Debug)]
pub struct NextVar(pub u32);

impl NextVar {
    /// A new variable, which `additions` has.
    pub fn take(&mut self, additions: &mut Additions) -> Var {
        let var = Var(self.0);
        self.0 += 1;
        additions.vars += 1;
        var
    }
}
