//! Adds theory atoms and their parts.

use std::collections::{BTreeMap, BTreeSet};

use solver_gpu::Var;

use super::{BuildError, External, ProgramBuilder};
use crate::ids::{ElementId, TermId};
use crate::program::theory::{Theory, TheoryAtom, TheoryElement, TheoryTerm};

impl ProgramBuilder {
    /// Adds a term of a theory, whose parts were added before.
    pub fn theory_term(&mut self, term: TheoryTerm) -> TermId {
        self.program.theory.terms.push(term);
        TermId::new(self.program.theory.terms.len() - 1)
    }

    /// Adds an element of theory atoms.
    pub fn theory_element(&mut self, element: TheoryElement) -> ElementId {
        self.program.theory.elements.push(element);
        ElementId::new(self.program.theory.elements.len() - 1)
    }

    /// Adds a theory atom. As for clasp, the program's atom may be true or false if it is in no head, and
    /// nothing is said of it as an external atom. Even a rule that can derive nothing has the atom in its
    /// head.
    pub fn theory_atom(&mut self, atom: TheoryAtom) {
        self.program.theory.atoms.push(atom);
    }

    /// The theory atoms so far, with their parts.
    pub fn theory(&self) -> &Theory {
        &self.present().theory
    }

    /// The first theory atom, as a logic program has it, if there is one.
    pub fn first_theory_atom(&self) -> Option<String> {
        let theory = self.theory();
        theory.atoms.first().map(|atom| theory.text_of(atom))
    }

    /// Lets those theory atoms be true or false that are in no head and are not among these.
    pub(super) fn open_theory(&mut self, externals: &BTreeMap<u32, External>) -> Result<(), BuildError> {
        let atoms = self.program.theory.atoms.iter().filter_map(|atom| atom.atom);
        let mut open: BTreeSet<Var> = atoms
            .filter(|atom| !externals.contains_key(&atom.0) && !self.released.contains(&atom.0))
            .collect();
        if !open.is_empty() {
            let heads = self.program.heads.iter().filter_map(|head| head.atom());
            let all =
                heads.chain(self.program.disjunctions.iter().flat_map(|rule| rule.heads.iter().copied()));
            all.for_each(|head| {
                open.remove(&head);
            });
        }
        open.into_iter().try_for_each(|atom| self.added_choice(&[atom], &[]))
    }
}
