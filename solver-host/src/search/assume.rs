//! Assumptions: literals that a search decides on first, and the core of a refutation.
//!
//! Main functions: [`Memory::assume`] and [`Memory::core`]; [`Solver::assume`](super::Solver::assume) and
//! [`Solver::core`](super::Solver::core) are the library's. What a search learns under assumptions holds
//! without them (see [`solver_gpu::kernels::place`]).

use super::memory::Memory;
use super::plan::Phase;
use super::{Resume, SolveError, Solver};
use crate::device::{DeviceError, Kernel, Work};
use solver_gpu::kernels::backjump::AGAIN;
use solver_gpu::Lit;

impl Memory {
    /// Jumps to level 1. The control words must have been read after the last launch.
    ///
    /// # Errors
    /// If the device fails.
    pub fn jump_to_level_1(&mut self) -> Result<(), DeviceError> {
        self.state.backtrack_level.store(1);
        self.state.exhausted.store(0);
        self.write_state()?;
        if self.state.level.load() > 1 {
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
        if self.shape().cube_lits < lits.len() {
            self.reshape(|shape| shape.cube_lits = 2 * lits.len())?;
        }
        self.search.settings.assumes = 1;
        self.write(self.search.own.cube, lits)?;
        let s = &self.state;
        s.cube_len.store(lits.len() as u32);
        for word in [&s.placed, &s.core_len, &s.exhausted, &s.root] {
            word.store(0);
        }
        self.write_state()
    }

    /// Lets the search go on without assumptions.
    pub fn assume_nothing(&mut self) {
        self.search.settings.assumes = 0;
        self.state.cube_len.store(0);
        self.state.root.store(1);
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

/// What a solver was told to assume.
pub struct Assumed {
    /// The literals that were named, and the solver's for each.
    lits: Vec<(Lit, Lit)>,
    /// How many answer sets were found before.
    found: u64,
    /// Whether the search has begun with them.
    is_searched: bool,
    /// The literals that no answer set has all of, once that is known.
    core: Option<Vec<Lit>>,
}

impl Solver {
    /// From now on, looks for the answer sets in which these literals over the program's atoms hold.
    ///
    /// The search decides on them first and keeps what it has learned, unless it has told answer sets in
    /// between: then it starts over, since nogoods learned after an answer set may exclude it. A search under
    /// assumptions is a single one; other searchers, if there are any, return. Once [`Solver::next_answer`] says
    /// [`Step::Exhausted`](super::Step::Exhausted), other literals can be assumed.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] if the search looks for an optimum or for consequences; else if the
    /// device fails.
    pub fn assume(&mut self, lits: &[Lit]) -> Result<(), SolveError> {
        if self.plan.phase() != Phase::Enumerate {
            let why = "assumptions are for answer sets, and not for an optimum or consequences";
            return Err(SolveError::Contradiction(why.into()));
        }
        self.disband();
        let is_first = matches!(self.resume, Resume::Start);
        let was_unsatisfiable = self.problem().prepared.unsatisfiable;
        let lits: Vec<(Lit, Lit)> = match was_unsatisfiable {
            true => Vec::new(),
            false => lits.iter().map(|&lit| (lit, self.problem().prepared.literal_of(lit))).collect(),
        };
        let found = self.searcher.statistics.answer_sets;
        let before = self.assumed.take();
        // Without assumptions as well, there is nothing.
        let is_hopeless = was_unsatisfiable
            || before.as_ref().is_some_and(|before| before.core.as_ref().is_some_and(Vec::is_empty));
        // Else nogoods may exclude answer sets that were told, or the search was left half-way.
        let is_clean = matches!(self.resume, Resume::Over(_))
            && before.is_some_and(|before| before.is_searched && before.core.is_some());
        self.kept.clear();
        self.forget_told();
        let falsified = lits.iter().find(|(_, lit)| *lit == Lit::FALSE).map(|&(named, _)| vec![named]);
        let core = if is_hopeless { Some(Vec::new()) } else { falsified };
        let is_over = core.is_some();
        self.assumed = Some(Assumed { lits, found, is_searched: !is_over, core });
        if is_first || is_hopeless {
            return Ok(());
        }
        self.searcher.memory.read_state()?;
        if !is_clean {
            self.searcher.begin_phase(&self.plan)?;
            self.searcher.start()?;
        }
        self.resume = Resume::Anywhere;
        match is_over {
            true => Ok(()),
            false => self.begin_assumed(),
        }
    }

    /// The assumptions that exclude each other, after [`Solver::next_answer`] has said that there is no
    /// answer set under the assumptions: no answer set has all of these literals. The list is empty if the
    /// program has no answer set.
    pub fn core(&self) -> Option<&[Lit]> {
        self.assumed.as_ref()?.core.as_deref()
    }

    /// Lets the search, of which nothing is under way, decide on the assumptions first.
    pub(super) fn begin_assumed(&mut self) -> Result<(), SolveError> {
        let Some(assumed) = &self.assumed else { return Ok(()) };
        let lits: Vec<Lit> =
            assumed.lits.iter().map(|&(_, lit)| lit).filter(|lit| !lit.is_constant()).collect();
        self.searcher.memory.jump_to_level_1()?;
        self.searcher.assume(&lits)?;
        let is_resident = self.searcher.is_resident();
        Ok(self.searcher.memory.load_kernels(is_resident)?)
    }

    /// Whether it is known without a search that the assumptions exclude each other.
    pub(super) fn is_refuted(&self) -> bool {
        self.assumed.as_ref().is_some_and(|assumed| assumed.core.is_some())
    }

    /// Notes the core, if the search has ended without an answer set under assumptions.
    pub(super) fn note_core(&mut self) -> Result<(), SolveError> {
        let Some(assumed) = &self.assumed else { return Ok(()) };
        if assumed.core.is_some() || self.searcher.statistics.answer_sets > assumed.found {
            return Ok(());
        }
        let core = self.searcher.memory.core()?;
        if let Some(assumed) = &mut self.assumed {
            let named = assumed.lits.iter().filter(|(_, lit)| core.contains(lit));
            assumed.core = Some(named.map(|&(named, _)| named).collect());
        }
        Ok(())
    }
}
