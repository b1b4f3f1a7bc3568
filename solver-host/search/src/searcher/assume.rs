//! Assumptions: literals that a search decides on first, and the core of a refutation.
//!
//! Main functions: [`Memory::assume`] and [`Memory::core`]. What a search learns under assumptions holds
//! without them (see [`solver_gpu::kernels::place`]).

use super::memory::Memory;
use solver_gpu::assign::claim_word;
use solver_gpu::kernels::backjump::AGAIN;
use solver_gpu::layout::{NogoodId, MAX_CUBE};
use solver_gpu::Lit;
use yasmin_device::{DeviceError, Kernel, Work};

impl Memory {
    /// Jumps to level 1. The control words must have been read after the last launch.
    ///
    /// # Errors
    /// If the device fails.
    pub fn jump_to_level_1(&mut self) -> Result<(), DeviceError> {
        self.jump_to(1)
    }

    /// Jumps to a level, unless the search is there or below. The control words must have been read after the
    /// last launch.
    fn jump_to(&mut self, level: u32) -> Result<(), DeviceError> {
        self.state.backtrack_level.store(level);
        self.state.exhausted.store(0);
        self.write_state()?;
        if self.state.level.load() > level {
            let trail = Work::Threads(self.state.trail_len.load());
            self.launch_with(Kernel::Backjump, trail, AGAIN)?;
            self.read_state()?;
        }
        Ok(())
    }

    /// Lets the search, which is at level 1, decide on these literals first.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn assume(&mut self, lits: &[Lit]) -> Result<(), DeviceError> {
        debug_assert_eq!(self.state.level.load(), 1, "assumptions begin at level 1");
        self.place(lits)
    }

    /// Lets the search decide on these literals first. It keeps its decisions up to the first one that
    /// `is_assumed` does not say yes to; all others are among the literals. The control words must have been
    /// read after the last launch.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn assume_further(
        &mut self,
        lits: &[Lit],
        is_assumed: impl Fn(Lit) -> bool,
    ) -> Result<(), DeviceError> {
        let mut decisions = vec![Lit::TRUE; self.state.level.load() as usize - 1];
        self.read_at(self.search.own.decision_at, 2, &mut decisions)?;
        let kept = decisions.iter().take_while(|&&lit| is_assumed(lit)).count();
        self.jump_to(kept as u32 + 1)?;
        self.state.backtrack_level.store(1);
        self.place(lits)
    }

    /// Writes the literals that the search decides on first.
    fn place(&mut self, lits: &[Lit]) -> Result<(), DeviceError> {
        self.make_room_in_cube(lits.len())?;
        (self.search.settings.assumes, self.search.settings.assumed) = (1, lits.len() as u32);
        self.write(self.search.own.cube, lits)?;
        let s = &self.state;
        s.cube_len.store(lits.len() as u32);
        s.flips.store(0);
        for word in [&s.placed, &s.core_len, &s.exhausted, &s.root] {
            word.store(0);
        }
        self.write_state()
    }

    /// Makes room for `lits` literals in the cube besides those that a searcher of a swarm takes or adds.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn make_room_in_cube(&mut self, lits: usize) -> Result<(), DeviceError> {
        if self.shape().cube_lits < lits + MAX_CUBE as usize {
            self.reshape(|shape| shape.cube_lits = 2 * lits + MAX_CUBE as usize)?;
        }
        Ok(())
    }

    /// Lets the search go on without assumptions.
    pub fn assume_nothing(&mut self) {
        (self.search.settings.assumes, self.search.settings.assumed) = (0, 0);
        self.state.cube_len.store(0);
        self.state.root.store(1);
    }

    /// Gives the other side of the first decision after the assumptions away, and assumes this side. Returns
    /// the literals that are assumed now, the decision last; the other literals were flipped after answer
    /// sets. Nothing is given away if there is no such decision, or while a conflict is under way.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn divide(&mut self) -> Result<Option<Vec<Lit>>, DeviceError> {
        let (own, state) = (self.search.own, &self.state);
        let (root, had) = (state.root.load(), state.cube_len.load() as usize);
        let is_whole = self.search.problem.project == 0 || root < state.projected.load();
        let is_over = state.conflicts.load() > 0 || state.exhausted.load() > 0;
        if root == 0 || state.level.load() <= root || !is_whole || is_over {
            return Ok(None);
        }
        let mut at = [0, 0];
        self.read_at(own.trail_at, root as usize, &mut at)?;
        let mut lits = vec![Lit::TRUE; (at[1] - at[0]) as usize];
        self.read_at(own.trail, at[0] as usize, &mut lits)?;
        let reasons = self.read(own.reason, self.search.problem.vars as usize)?;
        lits.retain(|&lit| reasons[lit.var().0 as usize] == claim_word(NogoodId::ALL_DECISIONS, lit));
        let mut decision = [Lit::TRUE];
        self.read_at(own.decision_at, root as usize + 1, &mut decision)?;
        lits.extend(decision);
        self.make_room_in_cube(had + lits.len())?;
        self.write_at(self.search.own.cube, had, &lits)?;
        let state = &self.state;
        state.cube_len.store((had + lits.len()) as u32);
        state.root.store(root + 1);
        state.backtrack_level.store(state.backtrack_level.load().max(root + 1));
        self.write_state()?;
        Ok(Some(lits))
    }

    /// The assumptions that the last refutation needs, after the search is exhausted; empty if it needs none.
    ///
    /// # Errors
    /// If the device fails.
    pub fn core(&mut self) -> Result<Vec<Lit>, DeviceError> {
        let len = self.state.core_len.load() as usize;
        self.read(self.search.own.core, len)
    }
}
