//! What a solver and those who search for it tell each other.
//!
//! Main types: [`Command`] and [`News`].

use super::shared::Shared;
use crate::search::plan::Plan;
use crate::search::{AnswerSet, SolveError, Statistics};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

/// What a searcher begins a phase with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The search that the searcher has taken over, which is all that is left.
    GoesOn,
    /// Everything.
    Begins,
    /// Nothing: the searcher races, or waits for a cube.
    Joins,
}

/// What a searcher is told to do: to search, in a phase.
pub struct Command {
    /// The words and arrays that all searchers of the phase share.
    pub home: Arc<Shared>,
    /// What the searcher begins with.
    pub role: Role,
    /// The goal, the bound and the phase. Unless the searcher goes on with a search, it forgets what it has learned.
    pub plan: Box<Plan>,
}

/// What a searcher tells.
pub enum News {
    /// It has found answer sets.
    Answers(Vec<AnswerSet>),
    /// It waits for a command.
    Finished,
    /// It has failed.
    Failed(SolveError),
    /// A fleet is ready to join in.
    Ready(Box<Arrival>),
    /// The device for a fleet cannot be used, for this reason.
    Absent(SolveError),
}

/// What a searcher, or a launch of searchers, has done so far, for others to read at any time.
#[derive(Default)]
pub struct Told {
    statistics: Mutex<Statistics>,
    /// Answer sets that were counted and not kept.
    counted: AtomicU64,
}

impl Told {
    /// Says what the searcher has done, and how many answer sets it has counted besides those that it has found
    /// and kept.
    pub fn tell(&self, mut statistics: Statistics, counted: u64) {
        statistics.answer_sets += counted;
        *self.locked() = statistics;
        self.counted.store(counted, Relaxed);
    }

    /// What the searcher said last.
    pub fn statistics(&self) -> Statistics {
        self.locked().clone()
    }

    /// Conflicts met.
    pub fn conflicts(&self) -> u64 {
        self.locked().conflicts
    }

    /// Answer sets that were counted and not kept.
    pub fn counted(&self) -> u64 {
        self.counted.load(Relaxed)
    }

    fn locked(&self) -> MutexGuard<'_, Statistics> {
        self.statistics.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A fleet that waits for its first command, on a thread of its own.
pub struct Arrival {
    pub commands: SyncSender<Command>,
    pub thread: JoinHandle<()>,
    pub statistics: Statistics,
    /// Where the fleet reads its place in the crew (see `Post`).
    pub place: Arc<OnceLock<(u32, u32)>>,
}
