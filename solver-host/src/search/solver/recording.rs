//! Enumeration by domain recording: clasp's `--enum-mode=domRec`.
//!
//! Main function: [`Solver::record_domain`]. Heuristic directives give some atoms a level, and the search
//! prefers a value of these *domain atoms*. A domain atom *deviates* in an answer set if it has another
//! value than the preferred one; without a preferred value it always does. After each answer set a nogood
//! over its deviations excludes all answer sets with the same deviations or more.
//!
//! Invariant: domain atoms are decided before all others, and as they are preferred. So no answer set has a
//! part only of the deviations of the one that the search finds, unless it was excluded before.

use super::deviations::Deviations;
use super::{Others, Solver, Step};
use crate::search::campaign::plan::Phase;
use crate::search::{Heuristic, SolveError};

impl Solver {
    /// Lets each answer set exclude all that share its deviations from what heuristic directives prefer.
    /// Answer sets with the fewest deviations are found then, as sets: one for each set of deviations that
    /// includes no other one's. The search becomes a single searcher. This must be called before the search
    /// begins.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] if which answer sets are found would depend on the order of decisions,
    /// or if the search is not one for answer sets one by one.
    pub fn record_domain(&mut self) -> Result<(), SolveError> {
        let refused = |why: &str| Err(SolveError::Contradiction(format!("domain recording: {why}")));
        if self.searcher.options.heuristic != Heuristic::Domain {
            return refused(
                "answer sets are excluded by what the domain heuristic prefers: say --heuristic=Domain",
            );
        }
        if self.campaign.plan.phase() != Phase::Enumerate {
            return refused(
                "an answer set on the way to an optimum or to consequences would exclude others: ask for \
                 --opt-mode=enum or ignore",
            );
        }
        if self.campaign.plan.projected().is_some() {
            return refused("answer sets are told apart by their domain atoms: leave the projection out");
        }
        if self.has_other_crews() {
            return refused("one searcher searches: other processes cannot join it");
        }
        let deviations = match Deviations::of(self.program()) {
            Ok(deviations) => deviations,
            Err(why) => return refused(&why),
        };
        self.others = Others::None;
        self.searcher.is_one_by_one = true;
        self.recording = Some(deviations);
        Ok(())
    }

    /// The step, after an answer set has excluded what domain recording lets it exclude.
    pub(super) fn recorded(&mut self, step: Step) -> Result<Step, SolveError> {
        if let (Step::Answer(answer), Some(deviations)) = (&step, &self.recording) {
            let clause = deviations.clause(|lit| answer.holds(lit));
            self.add_clause(&clause)?;
        }
        Ok(step)
    }
}
