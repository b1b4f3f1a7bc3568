//! Writes what a search does: `--trace`.
//!
//! Main type: [`Tracing`], which a [searcher](super::Searcher) has while it is traced (see `traced.rs`). The kernels
//! write to a ring in the search's memory (see [`solver_gpu::trace`]). Whenever the search returns, the host
//! drains the ring, follows the search by what it wrote, and writes a line for each event. The lines are
//! described in `docs/trace.md` and by [`TRACE_SCHEMA`].
//!
//! Invariant: a traced search is a single searcher. It takes the same steps as without a trace.

mod events;
mod follow;
mod header;
mod names;
#[cfg(test)]
mod tests;
mod writer;

use super::memory::Memory;
use super::problem::Problem;
use super::ring;
use crate::search::{AnswerSet, Options, SolveError};
use events::{Because, Event};
use follow::{Follower, Found};
use solver_gpu::layout::writes;
use std::io::{self, Write};
use writer::Writer;

/// The JSON Schema of each line of a trace.
pub const TRACE_SCHEMA: &str = include_str!("schema.json");

/// A trace that is being written.
pub struct Tracing {
    writer: Writer,
    follower: Follower,
    /// How many answer sets there were.
    answers: u64,
}

impl Tracing {
    /// Makes room for a ring of at least `least` words in the memory of a search that has not begun, and writes what the
    /// search begins with to `to`. There will be at most `limit` events, or any number if that is 0.
    ///
    /// # Errors
    /// If `to` cannot be written, the program is too large, or the device has too little memory or fails.
    pub fn begin(
        problem: &Problem,
        options: &Options,
        memory: &mut Memory,
        (to, limit): (Box<dyn Write + Send>, u64),
        least: usize,
    ) -> Result<Tracing, SolveError> {
        let view = memory.search.problem;
        if !memory.fit_ring(writes::TRACE, least)? {
            return Err(SolveError::Trace("the program is too large to be traced".into()));
        }
        let start = header::start(problem, options, memory, limit)?;
        let mut writer = Writer::new(to, limit);
        writer.start(&start).map_err(failed)?;
        let follower = Follower::new(view.vars, start.nogoods.len() as u64);
        Ok(Tracing { writer, follower, answers: 0 })
    }

    /// Writes the last line, which says whether the search space is exhausted.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub fn end(mut self, is_exhausted: bool) -> Result<(), SolveError> {
        self.end_conflict()?;
        self.writer.end(if is_exhausted { Because::Exhausted } else { Because::Stopped }).map_err(failed)
    }

    /// Whether the trace is full.
    pub fn is_over(&self) -> bool {
        self.writer.is_over()
    }

    /// Writes down what is in the ring, and empties it. Returns whether the device had no more to write.
    ///
    /// # Errors
    /// If the device fails or the trace cannot be written.
    pub fn drain(&mut self, problem: &Problem, memory: &mut Memory) -> Result<bool, SolveError> {
        let drained = memory.drain_ring()?;
        for item in ring::items(&drained.words) {
            let mut found = Vec::new();
            self.follower.follow(item, &drained.renamed, |event| found.push(event));
            for found in found {
                let event = match found {
                    Found::Event(event) => event,
                    Found::Answer => self.answer_event(problem),
                };
                self.writer.event(&event).map_err(failed)?;
            }
        }
        Ok(!drained.is_behind)
    }

    /// Writes that the assignment is an answer set, where the host has judged that.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub fn answer(&mut self, problem: &Problem) -> Result<(), SolveError> {
        self.end_conflict()?;
        let event = self.answer_event(problem);
        self.writer.event(&event).map_err(failed)
    }

    /// Writes what the goal has become: the sum with this number.
    ///
    /// # Errors
    /// If the device fails or the trace cannot be written.
    pub fn goal(&mut self, goal: u32, memory: &mut Memory) -> Result<(), SolveError> {
        let stricter = header::sum(memory, goal)?;
        self.end_conflict()?;
        self.writer.event(&Event::Goal { sum: goal as u64, stricter }).map_err(failed)
    }

    /// Writes that the search starts over for another goal.
    ///
    /// # Errors
    /// If the device fails or the trace cannot be written.
    pub fn again(&mut self, memory: &mut Memory) -> Result<(), SolveError> {
        memory.restart_trace()?;
        let sums = header::sums(memory)?;
        self.end_conflict()?;
        self.follower.again();
        self.writer.event(&Event::Again { sums }).map_err(failed)
    }

    fn end_conflict(&mut self) -> Result<(), SolveError> {
        let conflict = self.follower.end_conflict();
        conflict.map_or(Ok(()), |event| self.writer.event(&event)).map_err(failed)
    }

    fn answer_event(&mut self, problem: &Problem) -> Event {
        let task = &problem.task;
        let follower = &self.follower;
        let answer = AnswerSet::of_solver(&task.prepared, |var| follower.is_true(solver_gpu::Var(var)));
        self.answers += 1;
        Event::Answer {
            number: self.answers,
            atoms: answer.shown(task.program()).into_iter().map(str::to_string).collect(),
            costs: task.plan.costs(task.program(), |lit| answer.holds(lit)),
        }
    }
}

/// An error of the sink.
fn failed(error: io::Error) -> SolveError {
    SolveError::Trace(error.to_string())
}
