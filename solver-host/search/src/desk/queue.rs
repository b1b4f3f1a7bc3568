//! The questions that wait at a desk, and what is known of each.
//!
//! Main types: [`Counter`], which a desk and its threads share, and [`Asked`], a question with its parts.

use super::own::Own;
use crate::solver::exchange::Board;
use crate::{AnswerSet, SolveError};
use solver_gpu::Lit;
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use yasmin_ground::program::Program;

/// Says whether a question is to be left.
pub type IsOver = Arc<dyn Fn() -> bool + Send + Sync>;

/// A question about a problem.
#[derive(Clone, Default)]
pub struct Inquiry {
    /// Literals over the program's atoms that are assumed.
    pub lits: Vec<Lit>,
    /// Literals over the program's atoms that do not all hold together, a list for each constraint.
    pub excluded: Vec<Vec<Lit>>,
    /// The problem that the question is about, if it is not the desk's.
    pub own: Option<Arc<Own>>,
    /// How many answer sets are wanted; 0: all. An optimum, and consequences, are looked for to the end.
    pub wanted: u64,
    /// Whether a core is to be minimal.
    pub minimal_core: bool,
    /// Says whether the question is to be left. It is asked every few milliseconds.
    pub is_over: Option<IsOver>,
}

/// What was found out about a question.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// The answer sets that were asked for; of those on the way to an optimum or to consequences, the last.
    pub answers: Vec<AnswerSet>,
    /// The program that they are answer sets of, if it is not the desk's.
    pub program: Option<Arc<Program>>,
    /// Whether no answer set was left out.
    pub is_exhausted: bool,
    /// The optimal costs, highest priority first, once they are proved.
    pub optimum: Option<Vec<i64>>,
    /// Assumptions that exclude each other, if there is no answer set.
    pub core: Option<Vec<Lit>>,
    /// The number of conflicts that the search has met.
    pub conflicts: u64,
    /// How long solvers were busy with the question.
    pub time: Duration,
    /// Into how many parts the question was divided.
    pub parts: usize,
    /// Whether a fleet has answered the question.
    pub by_fleet: bool,
}

/// A finding, or why there is none, with the number of its question.
pub type Reply = (u64, Result<Finding, SolveError>);

/// A question that was asked, and what is known of its parts.
pub struct Asked {
    pub number: u64,
    pub inquiry: Inquiry,
    pub began: OnceLock<Instant>,
    /// Whether enough is known.
    pub is_over: AtomicBool,
    pub parts: Mutex<Parts>,
}

/// What is known of the parts of a question.
pub struct Parts {
    /// How many were not searched yet.
    pub open: usize,
    pub found: Finding,
    /// A core that holds for the whole question.
    pub core: Option<Vec<Lit>>,
    pub failure: Option<SolveError>,
}

/// A question, and the literals of the solvers that hold in a part of it.
pub type Part = (Arc<Asked>, Vec<Lit>);

/// What the desk and its threads share.
#[derive(Default)]
pub struct Counter {
    pub queue: Mutex<Queue>,
    pub bell: Condvar,
    /// Rings for fleets.
    pub fleet_bell: Condvar,
    /// How many searchers fleets have.
    pub searchers: AtomicUsize,
    /// Why a fleet that was to join does not.
    pub absent: Mutex<Option<SolveError>>,
    /// All questions before this one are to be left.
    pub left: AtomicU64,
    pub board: Arc<Board>,
}

#[derive(Default)]
pub struct Queue {
    pub waiting: VecDeque<Part>,
    /// Questions that wait, and that a fleet may take.
    pub plain: VecDeque<Part>,
    /// Whether fleets alone take these.
    pub is_plain_for_fleets: bool,
    /// How many threads wait for a question.
    pub idle: usize,
    pub is_closed: bool,
}

impl Counter {
    pub fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn absent(&self) -> MutexGuard<'_, Option<SolveError>> {
        self.absent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nobody waits for the finding of a question any more.
    pub fn is_left(&self, asked: &Asked) -> bool {
        let is_over = asked.inquiry.is_over.as_ref();
        asked.number < self.left.load(Ordering::Relaxed) || is_over.is_some_and(|is_over| is_over())
    }

    /// Whether a thread has nothing to do.
    pub fn has_idle(&self) -> bool {
        let queue = self.queue();
        let plain = if queue.is_plain_for_fleets { 0 } else { queue.plain.len() };
        queue.idle > queue.waiting.len() + plain
    }

