//! How a solver searches: one loop, whoever takes part.
//!
//! Main function: [`Solver::search`]. The solver's own search goes on (see [`Lead`](super::lead::Lead)), news
//! of others are heard, answer sets are judged, and phases end. If the search lasts, it is handed to a crew.

use super::company::Others;
use super::lead::{At, Came};
use super::{Solver, Step};
use crate::campaign::plan::Conclusion;
use crate::campaign::refuted::Refuted;
use crate::crew::news::{Heard, Role};
use crate::{AnswerSet, SolveError};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the solver waits for news before it asks whether to go on.
const WAIT: Duration = Duration::from_millis(2);

impl Solver {
    /// Searches until there is an answer set, until nothing is left to search, or until it is time to stop.
    pub(super) fn search(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        loop {
            if let Some(answer) = self.next_kept()? {
                return Ok(self.tell(answer));
            }
            if matches!(self.lead.at, At::Over(_)) {
                return Ok(Step::Exhausted);
            }
            let step = match self.company.others {
                Others::Crew(_) => self.search_with_crew(interrupt)?,
                Others::MayJoin(0, _) => self.launch_fleets().map(|()| None)?,
                Others::MayJoin(..) | Others::None => self.search_alone(interrupt)?,
            };
            if let Some(step) = step {
                return Ok(step);
            }
        }
    }

