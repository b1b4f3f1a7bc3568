//! Searches by several searchers at once: who they are, when they begin, and what is made of their news.
//!
//! A [`Solver`] begins as a single search. If the search lasts, [`Solver::search_then_spread`] hands what is
//! left to searchers on threads of their own (see [`member`]), which share cubes, nogoods and goals through
//! memory that all of them see (see [`shared`] and [`solver_gpu::swarm`]). The solver itself then only waits
//! for news, judges answer sets, and begins the next phase.
//!
//! Invariant: every answer set that a searcher reports was found in a cube of its own, or tells of a single
//! answer set or a goal, where it does not matter whether it is told twice.

mod member;
mod shared;

use super::options::Engine;
use super::plan::Phase;
use super::{AnswerSet, Resume, SolveError, Solver, Statistics, Step};
use crate::device::{DeviceKind, Setup};
use member::{Command, Counts, Member, News, Role};
use shared::Shared;
use solver_gpu::hash::mix;
use solver_gpu::layout::{BETTER, NARROW};
use solver_gpu::Swarm;
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError, SyncSender};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long the solver waits for news before it asks whether to go on.
const WAIT: Duration = Duration::from_millis(2);

/// Batches of answer sets that wait for the solver at most, for each searcher.
const BATCHES: usize = 2;

/// Whether a solver's search has other searchers.
pub enum SwarmState {
    /// The search is a single one.
    Alone,
    /// The search is a single one; it may take this many searchers if it lasts.
    Single(usize),
    /// Searchers on threads search.
    Spread(Crew),
}

/// Searchers on threads of the processor.
pub struct Crew {
    shared: Arc<Shared>,
    commands: Vec<SyncSender<Command>>,
    threads: Vec<JoinHandle<()>>,
    news: Receiver<News>,
    counts: Arc<Vec<Counts>>,
    /// The statistics of the searchers, each as last told.
    statistics: Vec<Statistics>,
    /// How many searchers have not said that they are done.
    searching: usize,
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.shared.hub().stop.store_relaxed(1);
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
    /// Lets the search take other searchers if it lasts, as its options say.
    pub(super) fn may_spread(&mut self) {
        let searchers = self.options.parallel_mode.searchers();
        let is_possible = self.options.device != DeviceKind::Simt
            && self.options.engine != Engine::Host
            && self.memory.executor().threads() == 1;
        if searchers > 1 && is_possible {
            self.swarm = SwarmState::Single(searchers);
        }
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
        let races = self.wanted == 1 || self.plan.phase != Phase::Enumerate;
        Swarm {
            searchers: searchers as u32,
            races: races as u32,
            split_after: if races { options.split_after } else { 0 },
            share_len: options.share_length,
            share_lbd: options.share_lbd,
            import_every: options.import_every,
            import_most: options.import_most,
            tightens: if self.plan.phase == Phase::Improve { BETTER } else { NARROW },
            ..Swarm::default()
        }
    }

    /// Memory for a swarm in the present phase.
    fn swarm_memory(&self, searchers: usize) -> Result<Shared, SolveError> {
        let setup = Setup { threads: 1, ..self.options.setup() };
        let executor = self.problem.uploaded.sibling(setup)?;
        let (counters, items) = self.goal_size();
        let shared = Shared::new(executor, self.swarm_about(searchers), counters, items)?;
        let hub = shared.hub();
        hub.open.store_relaxed(1);
        hub.hungry.store_relaxed(searchers as u32 - 1);
        // Of answer sets that lead to an optimum, those that are not better are told as well.
        if self.plan.phase == Phase::Enumerate && self.wanted > 0 && !self.plan.has_costs() {
            hub.answers_limit.store_relaxed(self.wanted.saturating_sub(self.statistics.answer_sets).max(1));
        }
        Ok(shared)
    }

    /// How many counters and items the present goal has.
    fn goal_size(&self) -> (usize, usize) {
        let Some(sum) = self.plan.goal_sum() else { return (0, 0) };
        let view = &self.memory.search.problem;
        let len = |array: solver_gpu::Array<u32>| (array.read(sum + 1) - array.read(sum)) as usize;
        (len(view.sum_counters), len(view.sum_start))
    }

