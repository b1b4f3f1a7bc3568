//! What a search learns for one question alone, and how it keeps the rest.
//!
//! Main functions: [`Searcher::guard`] and [`Searcher::without_guards`]. A question's *guard* is a variable
//! that nothing in the program mentions, and that the question assumes. The nogoods that a question adds have
//! the guard as one literal more, and a goal that answer sets tighten holds on condition of the guard. A
//! literal that is flipped after an answer set has all decisions as its reason, and the guard is one. So
//! whatever is learned from an added nogood, from a bound or from an answer set has the guard as well, and
//! excludes nothing once the guard is false (selectors, as in Eén and Sörensson 2003).
//!
//! Invariant: no guard is taken twice before all nogoods with guards are gone.

use super::extend::Extension;
use super::guard::Guards;
use super::propagation::Asks;
use super::Searcher;
use crate::campaign::guide::Additions;
use crate::campaign::plan::Plan;
use crate::SolveError;
use solver_gpu::{Lit, Var};

/// After so many guards the search forgets all nogoods with guards.
const MOST: u32 = 64;

/// The most nogoods that are kept then, the best ones.
const MOST_KEPT: usize = 5000;

impl Searcher {
    /// Retires the present guard, if there is one: from now on it is false.
    ///
    /// # Errors
    /// If the device fails or has too little memory.
    pub fn retire_guard(&mut self) -> Result<(), SolveError> {
        let Some(guard) = self.guards.present.take() else { return Ok(()) };
        self.memory.jump_to_level_1()?;
        self.tell(&[guard], true).map(|_| ())
    }

    /// A new guard for nogoods, none of which is empty, and for the sums `goals`. It has to be assumed.
    ///
    /// # Errors
    /// If the device fails or has too little memory.
    pub fn guard(&mut self, nogoods: &[Vec<Lit>], goals: &[u32]) -> Result<Lit, SolveError> {
        self.memory.jump_to_level_1()?;
        let guard = Lit::t(Var(self.memory.search.problem.vars));
        self.guards.taken += 1;
        self.guards.present = Some(guard);
        self.extend(1, goals, guard)?;
        for nogood in nogoods {
            if !self.tell(&[&[guard], &nogood[..]].concat(), true)? {
                // There is a conflict without the guard, which ends the search.
                break;
            }
        }
        Ok(guard)
    }

    /// Adds variables, and lets goals hold on condition of a literal.
    fn extend(&mut self, vars: u32, goals: &[u32], condition: Lit) -> Result<(), SolveError> {
        let sums = &self.problem.task.sums;
        let extension = self.extension.get_or_insert_with(|| Extension::new(sums.clone()));
        goals.iter().for_each(|&goal| extension.condition(goal, condition));
        Ok(self.memory.extend(extension, &Additions { vars, ..Additions::default() })?)
    }

    /// Whether nogoods with guards are to be forgotten before the next question.
    pub fn has_many_guards(&self) -> bool {
        self.guards.taken >= MOST
    }

    /// Nogoods that were learned and have no guard, each with its LBD.
    ///
    /// # Errors
    /// If the device fails.
    pub fn without_guards(&mut self) -> Result<Vec<(u32, Vec<Lit>)>, SolveError> {
        if !self.has_learned {
            return Ok(Vec::new());
        }
        let vars = Var(self.problem.task.prepared.vars);
        let mut kept = self.learned()?;
        kept.retain(|(_, lits)| lits.iter().all(|lit| lit.var() < vars));
        Ok(kept)
    }

    /// Forgets the assignment and what was learned, but for the best of `kept`, and begins the first phase of
    /// a plan. [`Searcher::start`] is the caller's.
    ///
    /// # Errors
    /// If the device fails.
    pub fn begin_with(&mut self, plan: &Plan, mut kept: Vec<(u32, Vec<Lit>)>) -> Result<(), SolveError> {
        self.is_tagged = false;
        self.memory.forget_found()?;
        self.begin_phase(plan)?;
        if self.extension.is_some() {
            self.guards = Guards::default();
            self.memory.shrink(self.problem.task.prepared.vars)?;
            self.extend(0, &plan.goals(), Lit::TRUE)?;
        }
        kept.sort_by_key(|(lbd, lits)| (*lbd, lits.len()));
        kept.truncate(MOST_KEPT);
        // A search that knows nothing has not to begin again.
        if kept.is_empty() {
            return Ok(());
        }
        self.remember(&kept)
    }

    /// Begins a phase of a plan with all that was learned, which holds without the guard of the phase before.
    /// [`Searcher::start`] is the caller's.
    ///
    /// # Errors
    /// If the device fails.
    pub fn begin_phase_again(&mut self, plan: &Plan) -> Result<(), SolveError> {
        self.set_phase(plan.phase());
        if plan.has_goal() {
            self.memory.forget_found()?;
        }
        self.begin_again()?;
        self.memory.write_limits(plan)?;
        self.memory.set_goal(plan.goal_sum());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lockstep::programs::threes;
    use crate::{Goal, Options, Problem};
    use std::sync::Arc;

    /// The extents of the lists of watches, in their order.
    fn lists(searcher: &mut Searcher) -> Vec<(u32, u32)> {
        let (own, lits) = (searcher.memory.search.own, 2 * searcher.memory.search.problem.vars as usize);
        let at = searcher.memory.read(own.watch_at, lits).expect("the processor works");
        let room = searcher.memory.read(own.watch_capacity, lits).expect("the processor works");
        let mut lists: Vec<(u32, u32)> = at.into_iter().zip(room).filter(|&(_, room)| room > 0).collect();
        lists.sort_unstable();
        lists
    }

    #[test]
    fn guards_that_come_again_have_lists_of_their_own() -> Result<(), SolveError> {
        for are_dropped in [false, true] {
            let (options, goal) = (Options::on_processor(), Goal::default());
            let problem = Arc::new(Problem::new(threes(20, 1), &options, &goal)?);
            let mut searcher = Searcher::new(&problem, options, |executor| executor)?;
            let vars = problem.task.prepared.vars;
            let nogoods: Vec<Vec<Lit>> = (0..vars).map(|var| vec![Lit::t(Var(var))]).collect();
            searcher.start()?;
            for _ in 0..3 {
                for _ in 0..4 {
                    searcher.retire_guard()?;
                    searcher.guard(&nogoods, &[])?;
                }
                // The lists of these literals take the room of many others.
                let kept = vec![(1, vec![Lit::t(Var(0)), Lit::f(Var(1))]); 50];
                if are_dropped {
                    searcher.forget_orders()?;
                }
                searcher.begin_with(&problem.task.plan, kept)?;
                searcher.start()?;
                searcher.guard(&nogoods, &[])?;
                let lists = lists(&mut searcher);
                let are_apart = lists.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0);
                assert!(are_apart && lists.len() > 2 * vars as usize, "dropped: {are_dropped}, {lists:?}");
            }
        }
        Ok(())
    }
}
