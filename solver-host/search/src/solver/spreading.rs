//! When other searchers join a solver's search, who they are, and how they leave.
//!
//! Main functions: [`Solver::spread`], which hands the search to a crew, and [`Solver::rest`], after which it
//! is the solver's own again.

use super::company::{Done, Others};
use super::lead::At;
use super::{Solver, Step};
use crate::campaign::plan::Phase;
use crate::crew::home::{race_of, Terms};
use crate::crew::shared::Shared;
use crate::crew::Crew;
use crate::options::{OptStrategy, When};
use crate::{Peer, SolveError};
use std::sync::Arc;
use std::time::Duration;
use yasmin_device::{self as device, DeviceError, DeviceKind};

impl Solver {
    /// Whether a time of the search has come.
    pub(super) fn has_come(&self, when: When) -> bool {
        let (statistics, since) = (&self.lead.searcher.statistics, &self.company.since);
        match when {
            When::Milliseconds(ms) => {
                let seconds = statistics.solve_seconds - since.seconds;
                let searched = Duration::from_secs_f64(seconds.max(0.0)) + self.asked_at.elapsed();
                searched >= Duration::from_millis(ms as u64)
            }
            When::Conflict(n) => {
                let conflicts = self.lead.searcher.conflicts() + self.company.conflicts();
                conflicts.saturating_sub(since.conflicts) >= n as u64
            }
            When::Answer(n) => statistics.answer_sets - since.answers >= n as u64,
            When::Phase(n) => self.campaign.plan.phases_before() >= n,
        }
    }

    /// Decides by the options which other searchers the search may take.
    pub(crate) fn may_spread(&mut self) {
        if matches!(self.lead.at, At::Over(_)) {
            return;
        }
        self.company.spreads = true;
        let options = &self.lead.searcher.options;
        let Some(others) = self.company.who_may_join(&self.lead, self.campaign.is_guided()) else { return };
        if matches!(others, Others::MayJoin(0, true)) && self.campaign.is_guided() {
            // The user's choice of a strategy is a choice of a guide, which leads a single searcher.
            match options.opt_strategy {
                OptStrategy::Auto => self.lead.leave_guide(&mut self.campaign),
                _ => return,
            }
        }
        (self.company.others, self.lead.turns) = (others, None);
        self.company.look_for_the_time(&mut self.lead);
    }

    /// Opens the devices that wait to be opened, or has threads open them, if their time has come.
    pub(super) fn open_awaited(&mut self) -> Result<(), SolveError> {
        let open_after = self.lead.searcher.options.open_after;
        let waits = self.company.crew().is_some_and(|crew| !crew.awaited.is_empty());
        if !waits || !self.has_come(open_after) {
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
    pub(super) fn launch_fleets(&mut self) -> Result<(), SolveError> {
        let home = Arc::new(self.home(0)?);
        let mut devices = self.lead.searcher.options.devices_of_fleets()?;
        let mut crew = Crew::new(home, 0, devices.len());
        self.company.brief(&mut crew, &self.lead, self.assumed.as_ref());
        self.lead.searcher.leave_proof();
        let rested = self.company.resting.fleets_on(&mut devices);
        rested.into_iter().try_for_each(|fleet| crew.add_rested(fleet, &self.campaign.plan))?;
        let (problem, options) =
            (&self.lead.searcher.problem, self.lead.searcher.options.of_fleet(self.may_count()));
        if devices == [self.lead.searcher.options.device] {
            // The problem was prepared on the fleet's device.
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
    pub(super) fn may_count(&self) -> bool {
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
    pub(super) fn spread(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Option<Step>, SolveError> {
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
        let mates = number + devices.len() + rested.len() + self.company.crews();
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
        rested.into_iter().try_for_each(|fleet| crew.add_rested(fleet, &self.campaign.plan))?;
        if is_guided {
            crew.beside = Some(active as u32);
            self.lead.searcher.go_beside(crew.home.view, crew.home.clone());
            self.lead.take_turns_beside();
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
            let lead = &mut self.lead.searcher;
            if !self.taking.is_empty() {
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
