//! The searchers that search for a solver: where they get commands, and what is known of what they do.
//!
//! Main type: [`Crew`]. A crew has *members*, which are threads of the processor, and *fleets*, which are the
//! searchers of a launch. Each has a [`seat`], whose loop drives all of them alike. The members share cubes,
//! nogoods and goals through the memory of their home; fleets and other crews trade with the home by messages
//! (see [`trade`]).
//!
//! Invariant: in a search for all answer sets, a searcher reports an answer set only if it has found the
//! answer set in its own cube. In all other searches an answer set may be found twice.

pub mod answering;
pub mod arriving;
pub mod assist;
mod deciding;
mod fitting;
pub mod fleet;
mod given;
pub mod home;
pub mod joining;
mod judging;
pub mod link;
pub mod member;
pub mod message;
pub mod news;
mod proved;
pub mod remote;
pub mod resting;
pub mod roles;
pub mod seat;
pub mod shared;
mod store;
#[cfg(test)]
mod tests;
mod trade;

use super::campaign::plan::Plan;
use super::campaign::refuted::Refuted;
use super::searcher::proof::Ledger;
use super::{SolveError, Statistics};
use news::{Command, Heard, MateThread, News, Place, Role, Told};
use roles::Roles;
use seat::{Channel, IdleThread, Mate, Seat};
use shared::Shared;
use solver_gpu::Lit;
use std::any::Any;
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError, SyncSender};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use yasmin_device::DeviceKind;

/// How long searchers may take to return when the search is over, and if they write a proof or a trace, or
/// are in another process.
const PATIENCE: (Duration, Duration) = (Duration::from_millis(120), Duration::from_millis(500));

/// The most batches of answer sets that wait for the solver, for each searcher.
const BATCHES: usize = 2;

/// The searchers of a solver: first the members, which are threads of the processor, then other crews and
/// fleets.
pub struct Crew {
    /// The words and arrays that all of them share, in the host's memory.
    pub(crate) home: Arc<Shared>,
    pub(crate) commands: Vec<SyncSender<Command>>,
    pub(crate) threads: Vec<MateThread>,
    /// Where all of them tell their news, and what each of them has done so far.
    pub(crate) channel: Channel,
    pub(crate) news: Receiver<News>,
    /// How many numbers of searchers each member has, which is 1, and each fleet and other crew.
    pub(crate) widths: Vec<u64>,
    /// The number of members. They come before all others.
    pub(crate) members: usize,
    /// The number of crews of other processes.
    pub(crate) remotes: usize,
    /// The number of members, fleets and other crews that have not said that they are done.
    pub(crate) searching: usize,
    /// The number of the solver itself as a searcher, while it searches beside the others.
    pub(crate) beside: Option<u32>,
    /// The number of the searcher in whose statistics the solver's own search counts: the search before there
    /// were others, and the search beside them.
    pub(crate) own: Option<usize>,
    /// The number of answer sets that the solver's own search has found.
    pub(crate) found: u64,
    /// The number of counted answer sets that the caller was told of.
    pub(crate) counted: u64,
    /// What the searchers are proved in, if they are proved.
    pub(crate) ledger: Option<Arc<Ledger>>,
    /// What all searchers are to decide on first, if they are under assumptions.
    pub(crate) assumed: Option<Arc<[Lit]>>,
    /// Whether searchers keep what they have learned before in the phase that they are told to search.
    pub(crate) keeps: bool,
    /// Who searches everything, and who takes cubes.
    pub(crate) roles: Roles,
    /// The devices that are still to be opened for fleets.
    pub(crate) awaited: Vec<DeviceKind>,
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.leave();
    }
}

impl Crew {
    /// Lets all threads end, and waits for them. Returns who sat there, unless they have failed.
    fn leave(&mut self) -> Vec<Option<Box<dyn Any + Send>>> {
        self.home.hub().stop.store_relaxed(1);
        self.commands.clear();
        // Searchers that wait for room in the channel give up when its receiver is gone.
        self.news = sync_channel(1).1;
        // A searcher that has panicked has said so.
        self.threads.drain(..).map(|thread| thread.join().unwrap_or_default()).collect()
    }

