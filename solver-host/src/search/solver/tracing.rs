//! Tracing a solver's search: `--trace`.
//!
//! Main functions: [`Solver::trace`], before the search, and [`Solver::end_trace`], after it. What is written, and how,
//! is in `searcher/trace/`.

use super::{Others, Resume, Solver};
use crate::search::options::{OptStrategy, ParallelMode};
use crate::search::searcher::{Sink, LEAST_WORDS};
use crate::search::SolveError;
use std::io::Write;

impl Solver {
    /// Has the search write what it does to `to`, in at most `limit` events, or in any number of them if that
    /// is 0. If the options name a number of searchers on the processor, these join as in a search without a
    /// trace; else the search is a single searcher from then on. This must be called before the search
    /// begins, and [`Self::end_trace`] after it.
    ///
    /// # Errors
    /// If `to` cannot be written, the device has too little memory or fails, the program is too large to be traced,
    /// or the options name a strategy of two searches in turns. Without a strategy a traced search for an
    /// optimum goes from one answer set to a better one.
    pub fn trace(&mut self, to: Box<dyn Write + Send>, limit: u64) -> Result<(), SolveError> {
        self.trace_with_ring(to, limit, LEAST_WORDS)
    }

    /// The same, with a ring of at least `least` words and of no more than are needed. A search with a small
    /// ring returns to the host more often.
    ///
    /// # Errors
    /// As for [`Self::trace`].
    pub fn trace_with_ring(
        &mut self,
        to: Box<dyn Write + Send>,
        limit: u64,
        least: usize,
    ) -> Result<(), SolveError> {
        let searchers = self.traced_searchers();
        self.others = if searchers > 1 { Others::MayJoin(searchers, false) } else { Others::None };
        let strategy = self.searcher.options.opt_strategy;
        if self.campaign.is_guided() {
            if let Some(why) = strategy.untraced() {
                return Err(SolveError::Contradiction(why));
            }
        }
        if strategy == OptStrategy::Auto {
            self.leave_guide();
        }
        self.turns = None;
        let is_guided = self.campaign.is_guided();
        self.searcher.begin_trace(Sink { to, limit, least, searchers, is_guided })
    }

    /// How many searchers the search may have if it is traced.
    fn traced_searchers(&self) -> usize {
        match (&self.others, self.searcher.options.parallel_mode) {
            (Others::MayJoin(searchers, _), ParallelMode::Searchers(2..)) => *searchers,
            _ => 1,
        }
    }

    /// Writes the trace's last line, which says whether the search space is exhausted. Does nothing if there
    /// is no trace, or its last line was written before.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub fn end_trace(&mut self) -> Result<(), SolveError> {
        self.searcher.end_trace(matches!(self.resume, Resume::Over(_)))
    }
}
