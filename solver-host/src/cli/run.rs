//! One run: a worker reads, prepares and searches; the calling thread watches over the time limit and signals.
//!
//! Main function: [`run`]. The worker polls a flag, and ends by itself when the search is on. Reading and preparing
//! poll nothing; there, and if the search does not notice in time, the watcher closes the document and ends the
//! run without the worker, and the grounder with it.

use std::cell::Cell;
use std::error::Error;
use std::io;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use solver_host::input::ground::{Guard, ReadError};
use solver_host::output::{printer, Stop};
use solver_host::search::Optimization;

use super::engine::{prepare, read, Engine, Next};
use super::progress::{Progress, EVERY};
use super::session::{Outcome, Purpose, Session};
use super::validated::Request;
use super::{exit, Ending};

/// How long the search may take to notice that it is to stop.
const GRACE: Duration = Duration::from_secs(2);

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
}

impl Shared {
    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
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

/// Does what is asked for, with results on standard output.
pub fn run(request: Request) -> Ending {
    let guard = Guard::default();
    let ending = run_guarded(request, &guard);
    // Whatever happened, no grounder goes on without us.
    guard.stop();
    ending
}

fn run_guarded(request: Request, guard: &Guard) -> Ending {
    let began = Instant::now();
    let deadline = request.time_limit.and_then(|limit| began.checked_add(limit));
    let results = printer(request.style, &request.input_names(), io::stdout());
    let progress = Progress::new(began).filter(|_| request.style.verbosity > 0);
    let shared = Arc::new(Shared {
        session: Mutex::new(Session::new(results, progress, began)),
        stop: AtomicU8::new(0),
        searching: AtomicBool::new(false),
    });
    let (events, inbox) = mpsc::channel();
    let signals = events.clone();
    if let Err(error) = ctrlc::set_handler(move || drop(signals.send(Event::Signal))) {
        let error = Some(format!("cannot handle signals: {error}"));
        return Ending::Done { code: exit::ERROR, error, leaves_worker: false };
    }
    let (theirs, guard) = (Arc::clone(&shared), guard.clone());
    let worker = move || {
        // A panic is a bug of ours and has been reported on standard error; the document is still closed.
        let worked = catch_unwind(AssertUnwindSafe(|| work(&request, &theirs, &guard)));
        let ending = worked.unwrap_or_else(|_| {
            let error = Some("internal error".into());
            let stopped = theirs.stopped();
            theirs.session().finish(Outcome { error, stopped, ..Outcome::default() })
        });
        // The watcher may have gone on without us.
        let _ = events.send(Event::Ended(ending));
    };
    if let Err(error) = thread::Builder::new().name("search".into()).spawn(worker) {
        let error = Some(format!("cannot start a thread: {error}"));
        return Ending::Done { code: exit::ERROR, error, leaves_worker: false };
    }
    watch(&shared, &inbox, deadline)
}

/// Waits for the worker's end, the deadline or a signal, whichever comes first.
fn watch(shared: &Shared, inbox: &mpsc::Receiver<Event>, mut until: Option<Instant>) -> Ending {
    loop {
        let event = match until {
            Some(until) => inbox.recv_timeout(until.saturating_duration_since(Instant::now())),
            None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match event {
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
        match shared.session.try_lock() {
            Ok(mut session) => return session.finish(Outcome::cut_short(shared.stopped())),
            Err(TryLockError::Poisoned(session)) => {
                return session.into_inner().finish(Outcome::cut_short(shared.stopped()))
            }
            Err(TryLockError::WouldBlock) => {}
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

/// The worker: reads, prepares, searches.
fn work(request: &Request, shared: &Shared, guard: &Guard) -> Ending {
    let failed = |error: Box<dyn Error>| {
        let ending = shared.session().finish(Outcome::failed(told(error.as_ref())));
        match (ending, error.downcast_ref().and_then(ReadError::grounder_status)) {
            (Ending::Done { error, leaves_worker, .. }, Some(code)) => {
                Ending::Done { code, error, leaves_worker }
            }
            (ending, _) => ending,
        }
    };
    let program = match read(request, guard) {
        Ok(program) => program,
        Err(error) => return failed(error),
    };
    shared.session().read();
    let engine = match prepare(program, request) {
        Ok(engine) => engine,
        Err(error) => return failed(error),
    };
    shared.searching.store(true, Ordering::Release);
    search(engine, request, shared)
}

/// Searches for as many answer sets as are asked for and prints them.
fn search(mut engine: impl Engine, request: &Request, shared: &Shared) -> Ending {
    let optimizes = request.optimizes(engine.minimizes());
    shared.session().start(Purpose { reasoning: request.goal.reasoning, optimizes });
    let limit = request.limit(engine.minimizes());
    // Of those that lead to the optimum, there are as many as it takes.
    let counts_optimal = optimizes && request.goal.optimization == Optimization::OptN;
    let has_progress = shared.session().has_progress();
    let told_at = Cell::new(Instant::now());
    let interrupt = || shared.stopped().is_some() || (has_progress && told_at.get().elapsed() >= EVERY);
    let mut outcome = Outcome::default();
    loop {
        let (found, is_over) = {
            let session = shared.session();
            (if counts_optimal { session.optimal() } else { session.models() }, session.is_over())
        };
        if (limit != 0 && found >= limit) || is_over || shared.stopped().is_some() {
            // Of a search that just began, nothing is known.
            outcome.exhausted = found > 0 && engine.is_exhausted();
            break;
        }
        match engine.next(&interrupt, &mut |answer| shared.session().answer(answer)) {
            Ok(Next::Answer) => continue,
            Ok(Next::Exhausted) => outcome.exhausted = true,
            Ok(Next::Interrupted) if shared.stopped().is_none() => {
                shared.session().progress(engine.work());
                told_at.set(Instant::now());
                continue;
            }
            Ok(Next::Interrupted) => {}
            Err(failure) => outcome.error = Some(told(failure.as_ref())),
        }
        break;
    }
    if outcome.error.is_none() {
        if let Err(failure) = engine.check_last() {
            outcome.error = Some(told(failure.as_ref()));
            outcome.exhausted = false;
        }
    }
    outcome.stopped = if outcome.exhausted { None } else { shared.stopped() };
    outcome.is_optimum_known = optimizes && outcome.error.is_none() && engine.is_optimum_known();
    outcome.lower = engine.lower_bound();
    outcome.statistics = request.stats.then(|| engine.statistics());
    shared.session().finish(outcome)
}

/// An error with its causes, on one line.
fn told(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        // A message that already includes its cause needs no second telling.
        let deeper_text = deeper.to_string();
        if !text.contains(&deeper_text) {
            text = format!("{text}: {deeper_text}");
        }
        cause = deeper.source();
    }
    text
}

#[cfg(test)]
mod tests;
