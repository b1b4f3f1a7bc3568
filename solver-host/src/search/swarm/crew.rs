//! The searchers that search for a solver: where they get commands, and what is known of what they do.
//!
//! Main type: [`Crew`].

use super::news::{Command, News, Role, Told};
use super::shared::Shared;
use crate::device::DeviceKind;
use crate::search::plan::Plan;
use crate::search::refuted::Refuted;
use crate::search::SolveError;
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::sync::Arc;
use std::thread::JoinHandle;

/// The most batches of answer sets that wait for the solver, for each searcher.
const BATCHES: usize = 2;

/// The searchers of a solver: first the members, which are threads of the processor, and then the fleets.
pub struct Crew {
    /// The words and arrays that all of them share, in the host's memory.
    pub(super) home: Arc<Shared>,
    pub(super) commands: Vec<SyncSender<Command>>,
    pub(super) threads: Vec<JoinHandle<()>>,
    pub(super) tell: SyncSender<News>,
    pub(super) news: Receiver<News>,
    /// What each member and each fleet has done so far.
    pub(super) told: Arc<Vec<Told>>,
    /// The number of searchers of each member, which is 1, and of each fleet.
    pub(super) widths: Vec<u64>,
    /// The number of members. They come before the fleets.
    pub(super) members: usize,
    /// The number of members and fleets that have not said that they are done.
    pub(super) searching: usize,
    /// The number of the solver itself as a searcher, while it searches beside the others.
    pub(super) beside: Option<u32>,
    /// The number of the searcher in whose statistics the solver's own search counts: the search before there were
    /// others, and the search beside them.
    pub(super) own: Option<usize>,
    /// The number of answer sets that the solver's own search has found.
    pub(super) found: u64,
    /// The number of counted answer sets that the caller was told of.
    pub(super) counted: u64,
    /// The devices that are still to be opened for fleets.
    pub(super) awaited: Vec<DeviceKind>,
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.home.hub().stop.store_relaxed(1);
        self.commands.clear();
        // Searchers that wait for room in the channel give up when its receiver is gone.
        self.news = sync_channel(1).1;
        for thread in self.threads.drain(..) {
            // A searcher that has panicked has said so.
            let _ = thread.join();
        }
    }
}

impl Crew {
    /// A crew with room for `members` members and `fleets` fleets, none of which has been added.
    pub(super) fn new(home: Arc<Shared>, members: usize, fleets: usize) -> Crew {
        let most = members + fleets;
        let (tell, news) = sync_channel(BATCHES * most);
        Crew {
            home,
            commands: Vec::new(),
            threads: Vec::new(),
            tell,
            news,
            told: Arc::new((0..most).map(|_| Told::default()).collect()),
            widths: Vec::new(),
            members,
            searching: 0,
            beside: None,
            own: None,
            found: 0,
            counted: 0,
            awaited: Vec::new(),
        }
    }

    /// Adds a member and returns the end of the channel at which the member gets its commands.
    pub(super) fn add_member(&mut self) -> Receiver<Command> {
        let (command, commands) = sync_channel(1);
        self.add(command, 1);
        commands
    }

    /// Adds a member or a fleet of `width` searchers.
    pub(super) fn add(&mut self, commands: SyncSender<Command>, width: u64) {
        self.commands.push(commands);
        self.widths.push(width);
    }

    /// Tells a member or a fleet to search for the plan's goal, in the plan's present phase.
    pub(super) fn tell(&self, member: usize, role: Role, plan: &Plan) -> Result<(), SolveError> {
        let command = Command { home: self.home.clone(), role, plan: Box::new(plan.clone()) };
        let has_ended = SolveError::Internal("a searcher has ended");
        self.commands[member].send(command).map_err(|_| has_ended)
    }

    /// The refutation of the present phase, if all searchers have returned and nothing is left to search.
    pub(in crate::search) fn refuted(&self) -> Option<Refuted> {
        Refuted::by_all(self.home.hub(), self.searching)
    }

    /// The number of answer sets that were counted since the caller was last told, if there are any.
    pub(super) fn counted_since(&mut self) -> Option<u64> {
        let counted = self.told.iter().map(Told::counted).sum::<u64>();
        let more = counted - self.counted;
        self.counted = counted;
        (more > 0).then_some(more)
    }
}
