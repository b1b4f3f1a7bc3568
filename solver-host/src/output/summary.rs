//! What is known at the end of a run, in numbers.
//!
//! Main type: [`Summary`].

use serde_json::{Map, Value};

use super::failure::{Failure, Trouble};
use crate::search::{AllSearched, Consequences, Reasoning};

/// Why a search ended before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// As many answer sets were found as were asked for, or one that is good enough.
    Enough,
    /// The search met as many conflicts or restarts as it was given.
    SolveLimit,
    /// A signal, such as Ctrl-C.
    Interrupted,
    /// The time limit passed.
    TimeLimit,
}

/// How a run ended. Whether everything is known comes from this value alone. Only a search can say that all
/// was searched: nothing that stops a search becomes [`Ending::AllSearched`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing is left to search.
    AllSearched(AllSearched),
    /// The search was stopped, and there may be more.
    Stopped(Stop),
    /// The run failed, and there may be more.
    Failed(Failure),
}

impl Default for Ending {
    /// The run was told to stop.
    fn default() -> Ending {
        Ending::Stopped(Stop::Enough)
    }
}

impl Ending {
    /// The end of a run that failed so, of which no more is known.
    pub fn failed(trouble: Trouble, error: impl Into<String>) -> Ending {
        Ending::Failed(Failure::new(trouble, error))
    }

    /// Whether nothing is left to search.
    pub fn is_all_searched(&self) -> bool {
        matches!(self, Ending::AllSearched(_))
    }

    /// What stopped the search, if something did.
    pub fn stop(&self) -> Option<Stop> {
        match self {
            Ending::Stopped(stop) => Some(*stop),
            _ => None,
        }
    }

    /// The failure that ended the run, if one did.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Ending::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// Whether nothing that was said before can be relied on.
    pub fn is_doubt(&self) -> bool {
        self.failure().is_some_and(|failure| failure.trouble == Trouble::Doubt)
    }
}

/// What is known of the program at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is an answer set.
    Satisfiable,
    /// There is one, and the costs of the best are known.
    OptimumFound,
    /// There is none.
    Unsatisfiable,
    /// The search ended before it found one or showed that there is none.
    Unknown,
}

impl Verdict {
    /// The words clasp prints.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Satisfiable => "SATISFIABLE",
            Verdict::OptimumFound => "OPTIMUM FOUND",
            Verdict::Unsatisfiable => "UNSATISFIABLE",
            Verdict::Unknown => "UNKNOWN",
        }
    }
}

/// Seconds, all since the program started unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// The whole run.
    pub total: f64,
    /// From the start of the search to its end.
    pub solve: f64,
    /// From the start of the search to the first answer set; 0 if there was none.
    pub first_model: f64,
    /// From the last answer set (or the start of the search) to the proof that there is no further one; 0
    /// without.
    pub unsat: f64,
    /// Processor time of all threads.
    pub cpu: f64,
}

/// Who searched, if there were several searchers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Searchers {
    /// How many there were.
    pub searchers: u64,
    /// The number of the one that ended the search, from 0, if one did.
    pub winner: Option<u64>,
}

/// What a checker of proofs has accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Proved {
    /// What is proved, in words.
    pub proved: String,
    /// How long the check took, in seconds.
    pub seconds: f64,
}

/// What the calls of the solver before the present one came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// How many there were.
    pub calls: u64,
    /// How many answer sets they found.
    pub models: u64,
}

/// Everything that is said at the end of a run, or of one call of the solver.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// How many answer sets were found, in the last call of the solver.
    pub models: u64,
    /// How many calls came before the last one, one for each step of the program, and how many answer sets
    /// they found.
    pub before: Before,
    /// How many of them were known to be optimal when they were found.
    pub optimal: u64,
    /// How the run ended.
    pub ending: Ending,
    /// How answer sets were looked at.
    pub reasoning: Reasoning,
    /// Whether the search was for an optimum.
    pub optimizes: bool,
    /// Whether the last answer set is known to be optimal, however the run ended.
    pub is_last_optimal: bool,
    /// The costs of the last answer set, which is the best if the search is for an optimum; empty without
    /// any.
    pub costs: Vec<i128>,
    /// What is proved of the optimum, priority by priority; empty if nothing is.
    pub lower: Vec<i128>,
    /// How far the consequences are known after the last answer set.
    pub consequences: Option<Consequences>,
    /// Where the time went.
    pub times: Times,
    /// Who searched, if there were several searchers.
    pub searchers: Option<Searchers>,
    /// What is proved, if a proof was checked.
    pub proved: Option<Proved>,
    /// What excludes each other, if there is no answer set and that was asked for.
    pub explanation: Option<Vec<String>>,
    /// The solver's statistics, if they were asked for and can be had.
    pub statistics: Option<Map<String, Value>>,
}

impl Summary {
    /// How many answer sets all calls found.
    pub fn all_models(&self) -> u64 {
        self.before.models + self.models
    }

    /// What is known of the program.
    pub fn verdict(&self) -> Verdict {
        match self.models {
            _ if self.ending.is_doubt() => Verdict::Unknown,
            0 if self.ending.is_all_searched() => Verdict::Unsatisfiable,
            0 => Verdict::Unknown,
            _ if self.is_optimum_known() => Verdict::OptimumFound,
            _ => Verdict::Satisfiable,
        }
    }

    /// Whether the last answer set has costs, and is optimal or the last there is. As with clasp, that says
    /// no more than that all were found if the search was not for an optimum.
    pub fn is_optimum_known(&self) -> bool {
        let is_proved = self.ending.is_all_searched() || self.is_last_optimal && !self.ending.is_doubt();
        self.models > 0 && !self.costs.is_empty() && is_proved
    }

    /// How many answer sets are known to be optimal.
    pub fn optimal(&self) -> u64 {
        self.optimal.max((self.optimizes && self.is_optimum_known()) as u64)
    }

    /// The name of the consequences that were asked for, and how far they are known, if anything is.
    ///
    /// After an exhausted search none is open: none that was not found in an answer set is brave, and each
    /// that was in all is cautious.
    pub fn consequences(&self) -> Option<(&'static str, Consequences)> {
        let Consequences { known, open } = self.consequences.filter(|_| self.models > 0)?;
        match self.reasoning {
            Reasoning::Enumerate => None,
            Reasoning::Brave if self.ending.is_all_searched() => {
                Some(("Brave", Consequences { known, open: 0 }))
            }
            Reasoning::Brave => Some(("Brave", Consequences { known, open })),
            Reasoning::Cautious if self.ending.is_all_searched() => {
                Some(("Cautious", Consequences { known: known + open, open: 0 }))
            }
            Reasoning::Cautious => Some(("Cautious", Consequences { known, open })),
        }
    }

    /// What is proved of the optimum, while it is not known; empty if nothing is.
    pub fn lower(&self) -> &[i128] {
        match self.optimizes && !self.is_optimum_known() && !self.ending.is_doubt() {
            true => &self.lower,
            false => &[],
        }
    }
}

/// The statement that nothing is left, as a search of the program without rules makes it.
#[cfg(test)]
pub(super) fn all_searched() -> AllSearched {
    use crate::{device::DeviceKind, program::ProgramBuilder, search};
    let program = ProgramBuilder::default().build().expect("no rules");
    let options = search::Options { device: DeviceKind::Cpu, ..search::Options::default() };
    let mut solver = search::Solver::new(program, options).expect("no rules");
    assert!(matches!(solver.next_answer(&|| false), Ok(search::Step::Answer(_))));
    solver.all_searched().expect("nothing is open")
}
