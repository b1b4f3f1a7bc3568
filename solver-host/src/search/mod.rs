//! The search: the paper's Algorithm 1, driven by the host, with all state on the device.
//!
//! Main type: [`Solver`]; main function: [`Solver::next_answer`]. Only the control words ([`solver_gpu::State`]) cross
//! while searching, and an answer set when there is one.

mod goal;
#[cfg(test)]
mod lockstep;
mod memory;
mod minimality;
mod options;
mod plan;
mod rank;
mod resident;
mod statistics;

pub use crate::nogoods::Preprocess;
pub use goal::{Consequences, Goal, Optimization, Projection, Reasoning};
pub use options::{Decide, Engine, Heuristic, Learning, LoopCheck, Options, Restarts, Team};
pub use statistics::Statistics;

use crate::device::{self, DeviceError, Kernel, Traffic, Work};
use crate::nogoods::{prepare, NogoodStore, Prepared, SumStore, TooLarge};
use crate::program::Program;
use memory::Memory;
use minimality::{Checked, Minimality};
use plan::{Phase, Plan};
use solver_gpu::kernels::backjump::{ANSWER, LEARNED, RESTART};
use solver_gpu::kernels::tighten::{BETTER, NARROW};
use solver_gpu::layout::{MAX_NOGOODS, NONE};
use solver_gpu::schedule::{has_many_learned, is_turn_over, is_worthwhile};
use solver_gpu::{Lit, Var};
use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

/// Why a search failed.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum SolveError {
    /// The program has too many nogoods for the solver's indices.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The search is in a state that it should never reach: an error of ours.
    #[error("internal error: {0}; please report it with the program")]
    Internal(&'static str),
}

/// What one step of the search for answer sets came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The next answer set.
    Answer(AnswerSet),
    /// There are no more.
    Exhausted,
    /// The caller asked to stop; the search can be continued.
    Interrupted,
}

/// An answer set: which program atoms are true, and what the goal wants to know beside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerSet {
    holds: Vec<bool>,
    /// Which outputs are printed, where that is not for `holds` to say.
    printed: Option<Vec<bool>>,
    /// The sum of each priority of the minimize statements, highest first; empty if there are none or they are ignored.
    pub costs: Vec<i64>,
    /// Whether it is known to be optimal ([`Optimization::OptN`], after the optimum was found).
    pub is_optimal: bool,
    /// For brave and cautious reasoning: then what is shown of this answer set is the union or intersection so far.
    pub consequences: Option<Consequences>,
}

impl AnswerSet {
    /// The atoms alone.
    fn of(holds: Vec<bool>) -> AnswerSet {
        AnswerSet { holds, printed: None, costs: Vec::new(), is_optimal: false, consequences: None }
    }

    /// Whether a literal over the program's atoms holds.
    pub fn holds(&self, lit: Lit) -> bool {
        self.holds[lit.var().0 as usize] != lit.is_false_sign()
    }

    /// The true atoms, in order.
    pub fn atoms(&self) -> impl Iterator<Item = Var> + '_ {
        (0..self.holds.len()).filter(|&a| self.holds[a]).map(|a| Var(a as u32))
    }

    /// What to print of it: names whose conditions hold, in the order of the input; one that is given twice comes twice.
    pub fn shown<'p>(&self, program: &'p Program) -> Vec<&'p str> {
        let is_printed = |i: usize| match &self.printed {
            Some(printed) => printed[i],
            None => program.outputs[i].condition.iter().all(|&lit| self.holds(lit)),
        };
        (0..program.outputs.len()).filter(|&i| is_printed(i)).map(|i| &program.outputs[i].name[..]).collect()
    }
}

/// What to do first when the search goes on.
enum Resume {
    /// Nothing was searched yet.
    Start,
    /// An answer set was reported.
    AfterAnswer,
    /// The caller interrupted.
    Anywhere,
    /// The search is over.
    Exhausted,
}

