//! A searcher of a swarm on a thread of the processor.
//!
//! Main type: [`Member`], whose thread runs [`Member::run`]: it waits for commands, searches, and tells its
//! news. What the searcher does as part of the swarm is in the kernels (see [`solver_gpu::swarm`]).

use super::news::{Command, News, Role, Told};
use super::shared::Shared;
use crate::device::DeviceError;
use crate::search::plan::Phase;
use crate::search::searcher::{Event, Searcher};
use crate::search::{AnswerSet, SolveError};
use solver_gpu::layout::CLASSES;
use solver_gpu::swarm::join::join;
use solver_gpu::Swarm;
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long a searcher without work sleeps: the first time, and at most.
const NAP: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(1));

/// Why a searcher stops searching.
enum End {
    /// All searchers have to return.
    Returned,
    /// Nobody listens any more.
    Left,
}

/// A searcher, with the ends of its channels.
pub struct Member {
    number: u32,
    searcher: Searcher,
    commands: Receiver<Command>,
    news: SyncSender<News>,
    told: Arc<Vec<Told>>,
}

/// A thread that waits for a member. The solver starts it before it hands the search over, because the system may have
/// no thread to give.
pub struct IdleThread {
    handle: JoinHandle<()>,
    member: SyncSender<Box<Member>>,
}

impl IdleThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// [`SolveError::Threads`] if the system has none to give.
    pub fn start(name: String) -> Result<IdleThread, SolveError> {
        let (member, comes) = sync_channel::<Box<Member>>(1);
        let run = move || {
            if let Ok(member) = comes.recv() {
                member.run();
            }
        };
        let handle = thread::Builder::new().name(name).spawn(run);
        let handle = handle.map_err(|error| SolveError::Threads(error.to_string()))?;
        Ok(IdleThread { handle, member })
    }

    /// Lets the thread run a member.
    ///
    /// # Errors
    /// If the thread has ended.
    pub fn run(self, member: Member) -> Result<JoinHandle<()>, SolveError> {
        let has_ended = SolveError::Internal("a searcher has ended");
        self.member.send(Box::new(member)).map_err(|_| has_ended)?;
        Ok(self.handle)
    }
}

impl Member {
    /// A searcher that waits for commands.
    pub fn new(
        number: u32,
        searcher: Searcher,
        commands: Receiver<Command>,
        news: SyncSender<News>,
        told: Arc<Vec<Told>>,
    ) -> Member {
        let member = Member { number, searcher, commands, news, told };
        member.tell();
        member
    }

    /// Obeys one command after the other, until the solver has closed the channel of commands.
    pub fn run(mut self) {
        while let Ok(command) = self.commands.recv() {
            let began = Instant::now();
            let end = self.obey(command);
            self.searcher.statistics.swarm.searcher_seconds += began.elapsed().as_secs_f64();
            self.tell();
            let news = match end {
                Ok(End::Left) => return,
                Ok(End::Returned) => News::Finished,
                Err(error) => News::Failed(error),
            };
            if self.news.send(news).is_err() {
                return;
            }
        }
    }

    fn obey(&mut self, command: Command) -> Result<End, SolveError> {
        let Command { home, role, plan } = command;
        match role {
            Role::GoesOn => self.searcher.set_phase(plan.phase()),
            Role::Begins | Role::Joins => {
                self.searcher.begin_phase(&plan)?;
                self.searcher.start()?;
            }
        }
        self.join(home.view, role)?;
        self.search(&home, plan.phase())
    }

    /// Makes the search a searcher of the swarm.
    fn join(&mut self, swarm: Swarm, role: Role) -> Result<(), DeviceError> {
        let memory = &mut self.searcher.memory;
        memory.search.swarm = Swarm { first: self.number, ..swarm };
        memory.read_state()?;
        join(&memory.state, &swarm, self.number, role != Role::Joins);
        memory.write_state()?;
        memory.write(memory.search.own.pool_seen, &[0; CLASSES as usize])?;
        memory.load_search()
    }

    /// Searches until all searchers have to return.
    fn search(&mut self, shared: &Shared, phase: Phase) -> Result<End, SolveError> {
        let is_over = || shared.is_over();
        let mut nap = NAP.0;
        while !is_over() {
            #[cfg(test)]
            self.hinder();
            let event = self.searcher.advance(&is_over)?;
            self.tell();
            let found = std::mem::take(&mut self.searcher.found);
            if !found.is_empty() && !self.hand_over(found) {
                return Ok(End::Left);
            }
            match event {
                Event::Paused | Event::Exhausted | Event::Interrupted => {}
                Event::Answer(answer) => {
                    if !self.tell_answer(answer, shared, phase)? {
                        return Ok(End::Left);
                    }
                }
                Event::Idle => {
                    let began = Instant::now();
                    thread::sleep(nap);
                    self.searcher.statistics.swarm.idle_seconds += began.elapsed().as_secs_f64();
                    nap = (2 * nap).min(NAP.1);
                    continue;
                }
            }
            nap = NAP.0;
        }
        Ok(End::Returned)
    }

    /// Sends answer sets. Returns whether somebody listens.
    fn hand_over(&mut self, answers: Vec<AnswerSet>) -> bool {
        self.searcher.statistics.answer_sets += answers.len() as u64;
        self.news.send(News::Answers(answers)).is_ok()
    }

    /// Tells of an answer set that the host has checked for smaller models, and asks for the next one. Returns whether
    /// somebody listens.
    fn tell_answer(&mut self, answer: AnswerSet, shared: &Shared, phase: Phase) -> Result<bool, SolveError> {
        let hub = shared.hub();
        let (found, limit) = (hub.answers.fetch_add(1) + 1, hub.answers_limit.load_relaxed());
        if !self.hand_over(vec![answer]) {
            return Ok(false);
        }
        if limit > 0 && found >= limit && phase == Phase::Enumerate {
            hub.winner.store_relaxed(1 + self.number);
            hub.stop.store_relaxed(1);
        }
        self.searcher.ask_for_next()?;
        Ok(true)
    }

    /// Makes the searchers of a test meet in another order each time: each launch has few rounds, and between two
    /// launches a searcher may sleep.
    #[cfg(test)]
    fn hinder(&mut self) {
        use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
        static TIMES: AtomicU64 = AtomicU64::new(0);
        let random = solver_gpu::hash::mix(TIMES.fetch_add(1, Relaxed));
        self.searcher.memory.rounds_a_launch = 1 + random as u32 % 64;
        if random >> 32 & 7 == 0 {
            thread::sleep(Duration::from_micros(random >> 40 & 127));
        }
    }

    /// Publishes the searcher's statistics.
    fn tell(&self) {
        let counted = self.searcher.memory.state.counted.load();
        self.told[self.number as usize].tell(self.searcher.counts(), counted);
    }
}
