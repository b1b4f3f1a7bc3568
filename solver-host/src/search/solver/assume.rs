//! Assumptions of the library's user, and the core of a refutation.
//!
//! Main functions: [`Solver::assume`] and [`Solver::core`].

use super::assumed::Assumed;
use super::{Others, Resume, Solver};
use crate::search::campaign::plan::Phase;
use crate::search::crew::Crew;
use crate::search::searcher::proof::Asked;
use crate::search::{SolveError, Symmetry};
use solver_gpu::Lit;

/// How a search was left that is to go on under other assumptions.
pub(super) enum Left {
    /// All that was learned holds, and nothing is under way.
    Clean,
    /// All that was learned holds, and a conflict may be under way.
    HalfWay,
    /// What was learned may exclude answer sets.
    Unclean,
}

impl Solver {
    /// From now on, looks for what the goal says among the answer sets in which these literals over the
    /// program's atoms hold. What was found before does not count: an optimum is looked for again, and
    /// consequences are asked for again.
    ///
    /// The search decides on the literals first. It keeps what it has learned if that holds without them:
    /// after a refutation, after an interrupted search, and after one answer set that was all the caller
    /// wanted (see [`Solver::want`]); but not on the way to an optimum or to consequences, and not after
    /// several answer sets, which the search excludes one by one. Other searchers, if there are any, return.
    /// They join again if the search lasts, with what they have learned. An optimum is looked for by one
    /// better answer set after the other.
    ///
    /// # Errors
    /// [`SolveError::NoAtom`] if a literal is about no atom of the program; [`SolveError::Contradiction`] if
    /// symmetries are broken; else if the device fails.
    pub fn assume(&mut self, lits: &[Lit]) -> Result<(), SolveError> {
        if self.campaign.task.are_symmetries_broken() {
            return Err(SolveError::Contradiction(Symmetry::NOT_HERE.into()));
        }
        if self.searcher.is_proved() && !matches!(self.others, Others::None) {
            let why = "a proof of several calls is that of one searcher (parallel_mode)";
            return Err(SolveError::Contradiction(why.into()));
        }
        let atoms = self.program().atoms;
        if let Some(lit) = lits.iter().find(|lit| lit.var().0 >= atoms) {
            return Err(SolveError::NoAtom(lit.var().0));
        }
        self.campaign.check_end()?;
        let before = self.assumed.take();
        let left = self.leave(before.as_ref())?;
        self.searcher.forget_orders();
        let is_first = matches!(self.resume, Resume::Start);
        let was_unsatisfiable = self.campaign.task.prepared.unsatisfiable;
        let named = lits;
        let lits: Vec<(Lit, Lit)> = match was_unsatisfiable {
            true => Vec::new(),
            false => named.iter().map(|&lit| (lit, self.campaign.task.prepared.literal_of(lit))).collect(),
        };
        let found = self.searcher.statistics.answer_sets;
        // Without assumptions as well, there is nothing, unless what a propagator has added held for one
        // question.
        let was_refuted =
            before.as_ref().is_some_and(|before| before.core.as_ref().is_some_and(Vec::is_empty));
        let is_hopeless = was_unsatisfiable || was_refuted && !self.searcher.is_tagged;
        self.campaign.begin_again();
        let is_fresh = !is_first && matches!(left, Left::Unclean);
        self.searcher.prove_call(&Asked { plan: &self.campaign.plan, lits: named, is_fresh })?;
        self.searcher.memory.set_goal(self.campaign.plan.goal_sum());
        self.searcher.stops_at_answers = self.campaign.wanted == 1;
        let falsified = lits.iter().find(|(_, lit)| *lit == Lit::FALSE).map(|&(named, _)| vec![named]);
        let core = if is_hopeless { Some(Vec::new()) } else { falsified };
        let is_over = core.is_some();
        self.assumed = Some(Assumed { lits, found, is_searched: !is_over, core });
        if is_first || is_hopeless {
            return Ok(());
        }
        self.searcher.memory.read_state()?;
        match left {
            Left::Clean => {}
            Left::HalfWay => {
                self.searcher.begin_again()?;
                self.searcher.start()?;
            }
            Left::Unclean => {
                self.searcher.is_tagged = false;
                self.searcher.memory.forget_found()?;
                self.searcher.begin_phase(&self.campaign.plan)?;
                self.searcher.start()?;
            }
        }
        self.resume = Resume::Anywhere;
        match is_over {
            true => Ok(()),
            false => self.begin_assumed(),
        }
    }

