//! Which answer sets are verified, and when, and that all claims are compared with each other.
//!
//! Main function: [`Solver::checked`], through which each step goes before it is handed out. Each answer set is noted
//! by the [`Watch`], and what is claimed at the end is compared with all of them. With
//! [`Check::Auto`] the first answer set, the optimum once it is proved, and the last answer set are verified,
//! and others as long as that takes at most [`SHARE`] of the time.
//!
//! Invariant: of the answer sets that were handed out, at most the last one still has to be verified.

use super::options::Check;
use super::watch::Watch;
use super::{AnswerSet, SolveError, Solver, Step};
use crate::check::{Claim, Workspace};
use std::time::Instant;

/// How much of the time may go into checks that are not demanded. The copies of answer sets that may turn out
/// to be the last take about as much as is missing from 5 %.
const SHARE: f64 = 0.04;

/// What a solver knows of its checks.
#[derive(Default)]
pub struct Checking {
    workspace: Workspace,
    watch: Watch,
    /// A copy of the answer set that was handed out last, if it was not verified.
    last: AnswerSet,
    /// Whether there is such a copy.
    is_due: bool,
    /// How many further answer sets may be verified before the clock is looked at.
    left: u64,
    /// Seconds that the last check took, without making the checker.
    one: f64,
    /// Whether the last answer set before the proof of its optimality was verified.
    is_optimum_checked: bool,
}

impl Solver {
    /// After a step of the device: how many answer sets fit into the share of the time.
    pub(super) fn plan_checks(&mut self) {
        let s = &self.searcher.statistics;
        let seconds = SHARE * s.solve_seconds - s.check_seconds;
        // A negative number of seconds is none.
        self.checking.left = (seconds / self.checking.one.max(1e-9)) as u64;
    }

    /// Verifies what is due before a step is handed out.
    pub(super) fn checked(&mut self, step: Step) -> Result<Step, SolveError> {
        if self.searcher.options.check == Check::No {
            return Ok(step);
        }
        let is_optimum = self.plan.is_optimum_known() && !self.checking.is_optimum_checked;
        if is_optimum {
            self.check_last()?;
            self.checking.is_optimum_checked = true;
        }
        match &step {
            Step::Answer(answer) => {
                let lower = self.plan.lower_bound();
                let (told, remembers_all) =
                    (self.plan.told(answer, &lower), self.searcher.options.check == Check::All);
                let noted = self.checking.watch.note(self.searcher.problem.program(), &told, remembers_all);
                noted.map_err(SolveError::Contradicts)?;
                let is_first = self.searcher.statistics.checked_answers == 0;
                let is_demanded = self.searcher.options.check == Check::All || is_first || is_optimum;
                if is_demanded || self.checking.left > 0 || self.all_searched().is_some() {
                    self.check(answer)?;
                    self.checking.left = self.checking.left.saturating_sub(1);
                    self.checking.is_due = false;
                } else {
                    self.checking.keep(answer);
                }
            }
            Step::Exhausted => self.check_end()?,
            Step::Interrupted | Step::Counted(_) => {}
        }
        Ok(step)
    }

    /// Verifies the last answer set, unless that was done, and compares what is claimed at the end with all that was
    /// told. This is for the caller who wants no further answer set; a search that is exhausted has done it.
    ///
    /// # Errors
    /// [`SolveError::WrongAnswer`] if the answer set is wrong, [`SolveError::Contradicts`] if a claim is.
    pub fn check_end(&mut self) -> Result<(), SolveError> {
        if self.searcher.options.check != Check::No {
            let (lower, optimum) = (self.plan.lower_bound(), self.plan.optimum());
            self.checking.watch.conclude(&lower, optimum).map_err(SolveError::Contradicts)?;
        }
        self.check_last()
    }

    /// The watch, for a caller under whom answer sets are told again.
    pub(super) fn forget_told(&mut self) {
        self.checking.watch.forget_answers();
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
        let checker = self.searcher.problem.checker();
        let made = Instant::now();
        let (program, plan) = (self.searcher.problem.program(), &self.plan);
        let is_shown = |i: usize| {
            let is_shown = answer.is_shown(program, i);
            answer.printed.as_ref().map_or(Some(is_shown), |_| plan.says(i, is_shown))
        };
        let costs = plan.has_costs().then_some(&answer.costs[..]);
        let claim = Claim { holds: &answer.holds, costs, is_shown: &is_shown };
        let checked = checker.check(program, &claim, &mut self.checking.workspace);
        self.searcher.statistics.checked_answers += 1;
        self.searcher.statistics.check_seconds += begun.elapsed().as_secs_f64();
        self.checking.one = made.elapsed().as_secs_f64();
        checked.map_err(SolveError::WrongAnswer)
    }
}

impl Checking {
    /// Keeps a copy of an answer set that is not verified now. Its vectors are reused, because there may be
    /// millions of answer sets.
    fn keep(&mut self, answer: &AnswerSet) {
        let AnswerSet { holds, printed, costs, is_optimal, consequences } = &mut self.last;
        holds.clone_from(&answer.holds);
        printed.clone_from(&answer.printed);
        costs.clone_from(&answer.costs);
        (*is_optimal, *consequences) = (answer.is_optimal, answer.consequences);
        self.is_due = true;
    }
}

#[cfg(test)]
mod tests;
