//! A question that was asked, and what is known of it: [`Asked`].

use crate::answer::Answer;
use crate::atom::Literal;
use crate::question::Question;
use solver_host::search::Optimization;

/// A question that was asked, and what is known of it so far. [`Control::advance`](crate::Control::advance)
/// goes on with it.
#[derive(Clone, Debug)]
pub struct Asked {
    pub(crate) question: Question,
    /// Which of the control's solvers searches.
    pub(crate) solver: usize,
    /// Which of the control's questions this is.
    pub(crate) turn: u64,
    pub(crate) found: u64,
    pub(crate) last_costs: Vec<i64>,
    pub(crate) end: Option<End>,
    pub(crate) core: Option<Vec<Literal>>,
    pub(crate) optimum: Option<Vec<i64>>,
    pub(crate) lower_bound: Vec<i64>,
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

/// What a step of a search has come to.
#[derive(Clone, Debug)]
pub enum Progress {
    /// The next answer.
    Answer(Answer),
    /// No further answer comes.
    Over,
    /// [`Asked::lower_bound`] has grown, and the question wants to be told
    /// ([`Question::tell_bounds`](crate::Question::tell_bounds)). The search can go on.
    Bound,
    /// The caller has interrupted the search, which can go on.
    Interrupted,
}

impl Asked {
    pub(crate) fn new(question: &Question, solver: usize, turn: u64) -> Asked {
        Asked {
            question: question.clone(),
            solver,
            turn,
            found: 0,
            last_costs: Vec::new(),
            end: None,
            core: None,
            optimum: None,
            lower_bound: Vec::new(),
        }
    }

    /// Ends the search: no further answer is wanted.
    pub fn stop(&mut self) {
        self.end.get_or_insert(End::Stopped);
    }

    /// Whether no further answer comes.
    pub fn is_over(&self) -> bool {
        self.end.is_some()
    }

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

    /// Assumptions and values of external atoms that exclude each other, once there is no answer set: no
    /// answer set has all of these literals. The list is empty if the program has no answer set at all.
    pub fn core(&self) -> Option<&[Literal]> {
        self.core.as_deref()
    }

    /// The optimal costs, highest priority first, once they are proved.
    pub fn optimum(&self) -> Option<&[i64]> {
        // An answer set after which nothing is left to search is the best one, though the search has not gone
        // on.
        let improves = self.question.goal.optimization == Optimization::Opt && !self.last_costs.is_empty();
        let last = (improves && self.is_exhausted()).then_some(&self.last_costs[..]);
        self.optimum.as_deref().or(last)
    }

    /// Costs that no answer set is below, highest priority first; empty if nothing is minimized.
    pub fn lower_bound(&self) -> &[i64] {
        &self.lower_bound
    }
}
