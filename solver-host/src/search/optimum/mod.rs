//! Searches for an optimum under assumptions: which answer sets the search assumes to exist, and what a refutation
//! of that means.
//!
//! Main type: [`Guide`]. A guide stands between a search and a tactic ([`Cores`] or [`Steps`]). The search runs under
//! the tactic's assumptions, and the guide adds the tactic's variables and sums to the search while it goes on. No
//! search begins anew, and learned nogoods stay.
//!
//! Invariant: the caller is told only of answer sets that are better than all before. If the tactic demands better
//! ones, so does the goal of the search (see [`super::plan`]); else the search has no goal.

mod cores;
mod steps;
mod tactic;
#[cfg(test)]
mod tests;

use super::extend::Extension;
use super::options::{Descent, OptStrategy, Options, Shrink, Usc};
use super::plan::{Levels, Phase};
use super::refuted::Refuted;
use super::{AnswerSet, SolveError, Solver, Statistics};
use crate::nogoods::SumStore;
use cores::Cores;
use steps::Steps;
use tactic::{Addition, NextVar, Tactic, Verdict};

/// A tactic for finding an optimum, and what the search owes to it.
pub struct Guide {
    tactic: Box<dyn Tactic>,
    extension: Extension,
    /// The number of the search's conflicts at the time when the present assumptions were made.
    since: u64,
    /// Whether the search runs under the tactic's assumptions.
    has_begun: bool,
    /// Whether the search waits because the caller was not yet told of its last answer set.
    pub waits: bool,
    /// The best costs that the tactic knows, as the counters count them.
    pub known: Vec<i64>,
}

/// How a search goes on between two launches.
pub enum Course {
    /// The search goes on as it is.
    Same,
    /// The search goes on under new assumptions. Propagation comes first: what new sums force at level 1 must be
    /// assigned before a level is opened.
    GoesOn,
    /// Nothing is left to search.
    Ends(Refuted),
}

impl Course {
    /// The refutation, if nothing is left to search.
    pub fn refuted(self) -> Option<Refuted> {
        match self {
            Course::Ends(refuted) => Some(refuted),
            Course::Same | Course::GoesOn => None,
        }
    }
}

impl Guide {
    /// The guide that the options ask for. The problem has the costs `levels` and the sums `sums`, and its first free
    /// variable is `next`. There is no guide if the strategy only demands better answer sets (`bb`).
    pub fn new(options: &Options, levels: Levels, sums: SumStore, next: u32) -> Option<Guide> {
        let next = NextVar(next);
        let minimise = match options.opt_usc_shrink {
            Shrink::No => 0,
            Shrink::Min(limit) => limit,
        };
        let tactic: Box<dyn Tactic> = match options.opt_strategy {
            OptStrategy::Bb(Descent::Lin) => return None,
            OptStrategy::Bb(descent) => Box::new(Steps::new(descent, levels, next)),
            OptStrategy::Usc(usc) => Box::new(Cores::new(Usc { minimise, ..usc }, levels, next)),
            OptStrategy::Auto => Box::new(Cores::new(Usc { minimise, ..Usc::default() }, levels, next)),
        };
        let extension = Extension::new(sums);
        Some(Guide { tactic, extension, since: 0, has_begun: false, waits: false, known: Vec::new() })
    }

    /// Whether the search looks for better answer sets only.
    pub fn demands_better(&self) -> bool {
        self.tactic.demands_better()
    }

    /// A lower bound on the costs of all answer sets, as the counters count them.
    pub fn lower(&self) -> &[i64] {
        self.tactic.lower()
    }

    /// The statistics that the tactic counts.
    pub fn counts(&self) -> Statistics {
        self.tactic.counts()
    }
}

impl Solver {
    /// Makes the guide that the options ask for, if the search looks for an optimum.
    pub(super) fn find_guide(&mut self) {
        if self.plan.phase() != Phase::Improve || self.problem().prepared.unsatisfiable {
            return;
        }
        let levels = self.plan.cost_levels();
        let (sums, vars) = (self.problem().sums.clone(), self.problem().prepared.vars);
        self.guide = Guide::new(&self.searcher.options, levels, sums, vars);
        if self.guide.as_ref().is_some_and(|guide| !guide.demands_better()) {
            self.searcher.memory.set_goal(None);
        }
    }

    /// Begins a search without an assignment.
    pub(super) fn start(&mut self) -> Result<(), SolveError> {
        self.searcher.start()?;
        self.begin_assumed_or_guided()
    }

    /// Lets the search decide on its assumptions first, if it has any.
    fn begin_assumed_or_guided(&mut self) -> Result<(), SolveError> {
        match self.assumed {
            Some(_) => self.begin_assumed(),
            None => self.begin_guided(),
        }
    }

    /// Called after an answer set. Asks for the next one, or begins the next phase if the answer set is known to be the
    /// best.
    pub(super) fn go_on_after_answer(&mut self) -> Result<(), SolveError> {
        if self.guide.is_none() {
            return self.searcher.ask_for_next();
        }
        match self.guide_goes_on()? {
            Some(refuted) => self.end_phase(refuted),
            None => Ok(()),
        }
    }

    /// Tells the guide, if there is one, that the search begins. Called before the first launch.
    fn begin_guided(&mut self) -> Result<(), SolveError> {
        match self.guide.as_ref().is_some_and(|guide| !guide.has_begun) {
            true => self.follow_guide(),
            false => Ok(()),
        }
    }

