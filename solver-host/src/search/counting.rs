//! What a solver did, in numbers: the control words, the executor's totals and what its parts have counted.
//!
//! Main function: [`Solver::statistics`]. What the searchers of a crew say is added in `tally`, in
//! [`super::swarm`].

use super::{Solver, Statistics};

impl Solver {
    /// Counts so far, of all searchers.
    pub fn statistics(&self) -> Statistics {
        let mut all = self.own_statistics();
        self.add_searchers(&mut all);
        // Each searcher counts the memory of its own search alone.
        all.bytes_on_device += self.problem.traffic().peak_memory;
        all.options = self.options.by_name();
        all
    }

    /// Counts of the search that the solver itself has searched.
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
