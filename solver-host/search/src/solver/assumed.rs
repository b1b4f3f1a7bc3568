//! What a solver was told to assume: [`Assumed`].

use crate::AnswerSet;
use solver_gpu::Lit;
use std::sync::Arc;

/// What a solver was told to assume.
pub struct Assumed {
    /// The literals that were named, and the solver's for each.
    pub lits: Vec<(Lit, Lit)>,
    /// How many answer sets were found before.
    pub found: u64,
    /// Whether the search has begun with them.
    pub is_searched: bool,
    /// The literals that no answer set has all of, once that is known.
    pub core: Option<Vec<Lit>>,
}

impl Assumed {
    /// The solver's literals that a search has to decide on.
    pub fn open(&self) -> Arc<[Lit]> {
        self.lits.iter().map(|&(_, lit)| lit).filter(|lit| !lit.is_constant()).collect()
    }

    /// Whether all literals hold in an answer set.
    pub fn holds_in(&self, answer: &AnswerSet) -> bool {
        self.lits.iter().all(|&(named, _)| answer.holds(named))
    }
}
