//! Whether answers are proved: [`Control::prove`] and [`Control::end_proofs`].

use crate::control::Control;
use crate::error::Error;
use crate::proving::{ProofFiles, Proofs, PROPAGATED};
use solver_host::search::SolveError;

impl Control {
    /// Proves all later answers. Each time that the program is translated, for a goal, `open` is called with
    /// a number, from 1: it opens what the ground program is written to, in aspif, and the proof of all
    /// questions with this goal until the program grows (`docs/proof.md`). Atoms have the numbers of their
    /// indices plus 1 there. [`Control::end_proofs`] has to be called at the end.
    ///
    /// Searches that are proved are those of one searcher, on the processor, and go from one answer set to a
    /// better one, where the options leave that open.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] if there are propagators: what they demand does not follow from the program.
    pub fn prove(
        &mut self,
        open: impl FnMut(u64) -> std::io::Result<ProofFiles> + Send + 'static,
    ) -> Result<(), Error> {
        SolveError::refuse(!self.propagators.is_empty(), PROPAGATED)?;
        // The solvers that there are write no proof.
        self.grows();
        self.proofs = Some(Proofs::new(open));
        Ok(())
    }

    /// Ends all proofs, and proves nothing more.
    ///
    /// # Errors
    /// If a proof could not be written.
    pub fn end_proofs(&mut self) -> Result<(), Error> {
        self.grows();
        self.proofs = None;
        self.unproved.take().map_or(Ok(()), |error| Err(error.into()))
    }
}
