//! What a fleet makes of answer sets of programs with head cycles, of which some have smaller models.
//!
//! Main function: [`Fleet::judge`], between two slices. A searcher of such a program asks the host before an answer set
//! is one, and waits until the slice is over. The host looks for an unfounded set, by a search of its own on the
//! processor, and tells the searcher the loop nogood, or that there is none.
//!
//! Invariant: a searcher keeps an answer set only after the host has found nothing unfounded in it.

use super::fleet::Fleet;
use super::shared::Shared;
use crate::searcher::block::with_room;
use crate::searcher::judging::{searched, unfounded};
use crate::searcher::memory::bytes_of_state;
use crate::searcher::minimality::{Checked, Minimality};
use crate::SolveError;
use solver_gpu::kernels::search::outcome;
use solver_gpu::layout::asks;
use solver_gpu::{Lit, Search};
use yasmin_device::{Kernel, Work};

impl Fleet {
    /// Sees to it that answer sets are checked for smaller models, if the program has head cycles.
    pub(super) fn check_minimality(&mut self) {
        self.minimality = self.problem.head_cycles().map(|cycles| Minimality::new(cycles, self.options));
        self.search.settings.asks = if self.minimality.is_some() { asks::AT_ANSWERS } else { asks::NEVER };
    }

    /// Answers the searchers that ask whether their answer sets have smaller models.
    pub(super) fn judge(&mut self, home: &Shared) -> Result<(), SolveError> {
        let Some(mut minimality) = self.minimality.take() else { return Ok(()) };
        let judged = self.judge_by(&mut minimality, home);
        self.minimality = Some(minimality);
        judged
    }

    fn judge_by(&mut self, minimality: &mut Minimality, home: &Shared) -> Result<(), SolveError> {
        let asks = |searcher: &usize| self.states[*searcher].outcome.load() == outcome::ASKS;
        let asking: Vec<usize> = (0..self.states.len()).filter(asks).collect();
        // What one searcher's answer set violates others' may violate as well.
        let mut learned: Vec<Vec<Lit>> = Vec::new();
        for searcher in asking {
            let values = self.values_of(searcher)?;
            let holds = |&lit: &Lit| match values[lit.var().0 as usize] {
                0 => false,
                value => (value < 0) == lit.is_false_sign(),
            };
            if let Some(known) = learned.iter().position(|nogood| nogood.iter().all(holds)) {
                self.tell(searcher, &learned[known])?;
                continue;
            }
            self.statistics.minimality_checks += 1;
            match unfounded(minimality, &self.problem, &values, &|| home.is_over())? {
                // The searcher will ask again, if it goes on.
                Checked::Interrupted => return Ok(()),
                Checked::Founded => {
                    let state = &mut self.states[searcher];
                    state.asked.store(state.committed.load() as u64 + 1);
                    self.write_state(searcher)?;
                }
                Checked::Unfounded { nogood, .. } => {
                    self.statistics.unfounded_sets += 1;
                    let nogood = searched(&nogood, &self.problem.task.prepared);
                    self.tell(searcher, &nogood)?;
                    learned.push(nogood);
                }
            }
        }
        Ok(())
    }

    /// The values of the variables of the program's atoms, in the assignment of a searcher.
    fn values_of(&mut self, searcher: usize) -> Result<Vec<i32>, SolveError> {
        let mut values = vec![0; self.search.problem.atom_vars as usize];
        let address = self.of(searcher).own.value.address();
        self.executor.download(address, bytemuck::cast_slice_mut(&mut values))?;
        Ok(values)
    }

    /// The search of a searcher.
    fn of(&self, searcher: usize) -> Search {
        let mut search = self.search;
        search.swarm.first += searcher as u32;
        let own = self.search.own;
        // SAFETY: the searchers' blocks of memory lie at this distance, and there is one for each state.
        search.own = unsafe { own.moved(own.base() + (searcher * own.bytes()) as u64) };
        search
    }

    /// Copies the control words of a searcher to the device.
    fn write_state(&mut self, searcher: usize) -> Result<(), SolveError> {
        let address = self.of(searcher).own.state.address();
        let words = bytes_of_state(&mut self.states[searcher]).to_vec();
        Ok(self.executor.upload(address, &words)?)
    }

    /// Tells a searcher a nogood that its assignment violates.
    fn tell(&mut self, searcher: usize, nogood: &[Lit]) -> Result<(), SolveError> {
        if nogood.is_empty() {
            let state = &self.states[searcher];
            state.exhausted.store(1);
            state.refuted.store(1);
            return self.write_state(searcher);
        }
        let (state, shape) = (&self.states[searcher], self.shape);
        let slots = self.search.settings.slots as usize;
        let learned = state.learned.load() as usize + 1 + slots;
        let lits = state.learned_lits.load() as usize + (1 + slots) * shape.vars;
        let fitting = with_room(shape, learned, lits);
        if fitting != shape {
            self.reshape(fitting)?;
        }
        let mut search = self.of(searcher);
        search.launch.argument = nogood.len() as u32;
        self.executor.upload(search.own.slot_lits.address(), bytemuck::cast_slice(nogood))?;
        Ok(self.executor.launch(Kernel::RecordTold, Work::OneBlock, &search)?)
    }
}
