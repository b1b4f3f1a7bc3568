//! Assumptions of the library's user, and the core of a refutation.
//!
//! Main functions: [`Solver::assume`] and [`Solver::core`].

use super::assumed::Assumed;
use super::{Resume, Solver};
use crate::search::campaign::plan::Phase;
use crate::search::SolveError;
use solver_gpu::Lit;

impl Solver {
    /// From now on, looks for the answer sets in which these literals over the program's atoms hold.
    ///
    /// The search decides on them first and keeps what it has learned, unless it has told answer sets in
    /// between: then it starts over, since nogoods learned after an answer set may exclude it. A search under
    /// assumptions is a single one; other searchers, if there are any, return. Once [`Solver::next_answer`] says
    /// [`Step::Exhausted`](crate::search::Step::Exhausted), other literals can be assumed.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] if the search looks for an optimum or for consequences; else if the
    /// device fails.
    pub fn assume(&mut self, lits: &[Lit]) -> Result<(), SolveError> {
        if self.campaign.plan.phase() != Phase::Enumerate {
            let why = "assumptions are for answer sets, and not for an optimum or consequences";
            return Err(SolveError::Contradiction(why.into()));
        }
        self.disband();
        let is_first = matches!(self.resume, Resume::Start);
        let was_unsatisfiable = self.campaign.task.prepared.unsatisfiable;
        let lits: Vec<(Lit, Lit)> = match was_unsatisfiable {
            true => Vec::new(),
            false => lits.iter().map(|&lit| (lit, self.campaign.task.prepared.literal_of(lit))).collect(),
        };
        let found = self.searcher.statistics.answer_sets;
        let before = self.assumed.take();
        // Without assumptions as well, there is nothing.
        let is_hopeless = was_unsatisfiable
            || before.as_ref().is_some_and(|before| before.core.as_ref().is_some_and(Vec::is_empty));
        // Else nogoods may exclude answer sets that were told, or the search was left half-way.
        let is_clean = matches!(self.resume, Resume::Over(_))
            && before.is_some_and(|before| before.is_searched && before.core.is_some());
        self.campaign.kept.clear();
        self.campaign.forget_told();
        let falsified = lits.iter().find(|(_, lit)| *lit == Lit::FALSE).map(|&(named, _)| vec![named]);
        let core = if is_hopeless { Some(Vec::new()) } else { falsified };
        let is_over = core.is_some();
        self.assumed = Some(Assumed { lits, found, is_searched: !is_over, core });
        if is_first || is_hopeless {
            return Ok(());
        }
        self.searcher.memory.read_state()?;
        if !is_clean {
            self.searcher.begin_phase(&self.campaign.plan)?;
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
