//! Searches by several searchers at once: who they are, when they begin, and what is made of their news.
//!
//! A [`Solver`] begins as a single search. If the search lasts, [`Solver::search_then_spread`] hands what is
//! left to searchers on threads of their own (see [`member`]), which share cubes, nogoods and goals through
//! memory that all of them see (see [`shared`] and [`solver_gpu::swarm`]). The solver itself then only waits
//! for news, judges answer sets, and begins the next phase.
//!
//! Invariant: every answer set that a searcher reports was found in a cube of its own, or tells of a single
//! answer set or a goal, where it does not matter whether it is told twice.

mod beside;
mod fleet;
mod joining;
mod member;
mod news;
pub(super) mod shared;
mod tally;
#[cfg(test)]
mod tests;
mod trade;

use super::options::Engine;
use super::plan::{Phase, Plan};
use super::{AnswerSet, Options, Resume, SolveError, Solver, Step};
use crate::device::{self, DeviceError, DeviceKind, Setup};
use member::Member;
use news::{Command, News, Role, Told};
use shared::Shared;
use solver_gpu::hash::mix;
use solver_gpu::layout::{Hub, BETTER, NARROW};
use solver_gpu::swarm::queue;
use solver_gpu::{Lit, Swarm};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError, SyncSender};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

pub use joining::is_opening_device;

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
    /// The search is a single one; it may take this many searchers on the processor if it lasts, and fleets if that is
    /// true.
    Single(usize, bool),
    /// All searchers of GPUs are to search from the beginning.
    Fleet,
    /// Searchers search.
    Spread(Box<Crew>),
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

    /// Notes what the home's words say at the end of a phase: who ended the phase, and whether nothing is left to
    /// search.
    fn note_end(&self, home: &Hub) {
        let winner = home.winner.load_relaxed();
        if winner > 0 {
            self.winner.store(winner, Relaxed);
        }
        if home.done.load_relaxed() != 0 {
            self.is_done.store(true, Relaxed);
        }
    }
}

