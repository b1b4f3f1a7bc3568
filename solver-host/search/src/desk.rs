//! Many questions about one problem: [`Desk`].
//!
//! Main function: [`Desk::ask`]. Solvers of one [`Problem`], each on a thread of its own, take the next
//! question from one queue. Nothing is prepared again for a question. A question is a cube with a name: its
//! literals are decisions, so that what a solver learns holds for all questions, and for the other solvers
//! (see `solver/exchange.rs`). If a question lasts, solvers that have nothing to do search parts of it:
//! smaller cubes.
//!
//! Invariants: the parts of a question are disjoint; with what was searched they are the whole question. Each
//! question that was asked has one finding, also one that is cancelled or whose search fails. What is known
//! of the costs in one question is unknown in the next ([`Solver::assume`]).

use super::minimal::{minimal_core, WithoutOne};
use super::searcher::problem::Problem;
use super::solver::exchange::Board;
use super::{
    AnswerSet, Goal, Optimization, Options, ParallelMode, Reasoning, SolveError, Solver, Step, When,
};
use solver_gpu::Lit;
use std::cell::Cell;
use std::collections::{HashSet, VecDeque};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// How long a part of a question is searched at least before some of it is given away.
const LEAST: Duration = Duration::from_millis(1);

/// Says whether a question is to be left.
pub type IsOver = Arc<dyn Fn() -> bool + Send + Sync>;

/// A question about a problem.
#[derive(Clone, Default)]
pub struct Inquiry {
    /// Literals over the program's atoms that are assumed.
    pub lits: Vec<Lit>,
    /// Literals over the program's atoms that do not all hold together, a list for each constraint.
    pub excluded: Vec<Vec<Lit>>,
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
}

/// A finding, or why there is none, with the number of its question.
type Reply = (u64, Result<Finding, SolveError>);

/// See the module's documentation.
pub struct Desk {
    problem: Arc<Problem>,
    options: Options,
    counter: Arc<Counter>,
    threads: Vec<JoinHandle<()>>,
    replies: (Sender<Reply>, Receiver<Reply>),
    /// How many questions were asked, and how many have no finding yet.
    asked: u64,
    open: u64,
}

/// A question that was asked, and what is known of its parts.
struct Asked {
    number: u64,
    inquiry: Inquiry,
    began: OnceLock<Instant>,
    /// Whether enough is known.
    is_over: AtomicBool,
    parts: Mutex<Parts>,
}

/// What is known of the parts of a question.
struct Parts {
    /// How many were not searched yet.
    open: usize,
    found: Finding,
    /// A core that holds for the whole question.
    core: Option<Vec<Lit>>,
    failure: Option<SolveError>,
}

/// A question, and the literals of the solvers that hold in a part of it.
type Part = (Arc<Asked>, Vec<Lit>);

/// What the desk and its threads share.
#[derive(Default)]
struct Counter {
    queue: Mutex<Queue>,
    bell: Condvar,
    /// All questions before this one are to be left.
    left: AtomicU64,
    board: Arc<Board>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Part>,
    /// How many threads wait for a question.
    idle: usize,
    is_closed: bool,
}

impl Desk {
    /// A desk without a solver. The first question makes the threads, as many as the options say, and each
    /// makes its solver when it has something to do.
    pub fn new(problem: &Arc<Problem>, options: Options) -> Desk {
        let (problem, counter) = (problem.clone(), Arc::default());
        Desk { problem, options, counter, threads: Vec::new(), replies: channel(), asked: 0, open: 0 }
    }

    /// Asks a question, and returns its number, from 0 on.
    ///
    /// # Errors
    /// [`SolveError::Threads`] if there is no thread at all.
    pub fn ask(&mut self, inquiry: Inquiry) -> Result<u64, SolveError> {
        while self.threads.len() < self.options.parallel_mode.searchers() {
            match self.another() {
                Ok(thread) => self.threads.push(thread),
                Err(why) if self.threads.is_empty() => return Err(why),
                // The others do.
                Err(_) => break,
            }
        }
        let asked = Asked::new(self.asked, inquiry);
        self.counter.queue().waiting.push_back((Arc::new(asked), Vec::new()));
        self.counter.bell.notify_one();
        (self.asked, self.open) = (self.asked + 1, self.open + 1);
        Ok(self.asked - 1)
    }

    /// How many questions have no finding yet.
    pub fn open(&self) -> u64 {
        self.open
    }

    /// The next finding, or error, with the number of its question. Waits for `wait` at most.
    pub fn next(&mut self, wait: Duration) -> Option<(u64, Result<Finding, SolveError>)> {
        let reply = self.replies.1.recv_timeout(wait).ok()?;
        self.open -= 1;
        Some(reply)
    }

    /// Leaves all questions that were asked so far. Their findings say what is known by then.
    pub fn cancel(&self) {
        self.counter.left.store(self.asked, Ordering::Relaxed);
    }

