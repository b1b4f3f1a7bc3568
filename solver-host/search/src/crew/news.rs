//! What a solver and those who search for it tell each other.
//!
//! Main types: [`Command`] and [`News`].

use crate::campaign::plan::Plan;
use crate::crew::shared::Shared;
use crate::{AnswerSet, SolveError, Statistics};
use solver_gpu::Lit;
use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// The thread of a seat. In the end it returns the mate, unless that has failed.
pub type MateThread = JoinHandle<Option<Box<dyn Any + Send>>>;

/// What a searcher begins a phase with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The searcher goes on with the solver's search, which is the whole search space that is left.
    GoesOn,
    /// The searcher begins with the whole search space.
    Begins,
    /// The searcher begins with nothing: it races, or waits for a cube.
    Joins,
}

/// A place among the searchers of a crew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number among all members and fleets.
    pub number: u32,
    /// The number of the first searcher there among all searchers.
    pub first: u32,
    /// Whether others search besides those there.
    pub has_others: bool,
}

/// The solver's order to search in a phase.
pub struct Command {
    /// Where the searcher is in the crew.
    pub place: Place,
    /// The words and arrays that all searchers of the phase share.
    pub home: Arc<Shared>,
    /// What the searcher begins the phase with.
    pub role: Role,
    /// The goal, the bound and the phase.
    pub plan: Box<Plan>,
    /// What all searchers decide on first, if they are under assumptions.
    pub assumed: Option<Arc<[Lit]>>,
    /// Whether a searcher that does not go on with a search keeps what it has learned in an earlier phase.
    pub keeps: bool,
}

/// What a member, a fleet or another crew tells the solver.
pub enum News {
    /// The sender has found answer sets.
    Answers(Vec<AnswerSet>),
    /// The sender has stopped searching and waits for a command.
    Finished,
    /// The sender has failed.
    Failed(SolveError),
    /// A fleet is ready to join in.
    Ready(Box<Arrival>),
    /// The device for a fleet cannot be used, for this reason.
    Absent(SolveError),
}

/// What a crew's solver has heard.
pub enum Heard {
    /// Somebody has found answer sets.
    Answers(Vec<AnswerSet>),
    /// Somebody has failed.
    Failed(SolveError),
    /// The device for a fleet cannot be used, for this reason.
    Absent(SolveError),
    /// Somebody has stopped searching, or has joined in.
    Change,
    /// There was no news.
    Nothing,
}

/// What a member, a fleet or another crew has done so far. The solver reads it at any time.
#[derive(Default)]
pub struct Told {
    statistics: Mutex<Statistics>,
    /// The number of answer sets that were counted and not kept.
    counted: AtomicU64,
    /// How often the sender has handed over what it had found.
    turns: AtomicU64,
    /// Whether the sender has handed over all that it had found, and searches no more.
    rests: AtomicBool,
}

impl Told {
    /// Publishes the statistics of a member or a fleet. `counted` is the number of answer sets that were counted and
    /// not kept; `statistics` has the number of the others.
    pub fn tell(&self, mut statistics: Statistics, counted: u64) {
        statistics.answer_sets += counted;
        *self.locked() = statistics;
        self.counted.store(counted, Relaxed);
    }

    /// The statistics that were published last.
    pub fn statistics(&self) -> Statistics {
        self.locked().clone()
    }

    /// The number of conflicts.
    pub fn conflicts(&self) -> u64 {
        self.locked().conflicts
    }

    /// The number of answer sets that were counted and not kept.
    pub fn counted(&self) -> u64 {
        self.counted.load(Relaxed)
    }

    /// Notes that the sender has handed over what it had found until now.
    pub fn turned(&self) {
        self.turns.fetch_add(1, Release);
    }

    /// Notes that the sender begins to search, or has handed over all that it had found and searches no more.
    pub fn rest(&self, rests: bool) {
        self.rests.store(rests, Release);
    }

    /// How often the sender has handed over what it had found. `None` if it searches no more.
    pub fn turns(&self) -> Option<u64> {
        (!self.rests.load(Acquire)).then(|| self.turns.load(Acquire))
    }

    fn locked(&self) -> MutexGuard<'_, Statistics> {
        self.statistics.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A fleet that waits for its first command, on a thread of its own.
pub struct Arrival {
    pub commands: SyncSender<Command>,
    pub thread: MateThread,
    pub statistics: Statistics,
    /// The number of answer sets that the fleet has counted and not kept, in an earlier search.
    pub counted: u64,
}