/// Searchers on threads of the processor, then those in launches of blocks, each launch of which is a *fleet*.
pub struct Crew {
    control: Arc<Control>,
    /// The words and arrays that all of them share, in the host's memory.
    home: Arc<Shared>,
    commands: Vec<SyncSender<Command>>,
    threads: Vec<JoinHandle<()>>,
    tell: SyncSender<News>,
    news: Receiver<News>,
    /// What those who tell news have done so far.
    told: Arc<Vec<Told>>,
    /// How many searchers each of those is.
    widths: Vec<u64>,
    /// How many of them are threads of the processor: the first ones.
    members: usize,
    /// What the present phase began with, if it is not the first one.
    phase: Option<(u32, Vec<i64>)>,
    /// How many of those have not said that they are done.
    searching: usize,
    /// The number of the searcher that the solver itself is, beside the others, until the phase is over.
    beside: Option<u32>,
    /// The number of the searcher whose work the solver's own search is: that of the search before there were others,
    /// and of a search beside them.
    own: Option<usize>,
    /// How many answer sets the solver's own search has found.
    found: u64,
    /// How many answer sets were told as counted.
    counted: u64,
    /// Devices that are to be opened, for fleets that join in, and when.
    awaited: Vec<DeviceKind>,
    opens_at: Instant,
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.control.is_stopped.store(true, Relaxed);
        self.home.hub().stop.store_relaxed(1);
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
        let is_founded_enough = self.minimality.is_none();
        let joins = options.joins() && is_founded_enough;
        let is_fleet = options.wants_fleet() && is_founded_enough;
        self.swarm = match self.memory.executor().threads() {
            1 if is_fleet && matches!(options.device, DeviceKind::Gpus(_)) => SwarmState::Fleet,
            1 if searchers > 1 || joins => SwarmState::Single(searchers, joins),
            2.. if is_fleet => SwarmState::Fleet,
            _ => SwarmState::Alone,
        };
        if matches!(self.swarm, SwarmState::Fleet) && self.guide.is_some() {
            self.choose_fleet_or_guide();
        }
    }

    /// What the user should know of how the search is going to be done, a sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let are_several = matches!(self.options.device, DeviceKind::Gpus(_));
        let is_asked = self.options.gpu_searchers.number().is_some_and(|n| n > 1) || are_several;
        let is_over = matches!(self.resume, Resume::Exhausted);
        if !is_asked || is_over || self.minimality.is_none() {
            return Vec::new();
        }
        let who = match self.options.first_device() {
            DeviceKind::Cpu => "the searchers are those of -t",
            _ => "one searcher searches",
        };
        let why = "the program has head cycles, whose check is the host's, so that";
        let asked = match are_several {
            true => format!("--device={}", self.options.device),
            false => format!("--gpu-searchers={}", self.options.gpu_searchers),
        };
        vec![format!("{asked}: {why} {who}")]
    }

    /// Why searchers of a GPU, which were to join in, did not. Nothing if there is no GPU and none was asked for.
    pub fn absence(&self) -> Option<String> {
        let is_asked = self.options.gpu_searchers.number().is_some();
        match &self.absent {
            Some(SolveError::Device(DeviceError::NoGpu(_))) if !is_asked => None,
            Some(why) => {
                Some(format!("the searchers of {} did not join in: {why}", self.options.join_device))
            }
            None => None,
        }
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
        let until = Instant::now() + self.left_of(self.options.join_after);
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

    /// How much is left of so many milliseconds since the search began.
    fn left_of(&self, milliseconds: u32) -> Duration {
        let searched = Duration::from_secs_f64(self.statistics.solve_seconds);
        Duration::from_millis(milliseconds as u64).saturating_sub(searched)
    }

    /// Begins to open the devices whose time has come.
    fn open_awaited(&mut self) -> Result<(), SolveError> {
        let SwarmState::Spread(crew) = &mut self.swarm else { return Ok(()) };
        if crew.awaited.is_empty() || Instant::now() < crew.opens_at {
            return Ok(());
        }
        let devices = std::mem::take(&mut crew.awaited);
        let SwarmState::Spread(crew) = &self.swarm else { return Ok(()) };
        devices.into_iter().try_for_each(|device| self.open_fleet(crew, device))
    }

    /// The numbers of the swarm's view for the present phase.
    fn swarm_about(&self, searchers: usize) -> Swarm {
        let options = &self.options;
        // Who wants all answer sets wants none of them twice.
        let may_race = self.wanted == 1 || self.plan.phase != Phase::Enumerate;
        let races_first = may_race && options.split_from > 0;
        Swarm {
            searchers: searchers as u32,
            racers: if may_race { options.racers } else { 0 },
            counts: self.may_count() as u32,
            races_first: races_first as u32,
            split_from: if races_first { race_of(options, searchers as u32) } else { 0 },
            split_after: if may_race { options.split_after } else { 0 },
            look_ahead: if may_race { options.cube_lookahead } else { 0 },
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

    /// The home of so many searchers on the processor, and of fleets, in the present phase.
    fn home(&mut self, searchers: usize) -> Result<Shared, SolveError> {
        let executor = device::open(DeviceKind::Cpu, self.setup_on_host())?;
        let (counters, items) = self.goal_size()?;
        let about = self.swarm_about(searchers.max(1));
        let mut shared = Shared::new(executor, about, counters, items)?;
        let hub = Hub::default();
        if searchers > 0 {
            // The first one begins with the cube that is everything.
            hub.open.store_relaxed(1);
            hub.hungry.store_relaxed(about.hungry_at_first());
        }
        // Of answer sets that lead to an optimum, those that are not better are told as well.
        if self.plan.phase == Phase::Enumerate && self.wanted > 0 && !self.plan.has_costs() {
            hub.answers_limit.store_relaxed(self.wanted.saturating_sub(self.statistics.answer_sets).max(1));
        }
        shared.write_hub(hub)?;
        if searchers == 0 {
            queue::give(&shared.view, 0, |_| Lit::TRUE);
        }
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
        let SwarmState::Single(mut searchers, joins) = self.swarm else { return Ok(()) };
        if joins && device::has_driver() {
            searchers = self.options.parallel_mode.beside_a_gpu(searchers);
        }
        // Who searches by assumptions is a searcher of its own beside the others (see `beside`).
        let is_guided = self.guide.is_some();
        let active = searchers - is_guided as usize;
        let home = Arc::new(self.home(active)?);
        self.tell_goal(&home)?;
        let devices = if joins { self.options.devices_of_fleets() } else { Ok(Vec::new()) };
        let devices = devices.unwrap_or_else(|why| {
            self.absent = Some(why.into());
            Vec::new()
        });
        let mut crew = Crew::new(home.clone(), searchers, devices.len());
        // Those who do not wait for others begin together.
        let mut arrivals = Vec::new();
        if self.options.join_after == 0 {
            arrivals = devices.iter().map(|&device| self.opened_fleet(&crew, device)).collect();
        }
        for number in 0..searchers {
            let mut solver = Solver::of(&self.problem, self.options.of_searcher(number))?;
            solver.leave_guide();
            let role = if number == 0 && is_guided {
                Role::Begins
            } else if number == 0 {
                // The first searcher goes on where this search is.
                std::mem::swap(&mut self.memory, &mut solver.memory);
                std::mem::swap(&mut self.resume, &mut solver.resume);
                std::mem::swap(&mut self.setup, &mut solver.setup);
                Role::GoesOn
            } else {
                Role::Joins
            };
            solver.plan = self.plan.clone();
            solver.memory.search.settings.seed = seed_of(self.options.seed, number);
            let commands = crew.add_member();
            let (told, control) = (crew.told.clone(), crew.control.clone());
            let member = Member::new(number as u32, solver, commands, crew.tell.clone(), told, control);
            if number < active {
                crew.tell(number, Command::Search { shared: home.clone(), role })?;
            }
            crew.start(format!("searcher {number}"), move || member.run())?;
        }
        crew.searching = active;
        crew.beside = is_guided.then_some(active as u32);
        (crew.own, crew.found) = (Some(if is_guided { active } else { 0 }), self.statistics.answer_sets);
        if arrivals.is_empty() {
            crew.awaited = devices;
            crew.opens_at = Instant::now() + self.left_of(self.options.open_after);
        }
        for arrival in arrivals {
            match arrival {
                Ok(arrival) => crew.add_fleet(Box::new(arrival), &self.plan)?,
                Err(why) => self.absent = Some(why),
            }
        }
        self.resume = Resume::Anywhere;
        self.swarm = SwarmState::Spread(Box::new(crew));
        Ok(())
    }

    /// Tells the goal that this search has reached to the searchers that join in.
    fn tell_goal(&mut self, shared: &Shared) -> Result<(), SolveError> {
        let (Some(sum), view) = (self.plan.goal_sum(), self.memory.search.problem) else { return Ok(()) };
        match self.plan.phase {
            Phase::Improve if self.guide.is_some() => {
                self.publish_bound(shared);
                return Ok(());
            }
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
            self.open_awaited()?;
            if let Some(answer) = self.kept.pop_front() {
                // Another searcher may have told of a better one, or of as much, in the meantime.
                if self.is_news(&answer) {
                    return Ok(self.answer(answer));
                }
                continue;
            }
            self.search_beside(interrupt)?;
            if !self.kept.is_empty() {
                continue;
            }
            let SwarmState::Spread(crew) = &mut self.swarm else {
                return Err(SolveError::Internal("there are no searchers"));
            };
            let is_beside = crew.beside.is_some() && !crew.control.is_done.load(Relaxed);
            if !is_beside && crew.searching == 0 && !crew.commands.is_empty() {
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
            match crew.news.recv_timeout(if is_beside { Duration::ZERO } else { WAIT }) {
                Ok(News::Answers(answers)) => self.kept.extend(answers),
                Ok(News::Finished) => crew.searching -= 1,
                Ok(News::Failed(error)) => return Err(error),
                Ok(News::Ready(fleet)) => crew.add_fleet(fleet, &self.plan)?,
                // There may be nobody else.
                Ok(News::Absent(why)) if crew.members == 0 && !is_beside => return Err(why),
                Ok(News::Absent(why)) => self.absent = Some(why),
                Err(RecvTimeoutError::Timeout) if crew.threads.iter().any(JoinHandle::is_finished) => {
                    return Err(SolveError::Internal("a searcher has ended"));
                }
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
    fn next_phase_of_all(&mut self, begin: (u32, Vec<i64>)) -> Result<(), SolveError> {
        self.leave_guide();
        let SwarmState::Spread(crew) = &mut self.swarm else { return Ok(()) };
        crew.beside = None;
        let searchers = crew.members;
        let home = Arc::new(self.home(searchers)?);
        let SwarmState::Spread(crew) = &mut self.swarm else { return Ok(()) };
        crew.control.is_done.store(false, Relaxed);
        crew.home = home;
        crew.phase = Some(begin);
        for number in 0..crew.commands.len() {
            let role = if number == 0 { Role::Begins } else { Role::Joins };
            crew.tell(number, crew.next_command(&self.plan, role))?;
        }
        crew.searching = crew.commands.len();
        Ok(())
    }
}

/// How many conflicts of its own each of so many searchers meets before it first gives a cube away.
fn race_of(options: &Options, searchers: u32) -> u32 {
    (options.split_from / searchers).max(SHORTEST_RACE)
}

impl Crew {
    /// A crew that may have so many members on the processor and so many fleets, none of which has been added.
    fn new(home: Arc<Shared>, members: usize, fleets: usize) -> Crew {
        let most = members + fleets;
        let (tell, news) = sync_channel(BATCHES * most);
        Crew {
            control: Arc::default(),
            home,
            commands: Vec::new(),
            threads: Vec::new(),
            tell,
            news,
            told: Arc::new((0..most).map(|_| Told::default()).collect()),
            widths: Vec::new(),
            members,
            phase: None,
            searching: 0,
            beside: None,
            own: None,
            found: 0,
            counted: 0,
            awaited: Vec::new(),
            opens_at: Instant::now(),
        }
    }

    /// Where one more searcher on the processor gets its commands.
    fn add_member(&mut self) -> Receiver<Command> {
        let (command, commands) = sync_channel(1);
        self.add(command, 1);
        commands
    }

    /// Adds one who tells news, and who is so many searchers.
    fn add(&mut self, commands: SyncSender<Command>, width: u64) {
        self.commands.push(commands);
        self.widths.push(width);
    }

    /// What tells a member to search for the plan's goal, from the beginning of the present phase on.
    fn next_command(&self, plan: &Plan, role: Role) -> Command {
        let shared = self.home.clone();
        match &self.phase {
            None => Command::Search { shared, role },
            Some(most) => {
                Command::NextPhase { shared, role, plan: Box::new(plan.clone()), most: most.clone() }
            }
        }
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
        let counted = self.told.iter().map(Told::counted).sum::<u64>();
        let more = counted - self.counted;
        self.counted = counted;
        (more > 0).then_some(more)
    }
}
