//! Many questions about one problem: [`Desk`].
//!
//! Main function: [`Desk::ask`]. Solvers of one [`Problem`], each on a thread of its own, take the next
//! question from one queue. Nothing is prepared again for a question. A question is a cube with a name: its
//! literals are decisions, so that what a solver learns holds for all questions, and for the other solvers
//! (see `solver/exchange.rs`).
//!
//! Invariants: each question that was asked has one finding, also one that is cancelled or whose search
//! fails. What is known of the costs in one question is unknown in the next ([`Solver::assume`]).

use super::minimal::{minimal_core, WithoutOne};
use super::searcher::problem::Problem;
use super::solver::exchange::Board;
use super::{AnswerSet, Goal, Optimization, Options, ParallelMode, Reasoning, SolveError, Solver, Step};
use solver_gpu::Lit;
use std::collections::VecDeque;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Says whether a question is to be left.
pub type IsOver = Arc<dyn Fn() -> bool + Send + Sync>;

/// A question about a problem.
#[derive(Clone, Default)]
pub struct Inquiry {
    /// Literals over the program's atoms that are assumed.
    pub lits: Vec<Lit>,
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
    /// How long a solver was busy with the question.
    pub time: Duration,
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
    waiting: VecDeque<(u64, Inquiry)>,
    /// How many threads wait for a question.
    idle: usize,
    is_closed: bool,
}

impl Desk {
    /// A desk without a solver. The first questions make the solvers, as many as the options say at most.
    pub fn new(problem: &Arc<Problem>, options: Options) -> Desk {
        let (problem, counter) = (problem.clone(), Arc::default());
        Desk { problem, options, counter, threads: Vec::new(), replies: channel(), asked: 0, open: 0 }
    }

    /// Asks a question, and returns its number, from 0 on.
    ///
    /// # Errors
    /// [`SolveError::Threads`] if there is no thread at all.
    pub fn ask(&mut self, inquiry: Inquiry) -> Result<u64, SolveError> {
        let mut queue = self.counter.queue();
        if queue.idle <= queue.waiting.len() && self.threads.len() < self.options.parallel_mode.searchers() {
            drop(queue);
            match self.another() {
                Ok(thread) => self.threads.push(thread),
                Err(why) if self.threads.is_empty() => return Err(why),
                // The others do.
                Err(_) => {}
            }
            queue = self.counter.queue();
        }
        queue.waiting.push_back((self.asked, inquiry));
        self.counter.bell.notify_one();
        drop(queue);
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

    /// Waits for the next question. `None` if none comes any more.
    fn take(&self) -> Option<(u64, Inquiry)> {
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
        while let Some((number, inquiry)) = counter.take() {
            let is_over = || {
                number < counter.left.load(Ordering::Relaxed)
                    || inquiry.is_over.as_ref().is_some_and(|is_over| is_over())
            };
            let answered = || self.answer(&counter.board, &inquiry, &is_over);
            let found = catch_unwind(AssertUnwindSafe(answered))
                .unwrap_or(Err(SolveError::Internal("a search for a question has panicked")));
            if !matches!(found, Ok(_) | Err(SolveError::NoAtom(_))) {
                // The search cannot be continued.
                self.solver = None;
            }
            if tell.send((number, found)).is_err() {
                return;
            }
        }
    }

    fn answer(
        &mut self,
        board: &Arc<Board>,
        of: &Inquiry,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Finding, SolveError> {
        let began = Instant::now();
        if is_over() {
            return Ok(Finding::default());
        }
        let solver = match &mut self.solver {
            Some(solver) => solver,
            none => {
                let solver = none.insert(Solver::of(&self.problem, self.options)?);
                solver.share(board, self.number);
                solver
            }
        };
        let before = solver.conflicts();
        let mut found = found(solver, &of.lits, of.wanted, is_over)?;
        if of.minimal_core {
            found.core = found.core.map(|core| minimized(solver, core, is_over)).transpose()?;
        }
        found.conflicts = solver.conflicts() - before;
        found.time = began.elapsed();
        Ok(found)
    }
}

/// Whether of the answer sets of a goal the last one alone is asked for.
fn wants_last(solver: &Solver) -> bool {
    let Goal { reasoning, optimization, .. } = solver.goal();
    let optimizes = *optimization == Optimization::Opt && !solver.program().minimize.is_empty();
    *reasoning != Reasoning::Enumerate || optimizes
}

/// What there is under the assumptions `lits`.
fn found(
    solver: &mut Solver,
    lits: &[Lit],
    wanted: u64,
    is_over: &dyn Fn() -> bool,
) -> Result<Finding, SolveError> {
    let wants_last = wants_last(solver);
    let looks_for_optima =
        solver.goal().optimization == Optimization::OptN && !solver.program().minimize.is_empty();
    let wanted = if wants_last { 0 } else { wanted };
    solver.want(if looks_for_optima { 0 } else { wanted });
    solver.assume(lits)?;
    let mut found = Finding::default();
    loop {
        let are_counted = !looks_for_optima || found.answers.last().is_some_and(|last| last.is_optimal);
        if wanted > 0 && are_counted && found.answers.len() as u64 >= wanted {
            // What the last answer set claims is verified.
            solver.check_end()?;
            found.is_exhausted = solver.all_searched().is_some();
            break;
        }
        match solver.next_answer(is_over)? {
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
    is_over: &dyn Fn() -> bool,
) -> Result<Vec<Lit>, SolveError> {
    let ask = |rest: &[Lit]| {
        solver.want(1);
        solver.assume(rest)?;
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
