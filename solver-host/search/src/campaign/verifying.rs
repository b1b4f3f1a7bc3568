//! Which answer sets are verified, and when, and that all claims are compared with each other.
//!
//! Main function: [`Campaign::check_answer`], through which each answer set goes before it is handed out. It is noted
//! by the [`Watch`](super::watch::Watch), and what is claimed at the end is compared with all of them. With
//! [`Check::Auto`] the first answer set, the optimum once it is proved, and the last answer set are verified,
//! and others as long as that takes at most [`SHARE`] of the time.
//!
//! Invariant: of the answer sets that were handed out, at most the last one still has to be verified.

use super::Campaign;
use crate::options::Check;
use crate::{AnswerSet, SolveError};
use std::time::Instant;
use yasmin_ground::check::Claim;

/// How much of the time may go into checks that are not demanded. The copies of answer sets that may turn out
/// to be the last take about as much as is missing from 5 %.
const SHARE: f64 = 0.04;

impl Campaign {
    /// After a step of the device: how many answer sets fit into the share of the time. The search has taken
    /// `solve_seconds` so far.
    pub fn plan_checks(&mut self, solve_seconds: f64) {
        let seconds = SHARE * solve_seconds - self.statistics.check_seconds;
        // A negative number of seconds is none.
        self.checking.left = (seconds / self.checking.one.max(1e-9)) as u64;
    }

    /// Whether it makes a difference for [`Self::check_answer`] that an answer set is the last one.
    pub fn asks_for_last(&self) -> bool {
        self.checking.how == Check::Auto && self.checking.left == 0
    }

    /// Verifies what is due before an answer set is handed out. `is_last` says whether it is known to be the last one.
    ///
    /// # Errors
    /// [`SolveError::WrongAnswer`] if an answer set is wrong, [`SolveError::Contradicts`] if a claim is.
    pub fn check_answer(&mut self, answer: &AnswerSet, is_last: bool) -> Result<(), SolveError> {
        if self.checking.how == Check::No {
            return Ok(());
        }
        let is_optimum = self.check_optimum()?;
        let lower = self.plan.lower_bound();
        let (told, checks_all) = (self.plan.told(answer, &lower), self.checking.checks_all());
        let noted = self.checking.watch.note(self.task.program(), &told, checks_all);
        noted.map_err(SolveError::Contradicts)?;
        let is_first = self.statistics.checked_answers == 0;
        if checks_all || is_first || is_optimum || self.checking.left > 0 || is_last {
            self.check(answer)?;
            self.checking.left = self.checking.left.saturating_sub(1);
            self.checking.is_due = false;
        } else {
            self.checking.keep(answer);
        }
        Ok(())
    }

    /// Verifies the best answer set once its optimality is proved. Returns whether that was now.
    ///
    /// # Errors
    /// As [`Self::check_answer`].
    pub fn check_optimum(&mut self) -> Result<bool, SolveError> {
        let is_optimum = self.checking.how != Check::No
            && self.plan.is_optimum_known()
            && !self.checking.is_optimum_checked;
        if is_optimum {
            self.check_last()?;
            self.checking.is_optimum_checked = true;
        }
        Ok(is_optimum)
    }

    /// Verifies the last answer set, unless that was done, and compares what is claimed at the end with all that was
    /// told.
    ///
    /// # Errors
    /// As [`Self::check_answer`].
    pub fn check_end(&mut self) -> Result<(), SolveError> {
        if self.checking.how != Check::No {
            let (lower, optimum) = (self.plan.lower_bound(), self.plan.optimum());
            self.checking.watch.conclude(&lower, optimum).map_err(SolveError::Contradicts)?;
        }
        self.check_last()
    }

    /// Verifies the last answer set, unless that was done.
    fn check_last(&mut self) -> Result<(), SolveError> {
        if self.checking.is_due {
            let last = std::mem::take(&mut self.checking.last);
            let checked = self.check(&last);
            self.checking.last = last;
            checked?;
            self.checking.is_due = false;
        }
        Ok(())
    }

    /// Verifies an answer set.
    fn check(&mut self, answer: &AnswerSet) -> Result<(), SolveError> {
        let begun = Instant::now();
        let checker = self.task.checker();
        let made = Instant::now();
        let (program, plan) = (self.task.program(), &self.plan);
        let is_shown = |i: usize| {
            let is_shown = answer.is_shown(program, i);
            answer.printed.as_ref().map_or(Some(is_shown), |_| plan.says(i, is_shown))
        };
        let costs = plan.has_costs().then_some(&answer.costs[..]);
        let claim = Claim { holds: &answer.atom_values(), costs, is_shown: &is_shown };
        let checked = checker.check(program, &claim, &mut self.checking.workspace);
        self.statistics.checked_answers += 1;
        self.statistics.check_seconds += begun.elapsed().as_secs_f64();
        self.checking.one = made.elapsed().as_secs_f64();
        checked.map_err(SolveError::WrongAnswer)
    }
}

#[cfg(test)]
mod tests;
