//! A run as a process of its own: a worker thread works, and the calling thread watches over the time limit and signals.
//!
//! Main function: [`run`]. The worker polls a flag, and ends by itself when the search is on. Reading and preparing
//! poll nothing; there, and if the search does not notice in time, the watcher closes the document and ends the
//! run without the worker, and the grounder with it.

use std::io::{self, IsTerminal};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use solver_host::input::ground::Guard;
use solver_host::output::{self, printer, Failure, Printer, Stop};

use super::engine::open;
use super::hold::Hold;
use super::memory;
use super::only_failure::OnlyFailure;
use super::progress::{InLine, Progress};
use super::proof_check::ProofCheck;
use super::run::{Around, Company, Shared};
use super::session::{Outcome, Session};
use super::signals;
use super::standard_output::{self, StandardOutput};
use super::validated::{Request, Task};
use super::work::work;
use super::{exit, Ending};

/// How long the search may take to end in order once it is to stop: by itself, and if it has to bring a file or other
/// processes to their end. After that the run ends without the statistics.
const GRACE: (Duration, Duration) = (Duration::from_millis(200), Duration::from_millis(700));

/// How long a run that is to end waits for a reader of a full pipe to read on.
const STUCK: Duration = Duration::from_secs(2);

/// What the watcher waits for.
pub(super) enum Event {
    Signal,
    Ended(Ending),
}

/// What a run has around it that is not the same for every command.
pub struct Surroundings {
    /// Says what the user should know besides results and errors, a line at a time.
    pub tell: fn(&str),
    /// Where results go, if not to standard output.
    pub printer: Option<Box<dyn Printer>>,
    /// Who searches along in other processes, if anybody does.
    pub company: Option<Box<dyn Company>>,
}

/// Does what is asked for, with results on standard output. Says by `tell` what else the user should know.
pub fn run(request: Request, tell: fn(&str)) -> Ending {
    run_in(request, Surroundings { tell, printer: None, company: None })
}

/// Does what is asked for in these surroundings.
pub fn run_in(request: Request, surroundings: Surroundings) -> Ending {
    let guard = Guard::default();
    let ending = run_guarded(request, &guard, surroundings);
    // Whatever happened, no grounder goes on without us.
    guard.stop();
    ending
}

