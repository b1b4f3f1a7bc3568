//! The search for answer sets.
//!
//! Main type: [`Solver`]; main function: [`Solver::next_answer`]. A solver knows what is asked for and what is known of
//! it (`plan`, `optimum`, `checking`); one search on one device is a `searcher`, and several are a `swarm`.

mod alone;
mod answer;
mod assume;
mod block;
mod checking;
mod counting;
mod ending;
mod error;
mod extend;
mod goal;
#[cfg(test)]
mod lockstep;
mod memory;
mod minimality;
mod optimum;
mod options;
mod plan;
mod problem;
mod rank;
mod refuted;
#[cfg(test)]
mod scale;
mod searcher;
#[cfg(test)]
mod sharing;
mod solver;
mod statistics;
mod swarm;
#[cfg(all(test, feature = "executors"))]
mod threads;
mod trace;
mod upload;
mod watch;

pub use crate::check::Flaw;
pub use crate::nogoods::Preprocess;
pub use answer::AnswerSet;
pub use error::SolveError;
pub use goal::{Consequences, Goal, Optimization, Projection, Reasoning};
pub use options::{
    Check, Decide, Descent, Engine, GpuMemory, GpuSearchers, Heuristic, Learning, LoopCheck, OptStrategy,
    Options, ParallelMode, Portfolio, Restarts, SearcherThreads, Shrink, SignDef, Team, Usc, When,
    OTHER_RELAXATIONS, OTHER_SHRINKS,
};
pub use plan::AllSearched;
pub use problem::Problem;
pub use solver::Solver;
pub use statistics::{Statistics, SwarmStatistics};
pub use swarm::is_opening_device;
pub use trace::TRACE_SCHEMA;

use solver::Resume;
use swarm::SwarmState;

/// What one step of the search for answer sets came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The next answer set.
    Answer(AnswerSet),
    /// So many further answer sets, none of which is told (see [`Solver::only_count`]).
    Counted(u64),
    /// There are no more.
    Exhausted,
    /// The caller asked to stop; the search can be continued.
    Interrupted,
}
