//! A search that asks propagators at its fixpoints.
//!
//! Main functions: [`Searcher::propagate_by`], before the search, and [`Searcher::ask`], at each fixpoint.
//! What the propagators are told is in `propagation/`.

use super::differences::Differing;
use super::event::Event;
use super::memory::Memory;
use super::proof::Entry;
use super::propagation::{Asks, Propagation, Taking};
use super::Searcher;
use crate::options::Decide;
use crate::SolveError;
use solver_gpu::assign::claim_word;
use solver_gpu::kernels::record_told::STAYS;
use solver_gpu::layout::asks::{AT_FIXPOINTS, NEVER};
use solver_gpu::layout::{NogoodId, UNCLAIMED};
use solver_gpu::next_step::NextStep;
use solver_gpu::Lit;
use yasmin_device::{Kernel, Work};

impl Searcher {
    /// Lets these propagators take part in the search, in place of those that did before, beside the one of
    /// the program's difference constraints. `searcher` is the number of the search among those that they
    /// take part in.
    ///
    /// # Errors [`SolveError::NoAtom`] if a watched literal is about no atom; else if the device fails.
    pub fn propagate_by(&mut self, searcher: u32, propagators: Vec<Taking>) -> Result<(), SolveError> {
        // Difference constraints come first: they are part of the program.
        let differing = Differing::taking(self.problem.task.program()).filter(|_| self.has_propagator());
        let propagators: Vec<Taking> = differing.into_iter().chain(propagators).collect();
        let prepared = &self.problem.task.prepared;
        self.propagation = match propagators.is_empty() || prepared.unsatisfiable {
            true => None,
            false => Some(Propagation::new(prepared, self.problem.program().atoms, searcher, propagators)?),
        };
        self.memory.search.settings.asks = if self.propagation.is_some() { AT_FIXPOINTS } else { NEVER };
        self.memory.state.asked.store(0);
        Ok(self.memory.write_state()?)
    }

    /// Whether the program has difference constraints that a propagator of the host looks after, as
    /// kernels do not.
    pub(crate) fn has_propagator(&self) -> bool {
        self.problem.program().differences.is_some() && self.memory.search.settings.bounds == 0
    }

    /// Tells the propagators that all is undone that was decided on.
    ///
    /// # Errors
    /// Those of the propagators.
    pub fn end_propagation(&mut self) -> Result<(), SolveError> {
        let Some(propagation) = &mut self.propagation else { return Ok(()) };
        propagation.undo_decisions()?;
        let asked = self.memory.state.asked.load().min(propagation.known() as u64);
        self.memory.state.asked.store(asked);
        Ok(self.memory.write_state()?)
    }

    /// Adds a nogood between two launches, which holds for the present question alone.
    ///
    /// # Errors
    /// If the device fails or has too little memory.
    pub fn tell_between(&mut self, nogood: &[Lit]) -> Result<(), SolveError> {
        self.tag();
        self.tell(nogood, true).map(|_| ())
    }

    /// Adds nogoods that others have learned, between two questions.
    ///
    /// # Errors
    /// If the device fails or has too little memory.
    pub fn learn(&mut self, nogoods: &[Vec<Lit>]) -> Result<(), SolveError> {
        if nogoods.is_empty() {
            return Ok(());
        }
        self.memory.jump_to_level_1()?;
        for nogood in nogoods {
            if !self.tell(nogood, false)? {
                // One that is violated at level 1 ends the search.
                break;
            }
        }
        Ok(())
    }

    /// Asks the propagators, at a fixpoint, or looks for unfounded sets there.
    pub(super) fn ask(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Event, SolveError> {
        let Some(mut propagation) = self.propagation.take() else { return self.doubt(interrupt) };
        let asked = propagation.at_fixpoint(self);
        // A jump lowers the word, so the host knows how much of what it has seen is still there.
        self.memory.state.asked.store(propagation.known() as u64 + 1);
        self.propagation = Some(propagation);
        asked?;
        self.memory.write_state()?;
        Ok(Event::Paused)
    }
}

impl Asks for Searcher {
    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    fn tell(&mut self, nogood: &[Lit], stays: bool) -> Result<bool, SolveError> {
        if nogood.is_empty() {
            self.memory.state.exhausted.store(1);
            self.memory.state.refuted.store(1);
            self.memory.write_state()?;
            return Ok(false);
        }
        self.has_learned = true;
        self.fit_learned(1, self.memory.search.problem.vars)?;
        self.memory.write_slot(nogood)?;
        let argument = nogood.len() as u32 | if stays { STAYS } else { 0 };
        self.memory.launch_with(Kernel::RecordTold, Work::OneBlock, argument)?;
        self.memory.read_state()?;
        Ok(!self.in_conflict())
    }

    fn prove_cycle(&mut self, cycle: &[u32], nogood: &[Lit]) -> Result<(), SolveError> {
        self.prove(|proving, memory| proving.enter_one(memory, Entry::Cycle(cycle.to_vec(), nogood.to_vec())))
    }

    fn tag(&mut self) {
        self.is_tagged = true;
    }

    fn propagate_told(&mut self) -> Result<bool, SolveError> {
        let state = &self.memory.state;
        if state.seen.load() < state.learned.load() || state.unlisted.load() == 1 {
            self.propagate_and_check()?;
        }
        Ok(!self.in_conflict())
    }

    fn decision(&mut self, known: usize) -> Result<Option<Lit>, SolveError> {
        // The decisions on atoms that count have to come first; and where only rules are decided on, nothing
        // else may be.
        let refused = match (self.memory.search.problem.project, self.options.decide) {
            (1, _) => Some("no propagator decides where answer sets are projected"),
            (_, Decide::Applicable) => Some("no propagator decides where applicable rules are decided on"),
            _ => None,
        };
        if let Some(refused) = refused {
            return Err(SolveError::Contradiction(refused.into()));
        }
        // A searcher that others ask for a cube decides by itself, after the cube was given away.
        if self.memory.search.swarm.is_any() && self.memory.state.wanted.load() > 0 {
            return Ok(None);
        }
        self.memory.state.asked.store(known as u64 + 1);
        loop {
            match self.memory.next_step(true) {
                NextStep::MakeRoom => self.make_room()?,
                NextStep::Place => {
                    self.memory.write_state()?;
                    self.memory.launch(Kernel::Place, Work::OneBlock)?;
                    self.memory.read_state()?;
                    if self.memory.state.root.load() == 0 {
                        // An assumption was decided on, or is refuted.
                        return Ok(None);
                    }
                    // All assumptions hold. The first decision after them comes at the same fixpoint.
                }
                NextStep::Decide => break,
                _ => return Ok(None),
            }
        }
        self.memory.write_state()?;
        self.decide_or_complete()?;
        self.memory.read_state()?;
        if self.memory.state.no_candidate.load() == 1 {
            return Ok(None);
        }
        let mut lit = [Lit::TRUE];
        self.memory.read_at(self.memory.search.own.trail, known, &mut lit)?;
        Ok(Some(lit[0]))
    }

    fn decide_instead(&mut self, decided: Lit, lit: Lit) -> Result<(), SolveError> {
        let (own, state) = (self.memory.search.own, &self.memory.state);
        let (at, level) = (state.committed.load() as usize, state.level.load() as usize);
        self.memory.write_at(own.reason, decided.var().0 as usize, &[UNCLAIMED])?;
        self.memory.write_at(own.reason, lit.var().0 as usize, &[claim_word(NogoodId::DECISION, lit)])?;
        self.memory.write_at(own.trail, at, &[lit])?;
        Ok(self.memory.write_at(own.decision_at, level, &[lit])?)
    }
}
