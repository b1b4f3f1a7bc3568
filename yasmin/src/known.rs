//! What preparing a program finds, before any search.

use crate::atom::{Atom, Literal};
use crate::control::Control;
use crate::error::Error;
use solver_host::program::External;
use solver_host::search::Goal;

impl Control {
    /// The external atoms that no rule defines and that were not released, and whether each holds. Those that
    /// may be either are left out.
    pub(crate) fn external_values(&mut self, goal: &Goal) -> Result<Vec<(Atom, External)>, Error> {
        self.solver(goal, false)?;
        let externals = self.prepared.iter().flat_map(|prepared| &prepared.externals);
        let is_fixed = |value: External| matches!(value, External::True | External::False);
        Ok(externals.filter(|(_, value)| is_fixed(*value)).map(|&(var, value)| (Atom(var), value)).collect())
    }

    /// Whether preparing the program for a goal finds that there is no answer set, whatever is assumed. A
    /// question with this goal finds the program prepared.
    ///
    /// # Errors
    /// If the program is too large, or the device fails.
    pub fn is_refuted(&mut self, goal: &Goal) -> Result<bool, Error> {
        let at = self.solver(goal, false)?;
        Ok(self
            .prepared
            .as_ref()
            .is_some_and(|prepared| prepared.solvers[at].solver.task().is_unsatisfiable()))
    }

    /// Whether a literal holds in every answer set, or in none, as far as preparing the program finds that.
    /// `None` if it does not, or if there is no answer set. A question with this goal finds the program
    /// prepared.
    ///
    /// # Errors
    /// If the literal is another control's, the program is too large, or the device fails.
    pub fn fixed(&mut self, goal: &Goal, literal: Literal) -> Result<Option<bool>, Error> {
        let (lit, at) = (self.lit(literal)?, self.solver(goal, false)?);
        Ok(self.prepared.as_ref().and_then(|prepared| prepared.solvers[at].solver.task().fixed(lit)))
    }
}
