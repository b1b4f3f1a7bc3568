//! The solver: a search for answer sets that may be asked again and again, whatever the last answer was.
//!
//! Main type: [`Solver`]; main function: [`Solver::next_answer`]. A solver has a campaign (what is asked and
//! what is known), a lead (the search of its own), and company (the others). This file says what they are and
//! what a caller may ask; `searching` has the loop, and says when others join, `again` how the search goes on
//! when something else is asked, and `extras` has what else goes in and comes out.

mod again;
mod assumed;
mod company;
mod consort;
mod deviations;
mod differing;
pub(super) mod exchange;
mod extras;
mod lead;
mod legacy;
mod searching;
mod sought;
mod symmetries;
#[cfg(test)]
mod tests;
mod turns;

use super::campaign::plan::{AllSearched, Phase};
use super::campaign::refuted::Refuted;
use super::campaign::task::Task;
use super::campaign::Campaign;
use super::searcher::problem::Problem;
use super::searcher::propagation::Taking;
use super::{AnswerSet, Goal, Options, Peer, SolveError, Statistics};
use assumed::Assumed;
use company::Company;
use deviations::Deviations;
use exchange::Exchange;
use lead::{At, Lead};
pub use legacy::Legacy;
use sought::Symmetries;
use std::sync::Arc;
use std::time::Instant;
use yasmin_device::Executor;
use yasmin_ground::program::Program;

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

