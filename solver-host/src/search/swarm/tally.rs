//! What the searchers of a crew did, in numbers.
//!
//! Main functions: [`Solver::add_searchers`], which adds the numbers up, and [`Solver::stop_searchers`], which lets
//! all searchers return and say what they did. A searcher says what it has done after each launch (see [`Told`]).
//!
//! Invariant: whoever searches counts in the sums and in the numbers of one searcher, the solver itself as well.

use super::news::{News, Told};
use super::{Crew, SwarmState};
use crate::search::{Solver, Statistics};
use std::time::{Duration, Instant};

/// How long searchers may take to return when the search is over.
const PATIENCE: Duration = Duration::from_millis(500);

impl Solver {
    /// Adds what all searchers did to what the solver's own search did.
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

    /// Ends the search of all searchers, so that the statistics are what all of them did. The search cannot be
    /// continued. Returns how many answer sets were counted since [`Solver::next_answer`] last said so.
    ///
    /// A search by a single searcher is left as it is.
    pub fn stop_searchers(&mut self) -> u64 {
        let SwarmState::Spread(crew) = &mut self.swarm else { return 0 };
        crew.stop();
        let counted = crew.counted_since().unwrap_or(0);
        self.statistics.answer_sets += counted;
        counted
    }
}

impl Crew {
    /// Lets all searchers return, and waits until they have said what they did.
    fn stop(&mut self) {
        self.home.hub().stop.store_relaxed(1);
        let until = Instant::now() + PATIENCE;
        while self.searching > 0 {
            match self.news.recv_timeout(until.saturating_duration_since(Instant::now())) {
                // Nobody asks for these.
                Ok(News::Answers(_) | News::Ready(_) | News::Absent(_)) => {}
                Ok(News::Finished | News::Failed(_)) => self.searching -= 1,
                Err(_) => break,
            }
        }
    }

    /// What each searcher on the processor and each launch of searchers did.
    fn each_searcher(&self) -> Vec<Statistics> {
        let of = |(told, &searchers): (&Told, &u64)| {
            let mut of = told.statistics();
            of.swarm.searchers = searchers;
            of
        };
        self.told.iter().zip(&self.widths).map(of).collect()
    }
}
