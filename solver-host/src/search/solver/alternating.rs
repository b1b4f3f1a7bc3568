//! A search for an optimum by two searches in turns, on one thread.
//!
//! Main function: [`Solver::search_in_turns`], for a thread without others. Beside a crew (see `beside`) two
//! searches take turns as well: the crew goes from one answer set to a better one, and so the second search
//! looks into neighbourhoods of the best answer set alone. [`Turns`] says whose turn it is. Each search is
//! told of the best answer set that the other one has found, and one proof is enough.
//!
//! Invariant: the solver has the search whose turn it is, the campaign has that search's guide, and
//! [`Solver::resume`] says how that search goes on.

use super::resume::Resume;
use super::turns::{Parked, Turns};
use super::{Others, Solver, Step};
use crate::search::campaign::guide::Guide;
use crate::search::campaign::refuted::Refuted;
use crate::search::searcher::Searcher;
use crate::search::SolveError;

/// How many times as many conflicts as the first turn takes go by before the search by answer sets looks into
/// neighbourhoods.
const PATIENCE: u64 = 3;

impl Solver {
    /// Searches as [`Solver::search_alone`] does, by one search and by the other in turns.
    pub(super) fn search_in_turns(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        loop {
            let step = self.search_alone(interrupt)?;
            if step != Step::Interrupted || !self.is_turn_over() || self.are_symmetries_due() {
                return Ok(step);
            }
            if let Some(refuted) = self.end_turn()? {
                self.end_phase(refuted)?;
            }
        }
    }

    /// Lets two searches take turns beside a crew. A search that is proved goes on alone, as a proof follows
    /// one search of each thread.
    pub(super) fn take_turns_beside(&mut self) {
        let first = self.searcher.options.opt_strategy.first_turn().filter(|_| !self.searcher.is_proved());
        let ends = first.map(|first| self.searcher.conflicts().saturating_add(first));
        self.turns = ends.map(|ends| Box::new(Turns::beside(ends)));
    }

    /// Whether two searches take turns and the present one's is over.
    pub(super) fn is_turn_over(&self) -> bool {
        self.turns.as_ref().is_some_and(|turns| turns.is_over(self.searcher.effort()))
    }

    /// The number of conflicts of the search whose turn it is not.
    pub(super) fn parked_conflicts(&self) -> u64 {
        let parked = self.turns.as_ref().and_then(|turns| turns.parked.as_ref());
        parked.map_or(0, |parked| parked.searcher.conflicts())
    }

    /// Lets the other search go on. If there is no memory for it, the present one goes on alone. Returns a
    /// refutation if the other search knows that nothing is better than the best answer set.
    pub(super) fn end_turn(&mut self) -> Result<Option<Refuted>, SolveError> {
        let Some(mut turns) = self.turns.take() else { return Ok(None) };
        let parked = turns.parked.take().map_or_else(|| self.other_search(), Ok);
        let mut parked = match parked {
            Ok(parked) => parked,
            Err(lack) => {
                if matches!(self.others, Others::None) {
                    self.fewer = Some((1, lack));
                }
                return Ok(None);
            }
        };
        turns.begin_next(self.searcher.effort(), parked.searcher.effort(), self.campaign.plan.lower_bound());
        self.searcher.exchange(&mut parked.searcher);
        self.campaign.exchange_guide(&mut parked.guide);
        std::mem::swap(&mut self.resume, &mut parked.resume);
        let best = self.campaign.plan.best_counters();
        let is_news = std::mem::replace(&mut parked.known, best.clone()) != best;
        turns.parked = Some(parked);
        self.turns = Some(turns);
        if is_news {
            self.tell_best()
        } else {
            Ok(None)
        }
    }

    /// The search by answer sets, which has not begun.
    fn other_search(&self) -> Result<Parked, SolveError> {
        let searcher = Searcher::new(&self.searcher.problem, self.searcher.options, |executor| executor)?;
        let next = self.campaign.task.prepared.vars;
        let options = &self.searcher.options;
        let first = match self.others {
            Others::Crew(_) => 0,
            _ => options.opt_strategy.first_turn().unwrap_or(0).saturating_mul(PATIENCE),
        };
        let guide = Guide::by_answers(self.campaign.plan.cost_levels(), next, first, options.seed);
        Ok(Parked { searcher, guide: Some(guide), resume: Resume::Start, known: Vec::new() })
    }

    /// Tells the present search of the best answer set, which another search has found. Returns a refutation
    /// if nothing is better.
    pub(super) fn tell_best(&mut self) -> Result<Option<Refuted>, SolveError> {
        let has_begun = !matches!(self.resume, Resume::Start);
        if !self.campaign.is_bounded_by_goal() {
            // A search that begins is told by `start`.
            return if has_begun { self.told() } else { Ok(None) };
        }
        if let Some(refuted) = self.refuted_meanwhile()? {
            return Ok(Some(refuted));
        }
        self.campaign.plan.demand_better();
        // The bound on the costs is part of what propagation goes by, from level 1 on.
        if has_begun {
            self.searcher.begin_again()?;
            self.resume = Resume::Start;
        }
        self.searcher.memory.write_limits(&self.campaign.plan)?;
        Ok(None)
    }

    /// Ends the search whose turn it is not, if there is one. What it has counted stays in the sums.
    pub(super) fn end_turns(&mut self) {
        if let Some(turns) = self.turns.take() {
            turns.add_parked(&mut self.searcher.statistics);
        }
    }
}
