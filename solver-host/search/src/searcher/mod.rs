//! One search on its device, and how it goes on.
//!
//! Main type: [`Searcher`]; main function: [`Searcher::advance`], by which every search goes on, whoever
//! waits for what it finds: a solver whose search is a single one, a searcher of a crew, and a search by
//! assumptions beside others. By the options the device does all of Algorithm 1 by itself (see `resident`),
//! or the host launches a kernel for each step (see `algorithm_1`).
//!
//! Invariant: a searcher knows the phase that it searches in, and nothing of what is asked for beyond the
//! phase. What an answer set or a refutation means is for the caller to say.

mod algorithm_1;
mod arcs;
mod asking;
mod assume;
pub mod block;
mod differences;
pub mod event;
pub mod experience;
mod extend;
mod guard;
mod guards;
pub mod judging;
pub mod memory;
pub mod minimality;
pub mod problem;
pub mod proof;
pub mod propagation;
mod proved;
mod rank;
mod resident;
mod ring;
mod stamps;
mod trace;
mod traced;
pub mod upload;

pub use ring::LEAST_WORDS;
pub use trace::{Sink, TRACE_SCHEMA};

use super::campaign::guide::Orders;
use super::campaign::plan::{Phase, Plan};
use super::effort::Effort;
use super::options::Engine;
use super::{AnswerSet, Learning, Options, SolveError, Statistics};
use event::Event;
use extend::Extension;
use guard::Guards;
use memory::Memory;
use minimality::Minimality;
use problem::Problem;
use proof::Proving;
use propagation::Propagation;
use solver_gpu::kernels::backjump::{ANSWER, LEARNED};
use solver_gpu::layout::{mode, BETTER, MAX_LEARNED, NARROW};
use solver_gpu::{Lit, Swarm};
use std::sync::Arc;
use std::time::Instant;
use trace::Tracing;
use yasmin_device::{Executor, Kernel, Traffic, Work};

/// A search for the answer sets of one problem.
pub struct Searcher {
    pub problem: Arc<Problem>,
    pub options: Options,
    pub memory: Memory,
    /// What the search has counted, besides what its kernels count.
    pub statistics: Statistics,
    /// Answer sets that the device found, and after which it went on by itself.
    pub found: Vec<AnswerSet>,
    /// How many of the answer sets that the device has counted were told of.
    told_counted: u64,
    /// Whether the device counts answer sets and keeps none, where it would keep them.
    pub counts: bool,
    /// After how many answer sets the device returns at the latest, if the caller of the search knows.
    pub most_at_once: Option<u64>,
    /// Whether the device returns after each answer set.
    pub is_one_by_one: bool,
    /// Whether the search waits after an answer set, before it learns anything that excludes the answer set.
    pub stops_at_answers: bool,
    /// Where the search writes what it does, if it is traced.
    pub tracing: Option<Tracing>,
    /// Where the search writes what proves its results, if it is proved.
    proving: Option<Proving>,
    phase: Phase,
    minimality: Option<Minimality>,
    /// Whether what was learned may rest on clauses that were to hold for one question alone.
    pub is_tagged: bool,
    /// Who is asked at fixpoints, if anybody is.
    propagation: Option<Propagation>,
    /// What was added to the search, if anything was.
    extension: Option<Extension>,
    /// What holds for one question alone.
    guards: Guards,
    is_resident: bool,
    /// Whether there may be learned nogoods.
    has_learned: bool,
    /// Whether propagation has come to an end since the last step of Algorithm 1. Of use if the host drives
    /// it.
    is_settled: bool,
    setup: Traffic,
}

impl Searcher {
    /// A search that has assigned nothing, on an executor that `wrap` makes of the search's own.
    ///
    /// # Errors
    /// [`SolveError::OtherOptions`] if `options` differ from those that the problem was prepared with in what
    /// preparing depends on; else if the device fails or has too little memory.
    pub fn new(
        problem: &Arc<Problem>,
        options: Options,
        wrap: impl FnOnce(Box<dyn Executor>) -> Box<dyn Executor>,
    ) -> Result<Searcher, SolveError> {
        if let Some(option) = problem.task.differs(&options) {
            return Err(SolveError::OtherOptions(option));
        }
        let started = Instant::now();
        // The test for smaller models restarts as often.
        let restarts = options.restarts.suited(problem.head_cycles().is_some());
        let suited = Options { restarts, ..options };
        let minimality = problem.head_cycles().map(|cycles| Minimality::new(cycles, suited));
        let executor = wrap(problem.uploaded.sibling(options.setup())?);
        let memory = Memory::new(executor, problem.uploaded.clone(), &suited, &problem.task.plan)?;
        let is_resident = options.engine != Engine::Host;
        let statistics = Statistics {
            device: memory.executor().name(),
            seed: options.seed,
            prepare_seconds: problem.task.prepare_seconds,
            setup_seconds: problem.upload_seconds + started.elapsed().as_secs_f64(),
            program: problem.task.prepared.report,
            preprocess: problem.task.prepared.preprocessed,
            ..Statistics::default()
        };
        let mut searcher = Searcher {
            setup: memory.executor().traffic(),
            problem: problem.clone(),
            options,
            memory,
            statistics,
            found: Vec::new(),
            told_counted: 0,
            counts: false,
            is_one_by_one: false,
            most_at_once: None,
            stops_at_answers: false,
            tracing: None,
            proving: None,
            phase: problem.task.plan.phase(),
            minimality,
            is_tagged: false,
            propagation: None,
            extension: None,
            guards: Guards::default(),
            is_resident,
            has_learned: false,
            is_settled: false,
        };
        if searcher.has_propagator() {
            searcher.propagate_by(0, Vec::new())?;
        }
        Ok(searcher)
    }

