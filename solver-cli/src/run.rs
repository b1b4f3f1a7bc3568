//! One run: a worker reads, prepares and searches; the calling thread watches over the time limit and signals.
//!
//! Main function: [`run`]. The worker polls a flag, and ends by itself when the search is on. Reading and preparing
//! poll nothing; there, and if the search does not notice in time, the watcher closes the document and ends the
//! run without the worker, and the grounder with it.

use std::cell::Cell;
use std::error::Error;
use std::io;
use std::ops::{Deref, DerefMut};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use solver_host::input::ground::Guard;
use solver_host::output::statistics::shaped;
use solver_host::output::{self, printer, Answer, Failure, Level, Stop, Trouble};
use solver_host::search::{is_opening_device, Optimization};

use super::engine::{
    in_use, open, open_trace, prepare, print_grounded, print_simplified, read, Engine, Next,
};
use super::hold::Hold;
use super::memory::{self, GoesOn};
use super::only_failure::OnlyFailure;
use super::progress::{InLine, Progress, EVERY};
use super::session::{Outcome, Purpose, Session};
use super::standard_output::{self, StandardOutput};
use super::usage;
use super::validated::{Request, Task};
use super::{exit, Ending};

/// How long the search may take to notice that it is to stop.
const GRACE: Duration = Duration::from_secs(2);
/// How long a grounder may linger after the search before its exit code does not count any more.
const LINGERS: Duration = Duration::from_secs(1);
/// How often conflicts and restarts are compared with their limit.
const COUNTED: Duration = Duration::from_millis(5);

enum Event {
    Signal,
    Ended(Ending),
}

/// What worker and watcher share.
struct Shared {
    session: Mutex<Session>,
    /// 0, or 1 + which [`Stop`].
    stop: AtomicU8,
    searching: AtomicBool,
    guard: Guard,
    /// Says something on standard error that is no error.
    tell: fn(&str),
}

/// A session in use. A thread without memory ends the run through the session, so whoever has it goes on until
/// the session is free again.
struct Held<'a> {
    // Fields are dropped in this order.
    session: MutexGuard<'a, Session>,
    _goes_on: GoesOn,
}

impl Deref for Held<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut Session {
        &mut self.session
    }
}

impl Shared {
    fn session(&self) -> Held<'_> {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        Held { session, _goes_on: GoesOn::new() }
    }

    /// The session, unless another thread has it.
    fn free_session(&self) -> Option<Held<'_>> {
        let session = match self.session.try_lock() {
            Ok(session) => session,
            Err(TryLockError::Poisoned(session)) => session.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(Held { session, _goes_on: GoesOn::new() })
    }

    /// Says something that the user should know, besides the results.
    fn warn(&self, text: &str) {
        self.session().warn(self.tell, &format!("yasmin: warning: {text}"));
    }

    /// Tells somebody who looks how far the run has come before the search. Who prints meanwhile is not waited for.
    fn progress_before_search(&self) {
        if let Ok(mut session) = self.session.try_lock() {
            session.progress_before_search(self.guard.reading());
        }
    }

    /// Asks the search to stop; the first reason counts.
    fn ask_to_stop(&self, why: Stop) {
        let code = if why == Stop::Interrupted { 1 } else { 2 };
        // Relaxed: the flag carries no other data.
        let _ = self.stop.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn stopped(&self) -> Option<Stop> {
        match self.stop.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Stop::Interrupted),
            _ => Some(Stop::TimeLimit),
        }
    }
}

/// Does what is asked for, with results on standard output. Says by `tell` what else the user should know.
pub fn run(request: Request, tell: fn(&str)) -> Ending {
    let guard = Guard::default();
    let ending = run_guarded(request, &guard, tell);
    // Whatever happened, no grounder goes on without us.
    guard.stop();
    ending
}