    /// Whether the caller is to be told of an answer set. A search with a guide may find answer sets that are not
    /// better than the best one, and keeps them to itself.
    pub(super) fn is_told(&self, answer: &AnswerSet) -> bool {
        self.guide.is_none() || self.plan.is_news(self.problem().program(), |lit| answer.holds(lit))
    }

    /// Tells the guide that another search has found a better answer set. Returns a refutation if that one is optimal.
    pub(super) fn guide_told(&mut self) -> Result<Option<Refuted>, SolveError> {
        // A launch may return right after the search has refuted its assumptions. New assumptions would let it forget
        // that, with a conflict that no further round sees.
        if Refuted::by_one(&self.searcher.memory.state).is_some() {
            if let Some(refuted) = self.guide_refuted()? {
                return Ok(Some(refuted));
            }
        }
        let costs = self.plan.best_counters();
        let Some(guide) = &mut self.guide else { return Ok(None) };
        let verdict = guide.tactic.told(&costs);
        if verdict == Verdict::GoesOn && !guide.tactic.has_changed() {
            self.plan.raise_lower(guide.tactic.lower());
            return Ok(None);
        }
        self.obey(verdict)
    }

    /// Called after an answer set. Asks for a better one, or returns a refutation if there is none.
    pub(super) fn guide_goes_on(&mut self) -> Result<Option<Refuted>, SolveError> {
        if self.guide.as_ref().is_some_and(Guide::demands_better) {
            self.searcher.ask_for_next()?;
        }
        // The search may have refuted by itself that a better answer set exists. Its assumption, a guess, allows every
        // answer set that is better than the one found under the guess, so the refutation holds without it.
        if let Some(refuted) = Refuted::by_one(&self.searcher.memory.state) {
            return Ok(Some(refuted));
        }
        let costs = self.plan.best_counters();
        let Some(guide) = &mut self.guide else { return Ok(None) };
        let verdict = guide.tactic.answered(&costs);
        self.obey(verdict)
    }

    /// Called when the search space is exhausted under the assumptions. Lets the search go on under other
    /// assumptions, or returns a refutation if the tactic has none.
    pub(super) fn guide_refuted(&mut self) -> Result<Option<Refuted>, SolveError> {
        let Some(refuted) = Refuted::by_one(&self.searcher.memory.state) else {
            return Err(SolveError::Internal("a search has ended that is not exhausted"));
        };
        if self.guide.is_none() {
            return Ok(Some(refuted));
        }
        let core = self.searcher.memory.core()?;
        let Some(guide) = &mut self.guide else { return Ok(None) };
        let verdict = guide.tactic.refuted(&core);
        self.obey(verdict)
    }

    /// Called between two launches. Gives the assumptions up if they have taken more conflicts than the tactic allows.
    pub(super) fn guide_between(&mut self) -> Result<Course, SolveError> {
        let state = &self.searcher.memory.state;
        let conflicts = state.counts.conflicts.load();
        let is_pending = state.conflicts.load() > 0 || state.level.load() == 1 || state.exhausted.load() == 1;
        let Some(guide) = &mut self.guide else { return Ok(Course::Same) };
        let is_over = guide.tactic.budget().is_some_and(|budget| conflicts - guide.since >= budget);
        if !is_over || is_pending {
            return Ok(Course::Same);
        }
        let verdict = guide.tactic.gave_up();
        Ok(self.obey(verdict)?.map_or(Course::GoesOn, Course::Ends))
    }

    /// Acts on the tactic's verdict. Returns a refutation if nothing is left to search.
    fn obey(&mut self, verdict: Verdict) -> Result<Option<Refuted>, SolveError> {
        if let Some(guide) = &self.guide {
            self.plan.raise_lower(guide.lower());
        }
        match Refuted::by_tactic(verdict == Verdict::Over) {
            None => self.follow_guide().map(|()| None),
            refuted => Ok(refuted),
        }
    }

    /// Adds the tactic's new variables and sums to the search, and lets it go on under the tactic's assumptions.
    fn follow_guide(&mut self) -> Result<(), SolveError> {
        let Some(guide) = &mut self.guide else { return Ok(()) };
        guide.has_begun = true;
        self.searcher.memory.jump_to_level_1()?;
        let additions = guide.tactic.additions();
        if !additions.is_empty() {
            self.searcher.statistics.extensions += 1;
            self.searcher.memory.extend(&mut guide.extension, additions.vars, |sums| {
                for addition in additions.sums {
                    match addition {
                        Addition::Nogood(condition, items, most) => {
                            sums.push(condition, items.into_iter(), most);
                        }
                        Addition::Defined(atom, bound, items) => sums.define(atom, bound, &items),
                    }
                }
            })?;
        }
        self.searcher.assume(&guide.tactic.assumptions())?;
        guide.since = self.searcher.memory.state.counts.conflicts.load();
        Ok(())
    }

    /// Drops the guide, its assumptions and what it has added, before the search starts over for another goal.
    pub(super) fn dismiss_guide(&mut self) {
        if self.drop_guide() {
            self.searcher.memory.assume_nothing();
            self.searcher.memory.drop_extension();
        }
    }

    /// Drops the guide and keeps the tactic's statistics. Returns whether there was a guide.
    pub(super) fn drop_guide(&mut self) -> bool {
        let Some(guide) = self.guide.take() else { return false };
        self.searcher.statistics.add(&guide.counts());
        true
    }
}
