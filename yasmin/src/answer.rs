//! An answer set that belongs to nobody: [`Answer`].

use crate::atom::Literal;
use crate::term::Term;
use solver_host::program::Program;
use solver_host::search::{AnswerSet, Consequences};
use std::fmt;
use std::sync::Arc;

/// An answer set, or what is known of consequences so far. It outlives the search that has found it.
#[derive(Clone)]
pub struct Answer {
    pub(crate) set: AnswerSet,
    /// The program of which it is an answer set, but for what the question has of its own.
    pub(crate) program: Arc<Program>,
    /// The same with that: with further atoms and names at the end.
    pub(crate) own: Option<Arc<Program>>,
}

impl Answer {
    /// What is shown of the answer set, in the order of the program. New atoms of the question's rules come
    /// last.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.set.shown(self.own.as_ref().unwrap_or(&self.program)).into_iter()
    }

    /// The new atoms of the question's rules that hold.
    pub fn own_names(&self) -> impl Iterator<Item = &str> {
        let (known, own) = (self.program.outputs.len(), self.own.as_deref());
        let new = own.into_iter().flat_map(move |own| own.outputs.iter().enumerate().skip(known));
        new.filter(|&(at, _)| self.set.is_shown(self.own.as_deref().unwrap_or(&self.program), at))
            .map(|(_, output)| output.name.as_str())
    }

    /// The numbers of what is shown, among all that the program may show, from 0.
    pub fn shown(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.program.outputs.len()).filter(|&output| self.set.is_shown(&self.program, output))
    }

    /// What is shown, as terms. A text that is no term, which only a ground program may show, is left out.
    pub fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        self.names().filter_map(|name| name.parse().ok())
    }

    /// Whether something with this name is shown.
    pub fn contains(&self, name: &str) -> bool {
        self.names().any(|shown| shown == name)
    }

    /// Whether a literal holds. A literal about an atom that is younger than the answer set does not.
    pub fn holds(&self, literal: impl Into<Literal>) -> bool {
        let Literal(lit) = literal.into();
        lit.var().0 < self.program.atoms && self.set.holds(lit)
    }

    /// The number of atoms that the program had.
    pub fn atoms(&self) -> u32 {
        self.program.atoms
    }

    /// The sum of each priority of the minimize statements, highest first.
    pub fn costs(&self) -> &[i64] {
        &self.set.costs
    }

    /// Whether the answer set is known to be optimal. The last of one optimum is only known to be so
    /// afterwards (see [`Answers::optimum`](crate::Answers::optimum)).
    pub fn is_optimal(&self) -> bool {
        self.set.is_optimal
    }

    /// How far brave or cautious consequences are known, if they were asked for. What is shown is then the
    /// union or intersection so far.
    pub fn consequences(&self) -> Option<Consequences> {
        self.set.consequences
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, name) in self.names().enumerate() {
            write!(f, "{}{name}", if i > 0 { " " } else { "" })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
