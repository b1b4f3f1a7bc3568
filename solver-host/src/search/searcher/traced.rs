//! A search that is traced: when what the kernels wrote is taken over (see [`super::trace`]).

use super::trace::Tracing;
use super::Searcher;
use crate::device::{Kernel, Work};
use crate::search::SolveError;
use solver_gpu::layout::{writes, NONE};
use std::io::Write;

impl Searcher {
    /// Writes what the search begins with, and lets its kernels write what they do to a ring of at least `least` words.
    ///
    /// # Errors
    /// As for [`Solver::trace`](crate::search::Solver::trace).
    pub fn begin_trace(
        &mut self,
        to: Box<dyn Write + Send>,
        limit: u64,
        least: usize,
    ) -> Result<(), SolveError> {
        let tracing = Tracing::begin(&self.problem, &self.options, &mut self.memory, (to, limit), least)?;
        self.tracing = Some(tracing);
        match self.is_resident() {
            true => Ok(self.memory.load_search()?),
            false => Ok(()),
        }
    }

    /// Writes the last line of the trace, if there is one. It says whether the search space is exhausted.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub fn end_trace(&mut self, is_exhausted: bool) -> Result<(), SolveError> {
        let Some(tracing) = self.tracing.take() else { return Ok(()) };
        self.memory.search.launch.writes = writes::NOTHING;
        tracing.end(is_exhausted)
    }

    /// Whether the search is traced, and the trace is not full.
    pub fn is_traced(&self) -> bool {
        self.tracing.is_some()
    }

    /// Brings the trace of a search that the host drives up to date. All literals of the trail must be
    /// committed.
    pub(super) fn note_trace(&mut self) -> Result<(), SolveError> {
        while self.is_traced() || self.is_proved() {
            self.memory.launch(Kernel::Trace, Work::OneBlock)?;
            if self.drain_trace()? {
                break;
            }
        }
        Ok(())
    }

    /// Writes down what is in the ring, and empties it. Returns whether the device had no more to write.
    pub(super) fn drain_trace(&mut self) -> Result<bool, SolveError> {
        self.drain_rings(self.found.len())
    }

    /// The same, where the device has kept the answer sets from number `first` of [`Searcher::found`] on.
    pub(super) fn drain_rings(&mut self, first: usize) -> Result<bool, SolveError> {
        if let Some(proving) = &mut self.proving {
            return proving.drain(&mut self.memory, &self.found[first..]);
        }
        let Some(tracing) = &mut self.tracing else { return Ok(true) };
        let is_all = tracing.drain(&self.problem, &mut self.memory)?;
        self.stop_full_trace();
        Ok(is_all)
    }

    /// Lets the search go on without a trace if the trace is full.
    fn stop_full_trace(&mut self) {
        if self.tracing.as_ref().is_some_and(Tracing::is_over) {
            self.memory.search.launch.writes = writes::NOTHING;
            self.tracing = None;
        }
    }

    /// Writes that the assignment is an answer set, where the host has judged that.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub fn trace_answer(&mut self) -> Result<(), SolveError> {
        let Some(tracing) = &mut self.tracing else { return Ok(()) };
        tracing.answer(&self.problem)?;
        self.stop_full_trace();
        Ok(())
    }

    /// Writes what the goal has become.
    pub(super) fn trace_goal(&mut self) -> Result<(), SolveError> {
        let goal = self.memory.search.settings.goal;
        if goal == NONE {
            return Ok(());
        }
        self.drain_trace()?;
        let Some(tracing) = &mut self.tracing else { return Ok(()) };
        tracing.goal(goal, &mut self.memory)?;
        self.stop_full_trace();
        Ok(())
    }

    /// Writes that the search starts over for another goal.
    ///
    /// # Errors
    /// If the device fails or the trace cannot be written.
    pub fn trace_again(&mut self) -> Result<(), SolveError> {
        self.drain_trace()?;
        let Some(tracing) = &mut self.tracing else { return Ok(()) };
        tracing.again(&mut self.memory)?;
        self.stop_full_trace();
        Ok(())
    }
}
