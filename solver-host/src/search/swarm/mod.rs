//! Searches by several searchers at once: who they are, when they begin, and what the solver does with their news.
//!
//! A [`Solver`] begins as a single search. If the search lasts, [`Solver::search_then_spread`] hands what is
//! left to searchers on threads of their own (see [`member`]), which share cubes, nogoods and goals through
//! memory that all of them see (see [`shared`] and [`solver_gpu::swarm`]). The solver then waits for news, judges
//! answer sets, and begins the next phase. If it has a guide, it also goes on by itself (see [`beside`]).
//!
//! Invariant: in a search for all answer sets, a searcher reports an answer set only if it has found the answer set
//! in its own cube. In all other searches an answer set may be found twice.

mod beside;
mod crew;
mod fleet;
mod joining;
mod member;
mod news;
pub(super) mod shared;
mod tally;
#[cfg(test)]
mod tests;
mod trade;

use super::options::{Engine, When};
use super::plan::{Conclusion, Phase};
use super::searcher::Searcher;
use super::Resume;
use super::{AnswerSet, Options, SolveError, Solver, Step};
use crate::device::{self, DeviceError, DeviceKind, Setup};
use crew::Crew;
use member::{IdleThread, Member};
use news::{Arrival, News, Role, Told};
use shared::Shared;
use solver_gpu::hash::mix;
use solver_gpu::layout::{Hub, BETTER, NARROW};
use solver_gpu::swarm::queue;
use solver_gpu::{Lit, Swarm};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

pub use joining::is_opening_device;

/// How long the solver waits for news before it asks whether to go on.
const WAIT: Duration = Duration::from_millis(2);

/// The shortest race of many searchers, in conflicts of each.
const SHORTEST_RACE: u32 = 400;

/// The rounds of a launch of a search that others join after so many conflicts. The first round may repeat what the
/// launch before did last.
const SHORT_LAUNCH: u32 = 2;

/// Whether a solver's search has other searchers.
pub enum SwarmState {
    /// The search is a single one.
    Alone,
    /// The search is a single one. If it lasts, this many searchers on the processor share it, and fleets as well if
    /// the flag is true.
    Single(usize, bool),
    /// Fleets are to search from the beginning, and nobody searches on the processor.
    Fleet,
    /// Searchers search.
    Spread(Box<Crew>),
}

/// The seed of a searcher: the first one has the search's.
fn seed_of(seed: u64, number: usize) -> u32 {
    mix(seed.wrapping_add(number as u64)) as u32
}

impl Solver {
    /// Decides by the options which other searchers the search may take.
    pub(super) fn may_spread(&mut self) {
        let options = &self.searcher.options;
        if options.engine == Engine::Host || matches!(self.resume, Resume::Over(_)) {
            return;
        }
        let searchers = options.parallel_mode.searchers();
        // The check for smaller models is the host's.
        let is_founded_enough = !self.searcher.checks_minimality();
        let joins = options.joins() && is_founded_enough;
        let is_fleet = options.wants_fleet() && is_founded_enough;
        self.swarm = match self.searcher.memory.executor().threads() {
            1 if is_fleet && matches!(options.device, DeviceKind::Gpus(_)) => SwarmState::Fleet,
            1 if searchers > 1 || joins => SwarmState::Single(searchers, joins),
            2.. if is_fleet => SwarmState::Fleet,
            _ => SwarmState::Alone,
        };
        // The search must not go past the time at which others join it.
        match (&self.swarm, options.join_after) {
            (SwarmState::Single(..), When::Conflict(_)) => {
                self.searcher.memory.rounds_a_launch = SHORT_LAUNCH
            }
            (SwarmState::Single(..), When::Answer(_)) => self.searcher.is_one_by_one = true,
            _ => {}
        }
        if matches!(self.swarm, SwarmState::Fleet) && self.guide.is_some() {
            self.choose_fleet_or_guide();
        }
    }

