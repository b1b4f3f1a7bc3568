//! When other searchers join a solver's search, and who they are.
//!
//! Main function: [`Solver::search_then_spread`]. A solver begins as a single search. If the search lasts, what is left
//! is handed to a crew (see [`crate::search::crew`]).

use super::assumed::Assumed;
use super::before::Before;
use super::{Others, Resume, Solver, Step};
use crate::device::{self, DeviceError, DeviceKind};
use crate::search::campaign::plan::Phase;
use crate::search::crew::home::{race_of, Terms};
use crate::search::crew::member::Member;
use crate::search::crew::news::{Arrival, Role};
use crate::search::crew::seat::IdleThread;
use crate::search::crew::shared::Shared;
use crate::search::crew::Crew;
use crate::search::options::{Engine, OptStrategy, When};
use crate::search::searcher::Searcher;
use crate::search::{Options, SolveError};
use std::sync::Arc;
use std::time::Duration;

/// The rounds of a launch of a search that others join after so many conflicts. The first round may repeat what the
/// launch before did last.
const SHORT_LAUNCH: u32 = 2;

impl Solver {
    /// Decides by the options which other searchers the search may take.
    pub(in crate::search) fn may_spread(&mut self) {
        if matches!(self.resume, Resume::Over(_)) {
            return;
        }
        self.spreads = true;
        let options = &self.searcher.options;
        let Some(others) = self.who_may_join() else { return };
        if matches!(others, Others::Fleets) && self.campaign.is_guided() {
            // The user's choice of a strategy is a choice of a guide, which leads a single searcher.
            match options.opt_strategy {
                OptStrategy::Auto => self.leave_guide(),
                _ => return,
            }
        }
        (self.others, self.turns) = (others, None);
        self.look_for_the_time();
    }

    /// Sees to it that the search does not go past the time at which others join it.
    fn look_for_the_time(&mut self) {
        match (&self.others, self.searcher.options.join_after) {
            (Others::MayJoin(..), When::Conflict(_)) => self.searcher.memory.rounds_a_launch = SHORT_LAUNCH,
            (Others::MayJoin(..), When::Answer(_)) => self.searcher.is_one_by_one = true,
            _ => {}
        }
    }

    /// Which other searchers the search may take by the options, if it may take any.
    pub(super) fn who_may_join(&self) -> Option<Others> {
        let other_crew = self.has_other_crews().then_some(Others::MayJoin(1, false));
        let options = &self.searcher.options;
        if options.engine == Engine::Host || !self.spreads {
            return other_crew;
        }
        let searchers = options.parallel_mode.searchers();
        // The check for smaller models is the host's, which makes a fleet wait. Its proof has no loop nogoods of the host.
        let asks_for_fleet = options.gpu_searchers.number().is_some() && !self.searcher.is_proved();
        let is_founded_enough = asks_for_fleet || !self.searcher.checks_minimality();
        let joins = options.joins() && is_founded_enough;
        let is_fleet = options.wants_fleet() && is_founded_enough;
        match self.searcher.memory.executor().threads() {
            1 if is_fleet && !matches!(options.device, DeviceKind::Auto | DeviceKind::Cpu) => {
                // With a guide, that leads the solver's own search on the processor.
                Some(if self.campaign.is_guided() { Others::MayJoin(1, true) } else { Others::Fleets })
            }
            1 if searchers > 1 || joins => Some(Others::MayJoin(searchers, joins)),
            2.. if is_fleet => Some(Others::Fleets),
            _ => other_crew,
        }
    }

