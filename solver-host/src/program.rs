//! A ground program, as read: rules over dense atoms, and what to print of an answer set.

use solver_gpu::{Lit, Var};

/// A ground normal program with constraints.
///
/// Atoms are `Var(0) .. Var(atoms)`, numbered densely in the order the input first names them. A body is a list of
/// literals: `Tp` stands for the atom `p`, `Fp` for `not p`. Bodies are stored in one array (CSR).
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// How many atoms there are.
    pub atoms: u32,
    /// The head of each rule; `None` for a constraint.
    pub heads: Vec<Option<Var>>,
    /// Body of rule `r`: `body_lits[body_start[r] .. body_start[r + 1]]`; one entry more than there are rules.
    pub body_start: Vec<u32>,
    /// The literals of all bodies.
    pub body_lits: Vec<Lit>,
    /// What to print, in the order of the input.
    pub outputs: Vec<Output>,
}

/// A name that is printed in every answer set in which all literals of its condition hold (none: always).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The text, as the grounder wrote it.
    pub name: String,
    /// A conjunction.
    pub condition: Vec<Lit>,
}

impl Program {
    /// The number of rules, constraints and facts included.
    pub fn rules(&self) -> usize {
        self.heads.len()
    }

    /// The body of rule `r`.
    pub fn body(&self, r: usize) -> &[Lit] {
        &self.body_lits[self.body_start[r] as usize..self.body_start[r + 1] as usize]
    }
}
