//! What a question has of its own, in the solver's terms: [`Control::assumed_by`].
//!
//! Assumptions, constraints and values of external atoms are for the solvers that all questions share. A bound
//! and a projection change what is prepared: such a question has a problem of its own ([`Own`]). The latest
//! of these are kept for questions that have the same.

use crate::atom::Atom;
use crate::control::Control;
use crate::error::Error;
use crate::prepared::Prepared;
use crate::question::Question;
use solver_gpu::{Lit, Var};
use solver_host::program::{External, Size};
use solver_host::search::{Goal, Growth, Optimization, Own, Projection, SolveError};
use std::collections::HashMap;
use std::sync::Arc;

/// Why a question with a problem of its own is refused that is not one of many.
pub(crate) const OWN: &str =
    "rules, a bound and a projection of one question alone are for many questions at once";

/// How many problems are kept for further questions.
const KEPT: usize = 4;

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
}

/// What makes a problem another one than the solver's.
#[derive(Clone, PartialEq)]
struct Key {
    at: usize,
    bound: Option<Vec<i64>>,
    projection: Option<Vec<Var>>,
}

impl Control {
    /// What a question is to the solver for its goal.
    pub(crate) fn assumed_by(&mut self, question: &Question) -> Result<Assumed, Error> {
        let mut lits = self.lits(&question.assumptions)?;
        let excluded = question.constraints.iter().map(|lits| self.lits(lits)).collect::<Result<_, _>>()?;
        let projection = question.projection.as_ref().map(|atoms| self.vars(atoms)).transpose()?;
        let at = self.solver(&question.goal, question.records_domain)?;
        let own = match question.has_own() {
            true => Some(self.own(Key { at, bound: question.bound.clone(), projection }, &question.goal)?),
            false => None,
        };
        let prepared = self.prepared.as_ref().ok_or(Error::Superseded)?;
        let mut other: HashMap<Var, External> = HashMap::new();
        for &(Atom(atom), value) in &question.externals {
            let is_known = prepared.externals.binary_search_by_key(&atom, |&(external, _)| external).is_ok();
            if !is_known {
                return Err(Error::NotExternal(atom.0));
            }
            other.insert(atom, value);
        }
        lits.extend(prepared.externals.iter().filter_map(|&(atom, value)| {
            match other.get(&atom).copied().unwrap_or(value) {
                External::Free => None,
                External::True => Some(Lit::t(atom)),
                External::False | External::Release => Some(Lit::f(atom)),
            }
        }));
        Ok(Assumed { at, lits, excluded, own })
    }

    /// The problem for what a question with this goal has of its own.
    fn own(&mut self, key: Key, goal: &Goal) -> Result<Arc<Own>, Error> {
        let size = self.builder.size();
        let Prepared { program, owned, .. } = self.prepared.as_mut().ok_or(Error::Superseded)?;
        let are_free = program.minimize.is_empty() || goal.optimization == Optimization::Ignore;
        SolveError::refuse(key.bound.is_some() && are_free, "a bound is for a question that minimizes")?;
        SolveError::refuse(
            program.differences.is_some(),
            "a program with difference constraints has neither a bound nor a projection of one question alone",
        )?;
        if let Some(known) = owned.latest.iter().position(|(known, _)| *known == key) {
            let known = owned.latest.remove(known);
            owned.latest.push(known);
        } else {
            let bound = key.bound.clone().unwrap_or_else(|| goal.bound.clone());
            let projection = if key.projection.is_some() { Projection::Project } else { goal.projection };
            let goal = Goal { bound, projection, ..goal.clone() };
            let (program, projection) = (program.clone(), key.projection.clone());
            let own = Own::new(goal, move || {
                let mut program = program.clone();
                if let Some(atoms) = &projection {
                    Arc::make_mut(&mut program).projection = Some(atoms.clone());
                }
                Ok((program, Some(growth(size, size))))
            });
            owned.latest.push((key, Arc::new(own)));
            owned.latest.drain(..owned.latest.len().saturating_sub(KEPT));
        }
        owned.latest.last().map(|(_, own)| own.clone()).ok_or(Error::Superseded)
    }
}

/// What a program has grown by that has no new external atoms.
fn growth(from: Size, to: Size) -> Growth {
    Growth { sizes: from..to, externals: Vec::new(), released: Vec::new() }
}
