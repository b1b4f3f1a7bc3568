//! The statistics of a crew's searchers, and the end of their search.
//!
//! Main functions: [`Solver::add_searchers`], which adds the statistics up, and [`Solver::stop_searchers`], which lets
//! all searchers return. A searcher publishes its statistics after each launch.
//!
//! Invariant: the work of each search, the solver's own included, is in the sums, and in the statistics of exactly one
//! searcher.

use super::{Others, Solver};
use crate::search::crew::arriving::Arriving;
use crate::search::Statistics;

impl Solver {
    /// Adds the statistics of all searchers to `all`, which has those of the solver's own search.
    pub(super) fn add_searchers(&self, all: &mut Statistics) {
        if let Some(turns) = &self.turns {
            turns.add_parked(all);
        }
        // Those who searched along before the search began anew, without symmetries.
        let before = std::mem::take(&mut all.swarm.searchers);
        let Others::Crew(crew) = &self.others else {
            all.searchers = self.resting.each_searcher();
            all.searchers.extend(self.arriving.iter().flat_map(|crew| crew.counts().searchers));
            all.searchers.clone().iter().for_each(|of| all.add(of));
            all.swarm.searchers = all.swarm.searchers.max(before);
            return;
        };
        let own = all.clone();
        let mut each = crew.each_searcher();
        for of in &crew.each_seat() {
            all.add(of);
            all.passed.add(&of.passed);
        }
        // Crews that were told that the search begins anew, and have not said since that they are there.
        for of in self.arriving.iter().map(Arriving::counts) {
            all.add(&of);
            all.passed.add(&of.passed);
            each.extend(of.searchers);
        }
        all.swarm.searchers = all.swarm.searchers.max(before);
        if let Some(of) = crew.own.map(|number| &mut each[number]) {
            of.add(&own);
            of.answer_sets += crew.found;
        }
        all.bytes_on_device += crew.home.bytes();
        let winner = crew.home.hub().winner.load_relaxed() as u64;
        all.swarm.winner = winner.checked_sub(1).map_or(0, |number| 1 + crew.place_of(number));
        all.searchers = each;
    }

    /// Ends the search of all searchers, so that the statistics are complete. The search cannot be continued. Returns
    /// the number of answer sets that were counted since [`Solver::next_answer`] last returned such a number.
    ///
    /// A search by a single searcher is left as it is.
    pub fn stop_searchers(&mut self) -> u64 {
        let Others::Crew(crew) = &mut self.others else { return 0 };
        crew.stop();
        let counted = crew.counted_since().unwrap_or(0);
        self.searcher.statistics.answer_sets += counted;
        counted
    }
}
