//! What a solver leaves: [`Legacy`].

use crate::nogoods::Lemma;
use crate::search::campaign::task::Task;
use crate::search::searcher::experience::Experience;
use std::sync::Arc;

/// What a solver leaves to the solver of the grown program: the program's translation, and what was learned.
pub struct Legacy {
    pub(super) task: Arc<Task>,
    pub(super) experience: Experience,
}

impl Legacy {
    /// What was learned, in terms of the program.
    pub(super) fn lemmas(&self) -> Vec<Lemma> {
        self.task.prepared.lemmas(self.task.program().atoms, &self.experience.learned)
    }
}
