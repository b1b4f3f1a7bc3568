//! Writes what a search does: `--trace`.
//!
//! Main type: [`Tracing`], which a [searcher](super::Searcher) has while it is traced (see `traced.rs`). The kernels
//! write to a ring in the search's memory (see [`solver_gpu::trace`]). Whenever the search returns, the host
//! drains the ring and hands what it finds to the [`Log`], which follows each searcher by what it wrote, and
//! writes a line for each event. The lines are described in `docs/trace.md` and by [`TRACE_SCHEMA`].
//!
//! Invariant: a traced search of one searcher takes the same steps as without a trace.

mod events;
mod follow;
mod header;
mod log;
mod names;
#[cfg(test)]
mod tests;
mod writer;

use super::memory::Memory;
use super::problem::Problem;
use super::proof::shared_by;
use super::ring::{self, Item};
use super::stamps::{Stamps, NEVER};
use crate::campaign::guide::Additions;
use crate::{Options, SolveError};
use log::Joins;
pub use log::{Log, Told};
use solver_gpu::layout::{mode, writes};
use std::io::Write;
use std::sync::Arc;

/// The JSON Schema of each line of a trace.
pub const TRACE_SCHEMA: &str = include_str!("schema.json");

/// The part of a searcher in a trace.
pub struct Tracing {
    log: Arc<Log>,
    /// The number of the searcher in the trace. None as long as the searcher has told nothing.
    lane: Option<usize>,
    /// The stamps of what it tells.
    pub stamps: Stamps,
    /// What each variable stands for, if variables may be added to the search.
    names: Vec<Vec<String>>,
    /// How many nogoods the search imports at most, if it may become a searcher of a swarm.
    imports: Option<u32>,
}

/// What a trace is written to, and how.
pub struct Sink {
    /// The file.
    pub to: Box<dyn Write + Send>,
    /// The most events; 0: any number.
    pub limit: u64,
    /// The least words of each ring.
    pub least: usize,
    /// How many searchers there may be.
    pub searchers: usize,
    /// Whether variables may be added to the search.
    pub is_guided: bool,
}

impl Tracing {
    /// Makes room for a ring in the memory of a search that has not begun, and writes what the search begins
    /// with.
    ///
    /// # Errors
    /// If the sink cannot be written, the program is too large, or the device has too little memory or fails.
    pub fn begin(
        problem: &Problem,
        options: &Options,
        memory: &mut Memory,
        sink: Sink,
    ) -> Result<Tracing, SolveError> {
        let Sink { to, limit, least, searchers, is_guided } = sink;
        let imports = (searchers > 1).then_some(options.import_most);
        fit_ring(memory, imports, least)?;
        let start = header::start(problem, options, memory, limit, searchers, is_guided)?;
        let log = Log::begin(&problem.task, &start, memory.search.problem.vars, to, least)?;
        let names = if is_guided { start.variables } else { Vec::new() };
        Ok(Tracing { log, lane: Some(0), stamps: Stamps::default(), names, imports })
    }

