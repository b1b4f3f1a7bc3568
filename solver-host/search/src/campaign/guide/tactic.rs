//! Tactics: ways to find an optimum by assumptions.
//!
//! Main type: [`Tactic`]. The guide tells a tactic of answer sets and refutations. The tactic says what to assume next
//! and what to add to the search. It knows literals and numbers, and nothing of the search.

use crate::Statistics;
use solver_gpu::{Lit, Var};

/// A tactic's judgement whether there may be a better answer set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There may be a better one. The search goes on under the tactic's assumptions.
    GoesOn,
    /// There may be a better one. The search goes on as it is, without a jump.
    Stays,
    /// The best answer set so far is optimal, or there is none.
    Over,
}

/// A literal with a weight.
pub type Weighted = (Lit, i64);

/// A sum that is to be added to the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Addition {
    /// A sum nogood: the literal must not hold while the items that hold weigh more than the number.
    Nogood(Lit, Vec<Weighted>, i64),
    /// A definition: the literal holds if and only if the items that hold weigh at least the number.
    Defined(Lit, i64, Vec<Weighted>),
}

/// What a tactic has concluded, for a proof. A step of a proof may use what the conclusions before say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The literal, of a new variable, stands for: the items that hold weigh at least the number.
    Stands(Lit, i64, Vec<Weighted>),
    /// At least one of the literals `costs` holds, each of which costs `weight` or more at a priority. From now on,
    /// `weight` is paid for the first of them that hold, whichever they are.
    Relaxed {
        /// The index of the priority.
        level: usize,
        /// The weight.
        weight: i64,
        /// What costs that much.
        costs: Vec<Lit>,
    },
    /// The literal, which stands for "at least `k` of the literals of a relaxed core hold", costs `weight` more than before
    /// at a priority, and so accounts for the `k`th of them.
    Counted {
        /// The index of the priority.
        level: usize,
        /// The weight.
        weight: i64,
        /// The literal that stands for the sum.
        lit: Lit,
    },
    /// The literal holds, which stands for a sum of all that costs at a priority. So the costs are at least what the sum has
    /// to reach.
    Least {
        /// The index of the priority.
        level: usize,
        /// The literal that stands for the sum.
        lit: Lit,
    },
}

/// The variables and sums that a tactic adds to the search before it goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Additions {
    /// The number of new variables.
    pub vars: u32,
    /// The new sums.
    pub sums: Vec<Addition>,
}

impl Additions {
    /// Whether there is nothing to add.
    pub fn is_empty(&self) -> bool {
        self.vars == 0 && self.sums.is_empty()
    }

    /// Adds a sum that demands that all of these literals hold.
    pub fn demand(&mut self, lits: impl Iterator<Item = Lit>) {
        let items: Vec<Weighted> = lits.map(|lit| (!lit, 1)).collect();
        if !items.is_empty() {
            self.sums.push(Addition::Nogood(Lit::TRUE, items, 0));
        }
    }
}

/// A way to find an optimum. Costs are the values of the counters, without the costs that every answer set pays.
pub trait Tactic: Send {
    /// Whether the search has the goal that answer sets are better. Else it finds any answer set under the assumptions.
    fn demands_better(&self) -> bool;

    /// Whether nothing but the goal of the search says how much a better answer set may cost.
    fn is_bounded_by_goal(&self) -> bool {
        false
    }

    /// These literals, of atoms of choice rules, hold in the best answer set. Called before
    /// [`Tactic::answered`] and [`Tactic::told`].
    fn chosen(&mut self, _chosen: &[Lit]) {}

    /// The search has found an answer set. `costs` are those of the best one so far.
    fn answered(&mut self, costs: &[i64]) -> Verdict;

    /// Another search has found an answer set with the costs `costs`, which is the best one so far.
    fn told(&mut self, costs: &[i64]) -> Verdict;

    /// The assumptions are refuted: no better answer set has all literals of `core`.
    fn refuted(&mut self, core: &[Lit]) -> Verdict;

    /// Whether the refutation of the assumptions `core` says nothing of answer sets without one of these
    /// assumptions.
    fn is_local(&self, _core: &[Lit]) -> bool {
        false
    }

    /// The search is proved, so what the tactic adds needs a reason of which a proof has a step.
    fn prove(&mut self) {}

    /// Concludes for a proof what it means that the assumptions `core` are refuted. [`Tactic::refuted`] does so as well.
    fn conclude(&mut self, _core: &[Lit]) {}

    /// Takes what was concluded, in order.
    fn reasons(&mut self) -> Vec<Reason>;

    /// The search met as many conflicts as [`Tactic::budget`] allows.
    fn gave_up(&mut self) -> Verdict;

    /// The literals to assume now.
    fn assumptions(&self) -> Vec<Lit>;

    /// The most conflicts that the search may meet under the assumptions, if there is a limit.
    fn budget(&self) -> Option<u64>;

    /// Whether nothing is to be found but a refutation, so that a search without conflicts is in vain.
    fn is_trial(&self) -> bool {
        false
    }

    /// Takes what is to be added before the search goes on. New variables are numbered on from the last one, and at
    /// first from the number that the tactic was made with.
    fn additions(&mut self) -> Additions;

    /// A lower bound on the costs of all answer sets, compared highest priority first.
    fn lower(&self) -> &[i64];

    /// The statistics that the tactic counts.
    fn counts(&self) -> Statistics {
        Statistics::default()
    }
}

/// Numbers for new variables.
#[derive(Clone, Copy, Debug)]
pub struct NextVar(pub u32);

impl NextVar {
    /// Takes a new variable and counts it in `additions`.
    pub fn take(&mut self, additions: &mut Additions) -> Var {
        let var = Var(self.0);
        self.0 += 1;
        additions.vars += 1;
        var
    }
}
