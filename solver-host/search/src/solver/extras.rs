//! What goes into a search besides the question, and what comes out of it besides answer sets.
//!
//! Before a search and while it goes on the user may add propagators ([`Solver::propagate_by`]; what happens
//! then is in `searcher/propagation/`) and clauses ([`Solver::add_clause`]).
//!
//! [`Solver::record_domain`] is clasp's `--enum-mode=domRec`. Heuristic directives give some atoms a level,
//! and the search prefers a value of these *domain atoms*. A domain atom *deviates* in an answer set if it
//! has another value than the preferred one; without a preferred value it always does. After each answer set
//! a clause over its deviations excludes all answer sets with the same deviations or more.
//!
//! A search may write a proof (`--proof`, [`Solver::proved`]), a trace (`--trace`, [`Solver::trace`]), and
//! what it has learned, as nogoods over the program's atoms (`--lemma-out`, [`Solver::with_lemmas`] and
//! [`Solver::lemmas`]). How it is written is in `searcher/proof/` and `searcher/trace/`.
//!
//! Invariants: domain atoms are decided before all others, and as they are preferred. So no answer set has a
//! part only of the deviations of the one that the search finds, unless it was excluded before. No answer set
//! violates a lemma. What the search learns from the program alone holds in every answer set. After an answer
//! set, or under a bound on costs, a learned nogood may exclude others; then it has to follow from the
//! program's nogoods, and from lemmas, by unit propagation.

use super::company::Others;
use super::deviations::Deviations;
use super::differing::{provable, refuse_untold, UNPROVED};
use super::lead::At;
use super::Solver;
use crate::campaign::plan::Phase;
use crate::options::{Heuristic, OptStrategy, Options, ParallelMode, Symmetry, Usc};
use crate::searcher::problem::Problem;
use crate::searcher::proof::{Ledger, ProofSink};
use crate::searcher::propagation::{nogood_of, Taking};
use crate::searcher::{Sink, LEAST_WORDS};
use crate::{AllSearched, Goal, SolveError, Task};
use solver_gpu::{Lit, Var};
use std::collections::HashSet;
use std::io::Write;
use std::sync::Arc;
use yasmin_device::DeviceKind;
use yasmin_ground::program::Program;
use yasmin_nogoods::Implied;

/// How many nogoods are looked at at most to find out which of those that were learned hold in every answer
/// set.
const EFFORT: u64 = 1 << 26;

/// What a search that is proved does where the options leave the strategy open: turns cannot be proved (see
/// [`OptStrategy::undone`]).
fn proved_strategy(options: &Options) -> OptStrategy {
    match (options.opt_strategy, options.parallel_mode) {
        (OptStrategy::Auto, ParallelMode::Searchers(1)) => OptStrategy::Usc(Usc::default()),
        (strategy, _) => strategy,
    }
}

impl Solver {
    /// Lets these propagators take part in the search from now on, in place of those that did before. All
    /// searchers are on the processor.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] if the options say otherwise, symmetries are broken, or the search is
    /// traced or proved; [`SolveError::NoAtom`] if a watched literal is about no atom.
    pub fn propagate_by(&mut self, propagators: Vec<Taking>) -> Result<(), SolveError> {
        if !propagators.is_empty() {
            let (searcher, refuse) = (&self.lead.searcher, SolveError::refuse);
            refuse(
                !matches!(searcher.options.device, DeviceKind::Cpu | DeviceKind::Simt),
                "propagators take part in searches on the processor alone: the device has to be cpu",
            )?;
            refuse(
                self.lead.turns.is_some() || self.company.has_other_crews(),
                "propagators take part neither in two searches in turns nor in those of other processes",
            )?;
            let others = self.company.who_may_join(&self.lead, self.campaign.is_guided());
            refuse(
                matches!(others, Some(Others::MayJoin(_, true))),
                "propagators take part in no fleet: ask for searchers on the processor alone",
            )?;
            let is_followed = searcher.is_traced() || searcher.is_proved();
            refuse(is_followed, "a search with propagators is neither traced nor proved")?;
            let is_broken = self.campaign.task.are_symmetries_broken();
            refuse(is_broken, "propagators know nothing of symmetries: keep all answer sets")?;
        }
        self.taking = propagators;
        match self.company.others {
            // The search is the first member's until the crew rests.
            Others::Crew(_) => Ok(()),
            _ => self.lead.searcher.propagate_by(0, self.taking.clone()),
        }
    }

