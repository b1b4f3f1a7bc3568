//! A search under assumptions beside searchers that share the search space.
//!
//! Main function: [`Solver::search_beside`], one launch of the solver's own search. A search for an optimum
//! that has a guide (see [`crate::search::campaign::guide`]) is not divided into cubes: its assumptions are
//! no part of the search space, and other searchers do not have the variables that it adds. So the solver
//! itself goes on with this search, and the others go from one answer set to a better one. In turns with it,
//! another search of the same thread looks into neighbourhoods of the best answer set (see `alternating`). An
//! answer set of either side is an upper bound for both: this file publishes the bound for the others, and
//! tells the guide what the others have found. The phase is over when one side has proved that nothing is
//! better.
//!
//! Invariant: the caller is told of each answer set of the solver's own search before that search goes on.

use super::{Others, Resume, Solver};
use crate::search::campaign::refuted::Refuted;
use crate::search::searcher::event::Event;
use crate::search::SolveError;
use std::time::Instant;

impl Solver {
    /// Makes one launch of the search under assumptions, if there is such a search and the phase is not over.
    pub(super) fn search_beside(&mut self, interrupt: &dyn Fn() -> bool) -> Result<(), SolveError> {
        let Others::Crew(crew) = &self.others else { return Ok(()) };
        if crew.beside.is_none() || !self.campaign.is_guided() || crew.home.is_over() {
            return Ok(());
        }
        let began = Instant::now();
        let mut refuted = if std::mem::take(&mut self.waits) {
            let home = crew.home.clone();
            self.publish_bound(&home);
            self.answered()?
        } else if !self.campaign.guide_knows_best() {
            self.tell_best()?
        } else if self.is_turn_over() {
            self.end_turn()?
        } else {
            self.launch_beside(interrupt)?
        };
        // The search has not begun, or begins again with a new bound.
        if refuted.is_none() && matches!(self.resume, Resume::Start) {
            self.resume = Resume::Anywhere;
            refuted = self.start()?;
        }
        self.searcher.statistics.swarm.searcher_seconds += began.elapsed().as_secs_f64();
        if let Some(refuted) = refuted {
            self.tell_refuted(refuted);
        }
        Ok(())
    }

    /// Makes one launch and acts on its outcome. Returns a refutation if nothing is better than the best answer set.
    fn launch_beside(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Option<Refuted>, SolveError> {
        match self.searcher.advance(interrupt)? {
            Event::Paused => self.between(),
            Event::Exhausted => self.refuted(),
            Event::Answer(answer) if self.campaign.is_told(&answer) => {
                self.searcher.trace_answer()?;
                self.searcher.prove_answer(&answer)?;
                self.campaign.kept.push_back(answer);
                if let Others::Crew(crew) = &mut self.others {
                    crew.found += 1;
                }
                self.waits = true;
                Ok(None)
            }
            Event::Answer(_) => self.answered(),
            Event::Interrupted => Ok(None),
            Event::Idle => Err(SolveError::Internal("a search by assumptions waits for others")),
        }
    }

    /// Tells all searchers that the search under assumptions has proved that nothing is better.
    fn tell_refuted(&mut self, refuted: Refuted) {
        let Others::Crew(crew) = &mut self.others else { return };
        refuted.tell(crew.home.hub(), crew.beside.take().unwrap_or(0));
    }
}