    /// A crew with room for `members` members and `fleets` fleets, none of which has been added.
    pub(crate) fn new(home: Arc<Shared>, members: usize, fleets: usize) -> Crew {
        let most = members + fleets;
        let (tell, news) = sync_channel(BATCHES * most);
        Crew {
            home,
            commands: Vec::new(),
            threads: Vec::new(),
            channel: Channel { news: tell, told: Arc::new((0..most).map(|_| Told::default()).collect()) },
            news,
            widths: Vec::new(),
            members,
            remotes: 0,
            searching: 0,
            beside: None,
            own: None,
            found: 0,
            counted: 0,
            ledger: None,
            assumed: None,
            keeps: false,
            roles: Roles::default(),
            awaited: Vec::new(),
        }
    }

    /// Adds somebody who searches as `width` searchers and waits for commands on a thread.
    ///
    /// # Errors
    /// If the thread has ended.
    pub(crate) fn add(&mut self, mate: impl Mate, width: u64, thread: IdleThread) -> Result<(), SolveError> {
        let (seat, commands) = Seat::new(mate, self.channel.clone());
        let so_far = seat.mate().counts();
        let thread = thread.run(seat)?;
        self.add_seat(commands, thread, width, so_far);
        Ok(())
    }

    /// Adds one more searcher to a crew that searches.
    ///
    /// # Errors
    /// If a thread has ended.
    pub(crate) fn add_late(
        &mut self,
        mate: impl Mate,
        thread: IdleThread,
        plan: &Plan,
    ) -> Result<(), SolveError> {
        self.add(mate, 1, thread)?;
        self.tell_last(plan)
    }

    /// Tells the seat that was added last to join the search.
    fn tell_last(&mut self, plan: &Plan) -> Result<(), SolveError> {
        self.searching += 1;
        self.tell(self.commands.len() - 1, Role::Joins, plan)
    }

    /// Adds a seat that was taken already.
    fn add_seat(
        &mut self,
        to: SyncSender<Command>,
        thread: MateThread,
        width: u64,
        (statistics, counted): (Statistics, u64),
    ) {
        self.channel.told[self.commands.len()].tell(statistics, counted);
        self.counted += counted;
        self.commands.push(to);
        self.widths.push(width);
        self.threads.push(thread);
    }

    /// Tells a member or a fleet to search for the plan's goal, in the plan's present phase.
    pub(crate) fn tell(&self, number: usize, role: Role, plan: &Plan) -> Result<(), SolveError> {
        // A search beside the others has no part of the search space.
        let searching = self.channel.told.len() - self.beside.is_some() as usize;
        let place = Place {
            number: number as u32,
            first: self.widths[..number].iter().sum::<u64>() as u32,
            has_others: searching > 1,
        };
        let command = Command {
            place,
            home: self.home.clone(),
            role,
            plan: Box::new(plan.clone()),
            assumed: self.assumed.clone(),
            keeps: self.keeps,
        };
        let has_ended = SolveError::Internal("a searcher has ended");
        self.commands[number].send(command).map_err(|_| has_ended)
    }

    /// Tells the first `mates` members, fleets and other crews to search for the plan's goal: the very first
    /// in a role of its own, the others to join.
    pub(crate) fn begin(&mut self, mates: usize, first: Role, plan: &Plan) -> Result<(), SolveError> {
        for number in 0..mates {
            self.tell(number, if number == 0 { first } else { Role::Joins }, plan)?;
        }
        self.searching = mates;
        self.begin_roles();
        Ok(())
    }

    /// How often each member, fleet and other crew has handed over what it had found. `None` for one that
    /// searches no more.
    fn turns(&self) -> Vec<Option<u64>> {
        self.channel.told[..self.commands.len()].iter().map(Told::turns).collect()
    }

