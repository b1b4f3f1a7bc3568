//! Symmetries: when a search excludes all but one of the answer sets that they map to each other, and what it
//! says then.
//!
//! Main function: [`Solver::break_symmetries`]. Most searches for an answer set end soon, and what symmetries
//! exclude would only hinder them. So with [`Symmetry::Auto`] a search begins as it is. If it lasts,
//! symmetries are looked for, and the search begins anew without what they exclude (see [`crate::symmetry`]).
//! The caller must have said that it asks once ([`Solver::asks_once`]).
//!
//! Invariant: a search of a program whose symmetries are broken never says that an answer set was the last
//! one.

use super::{Others, Resume, Solver};
use crate::search::campaign::plan::Phase;
use crate::search::campaign::task::Task;
use crate::search::options::Symmetry;
use crate::search::searcher::problem::Problem;
use crate::search::SolveError;
use std::cell::Cell;
use std::sync::Arc;

/// How many symmetries are worth that a search for one answer set begins anew and forgets what it has
/// learned. There are so many if a square looks the same from each side and in a mirror.
const LEAST: u32 = 8;

/// The same for a search for an optimum, which has to refute that an answer set is better: even one
/// symmetry besides the identity halves what is to be refuted.
const LEAST_OF_OPTIMA: u32 = 2;

/// Why a goal is refused while symmetries are broken.
const ONE_ONLY: &str =
    "of the answer sets that are symmetric one is kept: ask for one answer set (-n 1) or for \
                        one optimum, or say --symmetry=no";

impl Solver {
    /// Whether it is time to look for symmetries.
    pub(super) fn are_symmetries_due(&self) -> bool {
        if !self.may_have_symmetries || self.searcher.options.symmetry != Symmetry::Auto {
            return false;
        }
        let others = match &self.others {
            Others::Crew(crew) => crew.conflicts(),
            _ => self.parked_conflicts(),
        };
        self.searcher.conflicts() + others >= self.searcher.options.symmetry_after as u64
            && self.wants_one()
            && self.assumed.is_none()
            && self.recording.is_none()
            && !self.has_lemmas()
            && !self.searcher.is_traced()
            && !self.searcher.is_proved()
    }

    /// Whether one answer set or one optimum is all that is still asked for.
    fn wants_one(&self) -> bool {
        match self.campaign.plan.phase() {
            Phase::Enumerate => self.campaign.wanted == 1 && self.searcher.statistics.answer_sets == 0,
            Phase::Improve => self.campaign.plan.is_last_phase(),
            Phase::Narrow => false,
        }
    }

    /// Looks for symmetries. If there are some, begins the search anew without what they exclude. What is
    /// known of the optimum and what was counted stays. Returns whether the caller has not interrupted that.
    pub(super) fn break_symmetries(&mut self, interrupt: &dyn Fn() -> bool) -> Result<bool, SolveError> {
        let old = &self.campaign.task;
        let (program, goal) = (old.program().clone(), self.campaign.plan.goal());
        let least = match self.campaign.plan.phase() {
            Phase::Improve => LEAST_OF_OPTIMA,
            Phase::Enumerate | Phase::Narrow => LEAST,
        };
        // All crews have to exclude the same, and an interrupted search for symmetries finds fewer.
        let is_cut = Cell::new(false);
        let cut = || {
            is_cut.set(is_cut.get() || interrupt());
            is_cut.get()
        };
        let task = Task::without_symmetries(program, &old.options, goal, least, &cut)?;
        if is_cut.get() {
            return Ok(false);
        }
        self.may_have_symmetries = false;
        if !task.are_symmetries_broken() {
            return Ok(true);
        }
        let since = self.before;
        self.rest(false)?;
        let mut rested = std::mem::take(&mut self.resting);
        rested.begin_anew(&mut self.arriving, least)?;
        self.resting.remotes = std::mem::take(&mut rested.remotes);
        // Whoever has searched along has done so for another translation of the program.
        rested.each_searcher().iter().for_each(|of| self.searcher.statistics.add(of));
        let anew = Solver::of(&Arc::new(Problem::of(task)?), self.searcher.options)?;
        let before = std::mem::replace(&mut self.searcher, anew.searcher);
        self.searcher.goes_on_for(&before);
        self.campaign.goes_on_as(anew.campaign);
        self.arriving.iter_mut().for_each(|crew| crew.expect(&self.campaign.task));
        // A search by cores that had to be better than the best would learn nogoods that are long.
        if self.campaign.is_bounded_by_goal() {
            self.campaign.plan.demand_better();
            self.searcher.memory.write_limits(&self.campaign.plan)?;
        }
        (self.resume, self.others, self.turns) = (anew.resume, anew.others, anew.turns);
        (self.waits, self.before) = (false, since);
        self.may_spread();
        Ok(true)
    }

    /// Fails if more is asked for than one answer set or one optimum, and symmetries are broken.
    pub(super) fn check_symmetries(&self) -> Result<(), SolveError> {
        let is_over = matches!(self.resume, Resume::Over(_));
        match self.campaign.task.are_symmetries_broken() && !is_over && !self.wants_one() {
            true => Err(SolveError::Contradiction(ONE_ONLY.into())),
            false => Ok(()),
        }
    }

    /// Whether answer sets are excluded that a symmetry makes of the one that was told.
    pub(super) fn are_others_excluded(&self) -> bool {
        self.campaign.task.are_symmetries_broken()
            && self.campaign.plan.phase() == Phase::Enumerate
            && self.searcher.statistics.answer_sets > 0
    }
}

#[cfg(test)]
mod tests;