fn run_guarded(request: Request, guard: &Guard, tell: fn(&str)) -> Ending {
    let began = Instant::now();
    let deadline = request.time_limit.and_then(|limit| began.checked_add(limit));
    for note in &request.notes {
        tell(&format!("yasmin: note: {note}"));
    }
    let is_in_line = InLine::default();
    let hold = Hold::default();
    let (style, to) = (request.style.clone(), hold.of(is_in_line.of(StandardOutput::new())));
    let results = match request.task {
        Task::Solve | Task::SolveGround => printer(style, &request.input_names, to),
        // What is printed is a program and no result.
        Task::Ground | Task::Simplify => Box::new(OnlyFailure::new(style, &request.input_names, to)),
    };
    let progress = Progress::new(began, is_in_line).filter(|_| request.style.verbosity > 0);
    let shared = Arc::new(Shared {
        session: Mutex::new(Session::new(results, progress, began, hold)),
        stop: AtomicU8::new(0),
        searching: AtomicBool::new(false),
        guard: guard.clone(),
        tell,
    });
    if let Err(error) = standard_output::check_if(request.prints()) {
        let failed = output::Ending::failed(format!("cannot write to standard output: {error}"));
        return shared.session().finish(Outcome::of(failed));
    }
    let (theirs, grounder) = (Arc::clone(&shared), guard.clone());
    memory::on_exhaustion(move |error| {
        let ending = theirs.session().finish(Outcome::out_of_memory(error));
        grounder.try_stop();
        ending
    });
    memory::hold_back(0);
    let (events, inbox) = mpsc::channel();
    let signals = events.clone();
    let handles = memory::with_room_for_thread(|| {
        ctrlc::set_handler(move || drop(signals.send(Event::Signal))).map_err(|error| match error {
            ctrlc::Error::System(error) => error,
            error => io::Error::other(error),
        })
    });
    if let Err(error) = handles {
        return shared.session().finish(not_started("handle signals", &error));
    }
    let theirs = Arc::clone(&shared);
    let worker = move || {
        // A panic is a bug of ours and has been reported on standard error; the document is still closed.
        let worked = catch_unwind(AssertUnwindSafe(|| work(&request, &theirs)));
        let ending = worked.unwrap_or_else(|_| {
            let error = "internal error".into();
            theirs.session().finish(Outcome::failed(Failure { error, trouble: Trouble::Doubt }))
        });
        // The watcher may have gone on without us.
        let _ = events.send(Event::Ended(ending));
    };
    match memory::with_room_for_thread(|| thread::Builder::new().name("search".into()).spawn(worker)) {
        Ok(_) => watch(&shared, &inbox, deadline),
        Err(error) => shared.session().finish(not_started("start a thread", &error)),
    }
}

/// Of a run that failed before its worker ran.
fn not_started(what: &str, error: &io::Error) -> Outcome {
    let failure = exit::failure(error);
    Outcome::failed(Failure { error: format!("cannot {what}: {}", failure.error), ..failure })
}

