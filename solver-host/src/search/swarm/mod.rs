//! Searches by several searchers at once: who they are, when they begin, and what is made of their news.
//!
//! A [`Solver`] begins as a single search. If the search lasts, [`Solver::search_then_spread`] hands what is
//! left to searchers on threads of their own (see [`member`]), which share cubes, nogoods and goals through
//! memory that all of them see (see [`shared`] and [`solver_gpu::swarm`]). The solver itself then only waits
//! for news, judges answer sets, and begins the next phase.
//!
//! Invariant: every answer set that a searcher reports was found in a cube of its own, or tells of a single
//! answer set or a goal, where it does not matter whether it is told twice.

mod fleet;
mod member;
mod shared;
mod tally;
#[cfg(test)]
mod tests;

use super::options::Engine;
use super::plan::Phase;
use super::{AnswerSet, Resume, SolveError, Solver, Statistics, Step};
use crate::device::Setup;
use fleet::{Fleet, Parts};
use member::{Command, Counts, Member, News, Role};
use shared::Shared;
use solver_gpu::hash::mix;
use solver_gpu::layout::{Hub, BETTER, NARROW};
use solver_gpu::Swarm;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError, SyncSender};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long the solver waits for news before it asks whether to go on.
const WAIT: Duration = Duration::from_millis(2);

/// The shortest race of many searchers, in conflicts of each.
const SHORTEST_RACE: u32 = 400;

/// Batches of answer sets that wait for the solver at most, for each searcher.
const BATCHES: usize = 2;

/// Whether a solver's search has other searchers.
pub enum SwarmState {
    /// The search is a single one.
    Alone,
    /// The search is a single one; it may take this many searchers on the processor if it lasts.
    Single(usize),
    /// All searchers of a GPU are to search from the beginning.
    Fleet,
    /// Searchers search.
    Spread(Crew),
}

/// What a solver and its searchers tell each other at any time.
#[derive(Default)]
pub struct Control {
    /// Whether searchers have to return.
    is_stopped: AtomicBool,
    /// Whether nothing is left to search.
    is_done: AtomicBool,
    /// 1 plus the number of the searcher that ended the phase, or 0.
    winner: AtomicU32,
}

impl Control {
    /// Whether searchers have to return.
    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Relaxed)
    }

    /// Says that nothing is left to search, and who found that out.
    fn end(&self, winner: u32) {
        self.win(winner);
        self.is_done.store(true, Relaxed);
    }

    /// Says who ended the search: 1 plus the number of the searcher, or 0 if nobody has.
    fn win(&self, winner: u32) {
        if winner > 0 {
            self.winner.store(winner, Relaxed);
        }
    }
}

/// Searchers on threads of the processor, or in a launch of blocks.
pub struct Crew {
    control: Arc<Control>,
    shared: Arc<Shared>,
    /// Whether the searchers are threads of the processor, so that the shared memory is the host's.
    is_on_host: bool,
    commands: Vec<SyncSender<Command>>,
    threads: Vec<JoinHandle<()>>,
    news: Receiver<News>,
    counts: Arc<Vec<Counts>>,
    /// The statistics of those who tell news, each as last told.
    statistics: Vec<Statistics>,
    /// How many of those have not said that they are done.
    searching: usize,
    /// How many answer sets were told as counted.
    counted: u64,
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.control.is_stopped.store(true, Relaxed);
        if self.is_on_host {
            self.shared.hub().stop.store_relaxed(1);
        }
        self.commands.clear();
        // Searchers that wait for room in the channel give up when its receiver is gone.
        self.news = sync_channel(1).1;
        for thread in self.threads.drain(..) {
            // A searcher that has panicked has said so.
            let _ = thread.join();
        }
    }
}

/// The seed of a searcher: the first one has the search's.
fn seed_of(seed: u64, number: usize) -> u32 {
    mix(seed.wrapping_add(number as u64)) as u32
}

impl Solver {
    /// Lets the search take other searchers, as its options say.
    pub(super) fn may_spread(&mut self) {
        let options = &self.options;
        if options.engine == Engine::Host || matches!(self.resume, Resume::Exhausted) {
            return;
        }
        let searchers = options.parallel_mode.searchers();
        // The check for smaller models is the host's.
        let is_fleet = options.wants_fleet() && self.minimality.is_none();
        self.swarm = match self.memory.executor().threads() {
            1 if searchers > 1 => SwarmState::Single(searchers),
            2.. if is_fleet => SwarmState::Fleet,
            _ => SwarmState::Alone,
        };
    }