    /// Searches on, until something has come of it or for as long as a launch lasts. Answer sets after which
    /// the device went on by itself are in [`Searcher::found`], whatever the event is.
    ///
    /// # Errors
    /// If the device fails or memory runs out. The search cannot be continued then.
    pub fn advance(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Event, SolveError> {
        match self.is_resident {
            true => self.launch(interrupt),
            false => self.turn(interrupt),
        }
    }

    /// Assigns what unit nogoods of the input force. The search has assigned nothing yet.
    pub fn start(&mut self) -> Result<(), SolveError> {
        self.is_settled = false;
        self.memory.initial_propagation()?;
        Ok(self.memory.read_state()?)
    }

    /// Forgets the assignment, and keeps what was learned. [`Searcher::start`] is the caller's.
    pub fn begin_again(&mut self) -> Result<(), SolveError> {
        self.is_settled = false;
        Ok(self.memory.forget_assignment()?)
    }

    /// Begins the present phase of a plan (see [`Memory::begin_phase`]). [`Searcher::start`] is the caller's.
    pub fn begin_phase(&mut self, plan: &Plan) -> Result<(), SolveError> {
        self.set_phase(plan.phase());
        Ok(self.memory.begin_phase(plan)?)
    }

    /// Goes on in the phase that another search has reached.
    pub fn set_phase(&mut self, phase: Phase) {
        self.phase = phase;
        self.is_settled = false;
    }

    /// Whether the device goes on to the next answer set by itself.
    pub fn keeps_answers(&self) -> bool {
        (self.phase == Phase::Enumerate || self.memory.search.swarm.is_any())
            && self.is_resident
            && !self.stops_at_answers
            && self.minimality.is_none()
            && (!self.is_proved() || self.memory.search.swarm.is_any())
    }

    /// The number of answer sets that the device has counted since the last call; none if there are none.
    pub fn counted_since(&mut self) -> Option<u64> {
        let counted = self.memory.state.counted.load();
        let more = counted - self.told_counted;
        self.told_counted = counted;
        (more > 0).then_some(more)
    }

    /// Whether an answer set has to be checked for smaller models, which the host does.
    pub fn checks_minimality(&self) -> bool {
        self.minimality.is_some()
    }

    /// Whether the device drives the search.
    pub fn is_resident(&self) -> bool {
        self.is_resident
    }

    /// Lets the search decide on these literals first, instead of any that it assumed before (see
    /// [`Memory::assume`]).
    ///
    /// # Errors
    /// If the device fails or has too little memory.
    pub fn assume(&mut self, lits: &[Lit]) -> Result<(), SolveError> {
        self.is_settled = false;
        self.memory.jump_to_level_1()?;
        Ok(self.memory.assume(lits)?)
    }

    /// Lets the search go on without assumptions, under the goal of a plan. What was added to the search
    /// stays.
    pub fn assume_nothing(&mut self, plan: &Plan) {
        self.memory.assume_nothing();
        self.memory.set_goal(plan.goal_sum());
    }

    /// Adds the variables and sums of the orders to the search, and lets the search go on under their
    /// assumptions.
    ///
    /// # Errors
    /// If the device fails or has too little memory.
    pub fn follow(&mut self, orders: &Orders) -> Result<(), SolveError> {
        if !orders.additions.is_empty() {
            self.memory.jump_to_level_1()?;
            if self.is_traced() {
                // The ring has to be empty when it grows.
                self.drain_trace()?;
            }
            self.statistics.extensions += 1;
            let had = self.memory.search.problem.sums;
            let sums = &self.problem.task.sums;
            let extension = self.extension.get_or_insert_with(|| Extension::new(sums.clone()));
            self.memory.extend(extension, &orders.additions)?;
            self.trace_extension(&orders.additions, had)?;
        }
        self.assume(&orders.assumptions)?;
        self.trace_assumptions(&orders.assumptions)
    }

    /// Forgets assumptions and what was added to the search. The caller starts the search over.
    ///
    /// # Errors
    /// If the device fails.
    pub fn forget_orders(&mut self) -> Result<(), SolveError> {
        self.memory.assume_nothing();
        self.guards = Guards::default();
        if let Some(extension) = self.extension.take() {
            self.memory.drop_extension(extension)?;
        }
        Ok(())
    }

    /// Whether the next launch would find something to do before it decides: a conflict, an end, or a first
    /// decision.
    pub fn is_pending(&self) -> bool {
        let state = &self.memory.state;
        state.conflicts.load() > 0 || state.level.load() == 1 || state.exhausted.load() == 1
    }

    /// The numbers of the goal's items that are known, in a search that narrows consequences down.
    ///
    /// # Errors
    /// If the device fails.
    pub fn known_items(&mut self) -> Result<Vec<usize>, SolveError> {
        let sum = self.memory.search.settings.goal as usize;
        let start = &self.problem.task.sums.start;
        let (from, end) = (start[sum] as usize, start[sum + 1] as usize);
        // What is known weighs nothing any more.
        let weights = self.memory.read(self.memory.search.own.sum_weight, end)?;
        Ok((from..end).filter(|&i| weights[i] == 0).map(|i| i - from).collect())
    }

    /// The number of conflicts that the search has met.
    pub fn conflicts(&self) -> u64 {
        self.memory.state.counts.conflicts.load()
    }

    /// How much the search has done.
    pub fn effort(&self) -> Effort {
        let counts = &self.memory.state.counts;
        Effort {
            conflicts: self.conflicts(),
            literals: counts.learned_literals.load(),
            propagations: counts.propagations.load(),
            decisions: counts.decisions.load(),
        }
    }

    /// Makes a search that belongs to a swarm one that is alone, without assumptions, and forgets what it
    /// knows of a goal. The caller lets it begin again, or begin a phase.
    ///
    /// # Errors
    /// If the device fails.
    pub fn leave_swarm(&mut self) -> Result<(), SolveError> {
        if !self.memory.search.swarm.is_any() {
            return Ok(());
        }
        self.counts = false;
        self.memory.search.swarm = Swarm::default();
        self.memory.state.mode.store(mode::ALONE);
        self.memory.assume_nothing();
        Ok(self.memory.forget_found()?)
    }

    /// Exchanges two searches of the same problem and options; what each has counted stays where it is.
    pub fn exchange(&mut self, other: &mut Searcher) {
        std::mem::swap(self, other);
        std::mem::swap(&mut self.statistics, &mut other.statistics);
    }

    /// Takes over what another search has counted, in whose place this one goes on.
    pub fn goes_on_for(&mut self, other: &Searcher) {
        let mut counts = other.counts();
        counts.prepare_seconds += self.statistics.prepare_seconds;
        counts.setup_seconds += self.statistics.setup_seconds;
        (counts.program, counts.preprocess) = (self.statistics.program, self.statistics.preprocess);
        self.statistics = counts;
    }

    /// What the search has done, in numbers.
    pub fn counts(&self) -> Statistics {
        let (setup, traffic) = (&self.setup, self.memory.executor().traffic());
        let mut own = self.statistics.clone();
        own.add_counts(&self.memory.state.counts);
        own.launches += traffic.launches;
        own.bytes_on_device = traffic.peak_memory;
        own.bytes_to_device_setup = self.problem.traffic().to_device + setup.to_device;
        own.bytes_to_device += traffic.to_device - setup.to_device;
        own.bytes_to_host += traffic.to_host - setup.to_host;
        own
    }

    /// After an answer set: excludes it, or demands that the next one is better or says more.
    pub fn ask_for_next(&mut self) -> Result<(), SolveError> {
        self.is_settled = false;
        let how = match self.phase {
            Phase::Enumerate => {
                self.memory.launch_with(Kernel::Backjump, self.trail(), ANSWER)?;
                return Ok(self.memory.read_state()?);
            }
            Phase::Improve => BETTER,
            Phase::Narrow => NARROW,
        };
        self.memory.launch_with(Kernel::Tighten, Work::OneBlock, how)?;
        self.memory.read_state()?;
        self.trace_goal()?;
        if self.in_conflict() {
            self.learn_and_backjump()?;
            self.memory.read_state()?;
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
    pub fn make_room(&mut self) -> Result<(), SolveError> {
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
        if self.memory.state.learned.load() as u64 + nogoods as u64 >= MAX_LEARNED as u64 {
            return Err(SolveError::Internal("more than 2^29 learned nogoods"));
        }
        Ok(self.memory.fit_learned(nogoods, nogoods as u64 * longest as u64)?)
    }

    fn flag(&self, of: impl Fn(&solver_gpu::State) -> &cuda_std::atomic::SearchU32) -> bool {
        of(&self.memory.state).load() != 0
    }

    fn in_conflict(&self) -> bool {
        self.flag(|s| &s.conflicts)
    }

    fn level(&self) -> u32 {
        self.memory.state.level.load()
    }

    /// Work for a launch over what is on the trail.
    fn trail(&self) -> Work {
        Work::Threads(self.memory.state.trail_len.load())
    }
}
