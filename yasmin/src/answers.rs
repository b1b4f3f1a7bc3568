//! The answers to a question, one by one: [`Answers`].

use crate::{Answer, Error, Literal, Optimization, Question, Statistics};
use solver_host::search::{Solver, Step};

/// The answers to a question. Each is searched for when it is asked for.
pub struct Answers<'a> {
    pub(crate) solver: &'a mut Solver,
    pub(crate) question: Question,
    pub(crate) found: u64,
    pub(crate) last_costs: Vec<i64>,
    pub(crate) end: Option<End>,
}

/// Why no further answer comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// There is none.
    Exhausted,
    /// As many were found as were wanted, or it was time to stop.
    Stopped,
    /// The search has failed.
    Failed,
}

impl Answers<'_> {
    /// Whether the search is over, and no answer was left out.
    pub fn is_exhausted(&self) -> bool {
        self.end == Some(End::Exhausted)
    }

    /// Whether there is an answer set, if that is known.
    pub fn is_satisfiable(&self) -> Option<bool> {
        match (self.found, self.end) {
            (1.., _) => Some(true),
            (0, Some(End::Exhausted)) => Some(false),
            _ => None,
        }
    }

    /// Assumptions and values of external atoms that exclude each other, once there is no answer set: no answer set has all
    /// of these literals. The list is empty if the program has no answer set at all.
    pub fn core(&self) -> Option<Vec<Literal>> {
        // Without assumptions nothing is needed but the program.
        let core = self.solver.core().unwrap_or_default();
        (self.is_satisfiable() == Some(false)).then(|| core.iter().map(|&lit| Literal(lit)).collect())
    }

    /// The optimal costs, highest priority first, once they are proved.
    pub fn optimum(&self) -> Option<Vec<i64>> {
        // An answer set after which nothing is left to search is the best one, though the search has not gone on.
        let improves = self.question.goal.optimization == Optimization::Opt && !self.last_costs.is_empty();
        let last = (improves && self.is_exhausted()).then_some(&self.last_costs[..]);
        self.solver.optimum().or(last).map(<[i64]>::to_vec)
    }

    /// Costs that no answer set is below, highest priority first; empty if nothing is minimized.
    pub fn lower_bound(&self) -> Vec<i64> {
        self.solver.lower_bound()
    }

    /// The statistics of all searches for this goal so far.
    pub fn statistics(&self) -> Statistics {
        self.solver.statistics()
    }
}

impl Iterator for Answers<'_> {
    type Item = Result<Answer, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.end.is_some() {
            return None;
        }
        if self.question.limit > 0 && self.found >= self.question.limit {
            self.end = Some(if self.solver.all_searched().is_some() { End::Exhausted } else { End::Stopped });
            // What the last answer set claims is verified.
            return self.solver.check_end().err().map(|error| Err(error.into()));
        }
        let question = &self.question;
        match self.solver.next_answer(&|| question.is_over()) {
            Ok(Step::Answer(set)) => {
                self.found += 1;
                self.last_costs.clone_from(&set.costs);
                Some(Ok(Answer { set, task: self.solver.task().clone() }))
            }
            Ok(step) => {
                self.end = Some(if step == Step::Exhausted { End::Exhausted } else { End::Stopped });
                None
            }
            Err(error) => {
                self.end = Some(End::Failed);
                Some(Err(error.into()))
            }
        }
    }
}
