//! What propagators need of the search that asks them: [`Asks`].

use crate::searcher::memory::Memory;
use crate::SolveError;
use solver_gpu::Lit;

/// A search that asks propagators at its fixpoints.
pub trait Asks {
    /// Its memory. The control words have been read after the last launch.
    fn memory(&mut self) -> &mut Memory;

    /// Adds a nogood, which no deletion removes if it `stays`. Returns whether it is not violated.
    ///
    /// # Errors
    /// If the device fails or has too little memory.
    fn tell(&mut self, nogood: &[Lit], stays: bool) -> Result<bool, SolveError>;

    /// Says that a nogood, which is told next, is that of a cycle of difference constraints.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    fn prove_cycle(&mut self, cycle: &[u32], nogood: &[Lit]) -> Result<(), SolveError>;

    /// Says that what is learned from now on may rest on clauses that hold for one question alone.
    fn tag(&mut self);

    /// Propagates what was told since the last round. Returns whether there is no conflict.
    ///
    /// # Errors
    /// If the device fails.
    fn propagate_told(&mut self) -> Result<bool, SolveError>;

    /// Takes a decision, and returns its literal, unless the search has something else to do. The host knows
    /// of `known` literals of the trail.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] if the search has to choose for itself; else if the device fails.
    fn decision(&mut self, known: usize) -> Result<Option<Lit>, SolveError>;

    /// Takes another decision in place of the one that was just taken, which was `decided`.
    ///
    /// # Errors
    /// If the device fails.
    fn decide_instead(&mut self, decided: Lit, lit: Lit) -> Result<(), SolveError>;
}
