//! What a search writes besides answer sets: a proof (`--proof`), a trace (`--trace`), and what it has
//! learned, as nogoods over the program's atoms (`--lemma-out`).
//!
//! Main functions: [`Solver::proved`], [`Solver::trace`] and [`Solver::with_lemmas`] before the search;
//! [`Solver::end_proof`], [`Solver::end_trace`] and [`Solver::lemmas`] after it. How it is written is in
//! `searcher/proof/` and `searcher/trace/`.
//!
//! Invariant: no answer set violates a lemma. What the search learns from the program alone holds in every
//! answer set. After an answer set, or under a bound on costs, a learned nogood may exclude others; then it
//! has to follow from the program's nogoods, and from lemmas, by unit propagation.

use super::company::Others;
use super::lead::At;
use super::Solver;
use crate::campaign::plan::Phase;
use crate::options::{OptStrategy, Options, ParallelMode, Symmetry, Usc};
use crate::searcher::problem::Problem;
use crate::searcher::proof::{Ledger, ProofSink};
use crate::searcher::{Sink, LEAST_WORDS};
use crate::{AllSearched, Goal, SolveError, Task};
use solver_gpu::{Lit, Var};
use std::collections::HashSet;
use std::io::Write;
use std::sync::Arc;
use yasmin_ground::program::Program;
use yasmin_nogoods::Implied;

