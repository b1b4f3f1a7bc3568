//! Who searches besides the solver's own search: [`Company`].
//!
//! A solver begins alone. If the search lasts, what is left is handed to a crew (see [`crate::crew`]).
//! Between two questions the crew's searchers rest, with all that they have learned.

use super::assumed::Assumed;
use super::consort::Consort;
use super::lead::{At, Lead};
use crate::campaign::plan::Plan;
use crate::campaign::task::Task;
use crate::campaign::Campaign;
use crate::crew::arriving::{arrived, Arriving};
use crate::crew::member::Member;
use crate::crew::news::{Arrival, Role};
use crate::crew::resting::Resting;
use crate::crew::roles::Roles;
use crate::crew::seat::IdleThread;
use crate::crew::Crew;
use crate::options::{Engine, OptStrategy, When};
use crate::searcher::Searcher;
use crate::{Peer, SolveError, Statistics};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;
use yasmin_device::DeviceKind;

/// The rounds of a launch of a search that others join after so many conflicts. The first round may repeat
/// what the launch before did last.
const SHORT_LAUNCH: u32 = 2;

/// How many new members are made at once.
const AT_ONCE: usize = 16;

/// The searchers besides the solver's own.
#[derive(Default)]
pub enum Others {
    /// There are none.
    #[default]
    None,
    /// If the search lasts, this many searchers on the processor share it, and fleets as well if the flag is
    /// true. Fleets without a searcher on the processor search from the beginning.
    MayJoin(usize, bool),
    /// They search.
    Crew(Box<Crew>),
}

/// What a search had done when the present question was asked. Other searchers join after so much time, or so
/// many conflicts or answer sets, of each question.
#[derive(Clone, Copy, Default)]
pub struct Done {
    /// How long the solver had searched.
    pub seconds: f64,
    /// The number of conflicts of all searches.
    pub conflicts: u64,
    /// The number of answer sets that were told.
    pub answers: u64,
}

/// See the module's documentation.
#[derive(Default)]
pub struct Company {
    pub others: Others,
    /// Others who will search along: crews of other processes, and those who have searched along before.
    pub resting: Resting,
    /// Crews of other processes that have not said yet that they are there.
    arriving: Vec<Arriving>,
    /// The number of searchers on processors that crews of other processes have, as far as their peers say.
    pub elsewhere: u32,
    /// Whether other searchers may join as the options say.
    pub spreads: bool,
    pub since: Done,
    /// Why the device whose searchers were to join does not.
    pub absent: Option<SolveError>,
    /// How many searchers there are on the processor, and why there are no more, if more were asked for.
    pub fewer: Option<(usize, SolveError)>,
}

