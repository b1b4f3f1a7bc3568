//! What a solver leaves: [`Legacy`].

use crate::campaign::task::Task;
use crate::searcher::experience::Experience;
use crate::{Goal, Options};
use std::sync::Arc;
use yasmin_nogoods::{Lemma, Prepared};

/// What a solver leaves to the solver of the grown program: the program's translation, and what was learned.
/// The program itself is not kept, so that it can grow in its place.
pub struct Legacy {
    /// The translation without what the goal adds if it can grow with the program, else with it.
    pub(super) translation: Arc<Prepared>,
    /// Whether the translation can grow with the program.
    pub(super) can_grow: bool,
    /// The number of atoms of the program.
    atoms: u32,
    pub(super) goal: Goal,
    pub(super) options: Options,
    pub(super) experience: Experience,
}

impl Legacy {
    /// What is left of a task. The memory of its program is free afterwards, if nobody else has the task.
    pub(super) fn of(task: Arc<Task>, experience: Experience) -> Legacy {
        let (atoms, goal, options) = (task.program().atoms, task.plan.goal().clone(), task.options);
        let can_grow = task.before_goal.is_some();
        let translation = match Arc::try_unwrap(task) {
            Ok(task) => task.into_translation(),
            Err(task) => task.before_goal.clone().unwrap_or_else(|| Arc::new(task.prepared.clone())),
        };
        Legacy { translation, can_grow, atoms, goal, options, experience }
    }

    /// What was learned, in terms of the program.
    pub(super) fn lemmas(&self) -> Vec<Lemma> {
        self.translation.lemmas(self.atoms, &self.experience.learned)
    }
}