/// How many nogoods are looked at at most to find out which of those that were learned hold in every answer
/// set.
const EFFORT: u64 = 1 << 26;

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
        if let Some(contradiction) = options.contradiction().or_else(|| options.opt_strategy.undone("proved"))
        {
            return Err(SolveError::Contradiction(contradiction));
        }
        SolveError::refuse(options.symmetry == Symmetry::Yes, Symmetry::NOT_HERE)?;
        let options = Options { opt_strategy: proved_strategy(&options), ..options };
        let why = "a formula in DIMACS, WCNF or OPB cannot be proved: write it as a program";
        SolveError::refuse(!program.negations.is_empty(), why)?;
        let problem = Problem::of(Task::to_prove(program, &options, &goal)?)?;
        let mut solver = Solver::of(&Arc::new(problem), options)?;
        let ledger = Ledger::begin(&solver.campaign.task, sink)?;
        solver.lead.searcher.begin_proof(ledger)?;
        solver.may_spread();
        Ok(solver)
    }

    /// Writes the proof's last step. With the statement that nothing is left, everything that was asked is
    /// proved. Does nothing if there is no proof, or its last step was written before.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn end_proof(&mut self, all: Option<AllSearched>) -> Result<(), SolveError> {
        self.lead.searcher.end_proof(all.is_some())
    }

    /// Has the search write what it does to `to`, in at most `limit` events, or in any number of them if that
    /// is 0. If the options name a number of searchers on the processor, these join as in a search without a
    /// trace; else the search is a single searcher from then on. This must be called before the search
    /// begins, and [`Self::end_trace`] after it.
    ///
    /// # Errors
    /// If `to` cannot be written, the device has too little memory or fails, the program is too large to be
    /// traced, or the options name a strategy of two searches in turns. Without a strategy a traced search
    /// for an optimum goes from one answer set to a better one.
    pub fn trace(&mut self, to: Box<dyn Write + Send>, limit: u64) -> Result<(), SolveError> {
        self.trace_with_ring(to, limit, LEAST_WORDS)
    }

    /// The same, with a ring of at least `least` words and of no more than are needed. A search with a small
    /// ring returns to the host more often.
    ///
    /// # Errors
    /// As for [`Self::trace`].
    pub(crate) fn trace_with_ring(
        &mut self,
        to: Box<dyn Write + Send>,
        limit: u64,
        least: usize,
    ) -> Result<(), SolveError> {
        let searchers = match (&self.company.others, self.lead.searcher.options.parallel_mode) {
            (Others::MayJoin(searchers, _), ParallelMode::Searchers(2..)) => *searchers,
            _ => 1,
        };
        self.company.others = if searchers > 1 { Others::MayJoin(searchers, false) } else { Others::None };
        let strategy = self.lead.searcher.options.opt_strategy;
        if self.campaign.is_guided() {
            if let Some(why) = strategy.undone("traced") {
                return Err(SolveError::Contradiction(why));
            }
        }
        if strategy == OptStrategy::Auto {
            self.lead.leave_guide(&mut self.campaign);
        }
        self.lead.turns = None;
        let is_guided = self.campaign.is_guided();
        self.lead.searcher.begin_trace(Sink { to, limit, least, searchers, is_guided })
    }

    /// Writes the trace's last line, which says whether the search space is exhausted. Does nothing if there
    /// is no trace, or its last line was written before.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub fn end_trace(&mut self) -> Result<(), SolveError> {
        self.lead.searcher.end_trace(matches!(self.lead.at, At::Over(_)))
    }

    /// The same as [`Solver::with_goal`], and the search can tell what it has learned ([`Solver::lemmas`]).
    ///
    /// # Errors
    /// As [`Solver::with_goal`], and [`SolveError::Contradiction`] if symmetries are to be broken.
    pub fn with_lemmas(program: Program, options: Options, goal: Goal) -> Result<Self, SolveError> {
        let why = "lemmas hold in every answer set, and symmetries exclude some: keep all answer sets";
        SolveError::refuse(options.symmetry == Symmetry::Yes, why)?;
        Self::spreading(options, || Task::with_lemmas(program, &options, &goal))
    }

    /// Ends the search, and returns nogoods over the program's atoms that the searchers of the processor
    /// have learned or taken over, and have not deleted: each once, with its LBD, the best ones first. None
    /// of them is about atoms that the input does not name. No answer set violates any of them. There are
    /// none unless the solver is one [with lemmas](Solver::with_lemmas).
    ///
    /// # Errors
    /// If the device fails.
    pub fn lemmas(&mut self) -> Result<Vec<(u32, Vec<Lit>)>, SolveError> {
        let task = self.campaign.task.clone();
        let Some(nogoods) = task.nogoods.as_ref().filter(|_| !task.prepared.unsatisfiable) else {
            return Ok(Vec::new());
        };
        let hold = self.learned_from_program_alone();
        self.rest(false)?;
        let hold = hold && !self.lead.searcher.is_tagged;
        let mut learned = self.lead.searcher.learned()?;
        for member in &mut self.company.resting.members {
            learned.extend(member.searcher.learned()?);
        }
        // A search for an optimum may add variables.
        let vars = task.prepared.vars;
        learned.retain(|(_, lits)| lits.iter().all(|lit| lit.var() < Var(vars)));
        if !hold {
            let mut implied = Implied::of(nogoods, vars, EFFORT);
            learned.retain(|(_, lits)| {
                let follows = implied.follows(lits);
                if follows {
                    implied.add(lits);
                }
                follows
            });
        }
        let program = task.program();
        let is_named =
            |lit: &Lit| program.number(lit.var()).is_some_and(|number| number <= program.largest_number);
        let mut lemmas = Vec::new();
        for lemma in task.prepared.lemmas(program.atoms, &learned) {
            let over_atoms = lemma.over_atoms().unwrap_or_default();
            let named = over_atoms.into_iter().filter(|nogood| nogood.iter().all(is_named));
            lemmas.extend(named.map(|nogood| (lemma.lbd, nogood)));
        }
        lemmas.sort_by_key(|(lbd, nogood)| (*lbd, nogood.len()));
        let mut seen = HashSet::new();
        lemmas.retain(|(_, nogood)| seen.insert(nogood.clone()));
        Ok(lemmas)
    }

    /// Whether nothing but the program has led to what the searchers have learned: no bound on costs, and
    /// no answer set that a search goes on from.
    fn learned_from_program_alone(&self) -> bool {
        let is_free = self.campaign.task.plan.phase() == Phase::Enumerate
            && self.campaign.plan.goal().bound.is_empty()
            && self.recording.is_none()
            && self.campaign.kept.is_empty();
        let found = self.lead.searcher.statistics.answer_sets;
        is_free
            && match (&self.company.others, &self.lead.at) {
                (Others::Crew(crew), _) => crew.goes_on_from_none(0),
                (_, At::Told) => found == 1 && !self.lead.searcher.keeps_answers(),
                _ => found == 0,
            }
    }
}
