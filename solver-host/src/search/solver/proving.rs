//! A search whose results are proved: `--proof`.
//!
//! Main functions: [`Solver::proved`] and [`Solver::end_proof`]. What is written, and how, is in `searcher/proof/`.

use super::Solver;
use crate::program::Program;
use crate::search::options::{OptStrategy, Options, ParallelMode, Symmetry, Usc};
use crate::search::searcher::problem::Problem;
use crate::search::searcher::proof::{Ledger, ProofSink};
use crate::search::searcher::LEAST_WORDS;
use crate::search::{AllSearched, Goal, SolveError, Task};
use std::sync::Arc;

/// What a search that is proved does where the options leave the strategy open: turns cannot be proved (see
/// [`OptStrategy::unproved`]).
fn proved_strategy(options: &Options) -> OptStrategy {
    match (options.opt_strategy, options.parallel_mode) {
        (OptStrategy::Auto, ParallelMode::Searchers(1)) => OptStrategy::Usc(Usc::default()),
        (strategy, _) => strategy,
    }
}

impl Solver {
    /// A solver that writes to a sink what proves that nothing is left once it says so. [`Self::end_proof`]
    /// has to be called after the search. If the sink is a part of a proof, it is the first one, and each
    /// crew that is admitted writes another one.
    ///
    /// # Errors
    /// As [`Solver::new`]; [`SolveError::Contradiction`] if the program is a formula, an optimum is
    /// looked for in turns, or symmetries are to be broken; [`SolveError::Proof`] if the sink cannot be
    /// written or the program is too large.
    pub fn proved(
        program: Program,
        options: Options,
        goal: Goal,
        sink: ProofSink,
    ) -> Result<Solver, SolveError> {
        Solver::proved_with_ring(program, options, goal, sink, LEAST_WORDS)
    }

    /// The same, with a ring of at least `least` words and of no more than are needed. A search with a small ring returns
    /// to the host more often.
    ///
    /// # Errors
    /// As for [`Solver::proved`].
    pub fn proved_with_ring(
        program: Program,
        options: Options,
        goal: Goal,
        sink: ProofSink,
        least: usize,
    ) -> Result<Solver, SolveError> {
        if let Some(contradiction) = options.contradiction().or_else(|| options.opt_strategy.unproved()) {
            return Err(SolveError::Contradiction(contradiction));
        }
        if options.symmetry == Symmetry::Yes {
            return Err(SolveError::Contradiction(Symmetry::NOT_HERE.into()));
        }
        let options = Options { opt_strategy: proved_strategy(&options), ..options };
        if !program.negations.is_empty() {
            let why = "a formula in DIMACS, WCNF or OPB cannot be proved: write it as a program";
            return Err(SolveError::Contradiction(why.into()));
        }
        let problem = Problem::of(Task::to_prove(program, &options, &goal)?)?;
        let mut solver = Solver::of(&Arc::new(problem), options)?;
        let ledger = Ledger::begin(&solver.campaign.task, sink, least)?;
        solver.searcher.begin_proof(ledger)?;
        solver.may_spread();
        Ok(solver)
    }

    /// Writes the proof's last step. With the statement that nothing is left, everything that was asked is proved. Does
    /// nothing if there is no proof, or its last step was written before.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn end_proof(&mut self, all: Option<AllSearched>) -> Result<(), SolveError> {
        self.searcher.end_proof(all.is_some())
    }
}