fn run_guarded(request: Request, guard: &Guard, surroundings: Surroundings) -> Ending {
    let Surroundings { tell, printer: elsewhere, company } = surroundings;
    let began = Instant::now();
    let deadline = request.time_limit.and_then(|limit| began.checked_add(limit));
    for note in &request.notes {
        tell(&format!("yasmin: note: {note}"));
    }
    if request.reads_input() && io::stdin().is_terminal() {
        tell("yasmin: note: reads a program from standard input, up to Ctrl-D; `yasmin -h` lists options");
    }
    let is_in_line = InLine::default();
    let hold = Hold::default();
    let reports = request.style.progress;
    let (style, to) = (request.style.clone(), hold.of(is_in_line.of(StandardOutput::default())));
    let results = match request.task {
        Task::Solve | Task::SolveGround => {
            elsewhere.unwrap_or_else(|| printer(style, &request.input_names, to))
        }
        // What is printed is a program, or not what one search has found.
        Task::Ground | Task::Simplify | Task::Answer | Task::Facets(_) => {
            Box::new(OnlyFailure::new(style, &request.input_names, to))
        }
    };
    let progress = Progress::new(began, is_in_line).filter(|_| request.style.verbosity > 0);
    let proof_check = match ProofCheck::of(&request) {
        Ok(check) => check,
        Err(error) => {
            let mut session = Session::new(results, progress, began, hold);
            return session.finish(Outcome::of(output::Ending::failed(output::Trouble::Usage, error)));
        }
    };
    let (events, inbox) = mpsc::channel();
    let has_company = company.is_some();
    let ended = events.clone();
    let over = move |ending: &Ending| {
        // Other processes wait until the search has said goodbye. Else this one may end at once, and nothing
        // that the search has is given back: to free a GPU's memory takes longer than to end.
        if !has_company && ended.send(Event::Ended(ending.clone())).is_ok() {
            loop {
                thread::park();
            }
        }
    };
    let around = Around {
        proof_check,
        tell: Box::new(tell),
        hold_back: memory::hold_back,
        company,
        // The watcher says so.
        asks_to_stop: Box::new(|_| None),
        over: Box::new(over),
    };
    let grace = if has_company || request.writes_files() || request.asks_many() { GRACE.1 } else { GRACE.0 };
    let session = Session::new(results, progress, began, hold).reporting(reports);
    let shared = Arc::new(Shared::new(session, guard.clone(), around));
    if let Err(error) = standard_output::check_if(request.prints()) {
        let what = format!("cannot write to standard output: {error}");
        let failed = output::Ending::failed(output::Trouble::Write, what);
        return shared.session().finish(Outcome::of(failed));
    }
    if let Err(error) = standard_output::check_input_if(request.reads_input()) {
        return shared.session().finish(Outcome::of(output::Ending::failed(output::Trouble::Input, error)));
    }
    let (theirs, grounder) = (Arc::clone(&shared), guard.clone());
    memory::on_exhaustion(move |error| {
        let ending = theirs.session().finish(Outcome::out_of_memory(error));
        grounder.try_stop();
        theirs.leave_check();
        ending
    });
    memory::hold_back(0);
    let asks = events.clone();
    let handles = memory::with_room_for_thread(|| signals::on_each(move |_| drop(asks.send(Event::Signal))));
    if let Err(error) = handles {
        return shared.session().finish(not_started("handle signals", &error));
    }
    signals::come_before_the_kill(request.options.parallel_mode.searchers());
    let theirs = Arc::clone(&shared);
    let worker = move || {
        let ending = work(&request, || open(&request), &theirs);
        // The watcher may have gone on without us.
        let _ = events.send(Event::Ended(ending));
    };
    let ending =
        match memory::with_room_for_thread(|| thread::Builder::new().name("search".into()).spawn(worker)) {
            Ok(_) => watch(&shared, &inbox, deadline, grace),
            Err(error) => shared.session().finish(not_started("start a thread", &error)),
        };
    // However the run has ended, no checker goes on without us.
    shared.leave_check();
    ending
}

/// Of a run that failed before its worker ran.
fn not_started(what: &str, error: &io::Error) -> Outcome {
    let failure = exit::failure(error);
    Outcome::failed(Failure { error: format!("cannot {what}: {}", failure.error), ..failure })
}

/// Waits for the worker's end, the deadline or a signal, whichever comes first.
pub(super) fn watch(
    shared: &Shared,
    inbox: &mpsc::Receiver<Event>,
    mut until: Option<Instant>,
    grace: Duration,
) -> Ending {
    loop {
        // The search tells by itself how it goes.
        let is_looked_at = shared.stopped().is_none() && !shared.searching.load(Ordering::Acquire);
        let looks_every = shared.looks_every.filter(|_| is_looked_at);
        let wakes = [until, looks_every.map(|every| Instant::now() + every)];
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
        until = Some(Instant::now() + grace);
    }
}

/// Ends the run without the worker.
///
/// A worker that is just printing holds the session. Then the document can be closed only after it, so this waits, even
/// for a slow reader of our output. One more signal ends the run as it is. After a signal so does a reader that reads
/// nothing for a while; after the time limit there may be a reader as slow as a person.
fn close(shared: &Shared, inbox: &mpsc::Receiver<Event>) -> Ending {
    let mut reads_until = Instant::now() + STUCK;
    loop {
        // The document's end would wait for a reader as well.
        let may_print = standard_output::takes_more() || shared.stopped() != Some(Stop::Interrupted);
        if may_print {
            reads_until = Instant::now() + STUCK;
        }
        if let Some(mut session) = may_print.then(|| shared.free_session()).flatten() {
            let stop = shared.stopped().unwrap_or(Stop::Interrupted);
            return session.finish(Outcome::cut_short(stop));
        }
        match inbox.recv_timeout(Duration::from_millis(10)) {
            Ok(Event::Ended(ending)) => return ending,
            Err(RecvTimeoutError::Timeout) if Instant::now() < reads_until => {}
            Ok(Event::Signal) | Err(RecvTimeoutError::Timeout) | Err(RecvTimeoutError::Disconnected) => {
                return Ending::Done { code: shared.code_without_session(), error: None, leaves_worker: true }
            }
        }
    }
}
