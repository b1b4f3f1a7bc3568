//! Writes what a search does: `--trace`.
//!
//! Main functions: [`Searcher::begin_trace`], before the search, and [`Searcher::end_trace`], after it. The kernels
//! write to a ring in the search's memory (see [`solver_gpu::trace`]). Whenever the search returns, the host
//! drains the ring, follows the search by what it wrote, and writes a line for each event. The lines are
//! described in `docs/trace.md` and by [`TRACE_SCHEMA`].
//!
//! Invariant: a traced search is a single searcher. It takes the same steps as without a trace.

mod events;
mod follow;
mod header;
mod names;
mod ring;
#[cfg(test)]
mod tests;
mod writer;

use super::Searcher;
use crate::device::{DeviceError, Kernel, Work};
use crate::search::memory::Memory;
use crate::search::{AnswerSet, SolveError};
use events::{Because, Event};
use follow::{Follower, Found};
use solver_gpu::layout::TraceWords;
use solver_gpu::trace::ring_words;
use std::io::{self, Write};
use std::mem::offset_of;
use writer::Writer;

/// The JSON Schema of each line of a trace.
pub const TRACE_SCHEMA: &str = include_str!("schema.json");

/// Words of a ring at least: half a MiB.
pub(in crate::search) const LEAST_WORDS: usize = 1 << 17;

/// Words of a ring at most, as positions have 32 bits.
const MOST_WORDS: usize = 1 << 30;

/// A trace that is being written.
pub struct Tracing {
    writer: Writer,
    follower: Follower,
    /// How many answer sets there were.
    answers: u64,
}

impl Searcher {
    /// Writes what the search begins with, and lets its kernels write what they do to a ring of at least `least` words.
    ///
    /// # Errors
    /// As for [`Solver::trace`](crate::search::Solver::trace).
    pub(in crate::search) fn begin_trace(
        &mut self,
        to: Box<dyn Write + Send>,
        limit: u64,
        least: usize,
    ) -> Result<(), SolveError> {
        let view = self.memory.search.problem;
        let slots = self.memory.search.settings.slots as usize;
        let words = ring_words(view.vars as usize, slots, view.sum_items as usize, least);
        if words > MOST_WORDS {
            return Err(SolveError::Trace("the program is too large to be traced".into()));
        }
        self.memory.fit_trace(words)?;
        self.memory.search.launch.traces = 1;
        if self.is_resident() {
            self.memory.load_search()?;
        }
        let start = header::start(&self.problem, &self.options, &mut self.memory, limit)?;
        let mut writer = Writer::new(to, limit);
        writer.start(&start).map_err(failed)?;
        let follower = Follower::new(view.vars, start.nogoods.len() as u64);
        self.tracing = Some(Tracing { writer, follower, answers: 0 });
        Ok(())
    }

