//! The statistics of a solver: the sum of the control words, the executor's totals and what the solver's parts count.
//!
//! Main function: [`Solver::statistics`]. The statistics of a crew's searchers are added in `swarm/tally.rs`.

use super::{Solver, Statistics};

impl Solver {
    /// The statistics of all searchers so far.
    pub fn statistics(&self) -> Statistics {
        let mut all = self.own_statistics();
        self.add_searchers(&mut all);
        // Each searcher counts the memory of its own search alone.
        all.bytes_on_device += self.problem.traffic().peak_memory;
        all.options = self.options.by_name();
        all
    }

    /// The statistics of the solver's own search.
    pub(super) fn own_statistics(&self) -> Statistics {
        let (setup, traffic) = (&self.setup, self.memory.executor().traffic());
        let mut own = self.statistics.clone();
        own.add_counts(&self.memory.state.counts);
        if let Some(guide) = &self.guide {
            own.add(&guide.counts());
        }
        own.launches = traffic.launches;
        own.bytes_on_device = traffic.peak_memory;
        own.bytes_to_device_setup = self.problem.traffic().to_device + setup.to_device;
        own.bytes_to_device = traffic.to_device - setup.to_device;
        own.bytes_to_host = traffic.to_host - setup.to_host;
        own
    }
}
