//! The answers to a question, one by one: [`Answers`], and [`Asked`] for callers who keep the control to themselves.

use crate::{Answer, Control, Error, Literal, Optimization, Question, Statistics};

/// A question that was asked, and what is known of it so far. [`Control::advance`] goes on with it.
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
    pub fn core(&self) -> Option<&[Literal]> {
        self.core.as_deref()
    }

    /// The optimal costs, highest priority first, once they are proved.
    pub fn optimum(&self) -> Option<&[i64]> {
        // An answer set after which nothing is left to search is the best one, though the search has not gone on.
        let improves = self.question.goal.optimization == Optimization::Opt && !self.last_costs.is_empty();
        let last = (improves && self.is_exhausted()).then_some(&self.last_costs[..]);
        self.optimum.as_deref().or(last)
    }

    /// Costs that no answer set is below, highest priority first; empty if nothing is minimized.
    pub fn lower_bound(&self) -> &[i64] {
        &self.lower_bound
    }
}

/// The answers to a question. Each is searched for when it is asked for.
pub struct Answers<'a> {
    pub(crate) control: &'a mut Control,
    pub(crate) asked: Asked,
}

impl Answers<'_> {
    /// See [`Asked::is_exhausted`].
    pub fn is_exhausted(&self) -> bool {
        self.asked.is_exhausted()
    }

    /// See [`Asked::is_satisfiable`].
    pub fn is_satisfiable(&self) -> Option<bool> {
        self.asked.is_satisfiable()
    }

    /// See [`Asked::core`].
    pub fn core(&self) -> Option<&[Literal]> {
        self.asked.core()
    }

    /// See [`Asked::optimum`].
    pub fn optimum(&self) -> Option<&[i64]> {
        self.asked.optimum()
    }

    /// See [`Asked::lower_bound`].
    pub fn lower_bound(&self) -> &[i64] {
        self.asked.lower_bound()
    }

    /// The statistics of all searches for this goal so far.
    pub fn statistics(&self) -> Statistics {
        self.control.statistics(&self.asked).unwrap_or_default()
    }
}

impl Iterator for Answers<'_> {
    type Item = Result<Answer, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.control.advance(&mut self.asked, &|| false) {
            Ok(Progress::Answer(answer)) => Some(Ok(answer)),
            Ok(Progress::Over | Progress::Interrupted) => None,
            Err(error) => Some(Err(error)),
        }
    }
}
