//! A search by the solver's own searcher alone.
//!
//! Main function: [`Solver::search_alone`]. What the campaign says of each event, the searcher does
//! ([`Solver::obey`]).

use super::{Others, Resume, Solver, Step};
use crate::search::campaign::guide::Course;
use crate::search::campaign::refuted::Refuted;
use crate::search::searcher::event::Event;
use crate::search::{AnswerSet, SolveError};
use solver_gpu::Lit;

impl Solver {
    /// Searches until there is an answer set, until nothing is left to search, or until it is time to stop,
    /// for others to join, or for another search's turn.
    pub(super) fn search_alone(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        match std::mem::replace(&mut self.resume, Resume::Anywhere) {
            Resume::Start => {
                if let Some(refuted) = self.start()? {
                    self.end_phase(refuted)?;
                }
            }
            Resume::AfterAnswer if self.searcher.keeps_answers() => {}
            Resume::AfterAnswer => self.go_on_after_answer()?,
            Resume::Anywhere => {}
            Resume::Over(all) => return Ok(self.over(all)),
        }
        loop {
            if matches!(self.resume, Resume::Over(_)) {
                return Ok(Step::Exhausted);
            }
            if interrupt() || self.is_spread_due() || self.is_turn_over() || self.are_symmetries_due() {
                return Ok(Step::Interrupted);
            }
            self.searcher.counts = self.counts_alone();
            let event = self.searcher.advance(interrupt)?;
            self.campaign.kept.extend(self.searcher.found.drain(..));
            let refuted = match event {
                Event::Paused => self.between()?,
                Event::Exhausted => self.refuted()?,
                Event::Answer(answer) if self.campaign.is_told(&answer) => {
                    self.searcher.trace_answer()?;
                    self.searcher.prove_answer(&answer)?;
                    return Ok(self.answer(answer));
                }
                Event::Answer(_) => {
                    self.go_on_after_answer()?;
                    None
                }
                Event::Interrupted => return Ok(Step::Interrupted),
                Event::Idle => return Err(SolveError::Internal("a single search waits for others")),
            };
            if let Some(refuted) = refuted {
                self.end_phase(refuted)?;
            }
            if let Some(answer) = self.campaign.kept.pop_front() {
                return Ok(self.answer(answer));
            }
            if let Some(more) = self.searcher.counted_since() {
                self.searcher.statistics.answer_sets += more;
                return Ok(Step::Counted(more));
            }
        }
    }

    /// Whether the search counts answer sets from now on, because the caller wants their number alone. The
    /// first one is told nevertheless, so that it is verified. A search that others may join tells all of its
    /// answer sets.
    fn counts_alone(&self) -> bool {
        self.may_count()
            && matches!(self.others, Others::None)
            && self.searcher.statistics.answer_sets > 0
            && self.searcher.keeps_answers()
            && !self.searcher.is_traced()
    }

    /// Begins a search without an assignment. Returns a refutation if a guide knows that there is no better
    /// answer set.
    pub(super) fn start(&mut self) -> Result<Option<Refuted>, SolveError> {
        self.searcher.start()?;
        if self.assumed.is_some() {
            return self.begin_assumed().map(|()| None);
        }
        let course = self.campaign.begins(self.searcher.conflicts());
        let mut refuted = self.obey(course)?;
        // The search may begin with an answer set, if it begins anew.
        if refuted.is_none() && !self.campaign.guide_knows_best() {
            let course = self.campaign.told(self.searcher.conflicts());
            refuted = self.obey(course)?;
        }
        Ok(refuted)
    }

    /// Called after an answer set. Asks for the next one, or begins the next phase if the answer set is known to be the
    /// best.
    fn go_on_after_answer(&mut self) -> Result<(), SolveError> {
        match self.answered()? {
            Some(refuted) => self.end_phase(refuted),
            None => Ok(()),
        }
    }

