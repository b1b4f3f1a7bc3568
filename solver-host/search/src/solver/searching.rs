//! How a solver searches: one loop, whoever takes part; when other searchers join, and how they leave.
//!
//! Main function: [`Solver::search`]. The solver's own search goes on (see [`Lead`](super::lead::Lead)), news
//! of others are heard, answer sets are judged, and phases end. If the search lasts, [`Solver::spread`] hands
//! it to a crew. After [`Solver::rest`] it is the solver's own again.

use super::company::{Company, Done, Others};
use super::consort;
use super::differing::refuse_untold;
use super::lead::{At, Came};
use super::{Solver, Step};
use crate::campaign::plan::{Conclusion, Phase};
use crate::campaign::refuted::Refuted;
use crate::crew::home::{race_of, Terms};
use crate::crew::news::{Heard, Role};
use crate::crew::shared::Shared;
use crate::crew::Crew;
use crate::options::OptStrategy;
use crate::{AnswerSet, Peer, SolveError};
use std::sync::Arc;
use std::time::Duration;
use yasmin_device::{self as device, DeviceError, DeviceKind};

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
        let join_after = self.lead.searcher.options.join_after;
        if may_others_join && self.company.has_come(join_after, &self.lead, &self.campaign.plan) {
            return self.spread(interrupt);
        }
        if self.lead.is_turn_over() {
            let Company { others, fewer, .. } = &mut self.company;
            let lacks = |lack| {
                if matches!(others, Others::None) {
                    *fewer = Some((1, lack));
                }
            };
            let refuted = self.lead.end_turn(&mut self.campaign, lacks)?;
            return self.end_phase(refuted).map(|()| None);
        }
        // The first answer set is told even if the caller wants the number of them alone, so that it is verified.
        // A search that others may join tells all of them.
        self.lead.searcher.counts = self.may_count()
            && self.company.is_none()
            && self.lead.searcher.statistics.answer_sets > 0
            && self.lead.searcher.keeps_answers();
        // As many as were told of this question, and no more than are wanted.
        let told = self.lead.searcher.statistics.answer_sets - self.company.since.answers;
        let left = match self.campaign.wanted {
            0 => u64::MAX,
            wanted => wanted.saturating_sub(told),
        };
        self.lead.searcher.most_at_once = Some(told.min(left));
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

    /// Makes one launch of the solver's own search, if that has a guide and the crew's phase is not over.
    /// The phase is over when one side has proved that nothing is better.
    fn search_beside(&mut self, interrupt: &dyn Fn() -> bool) -> Result<(), SolveError> {
        let Some(crew) = self.company.crew() else { return Ok(()) };
        if crew.beside.is_none() || !self.campaign.is_guided() || crew.home.is_over() {
            return Ok(());
        }
        let home = crew.home.clone();
        let refuted =
            self.lead.advance_beside(&mut self.campaign, self.assumed.as_ref(), &home, interrupt)?;
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

    /// Opens the devices that wait to be opened, or has threads open them, if their time has come.
    fn open_awaited(&mut self) -> Result<(), SolveError> {
        let open_after = self.lead.searcher.options.open_after;
        let waits = self.company.crew().is_some_and(|crew| !crew.awaited.is_empty());
        if !waits || !self.company.has_come(open_after, &self.lead, &self.campaign.plan) {
            return Ok(());
        }
        let (problem, options) =
            (self.lead.searcher.problem.clone(), self.lead.searcher.options.of_fleet(self.may_count()));
        let Some(crew) = self.company.crew_mut() else { return Ok(()) };
        let devices = std::mem::take(&mut crew.awaited);
        if !open_after.is_exact() {
            return devices.into_iter().try_for_each(|device| crew.open_fleet(&problem, options, device));
        }
        let opened: Vec<_> =
            devices.into_iter().map(|device| crew.opened_fleet(&problem, options, device)).collect();
        opened.into_iter().try_for_each(|opened| {
            self.company.admit_fleet(opened, self.lead.searcher.options.joins(), &self.campaign.plan)
        })
    }

    /// Hands the search, which has not begun, over to fleets.
    fn launch_fleets(&mut self) -> Result<(), SolveError> {
        let home = Arc::new(self.home(0)?);
        let mut devices = self.lead.searcher.options.devices_of_fleets()?;
        let mut crew = Crew::new(home, 0, devices.len());
        self.company.brief(&mut crew, &self.lead, self.assumed.as_ref());
        self.lead.searcher.leave_proof();
        let rested = self.company.resting.fleets_on(&mut devices);
        rested.into_iter().try_for_each(|fleet| crew.add_rested(fleet, &self.campaign.plan))?;
        let (problem, options) =
            (&self.lead.searcher.problem, self.lead.searcher.options.of_fleet(self.may_count()));
        if devices == [problem.device] {
            let arrival = crew.fleet_here(problem, options)?;
            crew.add_fleet(Box::new(arrival), &self.campaign.plan)?;
        } else {
            devices.into_iter().try_for_each(|device| crew.open_fleet(problem, options, device))?;
        }
        self.lead.at = At::Anywhere;
        self.company.others = Others::Crew(Box::new(crew));
        Ok(())
    }

    /// Whether searchers count the answer sets of the present phase instead of reporting them.
    fn may_count(&self) -> bool {
        self.campaign.may_count()
            && self.recording.is_none()
            && !self.campaign.expects_repeats()
            && !self.lead.searcher.checks_minimality()
            && !self.lead.searcher.is_proved()
            && !self.lead.searcher.is_traced()
    }

    /// The home of `searchers` searchers on the processor, and of all fleets, in the present phase.
    pub(super) fn home(&self, searchers: usize) -> Result<Shared, SolveError> {
        let (plan, wanted) = (&self.campaign.plan, self.campaign.wanted);
        // With costs, searchers also report answer sets that are not better, and these must not count.
        // Nor may those that a crew counts and that go with it.
        let may_miscount = plan.has_costs() || self.campaign.expects_repeats();
        let has_limit = plan.phase() == Phase::Enumerate && wanted > 0 && !may_miscount;
        let found = self.lead.searcher.statistics.answer_sets - self.company.since.answers;
        let left = wanted.saturating_sub(found).max(1);
        // Searchers that race may find an answer set twice.
        let may_race = wanted == 1 || plan.phase() != Phase::Enumerate;
        let terms = Terms {
            options: &self.lead.searcher.options,
            plan,
            sums: &self.campaign.task.sums,
            may_race,
            split_from: match may_race && self.lead.searcher.options.split_from > 0 {
                true => {
                    race_of(&self.lead.searcher.options, searchers.max(1) as u32 + self.company.elsewhere)
                }
                false => 0,
            },
            counts: self.may_count(),
            assumable: if self.assumed.is_some() { self.campaign.task.prepared.vars } else { 0 },
            limit: if has_limit { left } else { 0 },
            may_be_near: plan.phase() == Phase::Improve
                && self.assumed.is_none()
                && !self.lead.searcher.is_proved(),
        };
        let home = terms.home(searchers)?;
        home.tell_chosen(plan.chosen());
        Ok(home)
    }

    /// Hands the search over to searchers on threads. If the system has no threads or no memory for others,
    /// the search stays a single one. Returns a step if the caller interrupts that.
    fn spread(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Option<Step>, SolveError> {
        let Others::MayJoin(mut searchers, joins) = self.company.others else {
            return Err(SolveError::Internal("a search spreads twice"));
        };
        let lead = &mut self.lead.searcher;
        lead.memory.rounds_a_launch = lead.memory.executor().rounds_a_launch();
        if joins && device::has_driver() {
            searchers = lead.options.parallel_mode.beside_a_gpu(searchers);
        }
        let devices = if joins { lead.options.devices_of_fleets() } else { Ok(Vec::new()) };
        let mut devices = devices.unwrap_or_else(|why| {
            self.company.absent = Some(why.into());
            Vec::new()
        });
        // With a guide, the solver's own search is one more searcher.
        let is_guided = self.campaign.is_guided();
        let strategies = self.strategies_of_consorts(searchers);
        searchers -= strategies.len();
        let (members, lack) = self.company.members(&self.lead, searchers, interrupt);
        if members.len() < searchers && lack.is_none() {
            // The caller may only want to look at the search. Those that are made wait for the next time.
            self.company.send_home(members);
            return Ok(Some(Step::Interrupted));
        }
        let number = members.len();
        let active = number.saturating_sub(is_guided as usize);
        let are_several =
            number > 1 || number == 1 && (!devices.is_empty() || self.company.has_other_crews());
        let home = if are_several { self.home(active).map_err(Some) } else { Err(None) };
        let (home, lack) = match home {
            Ok(home) => (Some(Arc::new(home)), lack),
            Err(why) => (None, why.or(lack)),
        };
        if let Some(lack) = lack {
            self.company.fewer = Some((if home.is_some() { number } else { 1 }, lack));
        }
        let Some(home) = home else {
            self.company.others = Others::None;
            self.company.send_home(members);
            return Ok(None);
        };
        self.lead.tell_goal(&self.campaign, &home)?;
        let rested = self.company.resting.fleets_on(&mut devices);
        let mates = number + strategies.len() + devices.len() + rested.len() + self.company.crews();
        let mut crew = Crew::new(home, number, mates - number);
        self.company.brief(&mut crew, &self.lead, self.assumed.as_ref());
        self.lead.seat(&mut crew, members, is_guided, &self.taking)?;
        // If searchers join at an exact time, and devices open by the clock, the fleets begin with the
        // members. They also do if they were asked for.
        let (problem, options) = (self.lead.searcher.problem.clone(), self.lead.searcher.options);
        let is_exact = options.join_after.is_exact() && !options.open_after.is_exact();
        let of_fleet = self.lead.searcher.options.of_fleet(self.may_count());
        let opened: Vec<_> = match is_exact || !options.joins() {
            true => devices.into_iter().map(|device| crew.opened_fleet(&problem, of_fleet, device)).collect(),
            false => {
                crew.awaited = devices;
                Vec::new()
            }
        };
        self.company.begin(&mut crew, &self.lead, active, &self.campaign.plan, is_guided)?;
        for strategy in strategies {
            self.company.add_consort(&mut crew, &self.lead, strategy, &self.campaign.plan)?;
        }
        rested.into_iter().try_for_each(|fleet| crew.add_rested(fleet, &self.campaign.plan))?;
        if is_guided {
            crew.beside = Some(active as u32);
            self.lead.searcher.go_beside(crew.home.view, crew.home.clone());
            // Members near the best answer set leave the whole thread to the guide.
            let are_near = (0..active as u32).any(|number| crew.home.view.is_near(number));
            if !are_near {
                self.lead.take_turns_beside();
            }
        }
        crew.own = Some(if is_guided { active } else { 0 });
        crew.found = self.lead.searcher.statistics.answer_sets;
        self.lead.at = At::Anywhere;
        self.company.others = Others::Crew(Box::new(crew));
        opened
            .into_iter()
            .try_for_each(|opened| self.company.admit_fleet(opened, options.joins(), &self.campaign.plan))?;
        Ok(None)
    }

    /// By which strategies consorts look for an optimum besides, if so many searchers do.
    pub(super) fn strategies_of_consorts(&self, searchers: usize) -> Vec<OptStrategy> {
        let lead = &self.lead.searcher;
        let may_be = self.campaign.is_guided()
            && lead.options.opt_strategy == OptStrategy::Auto
            && self.assumed.is_none()
            && self.recording.is_none()
            && !self.has_propagators()
            && !lead.is_proved()
            && !lead.is_traced();
        if may_be {
            consort::strategies(searchers)
        } else {
            Vec::new()
        }
    }

    /// Makes the search a single one, which others may join again if it lasts: all other searchers return, if
    /// there are any, and rest. `keeps` says whether what they have learned holds for the program. The caller
    /// begins the solver's own search anew.
    ///
    /// # Errors
    /// If the device fails.
    pub(super) fn rest(&mut self, keeps: bool) -> Result<(), SolveError> {
        self.stop_searchers();
        self.lead.end_turns();
        if self.company.disband(&mut self.lead, keeps)? {
            let has_propagators = self.has_propagators();
            let lead = &mut self.lead.searcher;
            if has_propagators {
                lead.propagate_by(0, self.taking.clone())?;
            }
            lead.memory.rounds_a_launch = lead.memory.executor().rounds_a_launch();
        }
        self.lead.leave_guide(&mut self.campaign);
        let others = self.company.who_may_join(&self.lead, self.campaign.is_guided());
        self.company.others = others.unwrap_or_default();
        self.company.look_for_the_time(&mut self.lead);
        let statistics = &self.lead.searcher.statistics;
        self.company.since = Done {
            seconds: statistics.solve_seconds,
            conflicts: self.lead.searcher.conflicts() + self.company.conflicts(),
            answers: statistics.answer_sets,
        };
        Ok(())
    }

    /// Prepares the search for one more crew of another process.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] if the crew cannot join.
    pub(super) fn let_crews_join(&mut self, peer: &Peer) -> Result<(), SolveError> {
        refuse_untold(self.program())?;
        let (may_go, lead) = (peer.may_go, &self.lead.searcher);
        let is_whole_proof = lead.ledger().is_some_and(|ledger| !ledger.has_parts);
        let may_join = lead.is_resident() && !lead.is_traced() && !is_whole_proof;
        let is_processor = lead.memory.executor().threads() == 1;
        if self.company.is_none() && may_join && is_processor {
            (self.company.others, self.lead.turns) = (Others::MayJoin(1, false), None);
        }
        let refused = |why: &str| Err(SolveError::Contradiction(why.into()));
        match self.company.others {
            Others::MayJoin(1.., _) if may_go && self.lead.searcher.is_proved() => {
                refused("a proof needs what each crew has written, so that none of them may go")
            }
            Others::MayJoin(1.., _) => {
                if may_go {
                    self.campaign.expect_repeats();
                }
                self.company.elsewhere += peer.searchers;
                Ok(())
            }
            _ => refused(
                "another crew can only join a search that begins on the processor, is resident, and is not \
                 traced, and writes no proof of one part",
            ),
        }
    }

    /// Warnings about searchers that were asked for and will not search, one sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let are_several = matches!(self.lead.searcher.options.device, DeviceKind::Gpus(_));
        let asked = self.lead.searcher.options.gpu_searchers.number();
        let is_over = matches!(self.lead.at, At::Over(_));
        let why = match self.lead.searcher.is_proved() {
            true => "no fleet proves the loop nogoods of their check",
            false => "their check makes a fleet wait",
        };
        let is_fleet = asked.is_some() && !self.lead.searcher.is_proved();
        let is_asked = asked.is_some_and(|n| n > 1) || are_several;
        if !is_asked || is_fleet || is_over || !self.lead.searcher.checks_minimality() {
            return Vec::new();
        }
        let who = match self.lead.searcher.options.first_device() {
            DeviceKind::Cpu => "only searchers on the processor search",
            _ => "one searcher searches",
        };
        let asked = match are_several {
            true => format!("device {}", self.lead.searcher.options.device),
            false => format!("{} searchers on a GPU", self.lead.searcher.options.gpu_searchers),
        };
        vec![format!("{asked}: the program has head cycles, and {why}, so that {who}")]
    }

    /// Warnings at the end of the search, one sentence each: why there were fewer searchers than were asked
    /// for. The warning that there is no GPU comes only if one was asked for.
    pub fn late_warnings(&self) -> Vec<String> {
        let mut told = Vec::new();
        if let Some((searchers, lack)) = &self.company.fewer {
            told.push(format!("{searchers} searchers had to do on the processor: {lack}"));
        }
        let is_asked = self.lead.searcher.options.gpu_searchers.number().is_some();
        match &self.company.absent {
            Some(SolveError::Device(DeviceError::NoGpu(_))) if !is_asked => {}
            Some(why) => {
                told.push(format!(
                    "the searchers of {} did not join in: {why}",
                    self.lead.searcher.options.join_device
                ));
            }
            None => {}
        }
        told
    }
}