impl Company {
    /// The crew, if others search.
    pub fn crew(&self) -> Option<&Crew> {
        match &self.others {
            Others::Crew(crew) => Some(crew),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub fn crew_mut(&mut self) -> Option<&mut Crew> {
        match &mut self.others {
            Others::Crew(crew) => Some(crew),
            _ => None,
        }
    }

    /// Whether nobody else searches, or may.
    pub fn is_none(&self) -> bool {
        matches!(self.others, Others::None)
    }

    /// Whether crews of other processes search along, or may come.
    pub fn has_other_crews(&self) -> bool {
        !(self.resting.remotes.is_empty() && self.arriving.is_empty())
    }

    /// Whether a time of the search has come.
    pub fn has_come(&self, when: When, lead: &Lead, plan: &Plan) -> bool {
        let (statistics, since) = (&lead.searcher.statistics, &self.since);
        match when {
            When::Auto | When::Milliseconds(_) => {
                let seconds = statistics.solve_seconds - since.seconds;
                let searched = Duration::from_secs_f64(seconds.max(0.0)) + lead.asked_at.elapsed();
                searched >= when.patience(statistics.prepare_seconds)
            }
            When::Conflict(n) => {
                let conflicts = lead.searcher.conflicts() + self.conflicts();
                conflicts.saturating_sub(since.conflicts) >= n as u64
            }
            When::Answer(n) => statistics.answer_sets - since.answers >= n as u64,
            When::Phase(n) => plan.phases_before() >= n,
        }
    }

    /// Decides by the options which other searchers the search may take.
    pub fn may_spread(&mut self, lead: &mut Lead, campaign: &mut Campaign) {
        if matches!(lead.at, At::Over(_)) {
            return;
        }
        self.spreads = true;
        let Some(others) = self.who_may_join(lead, campaign.is_guided()) else { return };
        if matches!(others, Others::MayJoin(0, true)) && campaign.is_guided() {
            // The user's choice of a strategy is a choice of a guide, which leads a single searcher.
            match lead.searcher.options.opt_strategy {
                OptStrategy::Auto => lead.leave_guide(campaign),
                _ => return,
            }
        }
        (self.others, lead.turns) = (others, None);
        self.look_for_the_time(lead);
    }

    /// Which other searchers a search may take by the options, if it may take any.
    pub fn who_may_join(&self, lead: &Lead, is_guided: bool) -> Option<Others> {
        let other_crew = self.has_other_crews().then_some(Others::MayJoin(1, false));
        let options = &lead.searcher.options;
        if options.engine == Engine::Host || !self.spreads {
            return other_crew;
        }
        let searchers = options.parallel_mode.searchers();
        // The check for smaller models is the host's, which makes a fleet wait. Its proof has no loop nogoods
        // of the host.
        let asks_for_fleet = options.gpu_searchers.number().is_some() && !lead.searcher.is_proved();
        let is_founded_enough = asks_for_fleet || !lead.searcher.checks_minimality();
        let joins = options.joins() && is_founded_enough;
        let is_fleet = options.wants_fleet() && is_founded_enough;
        match lead.searcher.memory.executor().threads() {
            // A guide leads the solver's own search, which stays on the processor.
            1 if is_fleet && !matches!(options.device, DeviceKind::Auto | DeviceKind::Cpu) => {
                Some(Others::MayJoin(is_guided as usize, true))
            }
            1 if searchers > 1 || joins => Some(Others::MayJoin(searchers, joins)),
            2.. if is_fleet => Some(Others::MayJoin(0, true)),
            _ => other_crew,
        }
    }

    /// Sees to it that the search does not go past the time at which others join it.
    pub fn look_for_the_time(&self, lead: &mut Lead) {
        match (&self.others, lead.searcher.options.join_after) {
            (Others::MayJoin(1.., _), When::Conflict(_)) => {
                lead.searcher.memory.rounds_a_launch = SHORT_LAUNCH;
            }
            (Others::MayJoin(1.., _), When::Answer(_)) => lead.searcher.is_one_by_one = true,
            _ => {}
        }
    }

    /// Tells a crew what its searchers assume, whether they keep what they have learned, and where they are
    /// proved.
    pub fn brief(&self, crew: &mut Crew, lead: &Lead, assumed: Option<&Assumed>) {
        crew.ledger = lead.searcher.ledger().cloned();
        crew.assumed = assumed.map(Assumed::open);
        crew.keeps = self.resting.keeps;
        crew.roles = Roles::of(lead.searcher.options.racers);
    }

    /// Lets the first `active` members of a crew search, and the crews of other processes that are there.
    ///
    /// # Errors
    /// If a thread has ended, or the trace cannot be written.
    pub fn begin(
        &mut self,
        crew: &mut Crew,
        lead: &Lead,
        active: usize,
        plan: &Plan,
        is_guided: bool,
    ) -> Result<(), SolveError> {
        lead.searcher.expect_all(crew.home.hub(), active, is_guided)?;
        crew.begin(active, if is_guided { Role::Begins } else { Role::GoesOn }, plan)?;
        let remotes = std::mem::take(&mut self.resting.remotes);
        remotes.into_iter().try_for_each(|remote| crew.add_remote(remote, plan))
    }

    /// Lets a consort search beside a crew that has begun. If the system lacks a thread, there is none.
    ///
    /// # Errors
    /// If the thread has ended.
    pub fn add_consort(
        &mut self,
        crew: &mut Crew,
        lead: &Lead,
        strategy: OptStrategy,
        plan: &Plan,
    ) -> Result<(), SolveError> {
        let number = crew.commands.len();
        match IdleThread::start(format!("consort {number}")) {
            Ok(thread) => {
                let seed = lead.searcher.options.seed_of(number);
                crew.add_late(Consort::new(lead, strategy, seed), thread, plan)
            }
            Err(lack) => {
                self.fewer = Some((number, lack));
                Ok(())
            }
        }
    }

    /// Lets the fleet of an opened device join. If the device cannot be used and was not asked for, which
    /// `joins` says, the other searchers go on.
    ///
    /// # Errors
    /// If the device was asked for and cannot be used, or a thread has ended.
    pub fn admit_fleet(
        &mut self,
        opened: Result<Arrival, SolveError>,
        joins: bool,
        plan: &Plan,
    ) -> Result<(), SolveError> {
        match (opened, self.crew_mut()) {
            (_, None) => Ok(()),
            (Ok(arrival), Some(crew)) => crew.add_fleet(Box::new(arrival), plan),
            (Err(why), _) if !joins => Err(why),
            (Err(why), _) => {
                self.absent = Some(why);
                Ok(())
            }
        }
    }

    /// The number of searchers, the solver's own included.
    pub fn searchers(&self) -> u64 {
        let of_crew = |crew: &Crew| crew.each_seat().iter().map(|of| of.swarm.searchers).sum();
        self.crew().map_or(1, of_crew)
    }

    /// The number of conflicts that the others have met, who may rest.
    pub fn conflicts(&self) -> u64 {
        self.crew().map_or_else(|| self.resting.conflicts(), Crew::conflicts)
    }

    /// How many crews of other processes are there, or may come.
    pub fn crews(&self) -> usize {
        self.resting.remotes.len() + self.arriving.len()
    }

    /// Waits until a crew of another process has said that it is there, for as long as `interrupt` lets it.
    /// The crew joins with the others.
    ///
    /// # Errors
    /// If the stream fails, or what comes is no message of such a crew.
    pub fn admit(
        &mut self,
        lead: &Lead,
        task: &Arc<Task>,
        peer: Peer,
        interrupt: &dyn Fn() -> bool,
    ) -> Result<(), SolveError> {
        let may_go = peer.may_go;
        match Arriving::new(task, lead.searcher.ledger(), peer)?.wait(interrupt) {
            Ok(remote) => self.resting.remotes.push(remote),
            Err(SolveError::Gone(_)) if may_go => {}
            Err(why) => return Err(why),
        }
        Ok(())
    }

    /// The same without waiting.
    ///
    /// # Errors
    /// [`SolveError::Threads`].
    pub fn expect(&mut self, lead: &Lead, task: &Arc<Task>, peer: Peer) -> Result<(), SolveError> {
        self.arriving.push(Arriving::new(task, lead.searcher.ledger(), peer)?);
        Ok(())
    }

    /// Lets those crews join the crew, if there is one, that have arrived since the last call.
    ///
    /// # Errors
    /// If a stream has failed.
    pub fn receive(&mut self, plan: &Plan) -> Result<(), SolveError> {
        let Others::Crew(crew) = &mut self.others else { return Ok(()) };
        arrived(&mut self.arriving)?.into_iter().try_for_each(|remote| crew.add_remote(remote, plan))
    }

    /// Tells the crews of other processes that the search begins anew, without what symmetries exclude if
    /// there are at least `least`. Those on this side who have searched for another translation of the
    /// program are dropped, and what they have counted is added to `statistics`.
    ///
    /// # Errors
    /// If a stream has failed.
    pub fn begin_anew(&mut self, least: u32, statistics: &mut Statistics) -> Result<(), SolveError> {
        let mut rested = std::mem::take(&mut self.resting);
        rested.begin_anew(&mut self.arriving, least)?;
        self.resting.remotes = std::mem::take(&mut rested.remotes);
        rested.each_searcher().iter().for_each(|of| statistics.add(of));
        Ok(())
    }

    /// Says which task crews that arrive have to have prepared.
    pub fn expect_task(&mut self, task: &Arc<Task>) {
        self.arriving.iter_mut().for_each(|crew| crew.expect(task));
    }

    /// `searchers` members, those who rest before new ones, each with a thread that waits for it. If the
    /// system lacks threads or memory, there are fewer, and the error says what is lacking. Without an error
    /// there are fewer if `interrupt` holds after some new ones were made, which may take long.
    pub fn members(
        &mut self,
        lead: &Lead,
        searchers: usize,
        interrupt: &dyn Fn() -> bool,
    ) -> (Vec<(Member, IdleThread)>, Option<SolveError>) {
        let mut members = Vec::new();
        let rested = std::mem::take(&mut self.resting.members).into_iter().map(Ok).take(searchers);
        let (mut made, mut are_new): (Vec<_>, _) = (rested.collect(), false);
        loop {
            for member in made.drain(..) {
                let name = format!("searcher {}", members.len());
                match member.and_then(|member| Ok((member, IdleThread::start(name)?))) {
                    Ok(member) => members.push(member),
                    Err(lack) => return (members, Some(lack)),
                }
            }
            let first = members.len();
            if first == searchers || are_new && interrupt() {
                return (members, None);
            }
            are_new = true;
            made = new_members(lead, first..searchers.min(first + AT_ONCE));
        }
    }

    /// Lets members rest that have not searched.
    pub fn send_home(&mut self, members: Vec<(Member, IdleThread)>) {
        self.resting.members = members.into_iter().map(|(member, _)| member).collect();
    }

    /// Lets all searchers of the crew return, if there is one, and the lead's search be the solver's own
    /// again. `keeps` says whether what they have learned holds for the program. Returns whether there was a
    /// crew.
    ///
    /// # Errors
    /// If the device fails.
    pub fn disband(&mut self, lead: &mut Lead, keeps: bool) -> Result<bool, SolveError> {
        let Others::Crew(crew) = std::mem::take(&mut self.others) else { return Ok(false) };
        let goes_on_here = crew.own != Some(0);
        lead.searcher.statistics.roles.extend(&crew.roles.decided);
        self.resting = crew.retire(&mut lead.searcher.statistics);
        if let Some(first) = self.resting.members.first_mut().filter(|_| !goes_on_here) {
            // The first member's search is the one that the lead's has become.
            lead.searcher.exchange(&mut first.searcher);
        }
        // What one searcher has learned others may have imported.
        lead.searcher.is_tagged |= self.resting.members.iter().any(|member| member.searcher.is_tagged);
        self.resting.keeps = keeps && !lead.searcher.is_tagged;
        lead.searcher.leave_swarm()?;
        Ok(true)
    }

    /// Adds the statistics of all searchers to `all`, which has those of the lead. Each searcher publishes
    /// its statistics after each launch. The work of each search, the lead's included, is in the sums, and in
    /// the statistics of exactly one searcher.
    pub fn add_to(&self, all: &mut Statistics) {
        // Those who searched along before the search began anew, without symmetries.
        let before = std::mem::take(&mut all.swarm.searchers);
        let Some(crew) = self.crew() else {
            all.searchers = self.resting.each_searcher();
            all.searchers.extend(self.arriving.iter().flat_map(|crew| crew.counts().searchers));
            all.searchers.clone().iter().for_each(|of| all.add(of));
            all.swarm.searchers = all.swarm.searchers.max(before);
            return;
        };
        let own = all.clone();
        let mut each = crew.each_searcher();
        for of in &crew.each_seat() {
            all.add(of);
            all.passed.add(&of.passed);
        }
        // Crews that were told that the search begins anew, and have not said since that they are there.
        for of in self.arriving.iter().map(Arriving::counts) {
            all.add(&of);
            all.passed.add(&of.passed);
            each.extend(of.searchers);
        }
        all.swarm.searchers = all.swarm.searchers.max(before);
        if let Some(of) = crew.own.map(|number| &mut each[number]) {
            of.add(&own);
            of.answer_sets += crew.found;
        }
        all.bytes_on_device += crew.home.bytes();
        all.roles.extend(&crew.roles.decided);
        let winner = crew.home.hub().winner.load_relaxed() as u64;
        all.swarm.winner = winner.checked_sub(1).map_or(0, |number| 1 + crew.place_of(number));
        all.searchers = each;
    }
}

/// New members of these numbers, which search along with the lead. Each is made by a thread of its own, as a
/// searcher's memory takes a millisecond and more to fill.
fn new_members(lead: &Lead, numbers: Range<usize>) -> Vec<Result<Member, SolveError>> {
    let searcher = &lead.searcher;
    let (problem, options) = (&searcher.problem, &searcher.options);
    let (ledger, log) = (searcher.ledger(), searcher.log());
    let new_member = |number| {
        let mut searcher = Searcher::new(problem, options.of_searcher(number), |executor| executor)?;
        if let Some(ledger) = ledger {
            searcher.begin_proof(ledger.clone())?;
        }
        if let Some(log) = log {
            searcher.join_trace(log.clone())?;
        }
        Ok(Member::new(searcher))
    };
    let new_member = &new_member;
    thread::scope(|scope| {
        let start = |number| thread::Builder::new().spawn_scoped(scope, move || new_member(number));
        let threads: Vec<_> = numbers.map(start).collect();
        let end = |thread: io::Result<ScopedJoinHandle<_>>| match thread {
            Ok(thread) => thread.join().unwrap_or(Err(SolveError::Internal("a searcher was not made"))),
            Err(error) => Err(SolveError::Threads(error.to_string())),
        };
        threads.into_iter().map(end).collect()
    })
}
