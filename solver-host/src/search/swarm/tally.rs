//! What the searchers of a crew did, in numbers.
//!
//! Main functions: [`Solver::count_all`], which adds the numbers up, and [`Solver::stop_searchers`], which lets all
//! searchers return and say what they did. A searcher tells its statistics when it has finished a phase. Of a
//! searcher that still searches, [`Counts`] alone are known.

use super::news::{Counts, News};
use super::{Crew, SwarmState};
use crate::search::statistics::{SearcherStatistics, SwarmStatistics};
use crate::search::{Solver, Statistics};
use std::time::{Duration, Instant};

/// How long searchers may take to return when the search is over.
const PATIENCE: Duration = Duration::from_millis(500);

impl Solver {
    /// Brings the statistics up to date: the sums over all searchers.
    pub(in crate::search) fn count_all(&mut self) {
        let SwarmState::Spread(crew) = &self.swarm else { return };
        let s = &mut self.statistics;
        s.swarm = SwarmStatistics::default();
        crew.statistics.iter().for_each(|of| s.swarm.add(&of.swarm));
        // A searcher is there before it has said what it did.
        s.swarm.searchers = crew.widths.iter().sum();
        s.swarm.winner = crew.home.hub().winner.load_relaxed() as u64;
        s.searchers = crew.each_searcher();
        let sum = |of: fn(&Statistics) -> u64| crew.statistics.iter().map(of).sum::<u64>();
        s.violations = sum(|s| s.violations);
        s.propagations = sum(|s| s.propagations);
        s.rounds = sum(|s| s.rounds);
        s.visits = sum(|s| s.visits);
        s.learned = sum(|s| s.learned);
        s.learned_literals = sum(|s| s.learned_literals);
        s.deleted = sum(|s| s.deleted);
        s.completions = sum(|s| s.completions);
        s.stability_checks = sum(|s| s.stability_checks);
        s.minimality_checks = sum(|s| s.minimality_checks);
        s.unfounded_sets = sum(|s| s.unfounded_sets);
        s.launches = sum(|s| s.launches);
        s.bytes_to_device_setup = self.problem.traffic().to_device + self.setup.to_device;
        s.bytes_to_device = sum(|s| s.bytes_to_device);
        s.bytes_to_host = sum(|s| s.bytes_to_host);
        s.bytes_on_device = self.problem.traffic().peak_memory + crew.home.bytes();
        s.bytes_on_device += crew.statistics.iter().map(|s| s.bytes_on_device).sum::<u64>();
        s.deepest_level = crew.statistics.iter().map(|s| s.deepest_level).max().unwrap_or(0);
        // These are known at any time, for a line of progress and for limits.
        let now = |of: fn(&Counts) -> u64| crew.counts.iter().map(of).sum::<u64>();
        s.conflicts = now(Counts::conflicts);
        s.decisions = now(Counts::decisions);
        s.restarts = now(Counts::restarts);
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
        self.count_all();
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
                Ok(News::Finished(member, statistics)) => self.note_finished(member, *statistics),
                Ok(News::Failed(_)) => self.searching -= 1,
                Err(_) => break,
            }
        }
    }

    /// A searcher, or a launch of searchers, has finished the phase.
    pub(super) fn note_finished(&mut self, member: u32, statistics: Statistics) {
        self.searching -= 1;
        self.statistics[member as usize] = statistics;
    }

    /// What each searcher did, as far as that is known.
    fn each_searcher(&self) -> Vec<SearcherStatistics> {
        let of = |((told, counts), &searchers): ((&Statistics, &Counts), &u64)| SearcherStatistics {
            device: told.device.clone(),
            searchers,
            answer_sets: told.answer_sets + counts.counted(),
            decisions: counts.decisions(),
            conflicts: counts.conflicts(),
            restarts: counts.restarts(),
            learned: told.learned,
            learned_literals: told.learned_literals,
            deleted: told.deleted,
            unfounded_sets: told.unfounded_sets,
            swarm: SwarmStatistics { searchers, ..told.swarm },
        };
        self.statistics.iter().zip(self.counts.iter()).zip(&self.widths).map(of).collect()
    }
}
