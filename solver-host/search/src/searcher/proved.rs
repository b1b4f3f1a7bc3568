//! A search whose results are proved: when the steps of the proof are written (see [`super::proof`]).

use super::memory::Memory;
use super::proof::{is_raced, Asked, Entry, Ledger, Proving};
use super::Searcher;
use crate::campaign::guide::Reason;
use crate::campaign::plan::Plan;
use crate::{AnswerSet, SolveError};
use solver_gpu::layout::Hub;
use solver_gpu::{Lit, Swarm, Var};
use std::sync::Arc;

impl Searcher {
    /// Lets the kernels of the search write what they learn to a ring.
    ///
    /// # Errors
    /// As for [`Solver::proved`](crate::Solver::proved).
    pub fn begin_proof(&mut self, ledger: Arc<Ledger>) -> Result<(), SolveError> {
        self.proving = Some(Proving::begin(ledger, &mut self.memory)?);
        Ok(())
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
        self.prove(|_, _| Ok(()))
    }

    /// Enters what the search has learned so far, and then something that the host knows.
    pub(super) fn prove(
        &mut self,
        enter: impl FnOnce(&mut Proving, &Memory) -> Result<(), SolveError>,
    ) -> Result<(), SolveError> {
        let Some(proving) = &mut self.proving else { return Ok(()) };
        proving.drain(&mut self.memory, &[])?;
        enter(proving, &self.memory)
    }

    /// Says that this search goes on by itself beside the searchers of a swarm, in the memory `home`.
    pub fn go_beside(&mut self, swarm: Swarm, home: Arc<dyn Send + Sync>) {
        if let Some(tracing) = &mut self.tracing {
            tracing.stamps.go_beside(Some((swarm, home.clone())));
        }
        if let Some(proving) = &mut self.proving {
            proving.stamps.go_beside(Some((swarm, home)));
        }
    }

    /// Says that so many searchers share the words of a swarm, and whether this search goes on beside them.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub fn expect_all(&self, hub: &Hub, searchers: usize, is_beside: bool) -> Result<(), SolveError> {
        self.ledger().inspect(|ledger| ledger.expect_all(hub));
        self.log().map_or(Ok(()), |log| log.expect_all(hub, searchers, is_beside))
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
        self.prove(|proving, memory| {
            let is_raced = is_raced(&memory.search.swarm);
            proving.enter_one(memory, Entry::Answer { answer: answer.clone(), is_raced })
        })
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
        self.prove(|proving, memory| proving.enter_one(memory, Entry::Loop(nogood.to_vec(), set.collect())))
    }

    /// Writes that not all of the assumptions `core` hold.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn prove_core(&mut self, core: &[Lit]) -> Result<(), SolveError> {
        self.prove(|proving, memory| proving.enter_one(memory, Entry::Core(core.to_vec())))
    }

    /// Writes that the question is asked again.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn prove_call(&mut self, asked: &Asked<'_>) -> Result<(), SolveError> {
        self.prove(|proving, _| proving.ledger().call(asked))
    }

    /// Writes that nothing is left to search in a call, as these of its literals exclude each other.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn prove_end_of_call(&mut self, core: &[Lit]) -> Result<(), SolveError> {
        self.prove(|proving, _| proving.ledger().finish(core))
    }

    /// Writes what a tactic has concluded.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn prove_reasons(&mut self, reasons: Vec<Reason>) -> Result<(), SolveError> {
        match reasons.is_empty() {
            true => Ok(()),
            false => self.prove(|proving, memory| proving.enter_one(memory, Entry::Reasons(reasons))),
        }
    }

    /// Writes that nothing is left to search in the present phase, and what the next phase of the plan looks
    /// for.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn prove_phase(&mut self, plan: &Plan) -> Result<(), SolveError> {
        self.prove(|proving, _| proving.ledger().next_phase(plan))
    }

    /// Writes the last step of the proof, if there is one, which says whether everything that was asked is
    /// proved.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn end_proof(&mut self, is_proved: bool) -> Result<(), SolveError> {
        let ended = self.prove(|proving, _| proving.ledger().end(is_proved));
        self.proving = None;
        ended
    }
}