    /// How the search under other assumptions was left.
    fn left(&self, before: &Assumed) -> Left {
        let is_enumerated = self.campaign.task.plan.phase() == Phase::Enumerate;
        if !is_enumerated || !before.is_searched || self.searcher.is_tagged {
            return Left::Unclean;
        }
        match (&self.resume, self.searcher.statistics.answer_sets - before.found) {
            (Resume::Over(_), _) if before.core.is_some() => Left::Clean,
            (Resume::AfterAnswer, 1) if !self.searcher.keeps_answers() => Left::Clean,
            (Resume::Anywhere, 0) => Left::HalfWay,
            _ => Left::Unclean,
        }
    }

    /// Lets all other searchers rest. Returns how the search under the assumptions `before` was left.
    pub(super) fn leave(&mut self, before: Option<&Assumed>) -> Result<Left, SolveError> {
        let left = match (before, &self.others) {
            (None, _) => Left::Unclean,
            (Some(before), Others::Crew(crew)) => self.left_by(crew, before),
            (Some(before), _) => self.left(before),
        };
        self.rest(matches!(left, Left::HalfWay))?;
        // Whether a clause of any searcher was tagged is known once all have returned.
        Ok(if self.searcher.is_tagged { Left::Unclean } else { left })
    }

    /// How a crew's search under other assumptions was left.
    fn left_by(&self, crew: &Crew, before: &Assumed) -> Left {
        let hub = crew.home.hub();
        // Searchers stop at the only answer set that is wanted, but for those of other processes, which hear
        // of it later. After other answer sets they exclude these.
        let (found, limit) = (hub.answers.load_relaxed(), hub.answers_limit.load_relaxed());
        let is_clean = self.campaign.task.plan.phase() == Phase::Enumerate
            && before.is_searched
            && crew.found == before.found
            && (found == 0 || limit == 1 && crew.has_no_remotes());
        if is_clean {
            Left::HalfWay
        } else {
            Left::Unclean
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
        let lits = assumed.open();
        self.searcher.assume(&lits)?;
        let is_resident = self.searcher.is_resident();
        Ok(self.searcher.memory.load_kernels(is_resident)?)
    }

    /// Whether it is known without a search that the assumptions exclude each other.
    pub(super) fn is_refuted(&self) -> bool {
        self.assumed.as_ref().is_some_and(|assumed| assumed.core.is_some())
    }

    /// Writes that nothing is left of a call, if calls are proved.
    pub(super) fn prove_end_of_call(&mut self) -> Result<(), SolveError> {
        let Some(assumed) = &self.assumed else { return Ok(()) };
        let all = || assumed.lits.iter().map(|&(named, _)| named).collect();
        let core: Vec<Lit> = assumed.core.clone().unwrap_or_else(all);
        self.searcher.prove_end_of_call(&core)
    }

    /// Notes the core, if the search has ended without an answer set under assumptions.
    pub(super) fn note_core(&mut self) -> Result<(), SolveError> {
        let Some(assumed) = &self.assumed else { return Ok(()) };
        if assumed.core.is_some() || self.searcher.statistics.answer_sets > assumed.found {
            return Ok(());
        }
        let core = match &self.others {
            Others::Crew(crew) => crew.core(&assumed.open()),
            _ => self.searcher.memory.core()?,
        };
        if let Some(assumed) = &mut self.assumed {
            let named = assumed.lits.iter().filter(|(_, lit)| core.contains(lit));
            assumed.core = Some(named.map(|&(named, _)| named).collect());
        }
        Ok(())
    }
}
