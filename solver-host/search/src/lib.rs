//! The search for answer sets.
//!
//! Main type: [`Solver`]; main function: [`Solver::next_answer`]. Floors, lowest first: `options`, `goal` and
//! other values; `campaign`, which is what is asked and what is known, without a device; `searcher`, one
//! search on one device; `crew`, several searchers; `solver`; and `desk`, several solvers of one problem.

mod answer;
#[cfg(all(test, feature = "executors"))]
mod asked;
mod campaign;
mod crew;
mod desk;
mod effort;
mod error;
mod goal;
#[cfg(test)]
mod lockstep;
mod minimal;
mod options;
#[cfg(test)]
mod scale;
mod searcher;
#[cfg(test)]
mod sharing;
mod solver;
mod statistics;
#[cfg(all(test, feature = "executors"))]
mod threads;

pub use answer::AnswerSet;
pub use campaign::plan::AllSearched;
pub use campaign::task::Task;
pub use crew::arriving::Peer;
pub use crew::assist::{assist, Helped, Helper};
pub use crew::joining::is_opening_device;
pub use crew::link::Patience;
pub use desk::{Desk, Finding, Inquiry, Own};
pub use error::SolveError;
pub use goal::{Consequences, Goal, Optimization, Projection, Reasoning};
pub use minimal::{minimal_core, WithoutOne};
pub use options::{
    Check, Decide, Descent, Engine, GpuMemory, GpuSearchers, Heuristic, Learning, LoopCheck, OptStrategy,
    Options, ParallelMode, Portfolio, ProofFormat, Racers, Restarts, SaveProgress, SearcherThreads, Shrink,
    SignDef, Symmetry, TransExt, Usc, When, OTHER_RELAXATIONS, OTHER_SHRINKS,
};
pub use searcher::problem::Problem;
pub use searcher::proof::{Part, ProofSink};
pub use searcher::propagation::{
    Assignment, Checks, Failure, PropagateControl, Propagator, Validity, Wishes,
};
pub use searcher::TRACE_SCHEMA;
pub use solver::{Legacy, Solver, Step};
pub use statistics::{Passed, Statistics, SwarmStatistics};
pub use yasmin_ground::check::Flaw;
pub use yasmin_nogoods::{Growth, Preprocess};