    /// Lets a part of a question wait before all others.
    pub fn give(&self, (asked, cube): Part) {
        asked.parts().open += 1;
        self.queue().waiting.push_front((asked, cube));
        self.bell.notify_one();
    }

    /// Waits for the next question, or a part of one. `None` if none comes any more.
    pub fn take(&self) -> Option<Part> {
        let mut queue = self.queue();
        loop {
            if queue.is_closed {
                return None;
            }
            if let Some(next) = queue.waiting.pop_front() {
                return Some(next);
            }
            if !queue.is_plain_for_fleets {
                if let Some(next) = queue.plain.pop_front() {
                    return Some(next);
                }
            }
            queue.idle += 1;
            queue = self.bell.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.idle -= 1;
        }
    }

    /// Takes up to `most` plain questions, but leaves `reserve` of them. Waits for one if `waits`. `None` if
    /// none comes any more.
    pub fn take_plain(&self, most: usize, waits: bool, reserve: usize) -> Option<Vec<Part>> {
        let mut queue = self.queue();
        loop {
            if queue.is_closed {
                return None;
            }
            let taken = queue.plain.len().saturating_sub(reserve).min(most);
            if taken > 0 || !waits {
                return Some(queue.plain.drain(..taken).collect());
            }
            queue = self.fleet_bell.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether there are plain questions besides the reserve.
    pub fn has_plain(&self, reserve: usize) -> bool {
        self.queue().plain.len() > reserve
    }

    pub fn is_closed(&self) -> bool {
        self.queue().is_closed
    }

    /// How many solvers have nothing to do.
    pub fn idle(&self) -> usize {
        let queue = self.queue();
        queue.idle.saturating_sub(queue.waiting.len() + queue.plain.len())
    }

    /// Lets the solvers answer a question that the fleet had.
    pub fn give_back(&self, asked: Arc<Asked>) {
        self.queue().waiting.push_front((asked, Vec::new()));
        self.bell.notify_one();
    }
}

impl Asked {
    pub fn new(number: u64, inquiry: Inquiry) -> Asked {
        // Nothing is left out if nothing is left out of any part.
        let found = Finding { is_exhausted: true, ..Finding::default() };
        let parts = Mutex::new(Parts { open: 1, found, core: None, failure: None });
        Asked { number, inquiry, began: OnceLock::new(), is_over: AtomicBool::new(false), parts }
    }

    pub fn parts(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what there is in a part, and whether a core of the part is one of the question. Returns what
    /// there is in all parts, after the last one.
    pub fn note(&self, found: Result<(Finding, bool), SolveError>) -> Option<Result<Finding, SolveError>> {
        let (mut parts, wanted) = (self.parts(), self.inquiry.wanted as usize);
        parts.open -= 1;
        match found {
            Ok((of, is_core_of_all)) => {
                let all = &mut parts.found;
                all.is_exhausted &= of.is_exhausted;
                all.parts += 1;
                all.conflicts += of.conflicts;
                all.by_fleet |= of.by_fleet;
                all.answers.extend(of.answers);
                all.program = all.program.take().or(of.program);
                all.optimum = all.optimum.take().or(of.optimum);
                match of.core {
                    Some(core) if is_core_of_all => parts.core = Some(core),
                    // Whoever assumes the cores of all parts is in one of the parts.
                    core => all.core.get_or_insert_default().extend(core.unwrap_or_default()),
                }
            }
            Err(why) => parts.failure = Some(why),
        }
        let is_enough = wanted > 0 && parts.found.answers.len() >= wanted;
        if is_enough || parts.core.is_some() || parts.failure.is_some() {
            self.is_over.store(true, Ordering::Relaxed);
        }
        (parts.open == 0).then(|| {
            if let Some(why) = parts.failure.take() {
                return Err(why);
            }
            let mut all = std::mem::take(&mut parts.found);
            let core = parts.core.take();
            all.is_exhausted |= core.is_some();
            all.core = core.or(all.core).filter(|_| all.is_exhausted && all.answers.is_empty());
            if let Some(core) = all.core.as_mut().filter(|_| all.parts > 1) {
                let needed: HashSet<Lit> = core.drain(..).collect();
                core.extend(self.inquiry.lits.iter().filter(|lit| needed.contains(lit)));
            }
            // Each part has looked for as many as are wanted.
            if wanted > 0 && all.answers.len() > wanted {
                all.answers.truncate(wanted);
                all.is_exhausted = false;
            }
            all.time = self.began.get().map_or(Duration::ZERO, Instant::elapsed);
            Ok(all)
        })
    }
}