/// A search for the answer sets of one program.
pub struct Solver {
    program: Program,
    prepared: Prepared,
    plan: Plan,
    minimality: Option<Minimality>,
    /// Unfounded sets that it found.
    unfounded_sets: u64,
    options: Options,
    memory: Memory,
    resume: Resume,
    is_resident: bool,
    /// Whether there may be learned nogoods.
    has_learned: bool,
    /// Answer sets that the device found and nobody asked for yet.
    kept: VecDeque<AnswerSet>,
    setup: Traffic,
    statistics: Statistics,
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
    pub fn with_goal(mut program: Program, options: Options, goal: Goal) -> Result<Self, SolveError> {
        let started = Instant::now();
        let asked = Plan::prepare(&mut program, &goal);
        let follows = options.heuristic == Heuristic::Domain;
        if follows {
            program.shorten_directives();
        }
        let mut prepared = prepare(&program, options.simplify)?;
        if options.simplify {
            prepared = prepared.preprocess(&program, options.preprocess);
        }
        if options.decide == Decide::Any {
            prepared.decide_any();
        }
        let plan = Plan::new(&program, asked, &mut prepared, &goal);
        if follows {
            prepared.follow(&program);
        }
        let minimality = Minimality::new(&program, options);
        let prepare_seconds = started.elapsed().as_secs_f64();
        let executor = device::open(options.device, options.threads_per_block, options.seed)?;
        let mut memory = Memory::new(executor, &prepared, &options)?;
        memory.search.goal = plan.goal_sum().unwrap_or(NONE);
        let is_resident = options.engine != Engine::Host;
        memory.load_kernels(is_resident)?;
        // They are on the device now.
        (prepared.nogoods, prepared.sums) = (NogoodStore::default(), SumStore::default());
        let statistics = Statistics {
            device: memory.executor().name(),
            prepare_seconds,
            setup_seconds: started.elapsed().as_secs_f64() - prepare_seconds,
            program: prepared.report,
            preprocess: prepared.preprocessed,
            ..Statistics::default()
        };
        Ok(Solver {
            program,
            setup: memory.executor().traffic(),
            is_resident,
            has_learned: false,
            kept: VecDeque::new(),
            memory,
            resume: if prepared.unsatisfiable { Resume::Exhausted } else { Resume::Start },
            prepared,
            plan,
            minimality,
            unfounded_sets: 0,
            options,
            statistics,
        })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Whether the best answer set that was found is known to be optimal.
    pub fn is_optimum_known(&self) -> bool {
        self.plan.is_optimum_known
    }

    /// Costs that no answer set is below, compared highest priority first; empty if nothing is minimized.
    pub fn lower_bound(&self) -> Vec<i64> {
        self.plan.lower_bound()
    }

    /// Counts so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Searches for the next answer set; each is found once. `interrupt` is asked every few milliseconds.
    ///
    /// # Errors
    /// If the device fails or memory runs out. The search cannot be continued then.
    pub fn next_answer(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        // Of millions of answer sets most are there already, and looking at the clock takes as long as finding one.
        if let Some(answer) = self.kept.pop_front() {
            return Ok(self.answer(answer));
        }
        let started = Instant::now();
        let step = match self.is_resident {
            true => self.search_resident(interrupt),
            false => self.search(interrupt),
        };
        self.statistics.solve_seconds += started.elapsed().as_secs_f64();
        self.count();
        step
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
                Ok(Step::Exhausted | Step::Interrupted) => None,
                Err(error) => Some(Err(error)),
            }
        })
    }

    /// Algorithm 1, with a launch for each step.
    fn search(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        match std::mem::replace(&mut self.resume, Resume::Anywhere) {
            Resume::Start => self.initial_propagation()?,
            Resume::AfterAnswer => self.ask_for_next()?,
            Resume::Anywhere => {}
            Resume::Exhausted => return Ok(self.exhausted()),
        }
        loop {
            if interrupt() {
                return Ok(Step::Interrupted);
            }
            self.propagate_and_check()?;
            if self.flag(|s| &s.exhausted) {
                if !self.next_phase()? {
                    return Ok(self.exhausted());
                }
            } else if self.in_conflict() {
                self.learn_and_backjump()?;
            } else if !self.is_founded()? {
                // A loop nogood was learned; it is violated or unit.
            } else if self.is_total() {
                let answer = self.answer_set()?;
                match self.check_minimality(&answer, interrupt)? {
                    Checked::Minimal => {
                        self.resume = Resume::AfterAnswer;
                        self.statistics.answer_sets += 1;
                        return Ok(Step::Answer(self.judged(answer)));
                    }
                    Checked::Unfounded(nogood) => self.learn_unfounded(&nogood)?,
                    Checked::Interrupted => return Ok(Step::Interrupted),
                }
            } else if self.flag(|s| &s.no_candidate) {
                return Err(SolveError::Internal("completion left variables open"));
            } else if self.restart_is_due() {
                self.restart()?;
            } else {
                self.decide_or_complete()?;
            }
        }
    }

    fn exhausted(&mut self) -> Step {
        self.resume = Resume::Exhausted;
        Step::Exhausted
    }

    /// After an answer set: excludes it, or demands that the next one is better or says more.
    fn ask_for_next(&mut self) -> Result<(), SolveError> {
        let how = match self.plan.phase {
            Phase::Enumerate => {
                return Ok(self.memory.launch_with(Kernel::Backjump, self.trail(), ANSWER)?);
            }
            Phase::Improve => BETTER,
            Phase::Narrow => NARROW,
        };
        self.memory.launch_with(Kernel::Tighten, Work::OneBlock, how)?;
        self.memory.read_state()?;
        match self.in_conflict() {
            true => self.learn_and_backjump(),
            false => Ok(()),
        }
    }

    /// Starts what follows once the search space is exhausted; false if nothing does.
    fn next_phase(&mut self) -> Result<bool, SolveError> {
        let Some((counter, most)) = self.plan.next_phase() else { return Ok(false) };
        self.memory.start_over()?;
        self.memory.write_most(counter, &most)?;
        self.memory.search.goal = self.plan.goal_sum().unwrap_or(NONE);
        self.initial_propagation()?;
        Ok(true)
    }

    /// Looks for a smaller model, where foundedness alone does not say that there is none.
    fn check_minimality(
        &mut self,
        answer: &AnswerSet,
        interrupt: &dyn Fn() -> bool,
    ) -> Result<Checked, SolveError> {
        let Some(minimality) = &self.minimality else { return Ok(Checked::Minimal) };
        self.statistics.minimality_checks += 1;
        minimality.unfounded(&self.program, |lit| answer.holds(lit), interrupt)
    }

    /// Learns a loop nogood over the program's atoms, which is violated.
    fn learn_unfounded(&mut self, nogood: &[Lit]) -> Result<(), SolveError> {
        self.unfounded_sets += 1;
        let lits = nogood.iter().map(|&lit| self.prepared.literal_of(lit));
        let mut lits: Vec<Lit> = lits.filter(|lit| !lit.is_constant()).collect();
        lits.sort_unstable();
        lits.dedup();
        if lits.is_empty() {
            self.memory.state.exhausted.store(1, Relaxed);
            return Ok(self.memory.write_state()?);
        }
        self.fit_learned(1, self.memory.search.vars)?;
        self.memory.write_slot(&lits)?;
        self.memory.launch_with(Kernel::RecordUnfounded, Work::OneBlock, lits.len() as u32)?;
        self.memory.read_state()?;
        self.learn_and_backjump()
    }

    /// InitialPropagation: what unit nogoods of the input force.
    fn initial_propagation(&mut self) -> Result<(), DeviceError> {
        match self.memory.search.units {
            0 => Ok(()),
            units => self.memory.launch(Kernel::InitialPropagation, Work::Threads(units)),
        }
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
            let fixpoint = state.committed.load(Relaxed) == state.trail_len.load(Relaxed);
            if self.in_conflict() || fixpoint {
                return Ok(());
            }
        }
    }

    /// One round: commits what was proposed, then visits the nogoods of it, shorter ones first.
    fn propagate_once(&mut self) -> Result<(), DeviceError> {
        let (v, state) = (&self.memory.search, &self.memory.state);
        let frontier = state.trail_len.load(Relaxed).saturating_sub(state.committed.load(Relaxed)).max(64);
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

    /// Learning and Backjump. What was learned, and whether the search is over, is seen when the state is read next.
    fn learn_and_backjump(&mut self) -> Result<(), SolveError> {
        self.has_learned = true;
        let slots = self.memory.search.slots;
        self.fit_conflicts()?;
        // What the conflict's round proposed has to be part of the assignment: the violated nogoods need it.
        self.memory.launch(Kernel::Commit, self.trail())?;
        if self.options.learning != Learning::Resolution {
            self.memory.launch(Kernel::LearnForward, Work::Blocks(slots))?;
        }
        if self.options.learning != Learning::Forward {
            self.memory.launch(Kernel::LearnResolution, Work::Blocks(slots))?;
        }
        self.memory.launch(Kernel::RecordLearned, Work::OneBlock)?;
        Ok(self.memory.launch_with(Kernel::Backjump, self.trail(), LEARNED)?)
    }

    /// Makes room for what may be learned from one step's conflicts.
    fn fit_conflicts(&mut self) -> Result<(), SolveError> {
        let longest = match self.options.learning {
            Learning::Forward => self.level(),
            Learning::Resolution | Learning::Both => self.memory.search.vars,
        };
        self.fit_learned(self.memory.search.slots, longest)
    }

    /// Makes room for that many learned nogoods, each of at most so many literals.
    fn fit_learned(&mut self, nogoods: u32, longest: u32) -> Result<(), SolveError> {
        if self.memory.search.nogoods as u64 + self.learned() as u64 + nogoods as u64 >= MAX_NOGOODS as u64 {
            return Err(SolveError::Internal("more than 2^30 nogoods"));
        }
        Ok(self.memory.fit_learned(nogoods, nogoods as u64 * longest as u64)?)
    }

    /// Whether no atom that is true or open is unfounded, or it is not the time to look. If some are, a loop nogood of one of
    /// them was learned.
    fn is_founded(&mut self) -> Result<bool, SolveError> {
        let is_time = self.options.loop_check == LoopCheck::Fixpoint || self.is_total();
        if self.memory.search.loop_rules == 0 || !is_time {
            return Ok(true);
        }
        self.fit_learned(1, self.memory.search.vars)?;
        self.memory.launch(Kernel::Stability, Work::OneBlock)?;
        self.memory.read_state()?;
        let unfounded = self.flag(|s| &s.unfounded);
        self.has_learned |= unfounded;
        if self.in_conflict() {
            self.learn_and_backjump()?;
        }
        Ok(!unfounded)
    }

    /// Whether the schedule says so and there is something to undo, or learned nogoods should be deleted.
    fn restart_is_due(&self) -> bool {
        let state = &self.memory.state;
        is_worthwhile(&self.memory.search.restarts, state, state.place()) || has_many_learned(state)
    }

    /// Starts over, as far as the enumeration allows; deletes learned nogoods if there are many, and begins the next turn of phases if one
    /// is over.
    fn restart(&mut self) -> Result<(), DeviceError> {
        self.memory.launch_with(Kernel::Backjump, self.trail(), RESTART)?;
        if has_many_learned(&self.memory.state) {
            self.memory.reduce_learned()?;
        }
        match is_turn_over(&self.memory.state) {
            true => self.memory.launch(Kernel::Rephase, Work::OneBlock),
            false => Ok(()),
        }
    }

    /// Decision; if nothing is applicable, CompleteAssignment.
    fn decide_or_complete(&mut self) -> Result<(), SolveError> {
        self.memory.fit_level(self.level() + 1)?;
        let looked_at = match self.memory.search.chunk_best.len() {
            0 => self.memory.search.candidates,
            chunks => chunks as u32,
        };
        self.memory.launch(Kernel::Decide, Work::Threads(looked_at))?;
        Ok(self.memory.launch(Kernel::Complete, Work::Threads(self.memory.search.atom_vars))?)
    }

    fn answer_set(&mut self) -> Result<AnswerSet, DeviceError> {
        let values = self.memory.read_values()?;
        Ok(self.answer_set_of(|p| values[p] > 0))
    }

    /// The answer set in which these of the solver's atoms are true.
    fn answer_set_of(&self, is_true: impl Fn(usize) -> bool) -> AnswerSet {
        let holds = |&lit: &Lit| match lit {
            Lit::TRUE => true,
            Lit::FALSE => false,
            lit => is_true(lit.var().0 as usize) != lit.is_false_sign(),
        };
        AnswerSet::of(self.prepared.atom_lit.iter().map(holds).collect())
    }

    /// The answer set with what the goal wants to know of it.
    fn judged(&mut self, answer: AnswerSet) -> AnswerSet {
        let holds = |lit: Lit| answer.holds(lit);
        let costs = self.plan.costs(&self.program, holds);
        self.plan.note(&self.program, &costs, holds);
        AnswerSet {
            printed: self.plan.printed().map(<[bool]>::to_vec),
            consequences: self.plan.consequences(),
            is_optimal: self.plan.is_optimum_known,
            costs,
            holds: answer.holds,
        }
    }

    fn flag(&self, of: impl Fn(&solver_gpu::State) -> &std::sync::atomic::AtomicU32) -> bool {
        of(&self.memory.state).load(Relaxed) != 0
    }

    fn in_conflict(&self) -> bool {
        self.flag(|s| &s.conflicts)
    }

    fn is_total(&self) -> bool {
        self.memory.state.trail_len.load(Relaxed) == self.memory.search.vars
    }

    fn level(&self) -> u32 {
        self.memory.state.level.load(Relaxed)
    }

    fn learned(&self) -> u32 {
        self.memory.state.learned.load(Relaxed)
    }

    /// Work for a launch over what is on the trail.
    fn trail(&self) -> Work {
        Work::Threads(self.memory.state.trail_len.load(Relaxed))
    }

    /// Brings the statistics up to date.
    fn count(&mut self) {
        let (state, traffic) = (&self.memory.state, self.memory.executor().traffic());
        let s = &mut self.statistics;
        s.decisions = state.decisions.load(Relaxed);
        s.conflicts = state.conflict_steps.load(Relaxed);
        s.rounds = state.rounds.load(Relaxed);
        s.restarts = state.restarts.load(Relaxed);
        s.deleted = state.deleted.load(Relaxed);
        s.stability_checks = state.stability_checks.load(Relaxed);
        s.unfounded_sets = state.unfounded_sets.load(Relaxed) + self.unfounded_sets;
        s.violations = state.violations.load(Relaxed);
        s.propagations = state.propagations.load(Relaxed);
        s.visits = state.visits.load(Relaxed);
        s.learned = state.learned_total.load(Relaxed);
        s.learned_literals = state.learned_total_lits.load(Relaxed);
        s.completions = state.completions.load(Relaxed);
        s.deepest_level = state.deepest.load(Relaxed) as u64;
        s.launches = traffic.launches;
        s.bytes_on_device = traffic.peak_memory;
        s.bytes_to_device_setup = self.setup.to_device;
        s.bytes_to_device = traffic.to_device - self.setup.to_device;
        s.bytes_to_host = traffic.to_host - self.setup.to_host;
    }
}
