//! An answer set, as Python has it: [`Answer`].

use crate::names::Names;
use pyo3::prelude::*;

/// An answer set.
#[pyclass(frozen)]
pub struct Answer {
    pub answer: yasmin::Answer,
    pub names: Names,
}

#[pymethods]
impl Answer {
    /// The numbers of the outputs that are shown.
    fn shown(&self) -> Vec<usize> {
        self.answer.shown().collect()
    }

    /// The new atoms of the question's rules that hold, as text.
    fn own(&self) -> Vec<String> {
        self.answer.own_names().map(String::from).collect()
    }

    /// The costs, highest priority first.
    fn costs(&self) -> Vec<i64> {
        self.answer.costs().to_vec()
    }

    /// Whether the answer set is known to be optimal.
    fn is_optimal(&self) -> bool {
        self.answer.is_optimal()
    }

    /// How many brave or cautious consequences are not known yet.
    fn open_consequences(&self) -> u64 {
        self.answer.consequences().map_or(0, |consequences| consequences.open)
    }

    /// The integer variables of difference constraints, with their values.
    fn values(&self) -> Vec<(String, Option<i64>)> {
        self.answer.values().map(|(name, value)| (name.into(), value)).collect()
    }

    /// Whether a literal holds: the number of an atom, negative for its complement.
    fn holds(&self, literal: i64) -> bool {
        let atom = self.names.atom_among(literal.unsigned_abs(), self.answer.atoms());
        // An atom that the program did not have is false.
        atom.is_some_and(|atom| self.answer.holds(atom)) == (literal > 0)
    }
}
