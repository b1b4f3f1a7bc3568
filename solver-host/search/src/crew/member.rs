//! A searcher of a crew on a thread of the processor.
//!
//! Main type: [`Member`]. What the searcher does as part of the crew is in the kernels (see [`solver_gpu::swarm`]).

use super::news::{Command, Role};
use super::seat::Mate;
use super::shared::Shared;
use crate::campaign::plan::Phase;
use crate::searcher::event::Event;
use crate::searcher::proof::passed_over;
use crate::searcher::Searcher;
use crate::{AnswerSet, SolveError, Statistics};
use solver_gpu::layout::CLASSES;
use solver_gpu::swarm::join::{join, Has};
use solver_gpu::Swarm;
use std::time::Duration;
use yasmin_device::DeviceError;

/// See the module's documentation.
pub struct Member {
    pub searcher: Searcher,
    /// The number of the searcher among all searchers of the crew.
    number: u32,
    phase: Phase,
}

impl Member {
    /// A searcher that waits for commands.
    pub fn new(searcher: Searcher) -> Member {
        Member { searcher, number: 0, phase: Phase::Enumerate }
    }

    /// Makes the search a searcher of the swarm.
    fn join(&mut self, swarm: Swarm, role: Role) -> Result<(), DeviceError> {
        self.searcher.join_proof();
        let memory = &mut self.searcher.memory;
        memory.make_room_in_cube(swarm.sizes().choices)?;
        memory.search.swarm = Swarm { first: self.number, ..swarm };
        memory.read_state()?;
        let has = match role {
            Role::GoesOn => Has::Begun,
            Role::Begins => Has::Everything,
            Role::Joins => Has::Nothing,
        };
        join(&memory.state, &swarm, self.number, memory.search.settings.assumed, has);
        memory.write_state()?;
        let seen = if self.searcher.is_proved() { passed_over(&swarm) } else { [0; CLASSES as usize] };
        let memory = &mut self.searcher.memory;
        memory.write(memory.search.own.pool_seen, &seen)
    }

    /// Counts an answer set that the host has checked for smaller models, and asks for the next one.
    fn go_on_after(&mut self, answer: AnswerSet, home: &Shared) -> Result<(), SolveError> {
        self.searcher.trace_answer()?;
        self.searcher.prove_answer(&answer)?;
        self.searcher.found.push(answer);
        let hub = home.hub();
        let (found, limit) = (hub.answers.fetch_add(1) + 1, hub.answers_limit.load_relaxed());
        if limit > 0 && found >= limit && self.phase == Phase::Enumerate {
            hub.winner.store_relaxed(1 + self.number);
            hub.stop.store_relaxed(1);
        }
        self.searcher.ask_for_next()
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
            std::thread::sleep(Duration::from_micros(random >> 40 & 127));
        }
    }
}

impl Mate for Member {
    fn begin(&mut self, command: &Command) -> Result<(), SolveError> {
        (self.number, self.phase) = (command.place.first, command.plan.phase());
        let (home, searcher) = (&command.home, &mut self.searcher);
        searcher.counts = home.counts;
        // What comes after the last answer set that is wanted would only exclude it.
        searcher.stops_at_answers = home.hub().answers_limit.load_relaxed() == 1;
        match command.role {
            Role::GoesOn => searcher.set_phase(self.phase),
            Role::Begins | Role::Joins => {
                searcher.leave_swarm()?;
                match command.keeps {
                    true => searcher.begin_again()?,
                    false => {
                        searcher.is_tagged = false;
                        searcher.begin_phase(&command.plan)?;
                    }
                }
                searcher.start()?;
                if let Some(assumed) = &command.assumed {
                    searcher.assume(assumed)?;
                }
            }
        }
        self.join(home.view, command.role)?;
        self.searcher.trace_joins(self.number, command.role == Role::GoesOn)
    }

    fn advance(&mut self, home: &Shared) -> Result<Event, SolveError> {
        #[cfg(test)]
        self.hinder();
        match self.searcher.advance(&|| home.is_over())? {
            Event::Answer(answer) => self.go_on_after(answer, home).map(|()| Event::Paused),
            event => Ok(event),
        }
    }

    fn found(&mut self) -> Vec<AnswerSet> {
        let found = std::mem::take(&mut self.searcher.found);
        self.searcher.statistics.answer_sets += found.len() as u64;
        found
    }

    fn end(&mut self) -> Result<(), SolveError> {
        self.searcher.end_propagation()?;
        // The step after an answer set may have learned something. It must not count as learned in the next phase.
        self.searcher.settle_trace()?;
        self.searcher.settle_proof()
    }

    fn note_time(&mut self, time: Duration, is_idle: bool) {
        let of = &mut self.searcher.statistics.swarm;
        of.searcher_seconds += time.as_secs_f64();
        of.idle_seconds += if is_idle { time.as_secs_f64() } else { 0.0 };
    }

    fn counts(&self) -> (Statistics, u64) {
        (self.searcher.counts(), self.searcher.memory.state.counted.load())
    }
}
