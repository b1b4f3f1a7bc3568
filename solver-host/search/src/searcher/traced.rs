//! A search that is traced: when what the kernels wrote is taken over (see [`super::trace`]).

use super::memory::Memory;
use super::trace::{Log, Sink, Told, Tracing};
use super::Searcher;
use crate::campaign::guide::Additions;
use crate::SolveError;
use solver_gpu::layout::{writes, NONE};
use solver_gpu::Lit;
use std::sync::Arc;
use yasmin_device::{Kernel, Work};

impl Searcher {
    /// Writes what the search begins with, and lets its kernels write what they do to a ring.
    ///
    /// # Errors
    /// As for [`Solver::trace`](crate::Solver::trace).
    pub fn begin_trace(&mut self, sink: Sink) -> Result<(), SolveError> {
        self.tracing = Some(Tracing::begin(&self.problem, &self.options, &mut self.memory, sink)?);
        Ok(())
    }

    /// Lets the search, which has not begun, tell what it does in the trace of another one.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn join_trace(&mut self, log: Arc<Log>) -> Result<(), SolveError> {
        self.tracing = Some(Tracing::further(log, &self.options, &mut self.memory)?);
        Ok(())
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

    /// The trace, if there is one and it is not full.
    pub fn log(&self) -> Option<&Arc<Log>> {
        self.tracing.as_ref().map(Tracing::log)
    }

    /// Writes with what the search begins a phase as searcher `number` of a swarm. `goes_on` says that the
    /// search goes on where it was.
    ///
    /// # Errors
    /// If the device fails or the trace cannot be written.
    pub fn trace_joins(&mut self, number: u32, goes_on: bool) -> Result<(), SolveError> {
        match &mut self.tracing {
            Some(tracing) => tracing.joins(number, goes_on, &mut self.memory),
            None => Ok(()),
        }
    }

    /// Writes what the search has told so far. It tells nothing before it begins the next phase.
    ///
    /// # Errors
    /// If the device fails or the trace cannot be written.
    pub fn settle_trace(&mut self) -> Result<(), SolveError> {
        match &mut self.tracing {
            Some(tracing) => tracing.rest(&mut self.memory),
            None => Ok(()),
        }
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
        Ok(self.trace(Tracing::drain)?.unwrap_or(true))
    }

    /// Writes something to the trace, if there is one. If the trace is full then, the search goes on without it.
    fn trace<T>(
        &mut self,
        tell: impl FnOnce(&mut Tracing, &mut Memory) -> Result<T, SolveError>,
    ) -> Result<Option<T>, SolveError> {
        let Some(tracing) = &mut self.tracing else { return Ok(None) };
        let told = tell(tracing, &mut self.memory)?;
        if tracing.is_over() {
            self.memory.search.launch.writes = writes::NOTHING;
            self.tracing = None;
        }
        Ok(Some(told))
    }

    /// Writes something that the host knows.
    fn trace_one(&mut self, told: impl FnOnce() -> Told) -> Result<(), SolveError> {
        self.trace(|tracing, memory| tracing.enter_one(memory, told())).map(drop)
    }

    /// Writes that the assignment is an answer set, where the host has judged that.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub fn trace_answer(&mut self) -> Result<(), SolveError> {
        self.trace_one(|| Told::Answer)
    }

    /// Writes what the goal has become.
    pub(super) fn trace_goal(&mut self) -> Result<(), SolveError> {
        let goal = self.memory.search.settings.goal;
        if goal == NONE {
            return Ok(());
        }
        self.drain_trace()?;
        self.trace(|tracing, memory| tracing.goal(goal, memory)).map(drop)
    }

    /// Writes which variables and sums were added to the search, which had `sums` sums before.
    pub(super) fn trace_extension(&mut self, additions: &Additions, sums: u32) -> Result<(), SolveError> {
        self.trace(|tracing, memory| tracing.extend(additions, sums, memory)).map(drop)
    }

    /// Writes what the search assumes.
    pub(super) fn trace_assumptions(&mut self, lits: &[Lit]) -> Result<(), SolveError> {
        if self.is_traced() {
            self.drain_trace()?;
        }
        self.trace_one(|| Told::Assume(lits.to_vec()))
    }

    /// Writes that not all of the assumptions `core` hold.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub fn trace_core(&mut self, core: &[Lit]) -> Result<(), SolveError> {
        self.trace_one(|| Told::Core(core.to_vec()))
    }

    /// Writes that no answer set that is to be found costs less than `costs`, if that is news.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub fn trace_bound(&mut self, costs: impl FnOnce() -> Vec<i64>) -> Result<(), SolveError> {
        self.trace_one(|| Told::Bound(costs()))
    }

    /// Writes that the search starts over for another goal.
    ///
    /// # Errors
    /// If the device fails or the trace cannot be written.
    pub fn trace_again(&mut self) -> Result<(), SolveError> {
        self.drain_trace()?;
        self.trace(Tracing::again).map(drop)
    }
}
