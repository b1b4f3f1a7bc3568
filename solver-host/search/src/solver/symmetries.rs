//! How a search begins anew without what symmetries exclude.
//!
//! Main function: [`Solver::break_symmetries`]. Most searches for an answer set end soon, and what
//! symmetries exclude would only hinder them. So with [`Symmetry::Auto`] a search begins as it is. If it
//! lasts, a thread looks for symmetries and translates the program without what they exclude (see
//! [`super::sought`]), and the search begins anew. A search of one thread waits meanwhile, so that it is
//! the same search each time; a crew searches on. The caller must have said that it asks once
//! ([`Solver::asks_once`]).
//!
//! Invariant: a search of a program whose symmetries are broken never says that an answer set was the last
//! one.

use super::company::Others;
use super::lead::Lead;
use super::sought::{look, Sought, Symmetries};
use super::{Solver, Step};
use crate::campaign::plan::Phase;
use crate::campaign::task::Task;
use crate::crew::Crew;
use crate::searcher::problem::Problem;
use crate::{SolveError, Symmetry};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// How many symmetries are worth that a search for one answer set begins anew and forgets what it has
/// learned. There are so many if a square looks the same from each side and in a mirror.
const LEAST: u32 = 8;

/// The same for a search for an optimum, which has to refute that an answer set is better: even one
/// symmetry besides the identity halves what is to be refuted.
const LEAST_OF_OPTIMA: u32 = 2;

/// How long a search that waits sleeps before it asks whether to go on.
const NAP: Duration = Duration::from_millis(1);

impl Solver {
    /// How many symmetries are worth that the search begins anew.
    fn least_symmetries(&self) -> u32 {
        match self.campaign.plan.phase() {
            Phase::Improve => LEAST_OF_OPTIMA,
            Phase::Enumerate | Phase::Narrow => LEAST,
        }
    }

    /// Whether it is time to look for symmetries, or to begin anew without what they exclude.
    pub(super) fn are_symmetries_due(&self) -> bool {
        let is_ready = match &self.symmetries {
            Symmetries::Absent => false,
            Symmetries::Possible => true,
            Symmetries::Sought(sought) => self.company.crew().is_none() || sought.thread.is_finished(),
        };
        if !is_ready || self.lead.searcher.options.symmetry != Symmetry::Auto {
            return false;
        }
        let others = self.company.crew().map_or_else(|| self.lead.parked_conflicts(), Crew::conflicts);
        let conflicts = self.lead.searcher.conflicts() + others;
        let after = self.lead.searcher.options.symmetry_after as u64;
        // All that a crew has learned is lost, but many meet as many conflicts in less time. The square
        // root is between the conflicts of all and those of each.
        let is_time = || conflicts as f64 >= after as f64 * (self.company.searchers() as f64).sqrt();
        conflicts >= after
            && self.campaign.wants_one(self.lead.searcher.statistics.answer_sets)
            && self.assumed.is_none()
            && self.recording.is_none()
            && self.campaign.task.nogoods.is_none()
            && !self.lead.searcher.is_traced()
            && !self.lead.searcher.is_proved()
            && is_time()
    }

    /// Has a thread look for symmetries. Once the thread has found some, begins the search anew without
    /// what they exclude. What is known of the optimum and what was counted stays. A search without a crew
    /// waits for the thread. Returns a step if the caller interrupts that.
    pub(super) fn break_symmetries(
        &mut self,
        interrupt: &dyn Fn() -> bool,
    ) -> Result<Option<Step>, SolveError> {
        if let Symmetries::Possible = self.symmetries {
            match Sought::start(self.campaign.task.clone(), self.least_symmetries()) {
                Ok(sought) => self.symmetries = Symmetries::Sought(sought),
                // The system has no thread to give.
                Err(_) => return self.break_symmetries_here().map(|()| None),
            }
        }
        let Symmetries::Sought(sought) = &self.symmetries else { return Ok(None) };
        while !sought.thread.is_finished() {
            if self.company.crew().is_some() {
                return Ok(None);
            }
            thread::sleep(NAP);
            if interrupt() {
                return Ok(Some(Step::Interrupted));
            }
        }
        let Symmetries::Sought(sought) = std::mem::take(&mut self.symmetries) else { return Ok(None) };
        let has_ended = SolveError::Internal("the search for symmetries has ended");
        let found = sought.thread.join().map_err(|_| has_ended)??;
        self.begin_without(found).map(|()| None)
    }

    /// The same on the caller's thread, which listens to nobody meanwhile.
    fn break_symmetries_here(&mut self) -> Result<(), SolveError> {
        self.symmetries = Symmetries::Absent;
        let found = look(&self.campaign.task, self.least_symmetries(), &|| false)?;
        self.begin_without(found)
    }

    /// Begins the search anew for a translation without what symmetries exclude, if there is one.
    fn begin_without(&mut self, task: Option<Task>) -> Result<(), SolveError> {
        let Some(task) = task else { return Ok(()) };
        let (since, least) = (self.company.since, self.least_symmetries());
        self.rest(false)?;
        self.company.begin_anew(least, &mut self.lead.searcher.statistics)?;
        let problem = Arc::new(Problem::of(task)?);
        let (lead, campaign) = Lead::of(&problem, self.lead.searcher.options, |executor| executor)?;
        let before = std::mem::replace(&mut self.lead, lead);
        self.lead.searcher.goes_on_for(&before.searcher);
        self.lead.asked_at = before.asked_at;
        self.campaign.goes_on_as(campaign);
        self.company.expect_task(&self.campaign.task);
        // A search by cores that had to be better than the best would learn nogoods that are long.
        if self.campaign.is_bounded_by_goal() {
            self.campaign.plan.demand_better();
            self.lead.searcher.memory.write_limits(&self.campaign.plan)?;
        }
        (self.company.others, self.company.since) = (Others::None, since);
        self.company.may_spread(&mut self.lead, &mut self.campaign);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
