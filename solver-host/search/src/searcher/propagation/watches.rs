//! The literals that a propagator watches.

use super::names::Names;
use crate::SolveError;
use rustc_hash::FxHashMap;
use solver_gpu::Lit;

/// The literals that a propagator watches, by the literal of the search that they are.
pub struct Watches {
    of: FxHashMap<Lit, Vec<Lit>>,
    /// Watched literals that hold in all answer sets.
    constants: Vec<Lit>,
    /// Whether the propagator was told of them.
    are_told: bool,
}

impl Watches {
    /// Watches these literals.
    ///
    /// # Errors
    /// [`SolveError::NoAtom`] if one is about no atom.
    pub fn new(names: &Names, lits: &[Lit]) -> Result<Watches, SolveError> {
        let mut watches = Watches { of: FxHashMap::default(), constants: Vec::new(), are_told: false };
        for &lit in lits {
            watches.add(names, lit)?;
            if names.searched(lit)? == Lit::TRUE && !watches.constants.contains(&lit) {
                watches.constants.push(lit);
            }
        }
        Ok(watches)
    }

    /// Watches a literal, from its next assignment on.
    ///
    /// # Errors
    /// [`SolveError::NoAtom`] if it is about no atom.
    pub fn add(&mut self, names: &Names, lit: Lit) -> Result<(), SolveError> {
        let of = self.of.entry(names.searched(lit)?).or_default();
        if !of.contains(&lit) {
            of.push(lit);
        }
        Ok(())
    }

    /// Watches a literal no more.
    pub fn remove(&mut self, names: &Names, lit: Lit) -> Result<(), SolveError> {
        if let Some(of) = self.of.get_mut(&names.searched(lit)?) {
            of.retain(|&other| other != lit);
        }
        Ok(())
    }

    /// Whether a literal is watched.
    pub fn has(&self, names: &Names, lit: Lit) -> Result<bool, SolveError> {
        Ok(self.of.get(&names.searched(lit)?).is_some_and(|of| of.contains(&lit)))
    }

    /// Adds the watched literals that a literal of the search is.
    pub fn add_watched(&self, lit: Lit, to: &mut Vec<Lit>) {
        if let Some(of) = self.of.get(&lit) {
            to.extend(of);
        }
    }

    /// The watched literals that hold in all answer sets, if they were not told of yet.
    pub fn untold_constants(&mut self) -> Vec<Lit> {
        match std::mem::replace(&mut self.are_told, true) {
            true => Vec::new(),
            false => self.constants.clone(),
        }
    }

    /// Level 0 was undone.
    pub fn tell_again(&mut self) {
        self.are_told = false;
    }
}