    fn another(&self) -> Result<JoinHandle<()>, SolveError> {
        let (problem, counter, number) = (self.problem.clone(), self.counter.clone(), self.threads.len());
        let options = Options { parallel_mode: ParallelMode::Searchers(1), ..self.options };
        let tell = self.replies.0.clone();
        let serves = move || Clerk { problem, options, number, solver: None }.serve(&counter, &tell);
        let thread = Builder::new().name(format!("questions {number}")).spawn(serves);
        thread.map_err(|why| SolveError::Threads(why.to_string()))
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.counter.left.store(u64::MAX, Ordering::Relaxed);
        self.counter.queue().is_closed = true;
        self.counter.bell.notify_all();
        // A thread that has panicked has said so.
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

impl Counter {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a thread has nothing to do.
    fn has_idle(&self) -> bool {
        let queue = self.queue();
        queue.idle > queue.waiting.len()
    }

    /// Lets a part of a question wait before all others.
    fn give(&self, (asked, cube): Part) {
        asked.parts().open += 1;
        self.queue().waiting.push_front((asked, cube));
        self.bell.notify_one();
    }

    /// Waits for the next question, or a part of one. `None` if none comes any more.
    fn take(&self) -> Option<Part> {
        let mut queue = self.queue();
        loop {
            if queue.is_closed {
                return None;
            }
            if let Some(next) = queue.waiting.pop_front() {
                return Some(next);
            }
            queue.idle += 1;
            queue = self.bell.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.idle -= 1;
        }
    }
}

impl Asked {
    fn new(number: u64, inquiry: Inquiry) -> Asked {
        // Nothing is left out if nothing is left out of any part.
        let found = Finding { is_exhausted: true, ..Finding::default() };
        let parts = Mutex::new(Parts { open: 1, found, core: None, failure: None });
        Asked { number, inquiry, began: OnceLock::new(), is_over: AtomicBool::new(false), parts }
    }

    fn parts(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what there is in a part, and whether a core of the part is one of the question. Returns what
    /// there is in all parts, after the last one.
    fn note(&self, found: Result<(Finding, bool), SolveError>) -> Option<Result<Finding, SolveError>> {
        let (mut parts, wanted) = (self.parts(), self.inquiry.wanted as usize);
        parts.open -= 1;
        match found {
            Ok((of, is_core_of_all)) => {
                let all = &mut parts.found;
                all.is_exhausted &= of.is_exhausted;
                all.parts += 1;
                all.conflicts += of.conflicts;
                all.answers.extend(of.answers);
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

/// Who answers on a thread.
struct Clerk {
    problem: Arc<Problem>,
    options: Options,
    number: usize,
    solver: Option<Solver>,
}

impl Clerk {
    /// Answers questions until none comes any more.
    fn serve(mut self, counter: &Counter, tell: &Sender<Reply>) {
        while let Some((asked, cube)) = counter.take() {
            asked.began.get_or_init(Instant::now);
            let is_left = || {
                let is_over = asked.inquiry.is_over.as_ref();
                asked.number < counter.left.load(Ordering::Relaxed)
                    || is_over.is_some_and(|is_over| is_over())
            };
            let is_over = || asked.is_over.load(Ordering::Relaxed) || is_left();
            let found = self.watched(|clerk| clerk.answer(counter, &asked, cube, &is_over));
            let Some(mut found) = asked.note(found) else { continue };
            if asked.inquiry.minimal_core {
                found = found.and_then(|found| self.watched(|clerk| clerk.minimize(&asked, found, &is_left)));
            }
            if tell.send((asked.number, found)).is_err() {
                return;
            }
        }
    }

    /// What `search` comes to, also if it panics.
    fn watched<T>(
        &mut self,
        search: impl FnOnce(&mut Clerk) -> Result<T, SolveError>,
    ) -> Result<T, SolveError> {
        let found = catch_unwind(AssertUnwindSafe(|| search(self)))
            .unwrap_or(Err(SolveError::Internal("a search for a question has panicked")));
        if !matches!(found, Ok(_) | Err(SolveError::NoAtom(_))) {
            // The search cannot be continued.
            self.solver = None;
        }
        found
    }

    /// What there is in a part of a question, and whether a core of the part is one of the question.
    fn answer(
        &mut self,
        counter: &Counter,
        asked: &Arc<Asked>,
        cube: Vec<Lit>,
        is_over: &dyn Fn() -> bool,
    ) -> Result<(Finding, bool), SolveError> {
        if is_over() {
            return Ok((Finding::default(), false));
        }
        let solver = match &mut self.solver {
            Some(solver) => solver,
            none => {
                let solver = none.insert(Solver::of(&self.problem, self.options)?);
                solver.share(&counter.board, self.number);
                solver
            }
        };
        let before = solver.conflicts();
        // As for a search that others join.
        let patience = match self.options.join_after {
            When::Milliseconds(ms) => Duration::from_millis(ms.into()),
            When::Conflict(_) | When::Answer(_) | When::Phase(_) => Duration::ZERO,
        };
        let mut found = found(solver, (counter, patience), (asked.clone(), cube), is_over)?;
        found.conflicts = solver.conflicts() - before;
        let is_core_of_all = solver.is_core_of_all();
        Ok((found, is_core_of_all))
    }

    /// Leaves out of a core what is not needed, as far as that can be known in time.
    fn minimize(
        &mut self,
        asked: &Asked,
        mut found: Finding,
        is_left: &dyn Fn() -> bool,
    ) -> Result<Finding, SolveError> {
        if let (Some(core), Some(solver)) = (found.core.take(), &mut self.solver) {
            let before = solver.conflicts();
            found.core = Some(minimized(solver, core, &asked.inquiry.excluded, is_left)?);
            found.conflicts += solver.conflicts() - before;
            found.time = asked.began.get().map_or(found.time, Instant::elapsed);
        }
        Ok(found)
    }
}

/// Whether of the answer sets of a goal the last one alone is asked for.
fn wants_last(solver: &Solver) -> bool {
    let Goal { reasoning, optimization, .. } = solver.goal();
    let optimizes = *optimization == Optimization::Opt && !solver.program().minimize.is_empty();
    *reasoning != Reasoning::Enumerate || optimizes
}

/// What there is in a part of a question. Once it lasts, and every so often, a part of it is given to a
/// thread that has nothing to do.
fn found(
    solver: &mut Solver,
    (counter, patience): (&Counter, Duration),
    (asked, cube): Part,
    is_over: &dyn Fn() -> bool,
) -> Result<Finding, SolveError> {
    let of = &asked.inquiry;
    let wants_last = wants_last(solver);
    let looks_for_optima =
        solver.goal().optimization == Optimization::OptN && !solver.program().minimize.is_empty();
    let wanted = if wants_last { 0 } else { of.wanted };
    solver.want(if looks_for_optima { 0 } else { wanted });
    solver.assume_in(&of.lits, &of.excluded, &cube)?;
    let mut found = Finding::default();
    // Between two attempts to give something away the search goes on. What is begun anew after each of them,
    // such as the look for a smaller model, has twice the time after each attempt in vain.
    let mut patience = patience.max(LEAST);
    let due = Cell::new(Instant::now() + patience);
    let is_due = || Instant::now() >= due.get() && counter.has_idle();
    loop {
        let are_counted = !looks_for_optima || found.answers.last().is_some_and(|last| last.is_optimal);
        if wanted > 0 && are_counted && found.answers.len() as u64 >= wanted {
            // What the last answer set claims is verified.
            solver.check_end()?;
            found.is_exhausted = solver.all_searched().is_some();
            break;
        }
        match solver.next_answer(&|| is_over() || is_due())? {
            Step::Answer(answer) => {
                // An answer set on the way to the optimum gives way to a better one.
                if wants_last || looks_for_optima && found.answers.last().is_some_and(|last| !last.is_optimal)
                {
                    found.answers.clear();
                }
                found.answers.push(answer);
            }
            Step::Exhausted => {
                found.is_exhausted = true;
                break;
            }
            Step::Interrupted | Step::Counted(_) if is_over() => break,
            Step::Interrupted | Step::Counted(_) if is_due() => {
                match solver.divide()? {
                    Some(cube) => counter.give((asked.clone(), cube)),
                    None => patience *= 2,
                }
                due.set(Instant::now() + patience);
            }
            Step::Interrupted | Step::Counted(_) => {}
        }
    }
    found.optimum = solver.optimum().map(<[i64]>::to_vec);
    if found.is_exhausted && found.answers.is_empty() {
        // Without assumptions nothing is needed but the program.
        found.core = Some(solver.core().unwrap_or_default().to_vec());
    }
    Ok(found)
}

/// What of a core is needed, as far as that can be known in time.
fn minimized(
    solver: &mut Solver,
    core: Vec<Lit>,
    excluded: &[Vec<Lit>],
    is_over: &dyn Fn() -> bool,
) -> Result<Vec<Lit>, SolveError> {
    let ask = |rest: &[Lit]| {
        solver.want(1);
        solver.assume_without(rest, excluded)?;
        loop {
            return Ok(match solver.next_answer(is_over)? {
                Step::Answer(_) => WithoutOne::Holds,
                Step::Exhausted => WithoutOne::Core(solver.core().unwrap_or_default().to_vec()),
                Step::Interrupted | Step::Counted(_) if is_over() => WithoutOne::Stopped,
                Step::Interrupted | Step::Counted(_) => continue,
            });
        }
    };
    minimal_core(core, ask).map(|(core, _)| core)
}

#[cfg(all(test, feature = "executors"))]
mod tests;
