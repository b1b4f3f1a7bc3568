//! What a single search did, in numbers: the control words and the executor's totals.
//!
//! Main function: [`Solver::count`]. The numbers of several searchers are added up in
//! [`tally`](super::swarm).

use super::swarm::SwarmState;
use super::Solver;

impl Solver {
    /// Brings the statistics up to date.
    pub(super) fn count(&mut self) {
        if matches!(self.swarm, SwarmState::Spread(_)) {
            return self.count_all();
        }
        let (state, traffic) = (&self.memory.state, self.memory.executor().traffic());
        let s = &mut self.statistics;
        s.decisions = state.decisions.load();
        s.conflicts = state.conflict_steps.load();
        s.rounds = state.rounds.load();
        s.restarts = state.restarts.load();
        s.deleted = state.deleted.load();
        s.stability_checks = state.stability_checks.load();
        s.unfounded_sets = state.unfounded_sets.load() + self.unfounded_sets;
        s.violations = state.violations.load();
        s.propagations = state.propagations.load();
        s.visits = state.visits.load();
        s.learned = state.learned_total.load();
        s.learned_literals = state.learned_total_lits.load();
        s.completions = state.completions.load();
        s.deepest_level = state.deepest.load() as u64;
        s.cores = state.cores.load() as u64;
        if let Some(guide) = &self.guide {
            let counts = guide.counts();
            (s.cores_relaxed, s.core_literals) = (counts.relaxed, counts.literals);
            (s.core_literals_dropped, s.costs_hardened) = (counts.dropped, counts.hardened);
        }
        s.launches = traffic.launches;
        s.bytes_on_device = self.problem.traffic().peak_memory + traffic.peak_memory;
        s.bytes_to_device_setup = self.problem.traffic().to_device + self.setup.to_device;
        s.bytes_to_device = traffic.to_device - self.setup.to_device;
        s.bytes_to_host = traffic.to_host - self.setup.to_host;
    }
}
