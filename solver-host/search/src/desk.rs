//! Many questions about one problem: [`Desk`].
//!
//! Main function: [`Desk::ask`]. Solvers of one [`Problem`], each on a thread of its own, take the next
//! question from one queue, and so do the searchers of fleets (see `desk/fleet.rs`). Nothing is prepared
//! again for a question. A question is a cube with a name: its literals are decisions, so that what a solver
//! learns holds for all questions, and for the other solvers (see `solver/exchange.rs`). If a question lasts,
//! solvers that have nothing to do search parts of it: smaller cubes. Questions that change the problem have
//! one of their own (`desk/own.rs`).
//!
//! Invariants: the parts of a question are disjoint; with what was searched they are the whole question. Each
//! question that was asked has one finding, also one that is cancelled or whose search fails. What is known
//! of the costs in one question is unknown in the next ([`Solver::assume`]).

mod fleet;
mod own;
mod queue;

use super::minimal::{minimal_core, WithoutOne};
use super::searcher::problem::Problem;
use super::{Goal, Optimization, Options, ParallelMode, Reasoning, SolveError, Solver, Step};
use fleet::{are_plain, is_plain, FleetClerk};
pub use own::Own;
use queue::{Asked, Counter, Part, Reply};
pub use queue::{Finding, Inquiry};
use solver_gpu::Lit;
use std::cell::Cell;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};
use yasmin_device::DeviceKind;

/// How long a part of a question is searched at least before some of it is given away.
const LEAST: Duration = Duration::from_millis(1);

/// How many questions are to be open for each searcher of a fleet: more than a fleet has room for.
const AHEAD: u64 = 6;

/// See the module's documentation.
pub struct Desk {
    problem: Arc<Problem>,
    options: Options,
    counter: Arc<Counter>,
    threads: Vec<JoinHandle<()>>,
    /// How many of the threads have a solver.
    solvers: usize,
    replies: (Sender<Reply>, Receiver<Reply>),
    /// How many questions were asked, and how many have no finding yet.
    asked: u64,
    open: u64,
    fleets: Fleets,
}

/// What has become of fleets.
enum Fleets {
    /// There are none.
    None,
    /// They answer plain questions from the first one on, alone.
    Begin,
    /// They join if the questions last, which were first asked then.
    MayJoin(Option<Instant>),
    /// They have begun.
    Have,
}

impl Desk {
    /// A desk without a solver. The first question makes the threads, as many as the options say, and each
    /// makes its solver when it has something to do.
    pub fn new(problem: &Arc<Problem>, options: Options) -> Desk {
        let counter: Arc<Counter> = Arc::default();
        let begins = options.wants_fleet() && !matches!(options.device, DeviceKind::Auto | DeviceKind::Cpu);
        let fleets = match are_plain(problem) {
            true if options.joins() => Fleets::MayJoin(None),
            true if begins => Fleets::Begin,
            _ => Fleets::None,
        };
        counter.queue().is_plain_for_fleets = matches!(fleets, Fleets::Begin);
        let (problem, threads, replies) = (problem.clone(), Vec::new(), channel());
        Desk { problem, options, counter, threads, solvers: 0, replies, asked: 0, open: 0, fleets }
    }

    /// Asks a question, and returns its number, from 0 on.
    ///
    /// # Errors
    /// [`SolveError::Threads`] if there is no thread at all.
    pub fn ask(&mut self, inquiry: Inquiry) -> Result<u64, SolveError> {
        while self.solvers < self.options.parallel_mode.searchers() {
            match self.another() {
                Ok(thread) => {
                    self.threads.push(thread);
                    self.solvers += 1;
                }
                Err(why) if self.solvers == 0 => return Err(why),
                // The others do.
                Err(_) => break,
            }
        }
        self.let_fleets_join()?;
        let is_plain = !matches!(self.fleets, Fleets::None) && is_plain(&inquiry);
        let part = (Arc::new(Asked::new(self.asked, inquiry)), Vec::new());
        let mut queue = self.counter.queue();
        if is_plain {
            queue.plain.push_back(part);
            self.counter.fleet_bell.notify_one();
        } else {
            queue.waiting.push_back(part);
        }
        // To wake a thread asks the system, even if none sleeps.
        let wakes = queue.idle > 0 && (!is_plain || !queue.is_plain_for_fleets);
        drop(queue);
        if wakes {
            self.counter.bell.notify_one();
        }
        (self.asked, self.open) = (self.asked + 1, self.open + 1);
        Ok(self.asked - 1)
    }