    /// Called after an answer set of a search that may be guided. Asks for the next one, or a better one. Returns a
    /// refutation if a guide knows that there is none.
    pub(super) fn answered(&mut self) -> Result<Option<Refuted>, SolveError> {
        if self.campaign.demands_better() {
            self.searcher.ask_for_next()?;
        }
        if !self.campaign.is_guided() {
            return Ok(None);
        }
        // The search may have refuted by itself that a better answer set exists. If it assumes a guess, that
        // allows every answer set that is better than the one found under the guess, so the refutation holds
        // without it.
        if let Some(refuted) = Refuted::by_one(&self.searcher.memory.state) {
            let core = self.refuted_core()?;
            if !self.campaign.is_local(&core) {
                self.campaign.conclude(&core);
                let reasons = self.campaign.reasons();
                self.searcher.prove_reasons(reasons)?;
                return Ok(Some(refuted));
            }
        }
        let course = self.campaign.answered(self.searcher.conflicts());
        self.obey(course)
    }

    /// Called between two launches. Gives assumptions up that have taken more conflicts than a guide allows.
    pub(super) fn between(&mut self) -> Result<Option<Refuted>, SolveError> {
        if self.searcher.is_pending() {
            return Ok(None);
        }
        let course = self.campaign.between(self.searcher.conflicts());
        self.obey(course)
    }

    /// Called when the search space is exhausted under what the search assumes. Lets the search go on under other
    /// assumptions, or returns a refutation if there are none.
    pub(super) fn refuted(&mut self) -> Result<Option<Refuted>, SolveError> {
        let Some(refuted) = Refuted::by_one(&self.searcher.memory.state) else {
            return Err(SolveError::Internal("a search has ended that is not exhausted"));
        };
        let core = if self.campaign.is_guided() { self.refuted_core()? } else { Vec::new() };
        let course = self.campaign.refuted(refuted, &core, self.searcher.conflicts());
        self.obey(course)
    }

    /// The assumptions that a refutation needs, which the proof is told of.
    fn refuted_core(&mut self) -> Result<Vec<Lit>, SolveError> {
        let core = self.searcher.memory.core()?;
        self.searcher.trace_core(&core)?;
        self.searcher.prove_core(&core)?;
        Ok(core)
    }

    /// Does what [`Solver::refuted`] does if a launch has returned right after the search has refuted what it
    /// searches. New assumptions, or a new beginning, would let it forget that, with a conflict that no
    /// further round sees.
    pub(super) fn refuted_meanwhile(&mut self) -> Result<Option<Refuted>, SolveError> {
        match Refuted::by_one(&self.searcher.memory.state) {
            Some(_) => self.refuted(),
            None => Ok(None),
        }
    }

    /// Another search has found a better answer set. Returns a refutation if that one is known to be optimal.
    pub(super) fn told(&mut self) -> Result<Option<Refuted>, SolveError> {
        if let Some(refuted) = self.refuted_meanwhile()? {
            return Ok(Some(refuted));
        }
        let course = self.campaign.told(self.searcher.conflicts());
        self.obey(course)
    }

    /// Lets the searcher do what the campaign says. Returns a refutation if nothing is left to search.
    fn obey(&mut self, course: Course) -> Result<Option<Refuted>, SolveError> {
        let reasons = self.campaign.reasons();
        self.searcher.prove_reasons(reasons)?;
        if self.campaign.is_guided() {
            let plan = &self.campaign.plan;
            self.searcher.trace_bound(|| plan.lower_bound())?;
        }
        match course {
            Course::Same => Ok(None),
            Course::Follows(orders) => self.searcher.follow(&orders).map(|()| None),
            Course::Ends(refuted) => Ok(Some(refuted)),
        }
    }

    /// Tells an answer set.
    pub(super) fn answer(&mut self, answer: AnswerSet) -> Step {
        if !matches!(self.resume, Resume::Over(_)) {
            self.resume = Resume::AfterAnswer;
        }
        self.searcher.statistics.answer_sets += 1;
        Step::Answer(self.campaign.judged(answer))
    }

    /// Verifies what is due before a step is handed out.
    pub(super) fn checked(&mut self, step: Step) -> Result<Step, SolveError> {
        if let Step::Answer(answer) = &step {
            if self.assumed.as_ref().is_some_and(|assumed| !assumed.holds_in(answer)) {
                return Err(SolveError::Contradicts("an answer set violates an assumption".into()));
            }
            let is_last = self.campaign.asks_for_last() && self.all_searched().is_some();
            self.campaign.check_answer(answer, is_last)?;
            return Ok(step);
        }
        self.campaign.check_optimum()?;
        if step == Step::Exhausted {
            self.campaign.check_end()?;
        }
        Ok(step)
    }
}

#[cfg(test)]
mod tests;
