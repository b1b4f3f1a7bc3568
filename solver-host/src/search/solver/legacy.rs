//! What a solver leaves: [`Legacy`].

use crate::nogoods::{Lemma, Named};
use crate::search::campaign::task::Task;
use crate::search::searcher::experience::Experience;
use solver_gpu::Lit;
use std::sync::Arc;

/// What a solver leaves to the solver of the grown program: the program's translation, and what was learned.
pub struct Legacy {
    pub(super) task: Arc<Task>,
    pub(super) experience: Experience,
}

impl Legacy {
    /// What was learned, in terms of the program.
    pub(super) fn lemmas(&self) -> Vec<Lemma> {
        let names = self.task.prepared.names(self.task.program().atoms);
        let named = |lit: &Lit| match names.get(lit.var().0 as usize)?.clone()? {
            Named::Atom(atom) => Some(Named::Atom(if lit.is_false_sign() { !atom } else { atom })),
            Named::Body(lits, holds) => Some(Named::Body(lits, holds != lit.is_false_sign())),
        };
        let lemma = |(lbd, lits): &(u32, Vec<Lit>)| {
            Some(Lemma { lits: lits.iter().map(named).collect::<Option<_>>()?, lbd: *lbd })
        };
        self.experience.learned.iter().filter_map(lemma).collect()
    }
}
