//! Numbers of literals, for propagators and for the search.

use crate::SolveError;
use solver_gpu::{Lit, Var};
use yasmin_nogoods::Prepared;

/// What the literals of propagators are in the search.
pub struct Names {
    /// The literal of the search for each atom of the program.
    atoms: Vec<Lit>,
    /// Of each variable of the search, the literal over atoms that it stands for, if it stands for any.
    variables: Vec<Option<Lit>>,
}

impl Names {
    /// The literals of a program with so many atoms.
    pub fn new(prepared: &Prepared, atoms: u32) -> Names {
        let atoms: Vec<Lit> = (0..atoms).map(|atom| prepared.literal_of(Lit::t(Var(atom)))).collect();
        let mut variables = vec![None; prepared.vars as usize];
        for (atom, lit) in atoms.iter().enumerate().filter(|(_, lit)| !lit.is_constant()) {
            let name = Lit::new(Var(atom as u32), !lit.is_false_sign());
            variables[lit.var().0 as usize].get_or_insert(name);
        }
        Names { atoms, variables }
    }

    /// The literal of the search that a propagator's literal is; a constant if preparing has found its value.
    ///
    /// # Errors
    /// [`SolveError::NoAtom`] if there is none.
    pub fn searched(&self, lit: Lit) -> Result<Lit, SolveError> {
        let index = lit.var().0 as usize;
        let of = match self.atoms.get(index) {
            Some(&of) => of,
            None if index - self.atoms.len() < self.variables.len() => {
                Lit::t(Var((index - self.atoms.len()) as u32))
            }
            None => return Err(SolveError::NoAtom(lit.var().0)),
        };
        Ok(of.signed_as(lit))
    }

    /// The same, also for variables that were added to the search. Of a literal that there is not, there is
    /// no value.
    pub fn seen(&self, lit: Lit) -> Lit {
        let added = |_| Lit::new(Var(lit.var().0 - self.atoms.len() as u32), !lit.is_false_sign());
        self.searched(lit).unwrap_or_else(added)
    }

    /// The literal by which propagators know a literal of the search: one over an atom if there is one.
    /// Variables that were added to the search have no name that [`Names::searched`] takes.
    pub fn named(&self, lit: Lit) -> Lit {
        let index = lit.var().0 as usize;
        let of = self.variables.get(index).copied().flatten();
        let of = of.unwrap_or(Lit::t(Var((self.atoms.len() + index) as u32)));
        of.signed_as(lit)
    }
}
