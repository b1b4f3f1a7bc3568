//! What some questions have of their own that changes the problem: rules, a bound, a projection.
//!
//! Main type: [`Own`]. Rules for atoms of the program change their completion, and may close loops through
//! the program; and preparing has simplified the program as it was. So such questions are asked about a
//! problem of their own, which the first thread that needs it prepares, and which all parts of the question,
//! and questions with the same rules, bound and projection, share. If the program has grown by rules for new
//! atoms and by constraints alone, its translation is copied, and only these are translated; else the program
//! is translated as a whole. What was learned about the desk's problem is of no use there.

use crate::searcher::problem::Problem;
use crate::solver::exchange::Board;
use crate::{Goal, SolveError};
use std::sync::{Arc, OnceLock};
use yasmin_ground::program::Program;
use yasmin_nogoods::Growth;

/// Makes the program, and says what it has grown by; `None` if it has to be translated as a whole.
type Make = dyn Fn() -> Result<(Arc<Program>, Option<Growth>), SolveError> + Send + Sync;

/// See the module's documentation.
pub struct Own {
    make: Box<Make>,
    goal: Goal,
    problem: OnceLock<Result<Arc<Problem>, SolveError>>,
    /// Where solvers of the problem tell each other what they learn.
    pub(super) board: Arc<Board>,
}

impl Own {
    /// A problem with another goal than the desk's, and the program that `make` makes. What the program has
    /// grown by, it has grown by since the desk's problem was made.
    pub fn new(
        goal: Goal,
        make: impl Fn() -> Result<(Arc<Program>, Option<Growth>), SolveError> + Send + Sync + 'static,
    ) -> Own {
        Own { make: Box::new(make), goal, problem: OnceLock::new(), board: Arc::default() }
    }

    /// The problem, which is prepared as the desk's was. Whoever comes meanwhile waits.
    pub(super) fn problem(&self, of_desk: &Problem) -> Result<Arc<Problem>, SolveError> {
        let prepare = || {
            let (program, growth) = (self.make)()?;
            let task = of_desk.task.anew(program, &self.goal, growth.as_ref())?;
            Problem::of(task).map(Arc::new)
        };
        self.problem.get_or_init(prepare).clone()
    }
}