    /// What the user should know of how the search is done, a sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let asked = self.options.gpu_searchers.number().filter(|&n| n > 1);
        let is_over = matches!(self.resume, Resume::Exhausted);
        let why = match asked {
            None => return Vec::new(),
            _ if is_over => return Vec::new(),
            Some(_) if self.memory.executor().threads() == 1 => {
                "there is no GPU, so that the searchers are those of -t"
            }
            Some(_) if self.minimality.is_some() => {
                "the program has head cycles, whose check is the host's, so that one searcher searches"
            }
            Some(_) => return Vec::new(),
        };
        vec![format!("--gpu-searchers={}: {why}", self.options.gpu_searchers)]
    }

    /// Says that the caller wants to know how many answer sets there are, and none of them: then
    /// [`Solver::next_answer`] may say [`Step::Counted`].
    pub fn only_count(&mut self) {
        self.only_counts = true;
    }

    /// Says how many answer sets the caller is going to ask for; 0: all. If only one is wanted, searchers race
    /// for it, and [`Solver::next_answer`] says [`Step::Interrupted`] once it was told.
    pub fn want(&mut self, answers: u64) {
        self.wanted = answers;
    }

    /// Searches as a single search for a while, and by several searchers from then on.
    pub(super) fn search_then_spread(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        let alone = Duration::from_millis(self.options.join_after as u64);
        let left = alone.saturating_sub(Duration::from_secs_f64(self.statistics.solve_seconds));
        let until = Instant::now() + left;
        let is_interrupted = std::cell::Cell::new(false);
        let step = self.search_resident(&|| {
            is_interrupted.set(interrupt());
            is_interrupted.get() || Instant::now() >= until
        })?;
        if step != Step::Interrupted || is_interrupted.get() {
            return Ok(step);
        }
        self.spread()?;
        self.search_by_all(interrupt)
    }

    /// The numbers of the swarm's view for the present phase.
    fn swarm_about(&self, searchers: usize) -> Swarm {
        let options = &self.options;
        // Who wants all answer sets wants none of them twice.
        let may_race = self.wanted == 1 || self.plan.phase != Phase::Enumerate;
        let races_first = may_race && options.split_from > 0;
        let race = (options.split_from / searchers as u32).max(SHORTEST_RACE);
        Swarm {
            searchers: searchers as u32,
            racers: if may_race { options.racers } else { 0 },
            counts: self.may_count() as u32,
            races_first: races_first as u32,
            split_from: if races_first { race } else { 0 },
            split_after: if may_race { options.split_after } else { 0 },
            share_len: options.share_length,
            share_lbd: options.share_lbd,
            import_every: options.import_every,
            import_most: options.import_most,
            tightens: if self.plan.phase == Phase::Improve { BETTER } else { NARROW },
            ..Swarm::default()
        }
    }

    /// Whether answer sets of the present phase are counted and not told.
    fn may_count(&self) -> bool {
        let is_checked = self.options.check == super::Check::All;
        self.only_counts
            && self.plan.phase == Phase::Enumerate
            && !self.plan.has_costs()
            && !is_checked
            && self.minimality.is_none()
    }

    /// Memory for a swarm in the present phase, on executors as `setup` says.
    fn swarm_memory(&mut self, searchers: usize, setup: Setup) -> Result<Shared, SolveError> {
        let executor = self.problem.uploaded.sibling(setup)?;
        let (counters, items) = self.goal_size()?;
        let about = self.swarm_about(searchers);
        let mut shared = Shared::new(executor, about, counters, items)?;
        let hub = Hub::default();
        hub.open.store_relaxed(1);
        hub.hungry.store_relaxed(about.hungry_at_first());
        // Of answer sets that lead to an optimum, those that are not better are told as well.
        if self.plan.phase == Phase::Enumerate && self.wanted > 0 && !self.plan.has_costs() {
            hub.answers_limit.store_relaxed(self.wanted.saturating_sub(self.statistics.answer_sets).max(1));
        }
        shared.write_hub(hub)?;
        Ok(shared)
    }

    /// How many counters and items the present goal has.
    fn goal_size(&mut self) -> Result<(usize, usize), SolveError> {
        let Some(sum) = self.plan.goal_sum() else { return Ok((0, 0)) };
        let (view, sum) = (self.memory.search.problem, sum as usize);
        let mut len = |array: solver_gpu::Array<u32>| {
            let starts = self.memory.read(array, sum + 2)?;
            Ok::<_, SolveError>((starts[sum + 1] - starts[sum]) as usize)
        };
        Ok((len(view.sum_counters)?, len(view.sum_start)?))
    }

    /// How the executors of searchers on the processor run kernels.
    fn setup_on_host(&self) -> Setup {
        Setup { threads: 1, ..self.options.setup() }
    }

    /// Hands the search over to searchers on threads.
    fn spread(&mut self) -> Result<(), SolveError> {
        let SwarmState::Single(searchers) = self.swarm else { return Ok(()) };
        let setup = self.setup_on_host();
        let shared = Arc::new(self.swarm_memory(searchers, setup)?);
        self.tell_goal(&shared)?;
        let (mut crew, tell) = Crew::new(shared.clone(), searchers, true);
        for number in 0..searchers {
            let mut solver = Solver::of(&self.problem, self.options.of_searcher(number))?;
            let role = if number == 0 {
                // The first searcher goes on where this search is.
                std::mem::swap(&mut self.memory, &mut solver.memory);
                std::mem::swap(&mut self.resume, &mut solver.resume);
                Role::GoesOn
            } else {
                Role::Joins
            };
            solver.plan = self.plan.clone();
            solver.memory.search.settings.seed = seed_of(self.options.seed, number);
            let commands = crew.add_member();
            let (counts, control) = (crew.counts.clone(), crew.control.clone());
            let member = Member::new(number as u32, solver, commands, tell.clone(), counts, control);
            crew.tell(number, Command::Search { shared: shared.clone(), role })?;
            crew.start(format!("searcher {number}"), move || member.run())?;
        }
        self.resume = Resume::Anywhere;
        self.swarm = SwarmState::Spread(crew);
        Ok(())
    }

    /// Hands the search, which has not begun, over to the blocks of a launch.
    pub(super) fn launch_fleet(&mut self) -> Result<(), SolveError> {
        let solver = Solver::of(&self.problem, self.options)?;
        let resident = solver.memory.resident_searchers()?;
        let free = solver.memory.executor().free_memory();
        let most = fleet::memory_share(self.options.gpu_memory.bytes(), free);
        let bytes = solver.memory.block_bytes();
        let wanted = self.options.gpu_searchers.number();
        let searchers = fleet::searchers_for(wanted, resident, bytes, most);
        if searchers == 0 {
            return Err(SolveError::Searchers { searchers: 1, bytes: bytes as u64 });
        }
        let shared = Arc::new(self.swarm_memory(searchers as usize, self.options.setup())?);
        let (mut crew, news) = Crew::new(shared.clone(), 1, false);
        let commands = crew.add_member();
        let (counts, control) = (crew.counts.clone(), crew.control.clone());
        let parts = Parts { solver, shared: shared.clone(), control, commands, news, counts, number: 0 };
        let fleet = Fleet::new(parts)?;
        crew.tell(0, Command::Search { shared, role: Role::Begins })?;
        crew.start("fleet".into(), move || fleet.run())?;
        self.resume = Resume::Anywhere;
        self.swarm = SwarmState::Spread(crew);
        Ok(())
    }

    /// Tells the goal that this search has reached to the searchers that join in.
    fn tell_goal(&mut self, shared: &Shared) -> Result<(), SolveError> {
        let (Some(sum), view) = (self.plan.goal_sum(), self.memory.search.problem) else { return Ok(()) };
        match self.plan.phase {
            Phase::Improve => {
                let (from, end) = (view.sum_counters.read(sum), view.sum_counters.read(sum + 1));
                let most = self.memory.read(self.memory.search.own.sum_most, end as usize)?;
                for (i, &most) in most[from as usize..].iter().enumerate() {
                    shared.view.bound.get(2 * i).store_relaxed(most as u32);
                    shared.view.bound.get(2 * i + 1).store_relaxed((most >> 32) as u32);
                }
            }
            _ => {
                let (from, end) = (view.sum_start.read(sum), view.sum_start.read(sum + 1));
                let weights = self.memory.read(self.memory.search.own.sum_weight, end as usize)?;
                let known = weights[from as usize..].iter().enumerate().filter(|(_, &weight)| weight == 0);
                let known: Vec<usize> = known.map(|(i, _)| i).collect();
                if known.is_empty() {
                    return Ok(());
                }
                for i in known {
                    shared.view.known.get(i / 32).fetch_or(1 << (i % 32));
                }
            }
        }
        shared.hub().bound_version.store_release(2);
        Ok(())
    }

    /// Waits for the next answer set of the searchers.
    pub(super) fn search_by_all(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        if matches!(self.resume, Resume::Exhausted) {
            return Ok(Step::Exhausted);
        }
        loop {
            if let Some(answer) = self.kept.pop_front() {
                // Another searcher may have told of a better one, or of as much, in the meantime.
                if self.is_news(&answer) {
                    return Ok(self.answer(answer));
                }
                continue;
            }
            let SwarmState::Spread(crew) = &mut self.swarm else {
                return Err(SolveError::Internal("there are no searchers"));
            };
            if crew.searching == 0 {
                if let Some(more) = crew.counted_since() {
                    self.statistics.answer_sets += more;
                    return Ok(Step::Counted(more));
                }
                if !crew.control.is_done.load(Relaxed) {
                    // As many answer sets were found as are wanted.
                    return Ok(Step::Interrupted);
                }
                match self.plan.next_phase() {
                    Some(phase) => self.next_phase_of_all(phase)?,
                    None => return Ok(self.exhausted()),
                }
                continue;
            }
            let mut is_quiet = false;
            match crew.news.recv_timeout(WAIT) {
                Ok(News::Answers(answers)) => self.kept.extend(answers),
                Ok(News::Finished(member, statistics)) => crew.note_finished(member, *statistics),
                Ok(News::Failed(error)) => return Err(error),
                Err(RecvTimeoutError::Timeout) => is_quiet = true,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(SolveError::Internal("the searchers have ended"));
                }
            }
            if self.kept.is_empty() && interrupt() {
                return Ok(Step::Interrupted);
            }
            // Told now and then only: who is told takes time from the searchers.
            if let Some(more) = is_quiet.then(|| crew.counted_since()).flatten() {
                self.statistics.answer_sets += more;
                return Ok(Step::Counted(more));
            }
        }
    }

    /// Whether an answer set says something new, in a phase with a goal.
    fn is_news(&self, answer: &AnswerSet) -> bool {
        self.plan.is_news(self.problem.program(), |lit| answer.holds(lit))
    }

    /// Begins the next phase, for all searchers. The counters of the objective, from the first number on, may be
    /// at most the second numbers.
    fn next_phase_of_all(&mut self, (counter, most): (u32, Vec<i64>)) -> Result<(), SolveError> {
        let (searchers, setup) = match &self.swarm {
            SwarmState::Spread(crew) if crew.is_on_host => (crew.commands.len(), self.setup_on_host()),
            SwarmState::Spread(crew) => (crew.shared.view.searchers as usize, self.options.setup()),
            _ => return Err(SolveError::Internal("there are no searchers")),
        };
        let shared = Arc::new(self.swarm_memory(searchers, setup)?);
        let SwarmState::Spread(crew) = &mut self.swarm else {
            return Err(SolveError::Internal("there are no searchers"));
        };
        crew.control.is_done.store(false, Relaxed);
        for number in 0..crew.commands.len() {
            let role = if number == 0 { Role::Begins } else { Role::Joins };
            let (plan, most) = (Box::new(self.plan.clone()), (counter, most.clone()));
            crew.tell(number, Command::NextPhase { shared: shared.clone(), role, plan, most })?;
        }
        crew.searching = crew.commands.len();
        crew.shared = shared;
        Ok(())
    }
}

