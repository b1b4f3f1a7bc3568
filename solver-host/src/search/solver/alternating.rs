//! A search for an optimum by two searches in turns, on one thread.
//!
//! Main function: [`Solver::search_in_turns`]. [`Turns`](super::turns::Turns) says whose turn it is. Each search
//! is told of the best answer set that the other one has found, and one proof is enough.
//!
//! Invariant: the solver has the search whose turn it is, the campaign has that search's guide, and
//! [`Solver::resume`] says how that search goes on.

use super::resume::Resume;
use super::turns::Parked;
use super::{Others, Solver, Step};
use crate::search::campaign::guide::Guide;
use crate::search::campaign::refuted::Refuted;
use crate::search::searcher::Searcher;
use crate::search::SolveError;

impl Solver {
    /// Searches as [`Solver::search_alone`] does, by one search and by the other in turns.
    pub(super) fn search_in_turns(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        loop {
            let step = self.search_alone(interrupt)?;
            if step != Step::Interrupted || !self.is_turn_over() || self.are_symmetries_due() {
                return Ok(step);
            }
            self.end_turn()?;
        }
    }

    /// Whether two searches take turns and the present one's is over.
    pub(super) fn is_turn_over(&self) -> bool {
        matches!(&self.others, Others::Turns(turns) if turns.is_over(self.searcher.effort()))
    }

    /// The number of conflicts of the search whose turn it is not.
    pub(super) fn parked_conflicts(&self) -> u64 {
        match &self.others {
            Others::Turns(turns) => turns.parked.as_ref().map_or(0, |parked| parked.searcher.conflicts()),
            _ => 0,
        }
    }

    /// Lets the other search go on. If there is no memory for it, the present one goes on alone.
    fn end_turn(&mut self) -> Result<(), SolveError> {
        let Others::Turns(mut turns) = std::mem::replace(&mut self.others, Others::None) else {
            return Ok(());
        };
        let parked = turns.parked.take().map_or_else(|| self.other_search(), Ok);
        let mut parked = match parked {
            Ok(parked) => parked,
            Err(lack) => {
                self.fewer = Some((1, lack));
                return Ok(());
            }
        };
        turns.begin_next(self.searcher.effort(), parked.searcher.effort(), self.campaign.plan.lower_bound());
        self.searcher.exchange(&mut parked.searcher);
        self.campaign.exchange_guide(&mut parked.guide);
        std::mem::swap(&mut self.resume, &mut parked.resume);
        let best = self.campaign.plan.best_counters();
        let is_news = std::mem::replace(&mut parked.known, best.clone()) != best;
        turns.parked = Some(parked);
        self.others = Others::Turns(turns);
        if is_news {
            self.tell_best()?;
        }
        Ok(())
    }

    /// The search by answer sets, which has not begun.
    fn other_search(&self) -> Result<Parked, SolveError> {
        let searcher = Searcher::new(&self.searcher.problem, self.searcher.options, |executor| executor)?;
        let next = self.campaign.task.prepared.vars;
        let guide = Guide::by_answers(self.campaign.plan.cost_levels(), next);
        Ok(Parked { searcher, guide, resume: Resume::Start, known: Vec::new() })
    }

    /// Tells the present search of the best answer set, which the other search has found.
    fn tell_best(&mut self) -> Result<(), SolveError> {
        let has_begun = !matches!(self.resume, Resume::Start);
        if self.campaign.is_guided() {
            // A search that begins is told by `start`.
            let refuted = if has_begun { self.told()? } else { None };
            return refuted.map_or(Ok(()), |refuted| self.end_phase(refuted));
        }
        // A launch may return right after the search has refuted everything.
        if let Some(refuted) = Refuted::by_one(&self.searcher.memory.state) {
            return self.end_phase(refuted);
        }
        self.campaign.plan.demand_better();
        // The bound on the costs is part of what propagation goes by, from level 1 on.
        if has_begun {
            self.searcher.begin_again()?;
            self.resume = Resume::Start;
        }
        Ok(self.searcher.memory.write_limits(&self.campaign.plan)?)
    }

    /// Ends the search whose turn it is not, if there is one. What it has counted stays in the sums.
    pub(super) fn end_turns(&mut self) {
        if let Others::Turns(turns) = &self.others {
            turns.add_parked(&mut self.searcher.statistics);
            self.others = Others::None;
        }
    }
}