    /// Hands the search over to searchers on threads.
    fn spread(&mut self) -> Result<(), SolveError> {
        let SwarmState::Single(searchers) = self.swarm else { return Ok(()) };
        let shared = Arc::new(self.swarm_memory(searchers)?);
        self.tell_goal(&shared)?;
        let (tell, news) = sync_channel(BATCHES * searchers);
        let counts: Arc<Vec<Counts>> = Arc::new((0..searchers).map(|_| Counts::default()).collect());
        let mut crew = Crew {
            shared: shared.clone(),
            commands: Vec::new(),
            threads: Vec::new(),
            news,
            counts: counts.clone(),
            statistics: vec![Statistics::default(); searchers],
            searching: searchers,
        };
        for number in 0..searchers {
            let mut solver = Solver::of(&self.problem, self.options)?;
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
            let (command, commands) = sync_channel(1);
            let member = Member::new(number as u32, solver, commands, tell.clone(), counts.clone());
            let _ = command.send(Command::Search { shared: shared.clone(), role });
            crew.commands.push(command);
            let thread = thread::Builder::new()
                .name(format!("searcher {number}"))
                .spawn(move || member.run())
                .map_err(|error| SolveError::Threads(error.to_string()))?;
            crew.threads.push(thread);
        }
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
                if crew.shared.hub().done.load_relaxed() == 0 {
                    // As many answer sets were found as are wanted.
                    return Ok(Step::Interrupted);
                }
                match self.plan.next_phase() {
                    Some(phase) => self.next_phase_of_all(phase)?,
                    None => return Ok(self.exhausted()),
                }
                continue;
            }
            match crew.news.recv_timeout(WAIT) {
                Ok(News::Answers(answers)) => self.kept.extend(answers),
                Ok(News::Finished(member, statistics)) => {
                    crew.searching -= 1;
                    crew.statistics[member as usize] = *statistics;
                }
                Ok(News::Failed(error)) => return Err(error),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(SolveError::Internal("the searchers have ended"));
                }
            }
            if self.kept.is_empty() && interrupt() {
                return Ok(Step::Interrupted);
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
        let SwarmState::Spread(crew) = &self.swarm else {
            return Err(SolveError::Internal("there are no searchers"));
        };
        let searchers = crew.commands.len();
        let shared = Arc::new(self.swarm_memory(searchers)?);
        let SwarmState::Spread(crew) = &mut self.swarm else { unreachable!("there were searchers") };
        for (number, command) in crew.commands.iter().enumerate() {
            let role = if number == 0 { Role::Begins } else { Role::Joins };
            let phase = Command::NextPhase {
                shared: shared.clone(),
                role,
                plan: Box::new(self.plan.clone()),
                most: (counter, most.clone()),
            };
            command.send(phase).map_err(|_| SolveError::Internal("a searcher has ended"))?;
        }
        (crew.shared, crew.searching) = (shared, searchers);
        Ok(())
    }

    /// Brings the statistics up to date: the sums over all searchers.
    pub(super) fn count_all(&mut self) {
        let SwarmState::Spread(crew) = &self.swarm else { return };
        let s = &mut self.statistics;
        let sum = |of: fn(&Statistics) -> u64| crew.statistics.iter().map(of).sum::<u64>();
        s.violations = sum(|s| s.violations);
        s.propagations = sum(|s| s.propagations);
        s.rounds = sum(|s| s.rounds);
        s.visits = sum(|s| s.visits);
        s.learned = sum(|s| s.learned);
        s.learned_literals = sum(|s| s.learned_literals);
        s.deleted = sum(|s| s.deleted);
        s.completions = sum(|s| s.completions);
        s.stability_checks = sum(|s| s.stability_checks);
        s.minimality_checks = sum(|s| s.minimality_checks);
        s.unfounded_sets = sum(|s| s.unfounded_sets);
        s.launches = sum(|s| s.launches);
        s.bytes_to_device = sum(|s| s.bytes_to_device);
        s.bytes_to_host = sum(|s| s.bytes_to_host);
        s.bytes_on_device = self.problem.traffic().peak_memory + crew.shared.bytes();
        s.bytes_on_device += crew.statistics.iter().map(|s| s.bytes_on_device).sum::<u64>();
        s.deepest_level = crew.statistics.iter().map(|s| s.deepest_level).max().unwrap_or(0);
        // These are known at any time, for a line of progress and for limits.
        let now = |of: fn(&Counts) -> u64| crew.counts.iter().map(of).sum::<u64>();
        s.conflicts = now(Counts::conflicts);
        s.decisions = now(Counts::decisions);
        s.restarts = now(Counts::restarts);
    }
}