/// Waits for the worker's end, the deadline or a signal, whichever comes first.
fn watch(shared: &Shared, inbox: &mpsc::Receiver<Event>, mut until: Option<Instant>) -> Ending {
    let has_progress = shared.session().has_progress();
    loop {
        // The search tells by itself how it goes.
        let tells = has_progress && !shared.searching.load(Ordering::Acquire) && shared.stopped().is_none();
        let wakes = [until, tells.then(|| Instant::now() + EVERY)];
        let event = match wakes.into_iter().flatten().min() {
            Some(wake) => inbox.recv_timeout(wake.saturating_duration_since(Instant::now())),
            None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match event {
            Err(RecvTimeoutError::Timeout) if until.is_none_or(|until| Instant::now() < until) => {
                shared.progress_before_search();
                continue;
            }
            Ok(Event::Ended(ending)) => return ending,
            Ok(Event::Signal) if shared.stopped().is_none() => shared.ask_to_stop(Stop::Interrupted),
            Err(RecvTimeoutError::Timeout) if shared.stopped().is_none() => {
                shared.ask_to_stop(Stop::TimeLimit)
            }
            // The second signal, or the grace is over.
            _ => return close(shared, inbox),
        }
        if !shared.searching.load(Ordering::Acquire) {
            return close(shared, inbox);
        }
        until = Some(Instant::now() + GRACE);
    }
}

/// Ends the run without the worker.
///
/// A worker that is just printing holds the session. Then the document can be closed only after it, so this waits, even
/// for a slow reader of our output; one more signal ends the run as it is.
fn close(shared: &Shared, inbox: &mpsc::Receiver<Event>) -> Ending {
    loop {
        if let Some(mut session) = shared.free_session() {
            let stop = shared.stopped().unwrap_or(Stop::Interrupted);
            return session.finish(Outcome::cut_short(stop));
        }
        match inbox.recv_timeout(Duration::from_millis(10)) {
            Ok(Event::Ended(ending)) => return ending,
            Err(RecvTimeoutError::Timeout) => {}
            Ok(Event::Signal) | Err(RecvTimeoutError::Disconnected) => {
                return Ending::Done { code: exit::INTERRUPTED, error: None, leaves_worker: true }
            }
        }
    }
}

/// Whether costs are at most the bounds, both highest priority first; priorities beyond the bounds are free.
fn are_within(costs: &[i64], bounds: &[i64]) -> bool {
    costs[..bounds.len().min(costs.len())] <= *bounds
}

/// The worker: reads, prepares, searches.
fn work(request: &Request, shared: &Shared) -> Ending {
    let failed = |error: Box<dyn Error>| {
        let outcome = Outcome::failed(exit::failure(error.as_ref()));
        shared.session().finish(outcome)
    };
    let printed = |outcome: Result<(), Box<dyn Error>>| match outcome {
        Ok(()) => Ending::Done { code: 0, error: None, leaves_worker: false },
        Err(error) => failed(error),
    };
    if request.task == Task::Ground {
        return printed(print_grounded(request, &shared.guard));
    }
    // How the first lines are printed depends on the beginning of the input.
    let inputs = match open(request) {
        Ok(inputs) => inputs,
        Err(error) => return failed(error),
    };
    let trace = match open_trace(request) {
        Ok(trace) => trace,
        Err(error) => return failed(error),
    };
    shared.session().begin(inputs.is_dimacs());
    // Finding a GPU takes some time, so that it is done here only for those who are told.
    if request.style.verbosity >= 2 {
        match in_use(request) {
            Ok(device) => {
                shared.session().device(&device.name);
                if let Some(why) = device.no_gpu {
                    shared.warn(&format!("--device auto: {why}; the search runs on the processor"));
                }
            }
            Err(error) => return failed(error),
        }
    }
    let program = match read(inputs, request, &shared.guard) {
        Ok(program) => program,
        Err(error) => return failed(error),
    };
    if request.task == Task::Simplify {
        return printed(print_simplified(program, request));
    }
    shared.session().read();
    let engine = match prepare(program, request, trace) {
        Ok(engine) => engine,
        Err(error) => return failed(error),
    };
    shared.searching.store(true, Ordering::Release);
    search(engine, request, shared)
}

/// Searches for as many answer sets as are asked for and prints them.
fn search(mut engine: impl Engine, request: &Request, shared: &Shared) -> Ending {
    let optimizes = request.optimizes(engine.minimizes());
    memory::hold_back(engine.bytes_to_show());
    let limit = request.limit(engine.minimizes());
    engine.want(limit);
    if limit == 0 && request.style.quiet.models == Level::None {
        engine.only_count();
    }
    for warning in engine.warnings() {
        shared.warn(&warning);
    }
    if request.leaves_optimum_open(engine.minimizes()) {
        shared.warn("#models not 0: optimality of last model not guaranteed.");
    }
    shared.session().start(Purpose { reasoning: request.goal.reasoning, optimizes });
    // Of those that lead to the optimum, there are as many as it takes.
    let counts_optimal = optimizes && request.goal.optimization == Optimization::OptN;
    let has_progress = shared.session().has_progress();
    let told_at = Cell::new(Instant::now());
    let interrupt = || {
        let since = told_at.get().elapsed();
        shared.stopped().is_some()
            || (has_progress && since >= EVERY)
            || (request.solve_limit.is_some() && since >= COUNTED)
    };
    // Whatever stops the search, the search itself may know that nothing is left.
    let ended = |engine: &dyn Engine, stop: Stop| match engine.all_searched() {
        Some(all) => output::Ending::AllSearched(all),
        None => output::Ending::Stopped(stop),
    };
    let ending = loop {
        let (found, is_over) = {
            let session = shared.session();
            (if counts_optimal { session.optimal() } else { session.models() }, session.is_over())
        };
        let stop = match shared.stopped() {
            _ if limit != 0 && found >= limit || is_over => Some(Stop::Enough),
            stop => stop,
        };
        if let Some(stop) = stop {
            // Of a search that just began, nothing is known.
            break if found > 0 { ended(&engine, stop) } else { output::Ending::Stopped(stop) };
        }
        let mut is_good_enough = false;
        let mut show = |answer: &Answer| {
            shared.session().answer(answer);
            is_good_enough =
                optimizes && request.opt_stop.as_deref().is_some_and(|stop| are_within(answer.costs, stop));
        };
        match engine.next(&interrupt, &mut show) {
            Ok(Next::Answer) if is_good_enough => break ended(&engine, Stop::Enough),
            Ok(Next::Answer) => {}
            Ok(Next::Counted(more)) => shared.session().counted(more),
            Ok(Next::Exhausted) => match engine.all_searched() {
                Some(all) => break output::Ending::AllSearched(all),
                None => {
                    break output::Ending::failed("internal error: a search has ended that is not exhausted")
                }
            },
            Ok(Next::Interrupted) => {
                if let Some(stop) = shared.stopped() {
                    break output::Ending::Stopped(stop);
                }
                let work = engine.work();
                if request.solve_limit.is_some_and(|limit| limit.is_reached(work.conflicts, work.restarts)) {
                    break output::Ending::Stopped(Stop::SolveLimit);
                }
                let lower = if optimizes { engine.lower_bound() } else { Vec::new() };
                shared.session().progress(work, &lower);
                told_at.set(Instant::now());
            }
            Err(error) => break output::Ending::Failed(exit::failure(error.as_ref())),
        }
    };
    let mut outcome = Outcome::of(ending);
    let counted = engine.stop_searchers();
    if counted > 0 {
        shared.session().counted(counted);
    }
    for warning in engine.late_warnings() {
        shared.warn(&warning);
    }
    outcome.searchers = engine.searchers();
    outcome.leaves_worker = is_opening_device();
    let traced = engine.end_trace();
    if outcome.ending.failure().is_none() {
        if let Err(error) = engine.check_end().and(traced) {
            outcome.ending = output::Ending::Failed(exit::failure(error.as_ref()));
        }
    }
    if outcome.ending.failure().is_none() {
        let patience = if shared.stopped().is_some() { Duration::ZERO } else { LINGERS };
        if let Err(error) = shared.guard.conclude(Some(patience)) {
            outcome.ending = output::Ending::Failed(exit::failure(&error));
        }
    }
    outcome.is_optimum_known = optimizes && engine.is_optimum_known();
    outcome.lower = engine.lower_bound();
    outcome.statistics = (request.stats > 0).then(|| {
        let mut values = engine.statistics();
        values.extend(usage::of_the_run(shared.guard.reading().grounding));
        shaped(&values, request.stats)
    });
    shared.session().finish(outcome)
}

#[cfg(test)]
mod tests;