    /// Writes the last line of the trace, if there is one. It says whether the search space is exhausted.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub(in crate::search) fn end_trace(&mut self, is_exhausted: bool) -> Result<(), SolveError> {
        let because = if is_exhausted { Because::Exhausted } else { Because::Stopped };
        match self.tracing.take() {
            None => Ok(()),
            Some(Tracing { mut writer, mut follower, .. }) => {
                self.memory.search.launch.traces = 0;
                let conflict = follower.end_conflict();
                conflict.map_or(Ok(()), |event| writer.event(&event)).map_err(failed)?;
                writer.end(because).map_err(failed)
            }
        }
    }

    /// Whether the search is traced, and the trace is not full.
    pub(in crate::search) fn is_traced(&self) -> bool {
        self.tracing.is_some()
    }

    /// Brings the trace of a search that the host drives up to date. All literals of the trail must be
    /// committed.
    pub(in crate::search) fn note_trace(&mut self) -> Result<(), SolveError> {
        while self.is_traced() {
            self.memory.launch(Kernel::Trace, Work::OneBlock)?;
            if self.drain_trace()? {
                break;
            }
        }
        Ok(())
    }

    /// Writes down what is in the ring, and empties it. Returns whether the device had no more to write.
    pub(in crate::search) fn drain_trace(&mut self) -> Result<bool, SolveError> {
        let Some(mut tracing) = self.tracing.take() else { return Ok(true) };
        let drained = self.memory.drain_ring()?;
        let mut written = Ok(());
        for item in ring::items(&drained.words) {
            let mut found = Vec::new();
            tracing.follower.follow(item, &drained.renamed, |event| found.push(event));
            for found in found {
                let event = match found {
                    Found::Event(event) => event,
                    Found::Answer => self.answer_event(&mut tracing),
                };
                written = written.and_then(|()| tracing.writer.event(&event));
            }
        }
        self.keep_tracing(tracing);
        written.map_err(failed)?;
        Ok(!drained.is_behind)
    }

    /// Writes an event that the device does not know of.
    fn tell_trace(&mut self, event: impl FnOnce(&Searcher, &mut Tracing) -> Event) -> Result<(), SolveError> {
        let Some(mut tracing) = self.tracing.take() else { return Ok(()) };
        let conflict = tracing.follower.end_conflict();
        let mut written = conflict.map_or(Ok(()), |event| tracing.writer.event(&event));
        let event = event(self, &mut tracing);
        written = written.and_then(|()| tracing.writer.event(&event));
        self.keep_tracing(tracing);
        written.map_err(failed)
    }

    /// Goes on with the trace, unless it is full: then the search goes on without.
    fn keep_tracing(&mut self, tracing: Tracing) {
        if tracing.writer.is_over() {
            self.memory.search.launch.traces = 0;
        } else {
            self.tracing = Some(tracing);
        }
    }

    /// Writes that the assignment is an answer set, where the host has judged that.
    pub(in crate::search) fn trace_answer(&mut self) -> Result<(), SolveError> {
        self.tell_trace(|searcher, tracing| searcher.answer_event(tracing))
    }

    fn answer_event(&self, tracing: &mut Tracing) -> Event {
        let follower = &tracing.follower;
        let answer =
            AnswerSet::of_solver(&self.problem.prepared, |p| follower.is_true(solver_gpu::Var(p as u32)));
        let program = self.problem.program();
        tracing.answers += 1;
        Event::Answer {
            number: tracing.answers,
            atoms: answer.shown(program).into_iter().map(str::to_string).collect(),
            costs: self.problem.plan.costs(program, |lit| answer.holds(lit)),
        }
    }

    /// Writes what the goal has become.
    pub(in crate::search) fn trace_goal(&mut self) -> Result<(), SolveError> {
        let goal = self.memory.search.settings.goal;
        if !self.is_traced() || goal == solver_gpu::layout::NONE {
            return Ok(());
        }
        self.drain_trace()?;
        let stricter = header::sum(&mut self.memory, goal)?;
        self.tell_trace(|_, _| Event::Goal { sum: goal as u64, stricter })
    }

    /// Writes that the search starts over for another goal.
    pub(in crate::search) fn trace_again(&mut self) -> Result<(), SolveError> {
        if !self.is_traced() {
            return Ok(());
        }
        self.drain_trace()?;
        self.memory.restart_trace()?;
        let sums = header::sums(&mut self.memory)?;
        self.tell_trace(|_, tracing| {
            tracing.follower.again();
            Event::Again { sums }
        })
    }
}

/// What was in a ring.
struct Drained {
    words: Vec<u32>,
    /// The new index of each learned nogood, if some were deleted.
    renamed: Vec<u32>,
    /// Whether the device has more to write.
    is_behind: bool,
}

impl Memory {
    /// Makes room for a ring of so many words, with nothing in it.
    fn fit_trace(&mut self, words: usize) -> Result<(), DeviceError> {
        self.reshape(|shape| shape.trace_words = words)
    }

    /// Reads what is in the ring, and empties it.
    fn drain_ring(&mut self) -> Result<Drained, DeviceError> {
        let (own, mut words) = (self.search.own, [0u32; size_of::<TraceWords>() / 4]);
        self.executor_mut().download(own.trace.address(), bytemuck::bytes_of_mut(&mut words))?;
        let word = |offset: usize| words[offset / 4];
        let begin = word(offset_of!(TraceWords, begin));
        let end = word(offset_of!(TraceWords, end));
        let ring = own.trace_ring;
        let (from, n) = (begin as usize & (ring.len() - 1), end.wrapping_sub(begin) as usize);
        let mut read = vec![0u32; n];
        let first = n.min(ring.len() - from);
        let (head, tail) = read.split_at_mut(first);
        for (piece, address) in [(head, ring.address() + 4 * from as u64), (tail, ring.address())] {
            if !piece.is_empty() {
                self.executor_mut().download(address, bytemuck::cast_slice_mut(piece))?;
            }
        }
        let is_renamed = word(offset_of!(TraceWords, renamed)) == 1;
        let renamed = if is_renamed { self.read(own.renamed, own.renamed.len())? } else { Vec::new() };
        self.write_trace_word(offset_of!(TraceWords, begin), end)?;
        if is_renamed {
            self.write_trace_word(offset_of!(TraceWords, renamed), 0)?;
        }
        Ok(Drained { words: read, renamed, is_behind: word(offset_of!(TraceWords, behind)) == 1 })
    }

    /// Says that nothing of the trail is in the trace.
    fn restart_trace(&mut self) -> Result<(), DeviceError> {
        self.write_trace_word(offset_of!(TraceWords, noted), 0)?;
        self.write_trace_word(offset_of!(TraceWords, conflicts), 0)
    }

    fn write_trace_word(&mut self, offset: usize, word: u32) -> Result<(), DeviceError> {
        let address = self.search.own.trace.address() + offset as u64;
        self.executor_mut().upload(address, bytemuck::bytes_of(&word))
    }
}

/// An error of the sink.
fn failed(error: io::Error) -> SolveError {
    SolveError::Trace(error.to_string())
}