    /// Warnings about searchers that were asked for and will not search, one sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let are_several = matches!(self.searcher.options.device, DeviceKind::Gpus(_));
        let asked = self.searcher.options.gpu_searchers.number();
        let is_over = matches!(self.resume, Resume::Over(_));
        let why = match self.searcher.is_proved() {
            true => "no fleet proves the loop nogoods of their check",
            false => "their check makes a fleet wait",
        };
        let is_fleet = asked.is_some() && !self.searcher.is_proved();
        let is_asked = asked.is_some_and(|n| n > 1) || are_several;
        if !is_asked || is_fleet || is_over || !self.searcher.checks_minimality() {
            return Vec::new();
        }
        let who = match self.searcher.options.first_device() {
            DeviceKind::Cpu => "only searchers on the processor search",
            _ => "one searcher searches",
        };
        let asked = match are_several {
            true => format!("device {}", self.searcher.options.device),
            false => format!("{} searchers on a GPU", self.searcher.options.gpu_searchers),
        };
        vec![format!("{asked}: the program has head cycles, and {why}, so that {who}")]
    }

    /// Warnings at the end of the search, one sentence each: why there were fewer searchers than were asked for. The
    /// warning that there is no GPU comes only if one was asked for.
    pub fn late_warnings(&self) -> Vec<String> {
        let mut told = Vec::new();
        if let Some((searchers, lack)) = &self.fewer {
            told.push(format!("{searchers} searchers had to do on the processor: {lack}"));
        }
        let is_asked = self.searcher.options.gpu_searchers.number().is_some();
        match &self.absent {
            Some(SolveError::Device(DeviceError::NoGpu(_))) if !is_asked => {}
            Some(why) => {
                told.push(format!(
                    "the searchers of {} did not join in: {why}",
                    self.searcher.options.join_device
                ));
            }
            None => {}
        }
        told
    }

    /// Searches as a single search for a while, and by several searchers from then on.
    pub(super) fn search_then_spread(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        let step = self.search_alone(interrupt)?;
        if step != Step::Interrupted || !self.is_spread_due() || self.are_symmetries_due() {
            return Ok(step);
        }
        self.spread(interrupt)
    }

    /// Whether it is time that other searchers join a search that is a single one.
    pub(super) fn is_spread_due(&self) -> bool {
        matches!(self.others, Others::MayJoin(..)) && self.has_come(self.searcher.options.join_after)
    }

    /// Whether a time of the search has come.
    fn has_come(&self, when: When) -> bool {
        match when {
            When::Milliseconds(ms) => {
                let seconds = self.searcher.statistics.solve_seconds - self.before.seconds;
                let searched = Duration::from_secs_f64(seconds.max(0.0)) + self.asked_at.elapsed();
                searched >= Duration::from_millis(ms as u64)
            }
            When::Conflict(n) => self.conflicts().saturating_sub(self.before.conflicts) >= n as u64,
            When::Answer(n) => self.searcher.statistics.answer_sets - self.before.answers >= n as u64,
            When::Phase(n) => self.campaign.plan.phases_before() >= n,
        }
    }

    /// The number of conflicts that the solver's own search has met, and the searchers of its crew, which may rest.
    fn conflicts(&self) -> u64 {
        let others = match &self.others {
            Others::Crew(crew) => crew.conflicts(),
            _ => self.resting.conflicts(),
        };
        self.searcher.conflicts() + others
    }

    /// Makes the search a single one, which others may join again if it lasts: all other searchers return, if there are
    /// any, and rest. `keeps` says whether what they have learned holds for the program. The caller begins the solver's
    /// own search anew.
    ///
    /// # Errors
    /// If the device fails.
    pub(super) fn rest(&mut self, keeps: bool) -> Result<(), SolveError> {
        self.stop_searchers();
        self.end_turns();
        let others = std::mem::replace(&mut self.others, Others::None);
        if let Others::Crew(crew) = others {
            let goes_on_here = crew.own != Some(0);
            self.resting = crew.retire(&mut self.searcher.statistics);
            if let Some(first) = self.resting.members.first_mut().filter(|_| !goes_on_here) {
                // The first member's search is the one that the solver's own has become.
                self.searcher.exchange(&mut first.searcher);
            }
            // What one searcher has learned others may have imported.
            self.searcher.is_tagged |= self.resting.members.iter().any(|member| member.searcher.is_tagged);
            self.resting.keeps = keeps && !self.searcher.is_tagged;
            self.searcher.leave_swarm()?;
            if !self.taking.is_empty() {
                self.searcher.propagate_by(0, self.taking.clone())?;
            }
            self.searcher.memory.rounds_a_launch = self.searcher.memory.executor().rounds_a_launch();
        }
        self.leave_guide();
        self.others = self.who_may_join().unwrap_or(Others::None);
        self.look_for_the_time();
        let statistics = &self.searcher.statistics;
        self.before = Before {
            seconds: statistics.solve_seconds,
            conflicts: self.conflicts(),
            answers: statistics.answer_sets,
        };
        Ok(())
    }

    /// Opens the devices that wait to be opened, or has threads open them, if their time has come.
    pub(super) fn open_awaited(&mut self) -> Result<(), SolveError> {
        let open_after = self.searcher.options.open_after;
        let has_come = self.has_come(open_after);
        let Others::Crew(crew) = &mut self.others else { return Ok(()) };
        if crew.awaited.is_empty() || !has_come {
            return Ok(());
        }
        let devices = std::mem::take(&mut crew.awaited);
        let (problem, options) = (self.searcher.problem.clone(), self.options_of_fleet());
        let Others::Crew(crew) = &self.others else { return Ok(()) };
        if !open_after.is_exact() {
            return devices.into_iter().try_for_each(|device| crew.open_fleet(&problem, options, device));
        }
        let opened: Vec<_> =
            devices.into_iter().map(|device| crew.opened_fleet(&problem, options, device)).collect();
        opened.into_iter().try_for_each(|opened| self.admit_fleet(opened))
    }

    /// Lets the fleet of an opened device join. If the device cannot be used and was not asked for, the other searchers
    /// go on.
    fn admit_fleet(&mut self, opened: Result<Arrival, SolveError>) -> Result<(), SolveError> {
        let Others::Crew(crew) = &mut self.others else { return Ok(()) };
        match opened {
            Ok(arrival) => crew.add_fleet(Box::new(arrival), &self.campaign.plan),
            Err(why) if !self.searcher.options.joins() => Err(why),
            Err(why) => {
                self.absent = Some(why);
                Ok(())
            }
        }
    }

    /// Hands the search, which has not begun, over to fleets.
    pub(super) fn launch_fleets(&mut self) -> Result<(), SolveError> {
        let home = Arc::new(self.home(0)?);
        let mut devices = self.searcher.options.devices_of_fleets()?;
        let mut crew = Crew::new(home, 0, devices.len());
        crew.ledger = self.searcher.ledger().cloned();
        self.brief(&mut crew);
        self.searcher.leave_proof();
        let rested = self.resting.fleets_on(&mut devices);
        rested.into_iter().try_for_each(|fleet| crew.add_rested(fleet, &self.campaign.plan))?;
        let (problem, options) = (&self.searcher.problem, self.options_of_fleet());
        if devices == [self.searcher.options.device] {
            // The problem was prepared on the fleet's device.
            let arrival = crew.fleet_here(problem, options)?;
            crew.add_fleet(Box::new(arrival), &self.campaign.plan)?;
        } else {
            devices.into_iter().try_for_each(|device| crew.open_fleet(problem, options, device))?;
        }
        self.resume = Resume::Anywhere;
        self.others = Others::Crew(Box::new(crew));
        Ok(())
    }

    /// The options of a fleet for the present phase.
    fn options_of_fleet(&self) -> Options {
        self.searcher.options.of_fleet(self.may_count())
    }

    /// Whether searchers count the answer sets of the present phase instead of reporting them.
    pub(super) fn may_count(&self) -> bool {
        self.campaign.may_count()
            && self.recording.is_none()
            && !self.campaign.expects_repeats()
            && !self.searcher.checks_minimality()
            && !self.searcher.is_proved()
            && !self.searcher.is_traced()
    }

    /// The home of `searchers` searchers on the processor, and of all fleets, in the present phase.
    pub(super) fn home(&self, searchers: usize) -> Result<Shared, SolveError> {
        let (plan, wanted) = (&self.campaign.plan, self.campaign.wanted);
        // With costs, searchers also report answer sets that are not better, and these must not count.
        // Nor may those that a crew counts and that go with it.
        let may_miscount = plan.has_costs() || self.campaign.expects_repeats();
        let has_limit = plan.phase() == Phase::Enumerate && wanted > 0 && !may_miscount;
        let found = self.searcher.statistics.answer_sets - self.before.answers;
        let left = wanted.saturating_sub(found).max(1);
        // Searchers that race may find an answer set twice.
        let may_race = wanted == 1 || plan.phase() != Phase::Enumerate;
        let terms = Terms {
            options: &self.searcher.options,
            plan,
            sums: &self.campaign.task.sums,
            may_race,
            split_from: match may_race && self.searcher.options.split_from > 0 {
                true => race_of(&self.searcher.options, searchers.max(1) as u32 + self.elsewhere),
                false => 0,
            },
            counts: self.may_count(),
            assumable: if self.assumed.is_some() { self.campaign.task.prepared.vars } else { 0 },
            limit: if has_limit { left } else { 0 },
            may_be_near: plan.phase() == Phase::Improve
                && self.assumed.is_none()
                && !self.searcher.is_proved(),
        };
        let home = terms.home(searchers)?;
        home.tell_chosen(plan.chosen());
        Ok(home)
    }

    /// Hands the search over to searchers on threads, and waits for what they find. If the system has no threads or no
    /// memory for others, the search stays a single one.
    fn spread(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        let Others::MayJoin(mut searchers, joins) = self.others else {
            return Err(SolveError::Internal("a search spreads twice"));
        };
        self.searcher.memory.rounds_a_launch = self.searcher.memory.executor().rounds_a_launch();
        if joins && device::has_driver() {
            searchers = self.searcher.options.parallel_mode.beside_a_gpu(searchers);
        }
        let devices = if joins { self.searcher.options.devices_of_fleets() } else { Ok(Vec::new()) };
        let mut devices = devices.unwrap_or_else(|why| {
            self.absent = Some(why.into());
            Vec::new()
        });
        // With a guide, the solver's own search is one more searcher (see `beside`).
        let is_guided = self.campaign.is_guided();
        let (others, lack) = self.others(searchers, interrupt);
        if others.len() < searchers && lack.is_none() {
            // The caller may only want to look at the search. Those that are made wait for the next time.
            self.resting.members = others.into_iter().map(|(member, _)| member).collect();
            return Ok(Step::Interrupted);
        }
        let members = others.len();
        let active = members.saturating_sub(is_guided as usize);
        let home = match members > 1 || members == 1 && (!devices.is_empty() || self.has_other_crews()) {
            true => self.home(active).map_err(Some),
            false => Err(None),
        };
        let (home, lack) = match home {
            Ok(home) => (Some(Arc::new(home)), lack),
            Err(why) => (None, why.or(lack)),
        };
        if let Some(lack) = lack {
            self.fewer = Some((if home.is_some() { members } else { 1 }, lack));
        }
        let Some(home) = home else {
            self.others = Others::None;
            self.resting.members = others.into_iter().map(|(member, _)| member).collect();
            return self.search_alone(interrupt);
        };
        self.tell_goal(&home)?;
        let rested = self.resting.fleets_on(&mut devices);
        let fleets = devices.len() + rested.len();
        let mut crew = Crew::new(home, members, fleets + self.resting.remotes.len() + self.arriving.len());
        crew.ledger = self.searcher.ledger().cloned();
        self.brief(&mut crew);
        for (number, (mut member, thread)) in others.into_iter().enumerate() {
            if number == 0 && !is_guided {
                // The first searcher goes on where this search is.
                self.searcher.exchange(&mut member.searcher);
                self.searcher.leave_proof();
            }
            member.searcher.memory.search.settings.seed = self.searcher.options.seed_of(number);
            if number > 0 || is_guided {
                member.searcher.propagate_by((number + is_guided as usize) as u32, self.taking.clone())?;
            }
            crew.add(member, 1, thread)?;
        }
        // If searchers join at an exact time, and devices open by the clock, the fleets begin with the members. They
        // also do if they were asked for.
        let options = &self.searcher.options;
        let is_asked = !options.joins();
        let (problem, of_fleet) = (self.searcher.problem.clone(), self.options_of_fleet());
        let opened: Vec<_> = match is_asked || options.join_after.is_exact() && !options.open_after.is_exact()
        {
            true => devices.into_iter().map(|device| crew.opened_fleet(&problem, of_fleet, device)).collect(),
            false => {
                crew.awaited = devices;
                Vec::new()
            }
        };
        self.searcher.ledger().inspect(|ledger| ledger.expect_all(crew.home.hub()));
        self.searcher.log().map_or(Ok(()), |log| log.expect_all(crew.home.hub(), active, is_guided))?;
        for number in 0..active {
            let role = match number {
                0 if is_guided => Role::Begins,
                0 => Role::GoesOn,
                _ => Role::Joins,
            };
            crew.tell(number, role, &self.campaign.plan)?;
        }
        crew.searching = active;
        for remote in std::mem::take(&mut self.resting.remotes) {
            crew.add_remote(remote, IdleThread::start("another crew".into())?, &self.campaign.plan)?;
        }
        rested.into_iter().try_for_each(|fleet| crew.add_rested(fleet, &self.campaign.plan))?;
        if is_guided {
            crew.beside = Some(active as u32);
            self.searcher.go_beside(crew.home.view, crew.home.clone());
            self.take_turns_beside();
        }
        (crew.own, crew.found) =
            (Some(if is_guided { active } else { 0 }), self.searcher.statistics.answer_sets);
        self.resume = Resume::Anywhere;
        self.others = Others::Crew(Box::new(crew));
        opened.into_iter().try_for_each(|opened| self.admit_fleet(opened))?;
        self.search_by_all(interrupt)
    }

    /// Tells a crew what its searchers assume, and whether they keep what they have learned.
    fn brief(&self, crew: &mut Crew) {
        crew.assumed = self.assumed.as_ref().map(Assumed::open);
        crew.keeps = self.resting.keeps;
    }

    /// `searchers` members, those who rest before new ones, each with a thread that waits for it. If the system lacks
    /// threads or memory, there are fewer, and the error says what is lacking. Without an error there are fewer if
    /// `interrupt` holds after a new one was made, which may take long.
    fn others(
        &mut self,
        searchers: usize,
        interrupt: &dyn Fn() -> bool,
    ) -> (Vec<(Member, IdleThread)>, Option<SolveError>) {
        let mut rested = std::mem::take(&mut self.resting.members).into_iter();
        let mut others = Vec::new();
        for number in 0..searchers {
            let is_new = rested.len() == 0;
            let member = match rested.next() {
                Some(member) => Ok(member),
                None => self.other(number).map(Member::new),
            };
            let other =
                member.and_then(|member| Ok((member, IdleThread::start(format!("searcher {number}"))?)));
            match other {
                Ok(other) => others.push(other),
                Err(lack) => return (others, Some(lack)),
            }
            if is_new && interrupt() {
                break;
            }
        }
        (others, None)
    }

    /// A new searcher of this number.
    fn other(&self, number: usize) -> Result<Searcher, SolveError> {
        let options = self.searcher.options.of_searcher(number);
        let mut searcher = Searcher::new(&self.searcher.problem, options, |executor| executor)?;
        if let Some(ledger) = self.searcher.ledger() {
            searcher.begin_proof(ledger.clone())?;
        }
        if let Some(log) = self.searcher.log() {
            searcher.join_trace(log.clone())?;
        }
        Ok(searcher)
    }

    /// Tells the goal that this search has reached to the searchers that join in.
    fn tell_goal(&mut self, home: &Shared) -> Result<(), SolveError> {
        match self.campaign.plan.phase() {
            Phase::Enumerate => {}
            Phase::Improve => self.publish_bound(home),
            Phase::Narrow => {
                let known = self.searcher.known_items()?;
                for &i in &known {
                    home.view.known.get(i / 32).fetch_or(1 << (i % 32));
                }
                if !known.is_empty() {
                    home.hub().bound_version.store_release(2);
                }
            }
        }
        Ok(())
    }

    /// Publishes the bound "less than the costs of the best answer set" for all searchers, if it is the lowest so far.
    pub(super) fn publish_bound(&self, home: &Shared) {
        let plan = &self.campaign.plan;
        if let Some(most) = plan.most_of_better().filter(|_| plan.phase() == Phase::Improve) {
            home.lower_bound(&most);
        }
    }

    /// Drops the guide, so that the search goes from one answer set to a better one, without assumptions.
    pub(super) fn leave_guide(&mut self) {
        if self.campaign.drop_guide() {
            self.searcher.assume_nothing(&self.campaign.plan);
        }
    }
}
