//! A search under assumptions beside searchers that share the search space.
//!
//! Main function: [`Solver::search_beside`], one launch of the solver's own search. A search for an optimum that has
//! a guide (see [`super::super::optimum`]) is not divided into cubes: its assumptions are no part of the search
//! space, and other searchers do not have the variables that it adds. So the solver itself goes on with this search,
//! and the others go from one answer set to a better one. An answer set of either side is an upper bound for both: this
//! file publishes the bound for the others, and tells the guide what the others have found. The phase is over when one
//! side has proved that nothing is better.
//!
//! Invariant: the caller is told of each answer set of the solver's own search before that search goes on.

use super::shared::Shared;
use super::SwarmState;
use crate::search::optimum::Course;
use crate::search::options::OptStrategy;
use crate::search::plan::Phase;
use crate::search::refuted::Refuted;
use crate::search::searcher::Event;
use crate::search::{SolveError, Solver};
use std::hint::spin_loop;
use std::time::Instant;

impl Solver {
    /// Chooses between a fleet and a guide, where all searchers are blocks of a GPU. The guide is chosen if the user
    /// has named its strategy; then a single searcher searches.
    pub(super) fn choose_fleet_or_guide(&mut self) {
        match self.searcher.options.opt_strategy {
            OptStrategy::Auto => self.leave_guide(),
            _ => self.swarm = SwarmState::Alone,
        }
    }

    /// Drops the guide, so that the search goes from one answer set to a better one, without assumptions.
    pub(in crate::search) fn leave_guide(&mut self) {
        if self.drop_guide() {
            self.searcher.memory.assume_nothing();
            self.searcher.memory.set_goal(self.plan.goal_sum());
        }
    }

    /// Makes one launch of the search under assumptions, if there is such a search and the phase is not over.
    pub(super) fn search_beside(&mut self, interrupt: &dyn Fn() -> bool) -> Result<(), SolveError> {
        let SwarmState::Spread(crew) = &self.swarm else { return Ok(()) };
        let (Some(_), Some(guide)) = (crew.beside, &mut self.guide) else { return Ok(()) };
        if crew.home.is_over() {
            return Ok(());
        }
        let (best, began) = (self.plan.best_counters(), Instant::now());
        let refuted = match std::mem::take(&mut guide.waits) {
            true => {
                guide.known = best;
                let home = crew.home.clone();
                self.publish_bound(&home);
                self.guide_goes_on()?
            }
            false if guide.known != best => {
                guide.known = best;
                self.guide_told()?
            }
            false => self.launch_beside(interrupt)?,
        };
        self.searcher.statistics.swarm.searcher_seconds += began.elapsed().as_secs_f64();
        if let Some(refuted) = refuted {
            self.tell_refuted(refuted);
        }
        Ok(())
    }

    /// Makes one launch and acts on its outcome. Returns a refutation if nothing is better than the best answer set.
    fn launch_beside(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Option<Refuted>, SolveError> {
        match self.searcher.advance(interrupt)? {
            Event::Paused => self.guide_between().map(Course::refuted),
            Event::Exhausted => self.guide_refuted(),
            Event::Answer(answer) if self.is_told(&answer) => {
                self.kept.push_back(answer);
                if let SwarmState::Spread(crew) = &mut self.swarm {
                    crew.found += 1;
                }
                if let Some(guide) = &mut self.guide {
                    guide.waits = true;
                }
                Ok(None)
            }
            Event::Answer(_) => self.guide_goes_on(),
            Event::Interrupted => Ok(None),
            Event::Idle => Err(SolveError::Internal("a search by assumptions waits for others")),
        }
    }

    /// Tells all searchers that the search under assumptions has proved that nothing is better.
    fn tell_refuted(&mut self, refuted: Refuted) {
        let SwarmState::Spread(crew) = &mut self.swarm else { return };
        refuted.tell(crew.home.hub(), crew.beside.take().unwrap_or(0));
    }

    /// Publishes the bound "less than the costs of the best answer set" for all searchers, if it is the lowest so far.
    pub(super) fn publish_bound(&self, shared: &Shared) {
        let mut most = self.plan.best_counters();
        let Some(last) = most.last_mut().filter(|_| self.plan.phase() == Phase::Improve) else { return };
        *last -= 1;
        let hub = shared.hub();
        let version = loop {
            let found = hub.bound_version.load_relaxed();
            if found & 1 == 0 && hub.bound_version.compare_exchange(found, found + 1).is_ok() {
                break found;
            }
            spin_loop();
        };
        let word = |i: usize| shared.view.bound.get(i).load_relaxed() as u64;
        let there: Vec<i64> = (0..most.len()).map(|i| (word(2 * i + 1) << 32 | word(2 * i)) as i64).collect();
        if version == 0 || most < there {
            for (i, &most) in most.iter().enumerate() {
                shared.view.bound.get(2 * i).store_relaxed(most as u32);
                shared.view.bound.get(2 * i + 1).store_relaxed((most >> 32) as u32);
            }
        }
        hub.bound_version.store_release(version + 2);
    }
}