/// A search for the answer sets of one program.
pub struct Solver {
    pub(super) campaign: Campaign,
    /// The solver's own search: the only one, unless there is a crew.
    pub(super) lead: Lead,
    /// The others.
    pub(super) company: Company,
    /// What is assumed, if the library's user said so.
    assumed: Option<Assumed>,
    /// The propagators that take part in the search.
    taking: Vec<Taking>,
    /// What excludes further answer sets, if the domain atoms of each answer set do.
    recording: Option<Deviations>,
    /// Where the solver meets others that answer other questions, if there are any.
    exchange: Option<Exchange>,
    symmetries: Symmetries,
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
        let options = differing::fitting(&program, options)?;
        let solver = Self::spreading(options, || Task::new(program, &options, &goal))?;
        differing::refuse_fleets(&solver.company.others, solver.program())?;
        Ok(solver)
    }

    /// A solver of what is prepared if the options fit together. Others may join its search.
    fn spreading(
        options: Options,
        prepare: impl FnOnce() -> Result<Task, SolveError>,
    ) -> Result<Self, SolveError> {
        if let Some(contradiction) = options.contradiction() {
            return Err(SolveError::Contradiction(contradiction));
        }
        let mut solver = Self::of(&Arc::new(Problem::of(prepare()?)?), options)?;
        solver.company.may_spread(&mut solver.lead, &mut solver.campaign);
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
    pub(super) fn wrapped(
        problem: &Arc<Problem>,
        options: Options,
        wrap: impl FnOnce(Box<dyn Executor>) -> Box<dyn Executor>,
    ) -> Result<Self, SolveError> {
        let is_fitting = differing::fitting(problem.program(), options)? == options;
        SolveError::refuse(
            !is_fitting,
            "these options are not those of a search with difference constraints",
        )?;
        let (lead, campaign) = Lead::of(problem, options, wrap)?;
        Ok(Solver {
            campaign,
            lead,
            company: Company::default(),
            assumed: None,
            taking: Vec::new(),
            recording: None,
            exchange: None,
            symmetries: Symmetries::default(),
        })
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        self.campaign.task.program()
    }

    /// The program, ready for searching.
    pub fn task(&self) -> &Arc<Task> {
        &self.campaign.task
    }

    /// What is searched, for other solvers to share (see [`Solver::of`]).
    pub fn problem(&self) -> &Arc<Problem> {
        &self.lead.searcher.problem
    }

    /// What is asked of each search.
    pub fn goal(&self) -> &Goal {
        self.campaign.plan.goal()
    }

    /// The costs of the best answer set, highest priority first, if they are known to be optimal.
    pub fn optimum(&self) -> Option<&[i64]> {
        self.campaign.plan.optimum()
    }

    /// Whether the best answer set that was found is known to be optimal.
    pub fn is_optimum_known(&self) -> bool {
        self.campaign.plan.is_optimum_known()
    }

    /// Costs that no answer set is below, compared highest priority first; empty if nothing is minimized.
    pub fn lower_bound(&self) -> Vec<i64> {
        self.campaign.plan.lower_bound()
    }

    /// Whether propagators take part in the search.
    fn has_propagators(&self) -> bool {
        !self.taking.is_empty() || self.program().differences.is_some()
    }

    /// Says that the caller knows a lower bound: [`Solver::next_answer`] returns [`Step::Interrupted`] as
    /// soon as [`Solver::lower_bound`] is above it. `None`, as at first: the caller does not ask.
    pub fn interrupt_above(&mut self, known: Option<Vec<i64>>) {
        self.campaign.known_bound = known;
    }

    /// Says that the caller wants the number of answer sets and no answer set itself. Then
    /// [`Solver::next_answer`] may return [`Step::Counted`].
    pub fn only_count(&mut self) {
        self.campaign.only_counts = true;
    }

    /// Says how many answer sets the caller is going to ask for; 0: all. If it wants one, searchers race for
    /// that one, and [`Solver::next_answer`] returns [`Step::Interrupted`] after that answer set.
    pub fn want(&mut self, answers: u64) {
        self.campaign.wanted = answers;
        if self.campaign.task.nogoods.is_some() {
            // Nothing is to be learned that excludes the one answer set.
            self.lead.searcher.stops_at_answers = answers == 1;
        }
    }

    /// Says that the caller asks for no more than it has said with [`Solver::want`], nor for anything else
    /// afterwards. With [`Symmetry::Auto`](super::Symmetry::Auto) the search for one answer set or one
    /// optimum may then exclude answer sets that a symmetry maps to others.
    pub fn asks_once(&mut self) {
        if self.program().differences.is_none() {
            self.symmetries = Symmetries::Possible;
        }
    }

    /// Searches for the next answer set; each is found once. `interrupt` is asked every few milliseconds.
    ///
    /// # Errors
    /// If the device fails or memory runs out. The search cannot be continued then.
    /// [`SolveError::Contradiction`] if symmetries are broken, and more is asked for than one answer set or
    /// one optimum.
    pub fn next_answer(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        // Of millions of answer sets most are there already, and looking at the clock takes as long as
        // finding one.
        while self.campaign.is_next_at_hand() {
            if let Some(answer) = self.campaign.kept.pop_front() {
                if self.campaign.is_repeated(&answer) {
                    continue;
                }
                let step = self.tell(answer);
                return self.checked(step);
            }
        }
        if self.core().is_some() {
            self.lead.prove_end_of_call(self.assumed.as_ref())?;
            return Ok(Step::Exhausted);
        }
        if !matches!(self.lead.at, At::Over(_)) {
            self.campaign.check_symmetries(self.lead.searcher.statistics.answer_sets)?;
        }
        self.lead.asked_at = Instant::now();
        let step = self.search(interrupt);
        if matches!(step, Ok(Step::Exhausted)) {
            if let Some(assumed) = &mut self.assumed {
                self.lead.note_core(assumed, self.company.crew())?;
            }
            self.lead.prove_end_of_call(self.assumed.as_ref())?;
        }
        let statistics = &mut self.lead.searcher.statistics;
        statistics.solve_seconds += self.lead.asked_at.elapsed().as_secs_f64();
        self.campaign.plan_checks(statistics.solve_seconds);
        self.checked(step?)
    }

    /// Verifies what is due before a step is handed out. An answer set then excludes what domain recording
    /// lets it exclude.
    fn checked(&mut self, step: Step) -> Result<Step, SolveError> {
        if let Step::Answer(answer) = &step {
            if self.assumed.as_ref().is_some_and(|assumed| !assumed.holds_in(answer)) {
                return Err(SolveError::Contradicts("an answer set violates an assumption".into()));
            }
            let is_last = self.campaign.asks_for_last() && self.all_searched().is_some();
            self.campaign.check_answer(answer, is_last)?;
            if let Some(deviations) = &self.recording {
                let clause = deviations.clause(|lit| answer.holds(lit));
                self.add_clause(&clause)?;
            }
            return Ok(step);
        }
        self.campaign.check_optimum()?;
        if step == Step::Exhausted {
            self.campaign.check_end()?;
        }
        Ok(step)
    }

    /// The statement that nothing is left to search, if that is known: no step but [`Step::Exhausted`]
    /// follows. If an answer set needed no open decision, there is nothing else to try. clasp tells that as
    /// well: its exit code for a program of facts says that the search is exhausted.
    pub fn all_searched(&self) -> Option<AllSearched> {
        if let Some(core) = self.core() {
            return Some(AllSearched::by_core(core));
        }
        let searcher = &self.lead.searcher;
        if !self.campaign.kept.is_empty() || self.campaign.excludes_others(searcher.statistics.answer_sets) {
            return None;
        }
        let refuted = match (&self.lead.at, self.company.crew()) {
            (&At::Over(all), _) => return Some(all),
            // The search's own control words say nothing of the other searchers.
            (_, Some(crew)) => crew.refuted(),
            (At::Start | At::Anywhere, _) => None,
            // The device went on after the last answer set that the device kept, and wrote what it found.
            (At::Told, _) if searcher.keeps_answers() => Refuted::by_one(&searcher.memory.state),
            (At::Told, _) => {
                // Answer sets that differ in costs alone count as different on the way to an optimum.
                let is_enumerated = self.campaign.plan.phase() == Phase::Enumerate;
                let projects = searcher.memory.search.problem.project == 1 && is_enumerated;
                Refuted::by_only_answer(&searcher.memory.state, projects)
            }
        };
        self.campaign.plan.foresees_end(refuted?)
    }

    /// Whether the next answer set was found already, and is to be told.
    pub fn is_next_at_hand(&self) -> bool {
        self.campaign.is_next_at_hand()
    }

    /// The answer sets that were not found yet, one by one; an error is the last that comes.
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

    /// Verifies the last answer set, unless that was done, and compares what is claimed at the end with all
    /// that was told. This is for the caller who wants no further answer set; a search that is exhausted has
    /// done it.
    ///
    /// # Errors
    /// [`SolveError::WrongAnswer`] if the answer set is wrong, [`SolveError::Contradicts`] if a claim is.
    pub fn check_end(&mut self) -> Result<(), SolveError> {
        self.campaign.check_end()?;
        match self.all_searched() {
            Some(_) => self.lead.prove_end_of_call(self.assumed.as_ref()),
            None => Ok(()),
        }
    }

    /// Lets the crew at the other end of a stream search along as soon as others join this search (see
    /// [`assist`](crate::assist)). Waits until that crew says that it is there, for as long as `interrupt`,
    /// which is asked every few milliseconds, lets it. This must be called before the search begins.
    ///
    /// # Errors
    /// [`SolveError::Crew`] if the stream fails, if what comes is no message of such a crew, or if the wait
    /// is over. [`SolveError::Contradiction`] if the options let nobody join, or if the crew [may
    /// go](Peer::may_go) and the search is proved.
    pub fn admit(&mut self, peer: Peer, interrupt: &dyn Fn() -> bool) -> Result<(), SolveError> {
        self.let_crews_join(&peer)?;
        self.company.admit(&self.lead, &self.campaign.task, peer, interrupt)
    }

    /// The same without waiting: the crew joins when it has said that it is there, and others have joined. If
    /// it comes too late, or never, it has no part in the search.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] as [`Solver::admit`]; [`SolveError::Threads`]. What becomes of the
    /// stream is told by the search.
    pub fn admit_later(&mut self, peer: Peer) -> Result<(), SolveError> {
        self.let_crews_join(&peer)?;
        self.company.expect(&self.lead, &self.campaign.task, peer)
    }

    /// The statistics of all searchers so far.
    pub fn statistics(&self) -> Statistics {
        let searcher = &self.lead.searcher;
        let mut all = searcher.counts();
        let of = self.campaign.counts();
        all.add(&of);
        (all.checked_answers, all.check_seconds) = (of.checked_answers, of.check_seconds);
        if let Some(parked) = &self.lead.parked {
            parked.add_to(&mut all);
        }
        self.company.add_to(&mut all);
        // Each searcher counts the memory of its own search alone.
        all.bytes_on_device += searcher.problem.traffic().peak_memory;
        all.options = searcher.options.by_name();
        all
    }

    /// Ends the search of all searchers, so that the statistics are complete. The search cannot be continued.
    /// Returns the number of answer sets that were counted since [`Solver::next_answer`] last returned such a
    /// number.
    ///
    /// A search by a single searcher is left as it is.
    pub fn stop_searchers(&mut self) -> u64 {
        let is_traced = self.lead.searcher.is_traced();
        let Some(crew) = self.company.crew_mut() else { return 0 };
        crew.stop(is_traced);
        self.lead.note_counted(crew.counted_since()).unwrap_or(0)
    }
}
