//! Propagators and clauses of the library's user in a solver's search.
//!
//! Main functions: [`Solver::propagate_by`], before a search, and [`Solver::end_propagation`], after it. What
//! happens in between is in `searcher/propagation/`. [`Solver::add_clause`] does without a propagator.

use super::{Others, Resume, Solver};
use crate::device::DeviceKind;
use crate::search::searcher::propagation::{nogood_of, Taking};
use crate::search::SolveError;
use solver_gpu::Lit;

impl Solver {
    /// Lets these propagators take part in the search from now on, in place of those that did before. All
    /// searchers are on the processor.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] if the options say otherwise, symmetries are broken, or the search is
    /// traced or proved; [`SolveError::NoAtom`] if a watched literal is about no atom.
    pub fn propagate_by(&mut self, propagators: Vec<Taking>) -> Result<(), SolveError> {
        let refused = |why: &str| Err(SolveError::Contradiction(why.into()));
        if !propagators.is_empty() {
            if !matches!(self.searcher.options.device, DeviceKind::Cpu | DeviceKind::Simt) {
                return refused(
                    "propagators take part in searches on the processor alone: the device has to be cpu",
                );
            }
            if self.turns.is_some() || self.has_other_crews() {
                return refused(
                    "propagators take part neither in two searches in turns nor in those of other processes",
                );
            }
            if matches!(self.who_may_join(), Some(Others::Fleets | Others::MayJoin(_, true))) {
                return refused(
                    "propagators take part in no fleet: ask for searchers on the processor alone",
                );
            }
            if self.searcher.is_traced() || self.searcher.is_proved() {
                return refused("a search with propagators is neither traced nor proved");
            }
            if self.campaign.task.are_symmetries_broken() {
                return refused("propagators know nothing of symmetries: keep all answer sets");
            }
        }
        self.taking = propagators;
        match self.others {
            // The search is the first member's until the crew rests.
            Others::Crew(_) => Ok(()),
            _ => self.searcher.propagate_by(0, self.taking.clone()),
        }
    }

    /// Adds a clause between two answer sets: one of the literals holds in each further answer set, until
    /// something else is assumed. The search stays a single one.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] if several searchers search, or the search is not one of answer sets one
    /// by one; [`SolveError::NoAtom`] if a literal is about no atom; else if the device fails.
    pub fn add_clause(&mut self, lits: &[Lit]) -> Result<(), SolveError> {
        let refused = |why: &str| Err(SolveError::Contradiction(why.into()));
        match self.others {
            Others::None => {}
            Others::MayJoin(..) => self.others = Others::None,
            Others::Fleets | Others::Crew(_) => {
                return refused(
                    "clauses are added to a search by one searcher: ask for one, on the processor",
                );
            }
        }
        if self.turns.is_some() || self.campaign.is_guided() {
            return refused(
                "clauses are added to a search that goes from one answer set to the next: bb does",
            );
        }
        if self.searcher.is_traced()
            || self.searcher.is_proved()
            || self.campaign.task.are_symmetries_broken()
        {
            return refused(
                "clauses are added to no search that is traced, proved, or without symmetric answer sets",
            );
        }
        let atoms = self.program().atoms;
        if let Some(lit) = lits.iter().find(|lit| lit.var().0 >= atoms) {
            return Err(SolveError::NoAtom(lit.var().0));
        }
        // What was found already and not told of.
        self.campaign.kept.retain(|answer| lits.iter().any(|&lit| answer.holds(lit)));
        let prepared = &self.campaign.task.prepared;
        if matches!(self.resume, Resume::Over(_)) || prepared.unsatisfiable {
            return Ok(());
        }
        match nogood_of(lits.iter().map(|&lit| prepared.literal_of(lit))) {
            Some(nogood) => self.searcher.tell_between(&nogood),
            None => Ok(()),
        }
    }

    /// Tells the propagators that the search is over, so that they undo all decisions. Other searchers
    /// return.
    ///
    /// # Errors
    /// Those of the propagators.
    pub fn end_propagation(&mut self) -> Result<(), SolveError> {
        if !self.taking.is_empty() {
            self.stop_searchers();
        }
        self.searcher.end_propagation()
    }
}
