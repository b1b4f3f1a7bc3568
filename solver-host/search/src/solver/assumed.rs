//! What a solver was told to assume: [`Assumed`].

use crate::AnswerSet;
use solver_gpu::Lit;
use std::sync::Arc;

/// What a solver was told to assume.
pub struct Assumed {
    /// The literals that were named, and the solver's for each.
    pub lits: Vec<(Lit, Lit)>,
    /// Literals of the solver that hold as well: the part of the search space that is searched.
    pub cube: Vec<Lit>,
    /// Literals that do not hold together, as they were named.
    pub excluded: Vec<Vec<Lit>>,
    /// The same as nogoods of the solver's literals.
    pub nogoods: Vec<Vec<Lit>>,
    /// Whether the search keeps what it learns for other questions, and apart what it learns for this one.
    pub is_apart: bool,
    /// How many answer sets were found before.
    pub found: u64,
    /// Whether the search has begun with them.
    pub is_searched: bool,
    /// The literals that no answer set has all of, once that is known.
    pub core: Option<Vec<Lit>>,
    /// What else the refutation needs: literals of the cube, and a guard.
    pub needs: Vec<Lit>,
}

impl Assumed {
    /// The solver's literals that a search has to decide on.
    pub fn open(&self) -> Arc<[Lit]> {
        let lits = self.lits.iter().map(|&(_, lit)| lit);
        lits.chain(self.cube.iter().copied()).filter(|lit| !lit.is_constant()).collect()
    }

    /// Notes the core among the solver's literals of a refutation.
    pub fn note_core(&mut self, core: &[Lit]) {
        let named = self.lits.iter().filter(|(_, lit)| core.contains(lit));
        self.core = Some(named.map(|&(named, _)| named).collect());
        let is_named = |lit: &Lit| self.lits.iter().any(|(_, known)| known == lit);
        self.needs = core.iter().copied().filter(|lit| !is_named(lit)).collect();
    }

    /// Whether the program is known to have no answer set.
    pub fn refutes_program(&self) -> bool {
        self.needs.is_empty() && self.core.as_ref().is_some_and(Vec::is_empty)
    }

    /// Whether an answer set is as was assumed.
    pub fn holds_in(&self, answer: &AnswerSet) -> bool {
        self.lits.iter().all(|&(named, _)| answer.holds(named))
            && !self.excluded.iter().any(|lits| lits.iter().all(|&lit| answer.holds(lit)))
    }
}