    /// Takes the next answer set that was found and is to be told.
    fn next_kept(&mut self) -> Result<Option<AnswerSet>, SolveError> {
        self.open_awaited()?;
        self.company.receive(&self.campaign.plan)?;
        // Meanwhile another searcher's answer set may have been better, or may have said as much. Or the
        // answer set was in a cube that is searched again.
        let are_several = self.company.crew().is_some();
        while let Some(answer) = self.campaign.kept.pop_front() {
            if !are_several || self.campaign.is_news(&answer) {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    /// Tells an answer set.
    pub(super) fn tell(&mut self, answer: AnswerSet) -> Step {
        self.lead.searcher.statistics.answer_sets += 1;
        let step = Step::Answer(self.campaign.judged(answer));
        if let Some(crew) = self.company.crew() {
            crew.home.tell_chosen(self.campaign.plan.chosen());
        }
        step
    }

    /// Makes a launch of the solver's own search, or does what is due before the next one. Returns a step for
    /// the caller, unless there are answer sets.
    fn search_alone(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Option<Step>, SolveError> {
        if matches!(self.lead.at, At::Start | At::Told) {
            let refuted = self.lead.go_on(&mut self.campaign, self.assumed.as_ref())?;
            return self.end_phase(refuted).map(|()| None);
        }
        if interrupt() || self.campaign.has_bound_grown() {
            return Ok(Some(Step::Interrupted));
        }
        if self.are_symmetries_due() {
            return self.break_symmetries(interrupt);
        }
        let may_others_join = matches!(self.company.others, Others::MayJoin(..));
        if may_others_join && self.has_come(self.lead.searcher.options.join_after) {
            return self.spread(interrupt);
        }
        if self.lead.is_turn_over() {
            let refuted = self.company.end_turn(&mut self.lead, &mut self.campaign)?;
            return self.end_phase(refuted).map(|()| None);
        }
        self.lead.searcher.counts = self.counts_alone();
        match self.lead.advance(&mut self.campaign, interrupt)? {
            Came::Paused => {}
            Came::Refuted(refuted) => self.end_phase(Some(refuted))?,
            Came::Interrupted => return Ok(Some(Step::Interrupted)),
        }
        if !self.campaign.kept.is_empty() {
            return Ok(None);
        }
        let counted = self.lead.searcher.counted_since();
        Ok(self.lead.note_counted(counted).map(Step::Counted))
    }

    /// Whether the solver's own search counts answer sets from now on, because the caller wants their number
    /// alone. The first one is told nevertheless, so that it is verified. A search that others may join tells
    /// all of its answer sets.
    fn counts_alone(&self) -> bool {
        self.may_count()
            && self.company.is_none()
            && self.lead.searcher.statistics.answer_sets > 0
            && self.lead.searcher.keeps_answers()
            && !self.lead.searcher.is_traced()
    }

    /// Makes a launch of the solver's own search if that goes on beside the crew, and hears the crew's news.
    /// Returns a step for the caller, unless there are answer sets.
    fn search_with_crew(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Option<Step>, SolveError> {
        self.search_beside(interrupt)?;
        if !self.campaign.kept.is_empty() {
            return Ok(None);
        }
        if self.campaign.has_bound_grown() {
            return Ok(Some(Step::Interrupted));
        }
        if self.are_symmetries_due() {
            return self.break_symmetries(interrupt);
        }
        let Some(crew) = self.company.crew_mut() else {
            return Err(SolveError::Internal("there are no searchers"));
        };
        let is_beside = crew.beside.is_some() && !crew.home.is_over();
        if !is_beside && crew.searching == 0 && !crew.commands.is_empty() {
            let counted = crew.counted_since();
            return match self.lead.note_counted(counted) {
                Some(more) => Ok(Some(Step::Counted(more))),
                None => self.end_phase_of_all(),
            };
        }
        let heard = crew.hear(if is_beside { Duration::ZERO } else { WAIT }, &self.campaign.plan)?;
        let is_quiet = matches!(heard, Heard::Nothing);
        match heard {
            Heard::Answers(answers) => self.campaign.kept.extend(answers),
            Heard::Failed(error) => return Err(error),
            Heard::Absent(why) if !self.lead.searcher.options.joins() => return Err(why),
            Heard::Absent(why) => self.company.absent = Some(why),
            Heard::Change | Heard::Nothing => {}
        }
        if self.campaign.kept.is_empty() && interrupt() {
            return Ok(Some(Step::Interrupted));
        }
        // The caller is told of counted answer sets only if no news has come, because telling takes time.
        let crew = self.company.crew_mut().filter(|_| is_quiet);
        let counted = crew.and_then(|crew| crew.counted_since());
        Ok(self.lead.note_counted(counted).map(Step::Counted))
    }

    /// Makes one launch of the solver's own search, if that has a guide and the crew's phase is not over. An
    /// answer set of either side is an upper bound for both. The phase is over when one side has proved that
    /// nothing is better.
    fn search_beside(&mut self, interrupt: &dyn Fn() -> bool) -> Result<(), SolveError> {
        let Some(crew) = self.company.crew() else { return Ok(()) };
        if crew.beside.is_none() || !self.campaign.is_guided() || crew.home.is_over() {
            return Ok(());
        }
        let (home, began) = (crew.home.clone(), Instant::now());
        let mut refuted = None;
        if matches!(self.lead.at, At::Told) {
            home.tell_best(&self.campaign.plan);
            refuted = self.lead.go_on(&mut self.campaign, self.assumed.as_ref())?;
        } else if !self.campaign.guide_knows_best() {
            refuted = self.lead.tell_best(&mut self.campaign)?;
        } else if self.lead.is_turn_over() {
            refuted = self.company.end_turn(&mut self.lead, &mut self.campaign)?;
        } else if let Came::Refuted(by) = self.lead.advance(&mut self.campaign, interrupt)? {
            refuted = Some(by);
        }
        // The search has not begun, or begins again with a new bound.
        if refuted.is_none() && matches!(self.lead.at, At::Start) {
            refuted = self.lead.go_on(&mut self.campaign, self.assumed.as_ref())?;
        }
        self.lead.searcher.statistics.swarm.searcher_seconds += began.elapsed().as_secs_f64();
        let Some(crew) = self.company.crew_mut() else { return Ok(()) };
        crew.found += matches!(self.lead.at, At::Told) as u64;
        if let Some(refuted) = refuted {
            refuted.tell(crew.home.hub(), crew.beside.take().unwrap_or(0));
        }
        Ok(())
    }

    /// Ends the present phase of the solver's own search if nothing is left to search there, and begins the
    /// next one if there is one.
    fn end_phase(&mut self, refuted: Option<Refuted>) -> Result<(), SolveError> {
        let Some(refuted) = refuted else { return Ok(()) };
        if let Conclusion::Over(all) = self.campaign.plan.conclude(refuted) {
            self.lead.at = At::Over(all);
            return Ok(());
        }
        self.lead.searcher.prove_phase(&self.campaign.plan)?;
        self.lead.end_turns();
        self.lead.begin_phase(&mut self.campaign, self.assumed.as_ref())
    }

    /// Ends the present phase of a crew whose searchers have all returned, and begins the next one if there
    /// is one. Returns a step for the caller if they have returned before the end of the phase.
    fn end_phase_of_all(&mut self) -> Result<Option<Step>, SolveError> {
        let Some(crew) = self.company.crew() else { return Ok(None) };
        // Without a refutation, searchers have returned because they have found as many as are wanted.
        let Some(refuted) = crew.refuted() else { return Ok(Some(Step::Interrupted)) };
        if self.campaign.expects_repeats()
            && !self.campaign.accounts_for(crew.home.bound(), &crew.home.known())
        {
            let why = "it has found a better answer set, and was gone before it could tell it";
            return Err(SolveError::Gone(why.into()));
        }
        if let Conclusion::Over(all) = self.campaign.plan.conclude(refuted) {
            self.lead.at = At::Over(all);
            return Ok(None);
        }
        self.lead.searcher.prove_phase(&self.campaign.plan)?;
        self.lead.end_turns();
        self.lead.leave_guide(&mut self.campaign);
        self.lead.searcher.leave_proof();
        let searchers = crew.members;
        let home = Arc::new(self.home(searchers)?);
        let Some(crew) = self.company.crew_mut() else { return Ok(None) };
        crew.beside = None;
        crew.home = home;
        // What was learned may exclude answer sets of this phase.
        crew.keeps = false;
        self.lead.searcher.expect_all(crew.home.hub(), searchers, false)?;
        crew.begin(crew.commands.len(), Role::Begins, &self.campaign.plan).map(|()| None)
    }
}
