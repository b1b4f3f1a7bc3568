//! What a propagator may do to the search.

use super::asks::Asks;
use super::assignment::Assignment;
use super::clause::nogood_of;
use super::names::Names;
use super::watches::Watches;
use crate::SolveError;
use solver_gpu::Lit;

/// For how long the search has to keep a clause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Validity {
    /// The clause holds for the present question alone, and what follows from it is forgotten with it.
    pub is_tagged: bool,
    /// The clause is not deleted as learned nogoods are.
    pub is_locked: bool,
    /// The propagator finds the clause again if it is deleted and violated later. Else a clause that is unit at a level
    /// below the present one is not deleted either.
    pub is_found_again: bool,
}

/// The search, as a propagator sees it.
pub struct PropagateControl<'a> {
    pub(super) search: &'a mut (dyn Asks + Send),
    pub(super) assignment: &'a mut Assignment,
    pub(super) watches: &'a mut Watches,
    pub(super) names: &'a Names,
}

impl PropagateControl<'_> {
    /// The assignment.
    pub fn assignment(&self) -> &Assignment {
        self.assignment
    }

    /// Adds a clause: a literal of it has to hold in every answer set. Returns false if none can hold any
    /// more. Then the propagator has to return.
    ///
    /// # Errors
    /// [`SolveError::NoAtom`] if a literal is about no atom; else if the device fails or has too little
    /// memory.
    pub fn add_clause(&mut self, lits: &[Lit], validity: Validity) -> Result<bool, SolveError> {
        self.add_clause_of(lits, &[], validity)
    }

    /// The same for a clause that says that a cycle of difference constraints has an edge that does not hold.
    /// The edges are in the order of the cycle.
    pub(crate) fn add_clause_of(
        &mut self,
        lits: &[Lit],
        cycle: &[u32],
        validity: Validity,
    ) -> Result<bool, SolveError> {
        if self.assignment.has_conflict() {
            return Ok(false);
        }
        let searched: Vec<Lit> =
            lits.iter().map(|&lit| self.names.searched(lit)).collect::<Result<_, _>>()?;
        let Some(nogood) = nogood_of(searched) else { return Ok(true) };
        if validity.is_tagged {
            self.search.tag();
        }
        if !cycle.is_empty() {
            self.search.prove_cycle(cycle, &nogood)?;
        }
        let stays = validity.is_locked || !validity.is_found_again && self.is_for_lower_levels(&nogood);
        if self.search.tell(&nogood, stays)? {
            return Ok(true);
        }
        self.assignment.conflicts();
        Ok(false)
    }

    /// Whether the nogood is violated or unit, or was unit, at a level below the present one. If it were
    /// deleted before a jump to that level, nobody would add it again.
    fn is_for_lower_levels(&self, nogood: &[Lit]) -> bool {
        let here = self.assignment.decision_level();
        let held = nogood.iter().filter_map(|&lit| self.assignment.of(lit)).filter(|&(holds, _)| holds);
        let (mut others, mut levels) = (nogood.len(), [0; 2]);
        for (_, level) in held {
            others -= 1;
            levels = [levels[0].max(level), levels[1].max(level.min(levels[0]))];
        }
        // The level at which all but one hold.
        let unit_at = if others == 0 { levels[1] } else { levels[0] };
        others < 2 && unit_at < here
    }

    /// Propagates what follows from the clauses that were added. The literals that are assigned meanwhile are
    /// told of in a later call. Returns false if there is a conflict. Then the propagator has to return.
    ///
    /// # Errors
    /// If the device fails.
    pub fn propagate(&mut self) -> Result<bool, SolveError> {
        if self.assignment.has_conflict() {
            return Ok(false);
        }
        let is_consistent = self.search.propagate_told()?;
        if is_consistent {
            self.assignment.extend(self.search.memory())?;
        } else {
            self.assignment.conflicts();
        }
        Ok(is_consistent)
    }

    /// Watches a literal, from its next assignment on.
    ///
    /// # Errors
    /// [`SolveError::NoAtom`] if it is about no atom.
    pub fn add_watch(&mut self, lit: Lit) -> Result<(), SolveError> {
        self.watches.add(self.names, lit)
    }

    /// Watches a literal no more.
    ///
    /// # Errors
    /// As [`PropagateControl::add_watch`].
    pub fn remove_watch(&mut self, lit: Lit) -> Result<(), SolveError> {
        self.watches.remove(self.names, lit)
    }

    /// Whether a literal is watched.
    ///
    /// # Errors
    /// As [`PropagateControl::add_watch`].
    pub fn has_watch(&self, lit: Lit) -> Result<bool, SolveError> {
        self.watches.has(self.names, lit)
    }
}
