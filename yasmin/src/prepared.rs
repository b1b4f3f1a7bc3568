//! The program as solvers have it: [`Prepared`]; and what a question is to them: [`Assumed`].

use crate::lent::Externals;
use crate::rules::{Ruled, Shown};
use solver_gpu::{Lit, Var};
use solver_host::program::{Program, ProgramBuilder};
use solver_host::search::{Desk, Goal, Own, Solver};
use std::sync::Arc;

/// Why a question with a problem of its own is refused that is not one of many.
pub(crate) const OWN: &str =
    "rules, a bound and a projection of one question alone are for many questions at once";

/// How many problems are kept for further questions.
const KEPT: usize = 4;

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

/// What a question is to a solver.
pub(crate) struct Assumed {
    /// The place of the solver with the question's goal.
    pub at: usize,
    /// What the question and the values of external atoms assume.
    pub lits: Vec<Lit>,
    /// What the question's constraints exclude.
    pub excluded: Vec<Vec<Lit>>,
    /// The problem that is asked about, if it is not the solver's.
    pub own: Option<Arc<Own>>,
}

/// The problems of questions.
#[derive(Default)]
pub(crate) struct Owned {
    /// The latest last.
    latest: Vec<(Key, Arc<Own>)>,
    /// What the program shows, and what builds the programs with rules.
    pub base: Option<(Shown, Arc<ProgramBuilder>)>,
}

/// What makes a problem another one than the solver's.
#[derive(Clone, PartialEq)]
pub(crate) struct Key {
    pub at: usize,
    pub rules: Ruled,
    pub bound: Option<Vec<i64>>,
    pub projection: Option<Vec<Var>>,
}

impl Owned {
    /// The problem for the same, if it was kept.
    pub fn known(&mut self, key: &Key) -> Option<Arc<Own>> {
        let known = self.latest.iter().position(|(known, _)| known == key)?;
        let known = self.latest.remove(known);
        self.latest.push(known.clone());
        Some(known.1)
    }

    /// Keeps a problem, and forgets the one that was asked about longest ago.
    pub fn keep(&mut self, key: Key, own: Own) -> Arc<Own> {
        let own = Arc::new(own);
        self.latest.push((key, own.clone()));
        self.latest.drain(..self.latest.len().saturating_sub(KEPT));
        own
    }
}
