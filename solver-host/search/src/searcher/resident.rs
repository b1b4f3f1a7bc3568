//! A search that runs on the device: what the host does when the device returns.
//!
//! Main function: [`Searcher::launch`]. The device returns with answer sets, when it is exhausted, when
//! something has to grow, or when it was asked to. Everything that it does by itself is in
//! [`solver_gpu::kernels::search`].

use super::{Event, Searcher};
use crate::campaign::plan::Phase;
use crate::{AnswerSet, SolveError};
use solver_gpu::kernels::search::outcome;
use solver_gpu::layout::COUNTED;
use yasmin_device::Geometry;

/// Answer sets that the device collects at most before it returns.
const MOST_ANSWERS: u32 = 4096;
/// And their bits, in words. Several such batches may wait for the host.
const MOST_ANSWER_WORDS: u32 = 1 << 15;

/// How often propagators are asked at most before the caller looks at the search.
const ASKS: u32 = 64;

impl Searcher {
    /// A launch of Algorithm 1, and what is made of it; several launches if propagators are asked in between.
    pub(super) fn launch(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Event, SolveError> {
        for _ in 1..ASKS {
            let event = self.launch_once(interrupt)?;
            let has_asked = self.memory.state.outcome.load() == outcome::ASKS && self.propagation.is_some();
            if !has_asked || !matches!(event, Event::Paused) || !self.found.is_empty() {
                return Ok(event);
            }
        }
        self.launch_once(interrupt)
    }

    fn launch_once(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Event, SolveError> {
        self.fit_answers()?;
        self.memory.search(Geometry::Block, interrupt)?;
        let before = self.found.len();
        if self.memory.state.answers.load() > 0 {
            self.collect()?;
        }
        self.drain_rings(before)?;
        match self.memory.state.outcome.load() {
            outcome::PAUSED => Ok(Event::Paused),
            outcome::EXHAUSTED => Ok(Event::Exhausted),
            outcome::IDLE => Ok(Event::Idle),
            outcome::ANSWER if self.keeps_answers() => Ok(Event::Paused),
            outcome::ANSWER => self.judge(interrupt),
            outcome::ASKS => self.ask(interrupt),
            outcome::NO_ROOM => self.make_room().map(|()| Event::Paused),
            _ => Err(SolveError::Internal("completion left variables open")),
        }
    }

    /// Makes room for the answer sets of the next launch.
    fn fit_answers(&mut self) -> Result<(), SolveError> {
        if !self.keeps_answers() {
            self.memory.search.launch.answers_wanted = 0;
            return Ok(());
        }
        if self.counts {
            self.memory.search.launch.answers_wanted = COUNTED;
            return Ok(());
        }
        // One at first, as that may be all that is wanted, then more and more. Where the answer sets change
        // the goal, each is told at once.
        let words = self.memory.search.problem.atom_vars.div_ceil(32).max(1);
        let most = (MOST_ANSWER_WORDS / words).clamp(1, MOST_ANSWERS);
        let wanted = self.most_at_once.unwrap_or(self.statistics.answer_sets).clamp(1, most as u64) as u32;
        // A trace ends with the last answer set that is asked for.
        let are_many = self.phase == Phase::Enumerate && !self.is_one_by_one && !self.is_traced();
        Ok(self.memory.fit_answers(if are_many { wanted } else { 1 })?)
    }

    /// Takes over the answer sets that the device kept.
    fn collect(&mut self) -> Result<(), SolveError> {
        let words = self.memory.read_answers()?;
        let rows = self.memory.state.answers.load() as usize;
        let len = words.len() / rows;
        let prepared = &self.problem.task.prepared;
        let row = |row: usize| AnswerSet::of_bits(prepared, words[row * len..(row + 1) * len].to_vec());
        self.found.extend((0..rows).map(row));
        Ok(())
    }
}
