//! The program as solvers have it: [`Prepared`].

use crate::lent::Externals;
use crate::own::Owned;
use solver_host::program::Program;
use solver_host::search::{Desk, Goal, Solver};
use std::sync::Arc;

/// The program as solvers have it.
pub(crate) struct Prepared {
    pub program: Arc<Program>,
    /// The external atoms that may be true or false, in order, with their values.
    pub externals: Externals,
    pub solvers: Vec<Asking>,
    /// Where many questions are asked at once, and the solver with the same goal.
    pub desk: Option<(usize, Desk)>,
    /// What questions have of their own.
    pub owned: Owned,
}

/// A solver for a goal.
pub(crate) struct Asking {
    pub goal: Goal,
    /// Whether each answer set excludes all that deviate from the domain heuristic as it does, or more.
    pub records_domain: bool,
    pub solver: Solver,
    /// Whether a question was asked.
    pub was_asked: bool,
}

impl Prepared {
    /// A program of which nothing was asked.
    pub fn new(program: Arc<Program>, externals: Externals) -> Prepared {
        Prepared { program, externals, solvers: Vec::new(), desk: None, owned: Owned::default() }
    }
}