    /// Lets fleets answer questions if it is time for that.
    fn let_fleets_join(&mut self) -> Result<(), SolveError> {
        let joins = match &mut self.fleets {
            Fleets::None | Fleets::Have => return Ok(()),
            Fleets::Begin => false,
            Fleets::MayJoin(began) => {
                let began = *began.get_or_insert_with(Instant::now);
                let patience = self.options.open_after.patience(self.problem.task.prepare_seconds);
                let waiting = self.counter.queue().plain.len();
                if began.elapsed() < patience || waiting < 2 * self.solvers {
                    return Ok(());
                }
                true
            }
        };
        self.fleets = Fleets::Have;
        let devices = self.options.devices_of_fleets()?;
        for device in devices {
            let (problem, options, counter) = (self.problem.clone(), self.options, self.counter.clone());
            let (tell, device) = (self.replies.0.clone(), (device != self.problem.device).then_some(device));
            let clerk = FleetClerk { problem, options, device, joins };
            let thread = Builder::new().name("questions of a fleet".into());
            match thread.spawn(move || clerk.serve(&counter, &tell)) {
                Ok(thread) => self.threads.push(thread),
                Err(why) if !joins => return Err(SolveError::Threads(why.to_string())),
                // The others do.
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// How many searchers fleets have, and why there are none where they were to join.
    pub fn fleets(&self) -> (usize, Option<SolveError>) {
        (self.counter.searchers.load(Ordering::Relaxed), self.counter.absent().clone())
    }

    /// How many questions are to be open, so that each searcher has the next one at once: `each` for each
    /// searcher on a thread, and more than a fleet has room for.
    pub fn ahead(&self, each: u64) -> u64 {
        let fleets = self.counter.searchers.load(Ordering::Relaxed) as u64;
        each * self.options.parallel_mode.searchers() as u64 + AHEAD * fleets
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
        let (problem, counter, number) = (self.problem.clone(), self.counter.clone(), self.solvers);
        let options = Options { parallel_mode: ParallelMode::Searchers(1), ..self.options };
        let tell = self.replies.0.clone();
        let serves =
            move || Clerk { problem, options, number, solver: None, other: None }.serve(&counter, &tell);
        let thread = Builder::new().name(format!("questions {number}")).spawn(serves);
        thread.map_err(|why| SolveError::Threads(why.to_string()))
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.counter.left.store(u64::MAX, Ordering::Relaxed);
        self.counter.queue().is_closed = true;
        self.counter.bell.notify_all();
        self.counter.fleet_bell.notify_all();
        // A thread that has panicked has said so.
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

/// Who answers on a thread.
struct Clerk {
    problem: Arc<Problem>,
    options: Options,
    number: usize,
    solver: Option<Solver>,
    /// The solver of the last question with a problem of its own.
    other: Option<(Arc<Own>, Solver)>,
}

impl Clerk {
    /// Answers questions until none comes any more.
    fn serve(mut self, counter: &Counter, tell: &Sender<Reply>) {
        while let Some((asked, cube)) = counter.take() {
            asked.began.get_or_init(Instant::now);
            let is_left = || counter.is_left(&asked);
            let is_over = || asked.is_over.load(Ordering::Relaxed) || is_left();
            let found = self.watched(&asked, |clerk| clerk.answer(counter, &asked, cube, &is_over));
            let Some(mut found) = asked.note(found) else { continue };
            if asked.inquiry.minimal_core {
                let minimize = |clerk: &mut Clerk, found| clerk.minimize(counter, &asked, found, &is_left);
                found = found.and_then(|found| self.watched(&asked, |clerk| minimize(clerk, found)));
            }
            if tell.send((asked.number, found)).is_err() {
                return;
            }
        }
    }

    /// What `search` comes to, also if it panics.
    fn watched<T>(
        &mut self,
        asked: &Asked,
        search: impl FnOnce(&mut Clerk) -> Result<T, SolveError>,
    ) -> Result<T, SolveError> {
        let found = catch_unwind(AssertUnwindSafe(|| search(self)))
            .unwrap_or(Err(SolveError::Internal("a search for a question has panicked")));
        if !matches!(found, Ok(_) | Err(SolveError::NoAtom(_))) {
            // The search cannot be continued.
            match asked.inquiry.own {
                Some(_) => self.other = None,
                None => self.solver = None,
            }
        }
        found
    }

    /// The solver for a question.
    fn solver(&mut self, counter: &Counter, asked: &Asked) -> Result<&mut Solver, SolveError> {
        let Clerk { problem, options, number, solver, other } = self;
        let new = |problem: &Arc<Problem>, board| -> Result<Solver, SolveError> {
            let mut solver = Solver::of(problem, *options)?;
            solver.share(board, *number);
            Ok(solver)
        };
        let Some(own) = &asked.inquiry.own else {
            return match solver {
                Some(solver) => Ok(solver),
                none => Ok(none.insert(new(problem, &counter.board)?)),
            };
        };
        if other.as_ref().is_some_and(|(known, _)| !Arc::ptr_eq(known, own)) {
            // Its memory is free before there is another one.
            *other = None;
        }
        match other {
            Some((_, solver)) => Ok(solver),
            none => Ok(&mut none.insert((own.clone(), new(&own.problem(problem)?, &own.board)?)).1),
        }
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
        // As for a search that others join.
        let when = self.options.join_after;
        let solver = self.solver(counter, asked)?;
        let patience = when.patience(solver.task().prepare_seconds);
        let before = solver.conflicts();
        let mut found = found(solver, (counter, patience), (asked.clone(), cube), is_over)?;
        found.conflicts = solver.conflicts() - before;
        let is_core_of_all = solver.is_core_of_all();
        Ok((found, is_core_of_all))
    }

    /// Leaves out of a core what is not needed, as far as that can be known in time.
    fn minimize(
        &mut self,
        counter: &Counter,
        asked: &Asked,
        mut found: Finding,
        is_left: &dyn Fn() -> bool,
    ) -> Result<Finding, SolveError> {
        if let Some(core) = found.core.take() {
            let solver = self.solver(counter, asked)?;
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
    let program = of.own.as_ref().map(|_| solver.program().clone());
    let mut found = Finding { program, ..Finding::default() };
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
