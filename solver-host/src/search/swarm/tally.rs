//! The statistics of a crew's searchers.
//!
//! Main functions: [`Solver::add_searchers`], which adds the statistics up, and [`Solver::stop_searchers`], which lets
//! all searchers return. A searcher publishes its statistics after each launch (see [`Told`]).
//!
//! Invariant: the work of each search, the solver's own included, is in the sums, and in the statistics of exactly one
//! searcher.

use super::news::{News, Told};
use super::{Crew, SwarmState};
use crate::search::{Solver, Statistics};
use std::time::{Duration, Instant};

/// How long searchers may take to return when the search is over.
const PATIENCE: Duration = Duration::from_millis(500);

impl Solver {
    /// Adds the statistics of all searchers to `all`, which has those of the solver's own search.
    pub(in crate::search) fn add_searchers(&self, all: &mut Statistics) {
        let SwarmState::Spread(crew) = &self.swarm else { return };
        let own = all.clone();
        let mut each = crew.each_searcher();
        each.iter().for_each(|of| all.add(of));
        if let Some(of) = crew.own.map(|number| &mut each[number]) {
            of.add(&own);
            of.answer_sets += crew.found;
        }
        all.bytes_on_device += crew.home.bytes();
        all.swarm.winner = crew.home.hub().winner.load_relaxed() as u64;
        all.searchers = each;
    }

    /// Ends the search of all searchers, so that the statistics are complete. The search cannot be continued. Returns
    /// the number of answer sets that were counted since [`Solver::next_answer`] last returned such a number.
    ///
    /// A search by a single searcher is left as it is.
    pub fn stop_searchers(&mut self) -> u64 {
        let SwarmState::Spread(crew) = &mut self.swarm else { return 0 };
        crew.stop();
        let counted = crew.counted_since().unwrap_or(0);
        self.searcher.statistics.answer_sets += counted;
        counted
    }

    /// Makes the search a single one: lets all other searchers return for good, if there are any. What they have counted
    /// stays in the sums. The caller begins the solver's own search anew.
    pub(in crate::search) fn disband(&mut self) {
        self.stop_searchers();
        let SwarmState::Spread(crew) = std::mem::replace(&mut self.swarm, SwarmState::Alone) else { return };
        for of in crew.each_searcher() {
            self.searcher.statistics.add(&of);
        }
        self.leave_guide();
    }
}

impl Crew {
    /// Lets all searchers return, and waits until they have published their statistics, for [`PATIENCE`] at most.
    fn stop(&mut self) {
        self.home.hub().stop.store_relaxed(1);
        let until = Instant::now() + PATIENCE;
        while self.searching > 0 {
            match self.news.recv_timeout(until.saturating_duration_since(Instant::now())) {
                // The search is over, so answer sets and new fleets are of no use.
                Ok(News::Answers(_) | News::Ready(_) | News::Absent(_)) => {}
                Ok(News::Finished | News::Failed(_)) => self.searching -= 1,
                Err(_) => break,
            }
        }
    }

    /// The statistics of each member and of each fleet.
    fn each_searcher(&self) -> Vec<Statistics> {
        let of = |(told, &searchers): (&Told, &u64)| {
            let mut of = told.statistics();
            of.swarm.searchers = searchers;
            of
        };
        self.told.iter().zip(&self.widths).map(of).collect()
    }
}
