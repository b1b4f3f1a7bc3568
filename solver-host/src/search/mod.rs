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
mod statistics;
mod swarm;
#[cfg(all(test, feature = "executors"))]
mod threads;
mod tracing;
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
pub use searcher::TRACE_SCHEMA;
pub use statistics::{Statistics, SwarmStatistics};
pub use swarm::is_opening_device;

use crate::device::Executor;
use crate::program::Program;
use assume::Assumed;
use checking::Checking;
use optimum::Guide;
use plan::{Conclusion, Phase, Plan};
use refuted::Refuted;
use searcher::Searcher;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;
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

/// What to do first when the search goes on.
enum Resume {
    /// Nothing was searched yet.
    Start,
    /// An answer set was reported.
    AfterAnswer,
    /// The caller interrupted.
    Anywhere,
    /// Nothing is left to search.
    Over(AllSearched),
}

/// A search for the answer sets of one program.
pub struct Solver {
    plan: Plan,
    /// The solver's own search: the only one, unless there is a crew.
    searcher: Searcher,
    /// The way to the optimum, if an optimum is looked for by another way than by one answer set after another.
    guide: Option<Guide>,
    /// What is assumed, if the library's user said so.
    assumed: Option<Assumed>,
    resume: Resume,
    /// Answer sets that were found and that nobody has asked for yet.
    kept: VecDeque<AnswerSet>,
    checking: Checking,
    swarm: SwarmState,
    /// How many answer sets the caller is going to ask for; 0: all.
    wanted: u64,
    /// Whether the caller wants to know only how many there are.
    only_counts: bool,
    /// Why the device whose searchers were to join does not.
    absent: Option<SolveError>,
    /// How many searchers there are on the processor, and why there are no more, if more were asked for.
    fewer: Option<(usize, SolveError)>,
    /// When the caller last asked for an answer set.
    asked_at: Instant,
}

impl Solver {
    /// Translates `program` and copies it to the device.
    ///
    /// # Errors
    /// If it has too many nogoods, there is no such device, or not enough memory.
    pub fn new(program: Program, options: Options) -> Result<Self, SolveError> {
        Self::with_goal(program, options, Goal::default())
    }

    /// The same, for another goal than answer sets (or an optimal one, if the program minimizes).
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_goal(program: Program, options: Options, goal: Goal) -> Result<Self, SolveError> {
        if let Some(contradiction) = options.contradiction() {
            return Err(SolveError::Contradiction(contradiction));
        }
        let mut solver = Self::of(&Arc::new(Problem::new(program, &options, &goal)?), options)?;
        solver.may_spread();
        Ok(solver)
    }

    /// A search of a problem, which other searches may share: each has memory of its own and may run on a
    /// thread of its own. Such a search is a single one, whatever its options say of searchers.
    ///
    /// # Errors
    /// [`SolveError::OtherOptions`] if `options` differ from those that the problem was prepared with in what
    /// preparing depends on; else as [`Self::new`].
    pub fn of(problem: &Arc<Problem>, options: Options) -> Result<Self, SolveError> {
        Self::wrapped(problem, options, |executor| executor)
    }

    /// The same, on an executor that `wrap` makes of the search's own.
    fn wrapped(
        problem: &Arc<Problem>,
        options: Options,
        wrap: impl FnOnce(Box<dyn Executor>) -> Box<dyn Executor>,
    ) -> Result<Self, SolveError> {
        let started = Instant::now();
        let mut plan = problem.plan.clone();
        let resume = match Refuted::by_preparing(&problem.prepared).map(|refuted| plan.conclude(refuted)) {
            Some(Conclusion::Over(all)) => Resume::Over(all),
            _ => Resume::Start,
        };
        let mut solver = Solver {
            searcher: Searcher::new(problem, options, wrap)?,
            plan,
            guide: None,
            assumed: None,
            resume,
            kept: VecDeque::new(),
            checking: Checking::default(),
            swarm: SwarmState::Alone,
            wanted: 0,
            only_counts: false,
            absent: None,
            fewer: None,
            asked_at: started,
        };
        solver.find_guide();
        Ok(solver)
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.problem().program()
    }

    /// What the search searches.
    fn problem(&self) -> &Arc<Problem> {
        &self.searcher.problem
    }

    /// Whether the best answer set that was found is known to be optimal.
    pub fn is_optimum_known(&self) -> bool {
        self.plan.is_optimum_known()
    }

    /// Costs that no answer set is below, compared highest priority first; empty if nothing is minimized.
    pub fn lower_bound(&self) -> Vec<i64> {
        self.plan.lower_bound()
    }

    /// Searches for the next answer set; each is found once. `interrupt` is asked every few milliseconds.
    ///
    /// # Errors
    /// If the device fails or memory runs out. The search cannot be continued then.
    pub fn next_answer(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        // Of millions of answer sets most are there already, and looking at the clock takes as long as
        // finding one.
        if self.is_next_at_hand() {
            if let Some(answer) = self.kept.pop_front() {
                let step = self.answer(answer);
                return self.checked(step);
            }
        }
        if self.is_refuted() {
            return Ok(Step::Exhausted);
        }
        self.asked_at = Instant::now();
        let step = match &self.swarm {
            SwarmState::Spread(_) => self.search_by_all(interrupt),
            SwarmState::Single(..) => self.search_then_spread(interrupt),
            SwarmState::Fleet => {
                self.launch_fleets()?;
                self.search_by_all(interrupt)
            }
            SwarmState::Alone => self.search_alone(interrupt),
        };
        if matches!(step, Ok(Step::Exhausted)) {
            self.note_core()?;
        }
        self.searcher.statistics.solve_seconds += self.asked_at.elapsed().as_secs_f64();
        self.plan_checks();
        self.checked(step?)
    }

    /// Whether the next answer set was found already, and is to be told.
    pub fn is_next_at_hand(&self) -> bool {
        // In another phase it may be worse than the last one.
        self.plan.phase() == Phase::Enumerate && !self.kept.is_empty()
    }

    /// The answer sets that were not found yet, one by one; an error is the last that comes.
    ///
    /// See `examples/answer_sets.rs`.
    pub fn answers(&mut self) -> impl Iterator<Item = Result<AnswerSet, SolveError>> + '_ {
        let mut is_over = false;
        std::iter::from_fn(move || {
            if is_over {
                return None;
            }
            let next = self.next_answer(&|| false);
            is_over = !matches!(next, Ok(Step::Answer(_)));
            match next {
                Ok(Step::Answer(answer)) => Some(Ok(answer)),
                Ok(Step::Exhausted | Step::Interrupted | Step::Counted(_)) => None,
                Err(error) => Some(Err(error)),
            }
        })
    }
}
