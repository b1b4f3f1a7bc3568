//! What ends a question before its end: conflicts and restarts, or costs that are good enough.

use crate::Inner;
use std::time::{Duration, Instant};
use yasmin::{Asked, Error, Progress};
use yasmin_cli::clingo::values::{are_within, Bounds, SolveLimit};

/// How often conflicts and restarts are compared with their limit.
const COUNTED: Duration = Duration::from_millis(5);

/// What ends the present question early.
#[derive(Default)]
pub struct Limits {
    /// How many conflicts and restarts the search may take.
    pub work: Option<SolveLimit>,
    /// How many there were before.
    pub before: (u64, u64),
    /// Costs at which an answer set ends the search.
    pub costs: Option<Bounds>,
}

impl Inner {
    /// Goes on with the present question until there is news of it, it ends, or `is_due`.
    pub(crate) fn advance(&mut self, is_due: &dyn Fn() -> bool) -> Result<Progress, Error> {
        let Some(mut asked) = self.asked.take() else { return Ok(Progress::Over) };
        let limited = self.limits.work;
        let begun = Instant::now();
        let may_do_nothing = limited.is_some_and(|limit| limit.is_reached(0, 0));
        let counts = || may_do_nothing || limited.is_some() && begun.elapsed() >= COUNTED;
        let advanced = self.control.advance(&mut asked, &|| counts() || is_due());
        let is_enough = match (&advanced, self.limits.costs.as_deref(), limited) {
            (Ok(Progress::Answer(answer)), Some(costs), _) if are_within(answer.costs(), costs) => true,
            (Ok(_), _, Some(limit)) => {
                let ((conflicts, restarts), before) = (self.work(&asked), self.limits.before);
                limit.is_reached(conflicts.saturating_sub(before.0), restarts.saturating_sub(before.1))
            }
            _ => false,
        };
        if is_enough && !asked.is_over() {
            asked.stop();
            // Propagators are told that the search is over.
            self.control.end_propagation()?;
        }
        self.asked = Some(asked);
        advanced
    }

    /// Conflicts and restarts of all searches for the goal of a question.
    pub(crate) fn work(&self, asked: &Asked) -> (u64, u64) {
        let counts = self.control.statistics(asked).unwrap_or_default();
        (counts.conflicts, counts.restarts)
    }
}