    /// Waits for news, for `wait` at most. A fleet that is ready joins in.
    ///
    /// # Errors
    /// If the thread of a searcher has ended.
    pub(crate) fn hear(&mut self, wait: Duration, plan: &Plan) -> Result<Heard, SolveError> {
        self.decide_roles();
        match self.news.recv_timeout(wait) {
            Ok(News::Answers(answers)) => return Ok(Heard::Answers(answers)),
            Ok(News::Finished) => self.searching -= 1,
            Ok(News::Failed(error)) => {
                self.searching -= 1;
                return Ok(Heard::Failed(error));
            }
            Ok(News::Ready(fleet)) => self.add_fleet(fleet, plan)?,
            Ok(News::Absent(why)) => return Ok(Heard::Absent(why)),
            Err(RecvTimeoutError::Timeout) if self.threads.iter().any(JoinHandle::is_finished) => {
                return Err(SolveError::Internal("a searcher has ended"));
            }
            Err(RecvTimeoutError::Timeout) => return Ok(Heard::Nothing),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(SolveError::Internal("the searchers have ended"))
            }
        }
        Ok(Heard::Change)
    }

    /// The refutation of the present phase, if all searchers have returned and nothing is left to search.
    pub fn refuted(&self) -> Option<Refuted> {
        Refuted::by_all(self.home.hub(), self.searching)
    }

    /// The number of answer sets that were counted since the caller was last told, if there are any.
    pub(crate) fn counted_since(&mut self) -> Option<u64> {
        let counted = self.channel.told.iter().map(Told::counted).sum::<u64>();
        let more = counted - self.counted;
        self.counted = counted;
        (more > 0).then_some(more)
    }

    /// Those of the assumptions `lits` that the refutation of the present phase needs.
    pub(crate) fn core(&self, lits: &[Lit]) -> Vec<Lit> {
        if self.home.hub().refuted.load_relaxed() > 1 {
            return Vec::new();
        }
        lits.iter().copied().filter(|lit| self.home.needs(lit.var())).collect()
    }

    /// Whether no searcher goes on from an answer set, where the solver's own search had found `before`.
    pub(crate) fn goes_on_from_none(&self, before: u64) -> bool {
        // Searchers stop at the only answer set that is wanted, but for those of other processes, which hear
        // of it later. After other answer sets they exclude these.
        let hub = self.home.hub();
        let (found, limit) = (hub.answers.load_relaxed(), hub.answers_limit.load_relaxed());
        self.found == before && (found == 0 || limit == 1 && self.remotes == 0)
    }

    /// The number of conflicts that all searchers have met.
    pub(crate) fn conflicts(&self) -> u64 {
        self.channel.told.iter().map(Told::conflicts).sum()
    }

    /// Lets all searchers return, and waits until they have published their statistics, for [`PATIENCE`] at
    /// most.
    pub(crate) fn stop(&mut self, is_traced: bool) {
        self.home.hub().stop.store_relaxed(1);
        let is_awaited = is_traced || self.remotes > 0 || self.ledger.is_some();
        let until = Instant::now() + if is_awaited { PATIENCE.1 } else { PATIENCE.0 };
        while self.searching > 0 {
            match self.news.recv_timeout(until.saturating_duration_since(Instant::now())) {
                // The search is over, so answer sets and new fleets are of no use.
                Ok(News::Answers(_) | News::Ready(_) | News::Absent(_)) => {}
                Ok(News::Finished | News::Failed(_)) => self.searching -= 1,
                Err(_) => break,
            }
        }
    }

    /// The statistics of each member and of each fleet, and of each other crew the sum, with those of the
    /// crews that it stands for.
    pub(crate) fn each_seat(&self) -> Vec<Statistics> {
        let of = |(told, &searchers): (&Told, &u64)| {
            let mut of = told.statistics();
            // Another crew may have fewer searchers than numbers.
            if of.searchers.is_empty() {
                of.swarm.searchers = searchers;
            }
            of
        };
        self.channel.told.iter().zip(&self.widths).map(of).collect()
    }

    /// The statistics of each member, of each fleet and of each other crew.
    pub(crate) fn each_searcher(&self) -> Vec<Statistics> {
        self.each_seat().into_iter().flat_map(Statistics::each_crew).collect()
    }

    /// The number of a searcher among all that there are, which is below its own number if other crews have
    /// more numbers than searchers.
    pub(crate) fn place_of(&self, number: u64) -> u64 {
        let (mut first, mut place) = (0, 0);
        for (of, &width) in self.each_seat().iter().zip(&self.widths) {
            let searchers = of.swarm.searchers;
            if number < first + width {
                return place + (number - first).min(searchers.saturating_sub(1));
            }
            (first, place) = (first + width, place + searchers);
        }
        place + (number - first)
    }
}
