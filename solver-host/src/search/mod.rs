//! The search: the paper's Algorithm 1, driven by the host, with all state on the device.
//!
//! Main type: [`Solver`]; main function: [`Solver::next_answer`]. During a search the host reads the control words
//! ([`solver_gpu::State`]), and answer sets, cores and traces when there are any.

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
mod resident;
#[cfg(test)]
mod scale;
#[cfg(test)]
mod sharing;
mod statistics;
mod swarm;
#[cfg(all(test, feature = "executors"))]
mod threads;
mod trace;
mod upload;
mod watch;
mod words;

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
pub use statistics::{Statistics, SwarmStatistics};
pub use swarm::is_opening_device;
pub use trace::TRACE_SCHEMA;

use crate::device::{DeviceError, Executor, Kernel, Traffic, Work};
use crate::program::Program;
use assume::Assumed;
use checking::Checking;
use memory::Memory;
use minimality::{Checked, Minimality};
use optimum::{Course, Guide};
use plan::{Conclusion, Phase, Plan};
use refuted::Refuted;
use solver_gpu::kernels::backjump::{ANSWER, LEARNED, RESTART};
use solver_gpu::kernels::rephase;
use solver_gpu::layout::{BETTER, MAX_LEARNED, NARROW};
use solver_gpu::next_step::NextStep;
use solver_gpu::schedule::has_many_learned;
use solver_gpu::Lit;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;
use swarm::SwarmState;
use trace::Tracing;

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
    problem: Arc<Problem>,
    plan: Plan,
    minimality: Option<Minimality>,
    options: Options,
    memory: Memory,
    /// The way to the optimum, if an optimum is looked for by another way than by one answer set after another.
    guide: Option<Guide>,
    /// What is assumed, if the library's user said so.
    assumed: Option<Assumed>,
    resume: Resume,
    is_resident: bool,
    /// Whether there may be learned nogoods.
    has_learned: bool,
    /// Answer sets that the device found and nobody asked for yet.
    kept: VecDeque<AnswerSet>,
    setup: Traffic,
    checking: Checking,
    /// What the solver itself has counted, besides what its kernels count (see `counting`).
    statistics: Statistics,
    swarm: SwarmState,
    tracing: Option<Tracing>,
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
        if let Some(option) = problem.differs(&options) {
            return Err(SolveError::OtherOptions(option));
        }
        let started = Instant::now();
        let minimality = Minimality::new(problem.program(), options);
        let mut plan = problem.plan.clone();
        let resume = match Refuted::by_preparing(&problem.prepared).map(|refuted| plan.conclude(refuted)) {
            Some(Conclusion::Over(all)) => Resume::Over(all),
            _ => Resume::Start,
        };
        let executor = wrap(problem.uploaded.sibling(options.setup())?);
        let mut memory = Memory::new(executor, problem.uploaded.clone(), &options, plan.goal_sum())?;
        let is_resident = options.engine != Engine::Host;
        memory.load_kernels(is_resident)?;
        let statistics = Statistics {
            device: memory.executor().name(),
            seed: options.seed,
            prepare_seconds: problem.prepare_seconds,
            setup_seconds: problem.upload_seconds + started.elapsed().as_secs_f64(),
            program: problem.prepared.report,
            preprocess: problem.prepared.preprocessed,
            ..Statistics::default()
        };
        let mut solver = Solver {
            setup: memory.executor().traffic(),
            is_resident,
            has_learned: false,
            kept: VecDeque::new(),
            checking: Checking::default(),
            memory,
            guide: None,
            assumed: None,
            resume,
            problem: problem.clone(),
            plan,
            minimality,
            options,
            statistics,
            swarm: SwarmState::Alone,
            tracing: None,
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
        self.problem.program()
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
        let step = match (&self.swarm, self.is_resident) {
            (SwarmState::Spread(_), _) => self.search_by_all(interrupt),
            (SwarmState::Single(..), true) => self.search_then_spread(interrupt),
            (SwarmState::Fleet, true) => {
                self.launch_fleets()?;
                self.search_by_all(interrupt)
            }
            (_, true) => self.search_resident(interrupt),
            (_, false) => self.search(interrupt),
        };
        if matches!(step, Ok(Step::Exhausted)) {
            self.note_core()?;
        }
        self.statistics.solve_seconds += self.asked_at.elapsed().as_secs_f64();
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

    // ANCHOR: algorithm_1
    /// Algorithm 1, with a launch for each step.
    fn search(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        match std::mem::replace(&mut self.resume, Resume::Anywhere) {
            Resume::Start => self.start()?,
            Resume::AfterAnswer => self.go_on_after_answer()?,
            Resume::Anywhere => {}
            Resume::Over(all) => return Ok(self.over(all)),
        }
        loop {
            if matches!(self.resume, Resume::Over(_)) {
                return Ok(Step::Exhausted);
            }
            if interrupt() {
                return Ok(Step::Interrupted);
            }
            self.propagate_and_check()?;
            match self.guide_between()? {
                Course::Same => {}
                Course::GoesOn => continue,
                Course::Ends(refuted) => match self.end_phase(refuted)? {
                    true => continue,
                    false => return Ok(Step::Exhausted),
                },
            }
            if !self.in_conflict() {
                self.note_trace()?;
            }
            let mut is_founded = false;
            loop {
                match self.memory.next_step(is_founded) {
                    NextStep::Exhausted => {
                        if let Some(refuted) = self.guide_refuted()? {
                            if !self.end_phase(refuted)? {
                                return Ok(Step::Exhausted);
                            }
                        }
                    }
                    NextStep::RebuildWatches => {
                        self.memory.rebuild_watches()?;
                        continue;
                    }
                    NextStep::MakeRoom => {
                        self.make_room()?;
                        continue;
                    }
                    NextStep::Learn => self.learn_and_backjump()?,
                    NextStep::CheckFoundedness => {
                        // If a set is unfounded, a loop nogood was learned, which is violated or unit.
                        if self.check_foundedness()? {
                            is_founded = true;
                            continue;
                        }
                    }
                    NextStep::Place => {
                        self.memory.launch(Kernel::Place, Work::OneBlock)?;
                        self.memory.read_state()?;
                        if self.memory.state.root.load() > 0 {
                            // All assumptions hold.
                            continue;
                        }
                    }
                    NextStep::LookAhead => {
                        return Err(SolveError::Internal("a search by the host looks ahead"));
                    }
                    NextStep::Answer => {
                        let answer = self.answer_set()?;
                        match self.check_minimality(&answer, interrupt)? {
                            Checked::Minimal if !self.is_told(&answer) => self.go_on_after_answer()?,
                            Checked::Minimal => {
                                self.trace_answer()?;
                                self.resume = Resume::AfterAnswer;
                                self.statistics.answer_sets += 1;
                                return Ok(Step::Answer(self.judged(answer)));
                            }
                            Checked::Unfounded(nogood) => self.learn_unfounded(&nogood)?,
                            Checked::Interrupted => return Ok(Step::Interrupted),
                        }
                    }
                    NextStep::Incomplete => {
                        return Err(SolveError::Internal("completion left variables open"));
                    }
                    NextStep::Restart => self.restart()?,
                    NextStep::Decide => self.decide_or_complete()?,
                }
                break;
            }
        }
    }
    // ANCHOR_END: algorithm_1

    /// After an answer set: excludes it, or demands that the next one is better or says more.
    fn ask_for_next(&mut self) -> Result<(), SolveError> {
        let how = match self.plan.phase() {
            Phase::Enumerate => {
                return Ok(self.memory.launch_with(Kernel::Backjump, self.trail(), ANSWER)?);
            }
            Phase::Improve => BETTER,
            Phase::Narrow => NARROW,
        };
        self.memory.launch_with(Kernel::Tighten, Work::OneBlock, how)?;
        self.memory.read_state()?;
        self.trace_goal()?;
        match self.in_conflict() {
            true => self.learn_and_backjump(),
            false => Ok(()),
        }
    }

    /// Looks for a smaller model, where foundedness alone does not say that there is none.
    fn check_minimality(
        &mut self,
        answer: &AnswerSet,
        interrupt: &dyn Fn() -> bool,
    ) -> Result<Checked, SolveError> {
        let Some(minimality) = &self.minimality else { return Ok(Checked::Minimal) };
        self.statistics.minimality_checks += 1;
        minimality.unfounded(self.problem.program(), |lit| answer.holds(lit), interrupt)
    }

    /// Learns a loop nogood over the program's atoms, which is violated.
    fn learn_unfounded(&mut self, nogood: &[Lit]) -> Result<(), SolveError> {
        self.statistics.unfounded_sets += 1;
        let lits = nogood.iter().map(|&lit| self.problem.prepared.literal_of(lit));
        let mut lits: Vec<Lit> = lits.filter(|lit| !lit.is_constant()).collect();
        lits.sort_unstable();
        lits.dedup();
        if lits.is_empty() {
            self.memory.state.exhausted.store(1);
            return Ok(self.memory.write_state()?);
        }
        self.fit_learned(1, self.memory.search.problem.vars)?;
        self.memory.write_slot(&lits)?;
        self.memory.launch_with(Kernel::RecordUnfounded, Work::OneBlock, lits.len() as u32)?;
        self.memory.read_state()?;
        self.learn_and_backjump()
    }

    /// PropagateAndCheck, to a fixpoint or a conflict. After it, all proposals are committed.
    fn propagate_and_check(&mut self) -> Result<(), DeviceError> {
        loop {
            for _ in 0..self.memory.executor().rounds_at_once() {
                self.propagate_once()?;
            }
            // Nothing is visited once there is a conflict, so this can only commit.
            self.memory.read_state()?;
            if self.flag(|s| &s.unlisted) {
                self.memory.rebuild_watches()?;
            }
            let state = &self.memory.state;
            let fixpoint = state.committed.load() == state.trail_len.load();
            if self.in_conflict() || fixpoint {
                return Ok(());
            }
        }
    }

    /// One round: commits what was proposed, then visits the nogoods of it, shorter ones first.
    fn propagate_once(&mut self) -> Result<(), DeviceError> {
        let (v, state) = (&self.memory.search.problem, &self.memory.state);
        let frontier = state.trail_len.load().saturating_sub(state.committed.load()).max(64);
        let classes = [
            (Kernel::PropagateBinary, v.occurs_binary.is_empty()),
            (Kernel::PropagateTernary, v.occurs_ternary.is_empty()),
            (Kernel::PropagateLong, v.occurs_long.is_empty()),
            (Kernel::PropagateSums, v.sums == 0),
        ];
        self.memory.launch(Kernel::Commit, Work::Warps(frontier))?;
        for (kernel, _) in classes.into_iter().filter(|(_, is_empty)| !is_empty) {
            self.memory.launch(kernel, Work::Blocks(frontier))?;
        }
        if self.has_learned {
            self.memory.launch(Kernel::PropagateLearned, Work::Blocks(frontier))?;
        }
        Ok(())
    }

    /// Learning and Backjump. What was learned, and whether the search is over, is seen when the state is
    /// read next.
    fn learn_and_backjump(&mut self) -> Result<(), SolveError> {
        self.has_learned = true;
        let slots = self.memory.search.settings.slots;
        // After a loop nogood this was not asked before.
        self.fit_conflicts()?;
        // What the conflict's round proposed has to be part of the assignment: the violated nogoods need it.
        self.memory.launch(Kernel::Commit, self.trail())?;
        self.note_trace()?;
        if self.options.learning != Learning::Resolution {
            self.memory.launch(Kernel::LearnForward, Work::Blocks(slots))?;
        }
        if self.options.learning != Learning::Forward {
            self.memory.launch(Kernel::LearnResolution, Work::Blocks(slots))?;
        }
        self.memory.launch(Kernel::RecordLearned, Work::OneBlock)?;
        Ok(self.memory.launch_with(Kernel::Backjump, self.trail(), LEARNED)?)
    }

    /// Makes room for whatever the next step may be.
    fn make_room(&mut self) -> Result<(), SolveError> {
        if self.flag(|s| &s.unlisted) || !self.memory.has_room_for_watches() {
            self.memory.rebuild_watches()?;
        }
        self.fit_conflicts()?;
        self.fit_learned(1, self.memory.search.problem.vars)?;
        Ok(self.memory.fit_level(self.level() + 1)?)
    }

    /// Makes room for what may be learned from one step's conflicts.
    fn fit_conflicts(&mut self) -> Result<(), SolveError> {
        let longest = match self.options.learning {
            Learning::Forward => self.level(),
            Learning::Resolution | Learning::Both => self.memory.search.problem.vars,
        };
        self.fit_learned(self.memory.search.settings.slots, longest)
    }

    /// Makes room for that many learned nogoods, each of at most so many literals.
    fn fit_learned(&mut self, nogoods: u32, longest: u32) -> Result<(), SolveError> {
        if self.learned() as u64 + nogoods as u64 >= MAX_LEARNED as u64 {
            return Err(SolveError::Internal("more than 2^29 learned nogoods"));
        }
        Ok(self.memory.fit_learned(nogoods, nogoods as u64 * longest as u64)?)
    }

    /// Whether no atom that is true or open is unfounded. If some are, a loop nogood of one of them was
    /// learned.
    fn check_foundedness(&mut self) -> Result<bool, SolveError> {
        self.memory.launch(Kernel::Stability, Work::OneBlock)?;
        self.memory.read_state()?;
        let unfounded = self.flag(|s| &s.unfounded);
        self.has_learned |= unfounded;
        if self.in_conflict() {
            self.learn_and_backjump()?;
        }
        Ok(!unfounded)
    }

    /// Starts over, as far as the enumeration allows; deletes learned nogoods if there are many, and begins
    /// the next turn of phases if one is over.
    fn restart(&mut self) -> Result<(), SolveError> {
        self.memory.launch_with(Kernel::Backjump, self.trail(), RESTART)?;
        if has_many_learned(&self.memory.state) {
            let learned = self.learned();
            self.memory.reduce_learned()?;
            self.trace_deleted(learned)?;
        }
        match rephase::is_due(&self.memory.state) {
            true => Ok(self.memory.launch(Kernel::Rephase, Work::OneBlock)?),
            false => Ok(()),
        }
    }

    /// Decision; if nothing is applicable, CompleteAssignment.
    fn decide_or_complete(&mut self) -> Result<(), SolveError> {
        let looked_at = match self.memory.search.own.chunk_best.len() {
            0 => self.memory.search.problem.candidates,
            chunks => chunks as u32,
        };
        self.memory.launch(Kernel::Decide, Work::Threads(looked_at))?;
        Ok(self.memory.launch(Kernel::Complete, Work::Threads(self.memory.search.problem.atom_vars))?)
    }

    fn answer_set(&mut self) -> Result<AnswerSet, DeviceError> {
        let values = self.memory.read_values()?;
        Ok(self.answer_set_of(|p| values[p] > 0))
    }

    /// The answer set in which these of the solver's atoms are true.
    fn answer_set_of(&self, is_true: impl Fn(usize) -> bool) -> AnswerSet {
        AnswerSet::of_solver(&self.problem.prepared, is_true)
    }

    /// The answer set with what the goal wants to know of it.
    fn judged(&mut self, answer: AnswerSet) -> AnswerSet {
        let holds = |lit: Lit| answer.holds(lit);
        let costs = self.plan.costs(self.problem.program(), holds);
        self.plan.note(self.problem.program(), &costs, holds);
        AnswerSet {
            printed: self.plan.printed().map(<[bool]>::to_vec),
            consequences: self.plan.consequences(),
            is_optimal: self.plan.is_optimum_known(),
            costs,
            holds: answer.holds,
        }
    }
}