    /// A further searcher of a traced search, which has not begun.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn further(log: Arc<Log>, options: &Options, memory: &mut Memory) -> Result<Tracing, SolveError> {
        let imports = Some(options.import_most);
        fit_ring(memory, imports, log.least)?;
        Ok(Tracing { log, lane: None, stamps: Stamps::default(), names: Vec::new(), imports })
    }

    /// The trace.
    pub fn log(&self) -> &Arc<Log> {
        &self.log
    }

    /// The search tells nothing any more.
    pub fn leave(&mut self) {
        self.stamps.go_beside(None);
        self.lane = None;
    }

    /// Whether the trace is full.
    pub fn is_over(&self) -> bool {
        self.log.is_over()
    }

    /// Writes down what is in the ring, and empties it. Returns whether the device had no more to write.
    ///
    /// # Errors
    /// If the device fails or the trace cannot be written.
    pub fn drain(&mut self, memory: &mut Memory) -> Result<bool, SolveError> {
        let drained = memory.drain_ring()?;
        let goal = memory.search.settings.goal;
        let sum = if drained.is_tightened { Some(header::sum(memory, goal)?) } else { None };
        self.stamps.take_beside(memory);
        let mut told = Vec::new();
        for item in ring::items(&drained.words) {
            let item = match item {
                Item::Stamp(stamp) => {
                    self.stamps.now = stamp;
                    continue;
                }
                Item::Goal => match &sum {
                    Some(sum) => Told::Goal(goal, sum.clone()),
                    None => return Err(SolveError::Internal("a goal was tightened and not read")),
                },
                Item::Deleted(_) => Told::Item(item, drained.renamed.clone()),
                item => Told::Item(item, Vec::new()),
            };
            told.push((self.stamps.now, item));
        }
        self.enter(memory, told)?;
        Ok(!drained.is_behind)
    }

    /// Writes what the goal has become: the sum with this number. The ring has to be empty.
    ///
    /// # Errors
    /// If the device fails or the trace cannot be written.
    pub fn goal(&mut self, goal: u32, memory: &mut Memory) -> Result<(), SolveError> {
        let stricter = header::sum(memory, goal)?;
        self.enter_one(memory, Told::Goal(goal, stricter))
    }

    /// Writes that the search starts over for another goal. The ring has to be empty.
    ///
    /// # Errors
    /// If the device fails or the trace cannot be written.
    pub fn again(&mut self, memory: &mut Memory) -> Result<(), SolveError> {
        memory.restart_trace()?;
        let sums = header::sums(memory)?;
        self.enter_one(memory, Told::Again(sums))
    }

    /// Writes which variables and sums were added to the search, which had `sums` sums before. The ring has
    /// to be empty.
    ///
    /// # Errors
    /// If the device fails or the trace cannot be written.
    pub fn extend(
        &mut self,
        additions: &Additions,
        sums: u32,
        memory: &mut Memory,
    ) -> Result<(), SolveError> {
        memory.refit_ring(self.imports)?;
        let before = memory.search.problem.vars as usize - additions.vars as usize;
        // What was added before is gone if the search has started over.
        self.names.truncate(before);
        names::extend(&mut self.names, additions);
        let (names, sum) = (self.names[before..].to_vec(), sums as u64);
        let sums = header::sums_from(memory, sums)?;
        self.enter_one(memory, Told::Extend { variable: before as u64 + 1, names, sum, sums })
    }

    /// Writes with what searcher `number` of a swarm begins a phase. `goes_on` says that it is where the
    /// search by itself was; else nothing is assigned and nothing learned.
    ///
    /// # Errors
    /// If the device fails or the trace cannot be written.
    pub fn joins(&mut self, number: u32, goes_on: bool, memory: &mut Memory) -> Result<(), SolveError> {
        // The step after an answer set may have learned something, which has a serial number before the next one.
        self.drain(memory)?;
        let (is_new, state) = (self.lane.is_none(), &memory.state);
        let (serial, mode, len) = (state.serials.load(), state.mode.load(), state.cube_len.load());
        let cube = match mode {
            mode::CUBE | mode::RACE => Some((mode, memory.read(memory.search.own.cube, len as usize)?)),
            _ => None,
        };
        let sums = match goes_on {
            true => None,
            false => {
                memory.restart_trace()?;
                Some(header::sums(memory)?)
            }
        };
        self.lane = self.lane.or_else(|| Some(self.log.lane_of(number)));
        let shared = shared_by(&memory.search.swarm);
        self.enter_one(memory, Told::Joins(Joins { number, serial, shared, sums, is_new, cube }))
    }

    /// The searcher tells nothing before it begins the next phase.
    ///
    /// # Errors
    /// If the device fails or the trace cannot be written.
    pub fn rest(&mut self, memory: &mut Memory) -> Result<(), SolveError> {
        self.drain(memory)?;
        self.lane.map_or(Ok(()), |lane| self.log.take(lane, Vec::new(), NEVER))
    }

    /// Writes the last line, which says whether the search space is exhausted.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub fn end(self, is_exhausted: bool) -> Result<(), SolveError> {
        self.lane.map_or(Ok(()), |lane| self.log.take(lane, Vec::new(), NEVER))?;
        self.log.end(is_exhausted)
    }

    /// Tells something that the host knows. The ring has to be empty.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub fn enter_one(&mut self, memory: &Memory, told: Told) -> Result<(), SolveError> {
        self.stamps.take(memory);
        self.enter(memory, vec![(self.stamps.now, told)])
    }

    fn enter(&self, memory: &Memory, told: Vec<(u64, Told)>) -> Result<(), SolveError> {
        let from = self.stamps.next(memory);
        match self.lane {
            Some(lane) => self.log.take(lane, told, from),
            None if told.is_empty() => Ok(()),
            None => Err(SolveError::Internal("a searcher tells something before it has joined")),
        }
    }
}

/// Makes room for a ring of at least `least` words in the memory of a search that has not begun and may
/// become a searcher of a swarm.
fn fit_ring(memory: &mut Memory, imports: Option<u32>, least: usize) -> Result<(), SolveError> {
    match memory.fit_ring(writes::TRACE, imports, least)? {
        true => Ok(()),
        false => Err(SolveError::Trace("the program is too large to be traced".into())),
    }
}
