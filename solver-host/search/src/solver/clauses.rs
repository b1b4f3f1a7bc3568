//! What the user adds to a search while it goes on: propagators, clauses, and what domain recording excludes.
//!
//! Main functions: [`Solver::propagate_by`], before a search, and [`Solver::end_propagation`], after it. What
//! happens in between is in `searcher/propagation/`. [`Solver::add_clause`] does without a propagator.
//!
//! [`Solver::record_domain`] is clasp's `--enum-mode=domRec`. Heuristic directives give some atoms a level,
//! and the search prefers a value of these *domain atoms*. A domain atom *deviates* in an answer set if it
//! has another value than the preferred one; without a preferred value it always does. After each answer set
//! a clause over its deviations excludes all answer sets with the same deviations or more.
//!
//! Invariant: domain atoms are decided before all others, and as they are preferred. So no answer set has a
//! part only of the deviations of the one that the search finds, unless it was excluded before.

use super::company::Others;
use super::deviations::Deviations;
use super::lead::At;
use super::Solver;
use crate::campaign::plan::Phase;
use crate::searcher::propagation::{nogood_of, Taking};
use crate::{Heuristic, SolveError};
use solver_gpu::Lit;
use yasmin_device::DeviceKind;

impl Solver {
    /// Lets these propagators take part in the search from now on, in place of those that did before. All
    /// searchers are on the processor.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] if the options say otherwise, symmetries are broken, or the search is
    /// traced or proved; [`SolveError::NoAtom`] if a watched literal is about no atom.
    pub fn propagate_by(&mut self, propagators: Vec<Taking>) -> Result<(), SolveError> {
        if !propagators.is_empty() {
            let (searcher, refuse) = (&self.lead.searcher, SolveError::refuse);
            refuse(
                !matches!(searcher.options.device, DeviceKind::Cpu | DeviceKind::Simt),
                "propagators take part in searches on the processor alone: the device has to be cpu",
            )?;
            refuse(
                self.lead.turns.is_some() || self.company.has_other_crews(),
                "propagators take part neither in two searches in turns nor in those of other processes",
            )?;
            let others = self.company.who_may_join(&self.lead, self.campaign.is_guided());
            refuse(
                matches!(others, Some(Others::MayJoin(_, true))),
                "propagators take part in no fleet: ask for searchers on the processor alone",
            )?;
            let is_followed = searcher.is_traced() || searcher.is_proved();
            refuse(is_followed, "a search with propagators is neither traced nor proved")?;
            let is_broken = self.campaign.task.are_symmetries_broken();
            refuse(is_broken, "propagators know nothing of symmetries: keep all answer sets")?;
        }
        self.taking = propagators;
        match self.company.others {
            // The search is the first member's until the crew rests.
            Others::Crew(_) => Ok(()),
            _ => self.lead.searcher.propagate_by(0, self.taking.clone()),
        }
    }

    /// Adds a clause between two answer sets: one of the literals holds in each further answer set, until
    /// something else is assumed. The search stays a single one.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] if several searchers search, or the search is not one of answer sets one
    /// by one; [`SolveError::NoAtom`] if a literal is about no atom; else if the device fails.
    pub fn add_clause(&mut self, lits: &[Lit]) -> Result<(), SolveError> {
        let refuse = SolveError::refuse;
        refuse(
            matches!(self.company.others, Others::MayJoin(0, _) | Others::Crew(_)),
            "clauses are added to a search by one searcher: ask for one, on the processor",
        )?;
        refuse(
            self.lead.turns.is_some() || self.campaign.is_guided(),
            "clauses are added to a search that goes from one answer set to the next: bb does",
        )?;
        let task = &self.campaign.task;
        refuse(
            self.lead.searcher.is_traced() || self.lead.searcher.is_proved() || task.are_symmetries_broken(),
            "clauses are added to no search that is traced, proved, or without symmetric answer sets",
        )?;
        task.check_atoms(lits)?;
        self.company.others = Others::None;
        // What was found already and not told of.
        self.campaign.kept.retain(|answer| lits.iter().any(|&lit| answer.holds(lit)));
        let prepared = &self.campaign.task.prepared;
        if matches!(self.lead.at, At::Over(_)) || prepared.unsatisfiable {
            return Ok(());
        }
        match nogood_of(lits.iter().map(|&lit| prepared.literal_of(lit))) {
            Some(nogood) => self.lead.searcher.tell_between(&nogood),
            None => Ok(()),
        }
    }

    /// Tells the propagators that the search is over, so that they undo all decisions. Other searchers
    /// return.
    ///
    /// # Errors
    /// Those of the propagators.
    pub fn end_propagation(&mut self) -> Result<(), SolveError> {
        if !self.taking.is_empty() {
            self.stop_searchers();
        }
        self.lead.searcher.end_propagation()
    }

    /// Lets each answer set exclude all that share its deviations from what heuristic directives prefer.
    /// Answer sets with the fewest deviations are found then, as sets: one for each set of deviations that
    /// includes no other one's. The search becomes a single searcher. This must be called before the search
    /// begins.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] if which answer sets are found would depend on the order of decisions,
    /// or if the search is not one for answer sets one by one.
    pub fn record_domain(&mut self) -> Result<(), SolveError> {
        let (plan, refuse) = (&self.campaign.plan, SolveError::refuse);
        refuse(
            self.lead.searcher.options.heuristic != Heuristic::Domain,
            "domain recording: answer sets are excluded by what the domain heuristic prefers: say \
             --heuristic=Domain",
        )?;
        refuse(
            plan.phase() != Phase::Enumerate,
            "domain recording: an answer set on the way to an optimum or to consequences would exclude \
             others: ask for --opt-mode=enum or ignore",
        )?;
        refuse(
            plan.projected().is_some(),
            "domain recording: answer sets are told apart by their domain atoms: leave the projection out",
        )?;
        refuse(
            self.company.has_other_crews(),
            "domain recording: one searcher searches: other processes cannot join it",
        )?;
        let deviations = Deviations::of(self.program());
        let deviations =
            deviations.map_err(|why| SolveError::Contradiction(format!("domain recording: {why}")))?;
        self.company.others = Others::None;
        self.lead.searcher.is_one_by_one = true;
        self.recording = Some(deviations);
        Ok(())
    }
}