    /// Adds a clause between two answer sets: one of the literals holds in each further answer set, until
    /// something else is assumed. The search stays a single one.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] if several searchers search, or the search is not one of answer sets one
    /// by one; [`SolveError::NoAtom`] if a literal is about no atom; else if the device fails.
    pub fn add_clause(&mut self, lits: &[Lit]) -> Result<(), SolveError> {
        let refuse = SolveError::refuse;
        refuse(
            matches!(self.company.others, Others::MayJoin(0, _) | Others::Crew(_)),
            "clauses are added to a search by one searcher: ask for one, on the processor",
        )?;
        refuse(
            self.lead.turns.is_some() || self.campaign.is_guided(),
            "clauses are added to a search that goes from one answer set to the next: bb does",
        )?;
        let task = &self.campaign.task;
        refuse(
            self.lead.searcher.is_traced() || self.lead.searcher.is_proved() || task.are_symmetries_broken(),
            "clauses are added to no search that is traced, proved, or without symmetric answer sets",
        )?;
        task.check_atoms(lits)?;
        self.company.others = Others::None;
        // What was found already and not told of.
        self.campaign.kept.retain(|answer| lits.iter().any(|&lit| answer.holds(lit)));
        let prepared = &self.campaign.task.prepared;
        if matches!(self.lead.at, At::Over(_)) || prepared.unsatisfiable {
            return Ok(());
        }
        match nogood_of(lits.iter().map(|&lit| prepared.literal_of(lit))) {
            Some(nogood) => self.lead.searcher.tell_between(&nogood),
            None => Ok(()),
        }
    }

    /// Tells the propagators that the search is over, so that they undo all decisions. Other searchers
    /// return.
    ///
    /// # Errors
    /// Those of the propagators.
    pub fn end_propagation(&mut self) -> Result<(), SolveError> {
        if self.has_propagators() {
            self.stop_searchers();
        }
        self.lead.searcher.end_propagation()
    }

    /// Lets each answer set exclude all that share its deviations from what heuristic directives prefer.
    /// Answer sets with the fewest deviations are found then, as sets: one for each set of deviations that
    /// includes no other one's. The search becomes a single searcher. This must be called before the search
    /// begins.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] if which answer sets are found would depend on the order of decisions,
    /// or if the search is not one for answer sets one by one.
    pub fn record_domain(&mut self) -> Result<(), SolveError> {
        let (plan, refuse) = (&self.campaign.plan, SolveError::refuse);
        refuse(
            self.lead.searcher.options.heuristic != Heuristic::Domain,
            "domain recording: answer sets are excluded by what the domain heuristic prefers: say \
             --heuristic=Domain",
        )?;
        refuse(
            plan.phase() != Phase::Enumerate,
            "domain recording: an answer set on the way to an optimum or to consequences would exclude \
             others: ask for --opt-mode=enum or ignore",
        )?;
        refuse(
            plan.projected().is_some(),
            "domain recording: answer sets are told apart by their domain atoms: leave the projection out",
        )?;
        refuse(
            self.company.has_other_crews(),
            "domain recording: one searcher searches: other processes cannot join it",
        )?;
        let deviations = Deviations::of(self.program());
        let deviations =
            deviations.map_err(|why| SolveError::Contradiction(format!("domain recording: {why}")))?;
        self.company.others = Others::None;
        self.lead.searcher.is_one_by_one = true;
        self.recording = Some(deviations);
        Ok(())
    }

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
        let options = provable(&program, Options { opt_strategy: proved_strategy(&options), ..options })?;
        let why = "a formula in DIMACS, WCNF or OPB cannot be proved: write it as a program";
        SolveError::refuse(!program.negations.is_empty(), why)?;
        let problem = Problem::of(Task::to_prove(program, &options, &goal)?)?;
        let mut solver = Solver::of(&Arc::new(problem), options)?;
        let in_kernels = solver.program().differences.is_some() && !solver.lead.searcher.has_propagator();
        SolveError::refuse(in_kernels, UNPROVED)?;
        let ledger = Ledger::begin(&solver.campaign.task, sink)?;
        solver.lead.searcher.begin_proof(ledger)?;
        solver.campaign.prove();
        solver.company.may_spread(&mut solver.lead, &mut solver.campaign);
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
        refuse_untold(self.program())?;
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
        refuse_untold(&program)?;
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
