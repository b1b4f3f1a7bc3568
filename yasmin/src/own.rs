//! What a question has of its own, in the solver's terms: [`Control::assumed_by`].
//!
//! Assumptions, constraints and values of external atoms are for the solvers that all questions share.
//! Rules, a bound and a projection change what is prepared: such a question has a problem of its own
//! ([`Own`]). The latest of these are kept for questions that have the same.

use crate::atom::Atom;
use crate::control::Control;
use crate::error::Error;
use crate::lent::lend;
use crate::prepared::{Assumed, Key, Prepared};
use crate::question::Question;
use crate::rules::{ruled, Ruled, Shown};
use solver_gpu::{Lit, Var};
use solver_host::program::{External, ProgramBuilder};
use solver_host::search::{Goal, Growth, Optimization, Own, Projection, SolveError};
use std::collections::HashMap;
use std::sync::Arc;

impl Control {
    /// What a question is to the solver for its goal.
    pub(crate) fn assumed_by(&mut self, question: &Question) -> Result<Assumed, Error> {
        let mut lits = self.lits(&question.assumptions)?;
        let mut excluded: Vec<Vec<Lit>> =
            question.constraints.iter().map(|lits| self.lits(lits)).collect::<Result<_, _>>()?;
        let projection = question.projection.as_ref().map(|atoms| self.vars(atoms)).transpose()?;
        let at = self.solver(&question.goal, question.records_domain)?;
        let (rules, constraints) = self.ruled(&question.rules)?;
        excluded.extend(constraints);
        let defined = rules.defined(&self.builder);
        let own = match rules.is_empty() && question.bound.is_none() && projection.is_none() {
            true => None,
            false => {
                let key = Key { at, rules, bound: question.bound.clone(), projection };
                Some(self.own(key, &question.goal)?)
            }
        };
        let prepared = self.prepared.as_ref().ok_or(Error::Superseded)?;
        let mut other: HashMap<Var, External> = HashMap::new();
        for &(Atom(atom), value) in &question.externals {
            let is_known = prepared.externals.binary_search_by_key(&atom, |&(external, _)| external).is_ok();
            if !is_known || defined.contains(&atom) {
                return Err(Error::NotExternal(atom.0));
            }
            other.insert(atom, value);
        }
        let open = prepared.externals.iter().filter(|(atom, _)| !defined.contains(atom));
        lits.extend(open.filter_map(|&(atom, value)| match other.get(&atom).copied().unwrap_or(value) {
            External::Free => None,
            External::True => Some(Lit::t(atom)),
            External::False | External::Release => Some(Lit::f(atom)),
        }));
        Ok(Assumed { at, lits, excluded, own })
    }

    /// What rules of a question say, and what their constraints exclude.
    fn ruled(&mut self, rules: &[String]) -> Result<(Ruled, Vec<Vec<Lit>>), Error> {
        if rules.is_empty() {
            return Ok((Ruled::default(), Vec::new()));
        }
        let Prepared { program, owned, .. } = self.prepared.as_mut().ok_or(Error::Superseded)?;
        SolveError::refuse(!program.negations.is_empty(), "a formula has no rules of one question alone")?;
        let (shown, _) = owned.base.get_or_insert_with(|| {
            let mut shown = Shown::new();
            for (at, output) in program.outputs.iter().enumerate() {
                shown.entry(output.name.clone()).or_default().push(at);
            }
            (shown, Arc::new(self.builder.clone()))
        });
        ruled(rules, program, shown).map_err(Error::Rule)
    }

    /// The problem for what a question with this goal has of its own.
    fn own(&mut self, key: Key, goal: &Goal) -> Result<Arc<Own>, Error> {
        let domain = self.domain_of(&self.options());
        let (from, reads_differences) = (self.builder.size(), self.reads_differences);
        let Prepared { program, owned, .. } = self.prepared.as_mut().ok_or(Error::Superseded)?;
        let are_free = program.minimize.is_empty() || goal.optimization == Optimization::Ignore;
        SolveError::refuse(key.bound.is_some() && are_free, "a bound is for a question that minimizes")?;
        SolveError::refuse(
            program.differences.is_some(),
            "a program with difference constraints has no rules, bound or projection of one question alone",
        )?;
        if let Some(known) = owned.known(&key) {
            return Ok(known);
        }
        let bound = key.bound.clone().unwrap_or_else(|| goal.bound.clone());
        let projection = if key.projection.is_some() { Projection::Project } else { goal.projection };
        let goal = Goal { bound, projection, ..goal.clone() };
        let base = owned.base.as_ref().filter(|_| !key.rules.is_empty()).map(|(_, base)| base.clone());
        let (program, rules, projection) = (program.clone(), key.rules.clone(), key.projection.clone());
        let own = Own::new(goal, move || {
            let (mut program, mut to) = (program.clone(), from);
            if let Some(base) = &base {
                let mut builder = ProgramBuilder::clone(base);
                builder.take_back();
                let failed = |error: Error| SolveError::Contradiction(error.to_string());
                rules.add_to(&mut builder).map_err(Error::from).map_err(failed)?;
                to = builder.size();
                (program, _) = lend(&mut builder, reads_differences).map_err(failed)?;
                drop(builder);
                if let Some(how) = &domain {
                    Arc::make_mut(&mut program).modify_domain(how);
                }
            }
            if let Some(atoms) = &projection {
                Arc::make_mut(&mut program).projection = Some(atoms.clone());
            }
            // Rules for old atoms change what these are.
            let growth = Growth { sizes: from..to, externals: Vec::new(), released: Vec::new() };
            Ok((program, rules.extends(from.atoms).then_some(growth)))
        });
        Ok(owned.keep(key, own))
    }
}