impl Crew {
    /// A crew of so many members, none of which has been added, and where they tell their news.
    fn new(shared: Arc<Shared>, members: usize, is_on_host: bool) -> (Crew, SyncSender<News>) {
        let (tell, news) = sync_channel(BATCHES * members);
        let crew = Crew {
            control: Arc::default(),
            shared,
            is_on_host,
            commands: Vec::new(),
            threads: Vec::new(),
            news,
            counts: Arc::new((0..members).map(|_| Counts::default()).collect()),
            statistics: vec![Statistics::default(); members],
            searching: members,
            counted: 0,
        };
        (crew, tell)
    }

    /// Where one more member gets its commands.
    fn add_member(&mut self) -> Receiver<Command> {
        let (command, commands) = sync_channel(1);
        self.commands.push(command);
        commands
    }

    /// Tells a member what to do.
    fn tell(&self, member: usize, command: Command) -> Result<(), SolveError> {
        let has_ended = SolveError::Internal("a searcher has ended");
        self.commands[member].send(command).map_err(|_| has_ended)
    }

    /// Starts a member's thread.
    fn start(&mut self, name: String, run: impl FnOnce() + Send + 'static) -> Result<(), SolveError> {
        let thread = thread::Builder::new().name(name).spawn(run);
        self.threads.push(thread.map_err(|error| SolveError::Threads(error.to_string()))?);
        Ok(())
    }

    /// How many answer sets were counted and not told of, if there are any.
    fn counted_since(&mut self) -> Option<u64> {
        let counted = self.counts.iter().map(Counts::counted).sum::<u64>();
        let more = counted - self.counted;
        self.counted = counted;
        (more > 0).then_some(more)
    }
}
