//! A search whose results are proved: when the steps of the proof are written (see [`super::proof`]).

use super::proof::{Asked, Ledger, Proving};
use super::Searcher;
use crate::campaign::guide::Reason;
use crate::campaign::plan::Plan;
use crate::{AnswerSet, SolveError};
use solver_gpu::{Lit, Swarm, Var};
use std::sync::Arc;

impl Searcher {
    /// Lets the kernels of the search write what they learn to a ring.
    ///
    /// # Errors
    /// As for [`Solver::proved`](crate::Solver::proved).
    pub fn begin_proof(&mut self, ledger: Arc<Ledger>) -> Result<(), SolveError> {
        self.proving = Some(Proving::begin(ledger, &mut self.memory)?);
        match self.is_resident() {
            true => Ok(self.memory.load_search()?),
            false => Ok(()),
        }
    }

    /// Whether what the search finds is proved.
    pub fn is_proved(&self) -> bool {
        self.proving.is_some()
    }

    /// The proof, if there is one.
    pub fn ledger(&self) -> Option<&Arc<Ledger>> {
        self.proving.as_ref().map(Proving::ledger)
    }

    /// The search becomes a searcher of a swarm that has no stamps yet.
    pub fn join_proof(&mut self) {
        if let Some(proving) = &mut self.proving {
            proving.join();
        }
    }

    /// Enters what the search has learned so far.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn settle_proof(&mut self) -> Result<(), SolveError> {
        match &mut self.proving {
            Some(proving) => proving.drain(&mut self.memory, &[]).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Says that this search goes on by itself beside the searchers of a swarm, in the memory `home`.
    pub fn go_beside(&mut self, swarm: Swarm, home: Arc<dyn Send + Sync>) {
        if let Some(tracing) = &mut self.tracing {
            tracing.go_beside(swarm, home.clone());
        }
        if let Some(proving) = &mut self.proving {
            proving.go_beside(swarm, home);
        }
    }

    /// Says that this search does not go on any more, as another one goes on in its place.
    pub fn leave_proof(&mut self) {
        if let Some(tracing) = &mut self.tracing {
            tracing.leave();
        }
        if let Some(proving) = &mut self.proving {
            proving.leave();
        }
    }

    /// Writes an answer set that the search has found and the host has judged.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn prove_answer(&mut self, answer: &AnswerSet) -> Result<(), SolveError> {
        let Some(proving) = &mut self.proving else { return Ok(()) };
        proving.drain(&mut self.memory, &[])?;
        proving.answer(&self.memory, answer)
    }

    /// Writes a loop nogood over the program's atoms, which the host has found, with its unfounded set.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub(super) fn prove_unfounded(
        &mut self,
        nogood: &[Lit],
        set: impl Iterator<Item = Var>,
    ) -> Result<(), SolveError> {
        let Some(proving) = &mut self.proving else { return Ok(()) };
        proving.drain(&mut self.memory, &[])?;
        proving.unfounded(&self.memory, nogood, set)
    }

    /// Writes that not all of the assumptions `core` hold.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn prove_core(&mut self, core: &[Lit]) -> Result<(), SolveError> {
        let Some(proving) = &mut self.proving else { return Ok(()) };
        proving.drain(&mut self.memory, &[])?;
        proving.core(&self.memory, core)
    }

    /// Writes that the question is asked again.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn prove_call(&mut self, asked: &Asked<'_>) -> Result<(), SolveError> {
        let Some(proving) = &mut self.proving else { return Ok(()) };
        proving.drain(&mut self.memory, &[])?;
        proving.ledger().call(asked)
    }

    /// Writes that nothing is left to search in a call, as these of its literals exclude each other.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn prove_end_of_call(&mut self, core: &[Lit]) -> Result<(), SolveError> {
        let Some(proving) = &mut self.proving else { return Ok(()) };
        proving.drain(&mut self.memory, &[])?;
        proving.ledger().finish(core)
    }

    /// Writes what a tactic has concluded.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn prove_reasons(&mut self, reasons: Vec<Reason>) -> Result<(), SolveError> {
        let Some(proving) = self.proving.as_mut().filter(|_| !reasons.is_empty()) else { return Ok(()) };
        proving.drain(&mut self.memory, &[])?;
        proving.reasons(&self.memory, reasons)
    }

    /// Writes that nothing is left to search in the present phase, and what the next phase of the plan looks
    /// for.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn prove_phase(&mut self, plan: &Plan) -> Result<(), SolveError> {
        let Some(proving) = &mut self.proving else { return Ok(()) };
        proving.drain(&mut self.memory, &[])?;
        proving.ledger().next_phase(plan)
    }

    /// Writes the last step of the proof, if there is one, which says whether everything that was asked is
    /// proved.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn end_proof(&mut self, is_proved: bool) -> Result<(), SolveError> {
        let Some(mut proving) = self.proving.take() else { return Ok(()) };
        proving.drain(&mut self.memory, &[])?;
        proving.ledger().end(is_proved)
    }
}