    /// Warnings about searchers that were asked for and will not search, one sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let are_several = matches!(self.searcher.options.device, DeviceKind::Gpus(_));
        let is_asked = self.searcher.options.gpu_searchers.number().is_some_and(|n| n > 1) || are_several;
        let is_over = matches!(self.resume, Resume::Over(_));
        if !is_asked || is_over || !self.searcher.checks_minimality() {
            return Vec::new();
        }
        let who = match self.searcher.options.first_device() {
            DeviceKind::Cpu => "the searchers are those of -t",
            _ => "one searcher searches",
        };
        let why = "the program has head cycles, whose check is the host's, so that";
        let asked = match are_several {
            true => format!("--device={}", self.searcher.options.device),
            false => format!("--gpu-searchers={}", self.searcher.options.gpu_searchers),
        };
        vec![format!("{asked}: {why} {who}")]
    }

    /// Warnings at the end of the search, one sentence each: why there were fewer searchers than were asked for. The
    /// warning that there is no GPU comes only if one was asked for.
    pub fn late_warnings(&self) -> Vec<String> {
        let mut told = Vec::new();
        if let Some((searchers, lack)) = &self.fewer {
            told.push(format!("-t: {searchers} searchers had to do on the processor: {lack}"));
        }
        let is_asked = self.searcher.options.gpu_searchers.number().is_some();
        match &self.absent {
            Some(SolveError::Device(DeviceError::NoGpu(_))) if !is_asked => {}
            Some(why) => {
                told.push(format!(
                    "the searchers of {} did not join in: {why}",
                    self.searcher.options.join_device
                ));
            }
            None => {}
        }
        told
    }

    /// Says that the caller wants the number of answer sets and no answer set itself. Then [`Solver::next_answer`] may
    /// return [`Step::Counted`].
    pub fn only_count(&mut self) {
        self.only_counts = true;
    }

    /// Says how many answer sets the caller is going to ask for; 0: all. If it wants one, searchers race for that one,
    /// and [`Solver::next_answer`] returns [`Step::Interrupted`] after that answer set.
    pub fn want(&mut self, answers: u64) {
        self.wanted = answers;
    }

    /// Searches as a single search for a while, and by several searchers from then on.
    pub(super) fn search_then_spread(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        let step = self.search_alone(interrupt)?;
        if step != Step::Interrupted || !self.is_spread_due() {
            return Ok(step);
        }
        self.spread(interrupt)
    }

    /// Whether it is time that other searchers join a search that is a single one.
    pub(super) fn is_spread_due(&self) -> bool {
        matches!(self.swarm, SwarmState::Single(..)) && self.has_come(self.searcher.options.join_after)
    }

    /// Whether a time of the search has come.
    fn has_come(&self, when: When) -> bool {
        match when {
            When::Milliseconds(ms) => {
                let searched =
                    Duration::from_secs_f64(self.searcher.statistics.solve_seconds) + self.asked_at.elapsed();
                searched >= Duration::from_millis(ms as u64)
            }
            When::Conflict(n) => {
                let others = match &self.swarm {
                    SwarmState::Spread(crew) => crew.told.iter().map(Told::conflicts).sum(),
                    _ => 0,
                };
                self.searcher.memory.state.counts.conflicts.load() + others >= n as u64
            }
            When::Answer(n) => self.searcher.statistics.answer_sets >= n as u64,
            When::Phase(n) => self.plan.phases_before() >= n,
        }
    }

    /// Opens the devices that wait to be opened, or has threads open them, if their time has come.
    fn open_awaited(&mut self) -> Result<(), SolveError> {
        let SwarmState::Spread(crew) = &mut self.swarm else { return Ok(()) };
        if crew.awaited.is_empty() || !self.has_come(self.searcher.options.open_after) {
            return Ok(());
        }
        let SwarmState::Spread(crew) = &mut self.swarm else { return Ok(()) };
        let devices = std::mem::take(&mut crew.awaited);
        let SwarmState::Spread(crew) = &self.swarm else { return Ok(()) };
        if !self.searcher.options.open_after.is_exact() {
            return devices.into_iter().try_for_each(|device| self.open_fleet(crew, device));
        }
        let opened: Vec<_> = devices.into_iter().map(|device| self.opened_fleet(crew, device)).collect();
        opened.into_iter().try_for_each(|opened| self.admit(opened))
    }

    /// Lets the fleet of an opened device join. If the device cannot be used, the other searchers go on.
    fn admit(&mut self, opened: Result<Arrival, SolveError>) -> Result<(), SolveError> {
        let SwarmState::Spread(crew) = &mut self.swarm else { return Ok(()) };
        match opened {
            Ok(arrival) => crew.add_fleet(Box::new(arrival), &self.plan),
            Err(why) => {
                self.absent = Some(why);
                Ok(())
            }
        }
    }

    /// The swarm as kernels see it in the present phase, with numbers and without arrays.
    fn swarm_about(&self, searchers: usize) -> Swarm {
        let options = &self.searcher.options;
        // Searchers that race may find an answer set twice.
        let may_race = self.wanted == 1 || self.plan.phase() != Phase::Enumerate;
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
            tightens: if self.plan.phase() == Phase::Improve { BETTER } else { NARROW },
            ..Swarm::default()
        }
    }

    /// Whether searchers count the answer sets of the present phase instead of reporting them.
    fn may_count(&self) -> bool {
        let is_checked = self.searcher.options.check == super::Check::All;
        self.only_counts
            && self.plan.phase() == Phase::Enumerate
            && !self.plan.has_costs()
            && !is_checked
            && !self.searcher.checks_minimality()
    }

    /// The home of `searchers` searchers on the processor, and of all fleets, in the present phase.
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
        // With costs, searchers also report answer sets that are not better, and these must not count.
        if self.plan.phase() == Phase::Enumerate && self.wanted > 0 && !self.plan.has_costs() {
            hub.answers_limit
                .store_relaxed(self.wanted.saturating_sub(self.searcher.statistics.answer_sets).max(1));
        }
        shared.write_hub(hub)?;
        if searchers == 0 {
            queue::give(&shared.view, 0, |_| Lit::TRUE);
        }
        Ok(shared)
    }

    /// The number of counters and the number of items of the present goal.
    fn goal_size(&mut self) -> Result<(usize, usize), SolveError> {
        let Some(sum) = self.plan.goal_sum() else { return Ok((0, 0)) };
        let (view, sum) = (self.searcher.memory.search.problem, sum as usize);
        let mut len = |array: solver_gpu::Array<u32>| {
            let starts = self.searcher.memory.read(array, sum + 2)?;
            Ok::<_, SolveError>((starts[sum + 1] - starts[sum]) as usize)
        };
        Ok((len(view.sum_counters)?, len(view.sum_start)?))
    }

    /// How the executors of searchers on the processor run kernels.
    fn setup_on_host(&self) -> Setup {
        Setup { threads: 1, ..self.searcher.options.setup() }
    }

    /// Hands the search over to searchers on threads, and waits for what they find. If the system has no threads or no
    /// memory for others, the search stays a single one.
    fn spread(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        let SwarmState::Single(mut searchers, joins) = self.swarm else {
            return Err(SolveError::Internal("a search spreads twice"));
        };
        self.searcher.memory.rounds_a_launch = self.searcher.memory.executor().rounds_a_launch();
        if joins && device::has_driver() {
            searchers = self.searcher.options.parallel_mode.beside_a_gpu(searchers);
        }
        let devices = if joins { self.searcher.options.devices_of_fleets() } else { Ok(Vec::new()) };
        let devices = devices.unwrap_or_else(|why| {
            self.absent = Some(why.into());
            Vec::new()
        });
        // With a guide, the solver's own search is one more searcher (see `beside`).
        let is_guided = self.guide.is_some();
        let (others, lack) = self.others(searchers);
        let members = others.len();
        let active = members.saturating_sub(is_guided as usize);
        let home = match members > 1 || members == 1 && !devices.is_empty() {
            true => self.home(active).map_err(Some),
            false => Err(None),
        };
        let (home, lack) = match home {
            Ok(home) => (Some(Arc::new(home)), lack),
            Err(why) => (None, why.or(lack)),
        };
        if let Some(lack) = lack {
            self.fewer = Some((if home.is_some() { members } else { 1 }, lack));
        }
        let Some(home) = home else {
            self.swarm = SwarmState::Alone;
            return self.search_alone(interrupt);
        };
        self.tell_goal(&home)?;
        let mut crew = Crew::new(home, members, devices.len());
        for (number, (mut searcher, thread)) in others.into_iter().enumerate() {
            if number == 0 && !is_guided {
                // The first searcher goes on where this search is.
                self.searcher.exchange(&mut searcher);
            }
            searcher.memory.search.settings.seed = seed_of(self.searcher.options.seed, number);
            let commands = crew.add_member();
            let member = Member::new(number as u32, searcher, commands, crew.tell.clone(), crew.told.clone());
            crew.threads.push(thread.run(member)?);
        }
        // If searchers join at an exact time, and devices open by the clock, the fleets begin with the members.
        let options = &self.searcher.options;
        let opened: Vec<_> = match options.join_after.is_exact() && !options.open_after.is_exact() {
            true => devices.into_iter().map(|device| self.opened_fleet(&crew, device)).collect(),
            false => {
                crew.awaited = devices;
                Vec::new()
            }
        };
        for number in 0..active {
            let role = match number {
                0 if is_guided => Role::Begins,
                0 => Role::GoesOn,
                _ => Role::Joins,
            };
            crew.tell(number, role, &self.plan)?;
        }
        crew.searching = active;
        crew.beside = is_guided.then_some(active as u32);
        (crew.own, crew.found) =
            (Some(if is_guided { active } else { 0 }), self.searcher.statistics.answer_sets);
        self.resume = Resume::Anywhere;
        self.swarm = SwarmState::Spread(Box::new(crew));
        opened.into_iter().try_for_each(|opened| self.admit(opened))?;
        self.search_by_all(interrupt)
    }

    /// Makes `searchers` searchers, each with a thread that waits for a member. If the system lacks threads or memory,
    /// there are fewer, and the error says what is lacking.
    fn others(&self, searchers: usize) -> (Vec<(Searcher, IdleThread)>, Option<SolveError>) {
        let mut others = Vec::new();
        for number in 0..searchers {
            let options = self.searcher.options.of_searcher(number);
            let other = Searcher::new(self.problem(), options, |executor| executor)
                .and_then(|searcher| Ok((searcher, IdleThread::start(format!("searcher {number}"))?)));
            match other {
                Ok(other) => others.push(other),
                Err(lack) => return (others, Some(lack)),
            }
        }
        (others, None)
    }

    /// Tells the goal that this search has reached to the searchers that join in.
    fn tell_goal(&mut self, shared: &Shared) -> Result<(), SolveError> {
        let (Some(sum), view) = (self.plan.goal_sum(), self.searcher.memory.search.problem) else {
            return Ok(());
        };
        match self.plan.phase() {
            Phase::Improve if self.guide.is_some() => {
                self.publish_bound(shared);
                return Ok(());
            }
            Phase::Improve => {
                let (from, end) = (view.sum_counters.read(sum), view.sum_counters.read(sum + 1));
                let most =
                    self.searcher.memory.read(self.searcher.memory.search.own.sum_most, end as usize)?;
                for (i, &most) in most[from as usize..].iter().enumerate() {
                    shared.view.bound.get(2 * i).store_relaxed(most as u32);
                    shared.view.bound.get(2 * i + 1).store_relaxed((most >> 32) as u32);
                }
            }
            _ => {
                let (from, end) = (view.sum_start.read(sum), view.sum_start.read(sum + 1));
                let weights =
                    self.searcher.memory.read(self.searcher.memory.search.own.sum_weight, end as usize)?;
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
        if matches!(self.resume, Resume::Over(_)) {
            return Ok(Step::Exhausted);
        }
        loop {
            self.open_awaited()?;
            if let Some(answer) = self.kept.pop_front() {
                // Meanwhile another searcher's answer set may have been better, or may have said as much.
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
            let is_beside = crew.beside.is_some() && !crew.home.is_over();
            if !is_beside && crew.searching == 0 && !crew.commands.is_empty() {
                if let Some(more) = crew.counted_since() {
                    self.searcher.statistics.answer_sets += more;
                    return Ok(Step::Counted(more));
                }
                // Without a refutation, searchers have returned because they have found as many as are wanted.
                let Some(refuted) = crew.refuted() else { return Ok(Step::Interrupted) };
                if let Conclusion::Over(all) = self.plan.conclude(refuted) {
                    return Ok(self.over(all));
                }
                self.next_phase_of_all()?;
                continue;
            }
            let mut is_quiet = false;
            match crew.news.recv_timeout(if is_beside { Duration::ZERO } else { WAIT }) {
                Ok(News::Answers(answers)) => self.kept.extend(answers),
                Ok(News::Finished) => crew.searching -= 1,
                Ok(News::Failed(error)) => return Err(error),
                Ok(News::Ready(fleet)) => crew.add_fleet(fleet, &self.plan)?,
                // Without members and a search beside them, nobody else searches.
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
            // The caller is told of counted answer sets only if no news has come, because telling takes time.
            if let Some(more) = is_quiet.then(|| crew.counted_since()).flatten() {
                self.searcher.statistics.answer_sets += more;
                return Ok(Step::Counted(more));
            }
        }
    }

    /// Whether an answer set is better than those before, or says more. Without a goal each one is news.
    fn is_news(&self, answer: &AnswerSet) -> bool {
        self.plan.is_news(self.problem().program(), |lit| answer.holds(lit))
    }

    /// Begins the plan's present phase, for all searchers.
    fn next_phase_of_all(&mut self) -> Result<(), SolveError> {
        self.leave_guide();
        let SwarmState::Spread(crew) = &mut self.swarm else { return Ok(()) };
        crew.beside = None;
        let searchers = crew.members;
        let home = Arc::new(self.home(searchers)?);
        let SwarmState::Spread(crew) = &mut self.swarm else { return Ok(()) };
        crew.home = home;
        for number in 0..crew.commands.len() {
            let role = if number == 0 { Role::Begins } else { Role::Joins };
            crew.tell(number, role, &self.plan)?;
        }
        crew.searching = crew.commands.len();
        Ok(())
    }
}

/// The number of conflicts that each of `searchers` searchers meets before it first gives a cube away.
fn race_of(options: &Options, searchers: u32) -> u32 {
    (options.split_from / searchers).max(SHORTEST_RACE)
}
