//! A search that the host drives: the paper's Algorithm 1, with a launch for each step.
//!
//! Main function: [`Searcher::turn`]. Only the control words ([`solver_gpu::State`]) cross while searching,
//! and an answer set when there is one.

use super::{Event, Searcher};
use crate::SolveError;
use solver_gpu::kernels::backjump::RESTART;
use solver_gpu::kernels::rephase;
use solver_gpu::next_step::NextStep;
use solver_gpu::schedule::has_many_learned;
use yasmin_device::{DeviceError, Kernel, Work};

impl Searcher {
    // ANCHOR: algorithm_1
    /// One turn of Algorithm 1: the step that follows from where propagation has come to, and propagation
    /// again.
    pub(super) fn turn(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Event, SolveError> {
        if std::mem::take(&mut self.is_settled) {
            match self.step(interrupt)? {
                Event::Paused => {}
                event => return Ok(event),
            }
        }
        self.propagate_and_check()?;
        if !self.in_conflict() {
            self.note_trace()?;
        }
        self.is_settled = true;
        Ok(Event::Paused)
    }

    /// The step that follows propagation.
    fn step(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Event, SolveError> {
        let mut is_founded = false;
        loop {
            match self.memory.next_step(is_founded) {
                NextStep::Exhausted => return Ok(Event::Exhausted),
                NextStep::RebuildWatches => {
                    self.memory.rebuild_watches()?;
                    continue;
                }
                NextStep::MakeRoom => {
                    self.make_room()?;
                    continue;
                }
                NextStep::Learn => self.learn_and_backjump()?,
                NextStep::CheckFoundedness => {
                    // If a set is unfounded, a loop nogood was learned, which is violated or unit.
                    if self.check_foundedness()? {
                        is_founded = true;
                        continue;
                    }
                }
                NextStep::CheckDifferences => {
                    if !self.check_differences()? {
                        continue;
                    }
                }
                NextStep::Ask => return self.ask(interrupt),
                NextStep::Place => {
                    self.memory.launch(Kernel::Place, Work::OneBlock)?;
                    self.memory.read_state()?;
                    if self.memory.state.root.load() > 0 {
                        // All assumptions hold.
                        continue;
                    }
                }
                NextStep::LookAhead => {
                    return Err(SolveError::Internal("a search by the host looks ahead"));
                }
                NextStep::Answer => return self.judge(interrupt),
                NextStep::Incomplete => {
                    return Err(SolveError::Internal("completion left variables open"));
                }
                NextStep::Restart => self.restart()?,
                NextStep::Import => return Err(SolveError::Internal("a search by the host imports nogoods")),
                NextStep::Decide => self.decide_or_complete()?,
            }
            return Ok(Event::Paused);
        }
    }
    // ANCHOR_END: algorithm_1

    /// PropagateAndCheck, to a fixpoint or a conflict. After it, all proposals are committed.
    pub(super) fn propagate_and_check(&mut self) -> Result<(), DeviceError> {
        loop {
            for _ in 0..self.memory.executor().rounds_at_once() {
                self.propagate_once()?;
            }
            // Nothing is visited once there is a conflict, so this can only commit.
            self.memory.read_state()?;
            if self.flag(|s| &s.unlisted) {
                self.memory.rebuild_watches()?;
            }
            let state = &self.memory.state;
            let fixpoint = state.committed.load() == state.trail_len.load();
            if self.in_conflict() || fixpoint {
                return Ok(());
            }
        }
    }

    /// One round: commits what was proposed, then visits the nogoods of it, shorter ones first.
    fn propagate_once(&mut self) -> Result<(), DeviceError> {
        let (v, state) = (&self.memory.search.problem, &self.memory.state);
        let frontier = state.trail_len.load().saturating_sub(state.committed.load()).max(64);
        let classes = [
            (Kernel::PropagateBinary, v.occurs_binary.is_empty()),
            (Kernel::PropagateTernary, v.occurs_ternary.is_empty()),
            (Kernel::PropagateLong, v.occurs_long.is_empty() || self.memory.shape().listed > 0),
            (Kernel::PropagateSums, v.sums == 0),
        ];
        self.memory.launch(Kernel::Commit, Work::Warps(frontier))?;
        for (kernel, _) in classes.into_iter().filter(|(_, is_empty)| !is_empty) {
            self.memory.launch(kernel, Work::Blocks(frontier))?;
        }
        if self.has_learned || self.memory.shape().listed > 0 {
            self.memory.launch(Kernel::PropagateLearned, Work::Blocks(frontier))?;
        }
        Ok(())
    }

    /// Whether no atom that is true or open is unfounded. If some are, a loop nogood of one of them was
    /// learned.
    fn check_foundedness(&mut self) -> Result<bool, SolveError> {
        self.memory.launch(Kernel::Stability, Work::OneBlock)?;
        self.memory.read_state()?;
        let unfounded = self.flag(|s| &s.unfounded);
        self.has_learned |= unfounded;
        if self.in_conflict() {
            self.learn_and_backjump()?;
        }
        Ok(!unfounded)
    }

    /// Brings the bounds of difference constraints up to date. Returns whether nogoods of them were
    /// learned, or the search is over.
    fn check_differences(&mut self) -> Result<bool, SolveError> {
        let learned = self.memory.state.learned.load();
        self.memory.launch(Kernel::Differences, Work::OneBlock)?;
        self.memory.read_state()?;
        let has_learned = self.memory.state.learned.load() > learned;
        self.has_learned |= has_learned;
        Ok(has_learned || self.flag(|s| &s.exhausted))
    }

    /// Starts over, as far as the enumeration allows; deletes learned nogoods if there are many, and begins
    /// the next turn of phases if one is over.
    fn restart(&mut self) -> Result<(), SolveError> {
        self.memory.launch_with(Kernel::Backjump, self.trail(), RESTART)?;
        if has_many_learned(&self.memory.state) {
            self.memory.reduce_learned()?;
        }
        match rephase::is_due(&self.memory.state) {
            true => Ok(self.memory.launch(Kernel::Rephase, Work::OneBlock)?),
            false => Ok(()),
        }
    }

    /// Decision; if nothing is applicable, CompleteAssignment.
    pub(super) fn decide_or_complete(&mut self) -> Result<(), SolveError> {
        let looked_at = match self.memory.search.own.chunk_best.len() {
            0 => self.memory.search.problem.candidates,
            chunks => chunks as u32,
        };
        self.memory.launch(Kernel::Decide, Work::Threads(looked_at))?;
        Ok(self.memory.launch(Kernel::Complete, Work::Threads(self.memory.search.problem.atom_vars))?)
    }
}
