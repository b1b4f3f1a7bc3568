//! From a solver of a program to a solver of the program after it has grown.
//!
//! Main functions: [`Solver::leaving`] and [`Solver::of_grown`].

use super::assume::Left;
use super::legacy::Legacy;
use super::Solver;
use crate::nogoods::{Growth, Lemma, Shift};
use crate::program::Program;
use crate::search::campaign::task::{differs, Task};
use crate::search::searcher::experience::Experience;
use crate::search::{Goal, Options, SolveError, Symmetry};
use std::sync::Arc;

/// The most nogoods that a solver leaves.
const MOST: usize = 5000;

impl Solver {
    /// A solver of a program that may grow. If it has grown, `growth` says what a solver before with the same
    /// goal has left, and what is new since: only that is translated, where that can be
    /// ([`Solver::has_grown`]), and the search begins with all that the solver knew. Else the search begins
    /// with the nogoods that the solvers of `legacies` have learned.
    ///
    /// The legacies have to be of programs that exclude nothing that the grown program allows: those that
    /// lack rules for new and for external atoms, and constraints.
    ///
    /// # Errors
    /// As [`Solver::new`].
    pub fn of_grown(
        program: Arc<Program>,
        options: Options,
        goal: &Goal,
        growth: Option<(&Legacy, Growth)>,
        legacies: &[&Legacy],
    ) -> Result<Solver, SolveError> {
        if options.symmetry == Symmetry::Yes {
            return Err(SolveError::Contradiction(Symmetry::NOT_HERE.into()));
        }
        let before = growth.as_ref().and_then(|(legacy, growth)| {
            // A task that was prepared for other options or another goal has another translation.
            let is_same = legacy.goal == *goal && differs(&legacy.options, &options).is_none();
            (is_same && legacy.can_grow).then_some((&*legacy.translation, growth))
        });
        let mut solver = Solver::spreading(options, || Task::to_grow(program, &options, goal, before))?;
        let task = solver.campaign.task.clone();
        if task.prepared.unsatisfiable {
            return Ok(solver);
        }
        match growth {
            Some((legacy, _)) if task.has_grown => {
                let kept = legacy.translation.atom_vars;
                let shift = Shift { kept, by: task.prepared.atom_vars - kept };
                solver.searcher.recall(&legacy.experience, shift)?;
            }
            _ => {
                let lemmas: Vec<Lemma> = legacies.iter().flat_map(|legacy| legacy.lemmas()).collect();
                let learned = task.prepared.recalled(&lemmas);
                // A search that knows nothing has not to begin again.
                if !learned.is_empty() {
                    solver.searcher.remember(&learned)?;
                }
            }
        }
        Ok(solver)
    }

    /// Ends the solver, and returns what it leaves.
    ///
    /// # Errors
    /// If the device fails.
    pub fn leaving(mut self) -> Result<Legacy, SolveError> {
        // What was learned under a bound holds only under the bound.
        let is_free = self.campaign.plan.goal().bound.is_empty();
        let before = self.assumed.take();
        let left = self.leave(before.as_ref())?;
        let task = self.campaign.task.clone();
        let mut experience = Experience::default();
        if !task.prepared.unsatisfiable {
            let holds = is_free && !matches!(left, Left::Unclean);
            // A goal may have added others.
            let vars = task.before_goal.as_ref().map_or(task.prepared.vars, |before| before.vars);
            experience = self.searcher.experience(vars, holds)?;
            for member in self.resting.members.iter_mut().filter(|_| holds && self.resting.keeps) {
                experience.learned.extend(member.searcher.learned()?);
            }
            experience.limited(vars, MOST);
        }
        drop(self);
        Ok(Legacy::of(task, experience))
    }

    /// Whether only what was new of the program was translated.
    pub fn has_grown(&self) -> bool {
        self.campaign.task.has_grown
    }
}
