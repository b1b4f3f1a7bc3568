//! Changes to a program that was read: assumptions, and atoms for long conditions.
//!
//! Main functions: [`Program::assume`], [`Program::shorten_directives`] and [`Program::shorten_conditions`].

use std::mem::replace;

use solver_gpu::Lit;

use super::data::{Head, Program};
/// The program prints nothing under this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the program prints nothing under the name `{0}`")]
pub struct UnknownName(pub String);

impl Program {
    /// Demands that the name is printed in every answer set, or in none.
    ///
    /// # Errors
    /// If the program prints nothing under the name.
    pub fn assume(&mut self, name: &str, is_printed: bool) -> Result<(), UnknownName> {
        let conditions: Vec<Vec<Lit>> =
            self.outputs.iter().filter(|o| o.name == name).map(|o| o.condition.clone()).collect();
        if conditions.is_empty() {
            return Err(UnknownName(name.to_string()));
        }
        if !is_printed {
            conditions.iter().for_each(|condition| self.push(Head::Constraint, condition));
            return Ok(());
        }
        let printed = self.hidden();
        conditions.iter().for_each(|condition| self.push(Head::Atom(printed), condition));
        self.push(Head::Constraint, &[Lit::f(printed)]);
        Ok(())
    }

    /// Gives an atom of its own to each condition of a heuristic directive that has several literals.
    pub(crate) fn shorten_directives(&mut self) {
        for i in 0..self.heuristics.len() {
            if self.heuristics[i].condition.len() > 1 {
                let atom = self.hidden();
                let condition = replace(&mut self.heuristics[i].condition, vec![Lit::t(atom)]);
                self.push(Head::Atom(atom), &condition);
            }
        }
    }

    /// Gives an atom of its own to each condition of an output that has several literals.
    pub(crate) fn shorten_conditions(&mut self) {
        for i in 0..self.outputs.len() {
            if self.outputs[i].condition.len() > 1 {
                let atom = self.hidden();
                let condition = replace(&mut self.outputs[i].condition, vec![Lit::t(atom)]);
                self.push(Head::Atom(atom), &condition);
            }
        }
    }
}
