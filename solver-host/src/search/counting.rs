//! The statistics of a solver: the sum of what its search, its guide and the searchers of its crew count.
//!
//! Main function: [`Solver::statistics`]. The statistics of a crew's searchers are added in `swarm/tally.rs`.

use super::{Solver, Statistics};

impl Solver {
    /// The statistics of all searchers so far.
    pub fn statistics(&self) -> Statistics {
        let mut all = self.searcher.counts();
        if let Some(guide) = &self.guide {
            all.add(&guide.counts());
        }
        self.add_searchers(&mut all);
        // Each searcher counts the memory of its own search alone.
        all.bytes_on_device += self.problem().traffic().peak_memory;
        all.options = self.searcher.options.by_name();
        all
    }
}
