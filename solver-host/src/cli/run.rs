//! One run: a worker reads, prepares and searches; the calling thread watches over the time limit and signals.
//!
//! Main function: [`run`]. The worker polls a flag, and ends by itself when the search is on. Reading and preparing
//! poll nothing; there, and if the search does not notice in time, the watcher closes the document and ends the
//! run without the worker.

use std::error::Error;
use std::io;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use solver_host::output::{printer, Stop};

use super::engine::{prepare, Engine, Next};
use super::session::Session;
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
    let began = Instant::now();
    let deadline = request.time_limit.and_then(|limit| began.checked_add(limit));
    let results = printer(request.format, &request.input_names(), io::stdout());
    let shared = Arc::new(Shared {
        session: Mutex::new(Session::new(results, began)),
        stop: AtomicU8::new(0),
        searching: AtomicBool::new(false),
    });
    let (events, inbox) = mpsc::channel();
    let signals = events.clone();
    if let Err(error) = ctrlc::set_handler(move || drop(signals.send(Event::Signal))) {
        let error = Some(format!("cannot handle signals: {error}"));
        return Ending::Done { code: exit::ERROR, error };
    }
    let theirs = Arc::clone(&shared);
    let worker = move || {
        // A panic is a bug of ours and has been reported on standard error; the document is still closed.
        let worked = catch_unwind(AssertUnwindSafe(|| work(&request, &theirs)));
        let ending = worked.unwrap_or_else(|_| {
            theirs.session().finish(false, theirs.stopped(), Some("internal error".into()), None)
        });
        // The watcher may have gone on without us.
        let _ = events.send(Event::Ended(ending));
    };
    if let Err(error) = thread::Builder::new().name("search".into()).spawn(worker) {
        return Ending::Done { code: exit::ERROR, error: Some(format!("cannot start a thread: {error}")) };
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
            Ok(mut session) => return session.finish(false, shared.stopped(), None, None),
            Err(TryLockError::Poisoned(session)) => {
                return session.into_inner().finish(false, shared.stopped(), None, None)
            }
            Err(TryLockError::WouldBlock) => {}
        }
        match inbox.recv_timeout(Duration::from_millis(10)) {
            Ok(Event::Ended(ending)) => return ending,
            Err(RecvTimeoutError::Timeout) => {}
            Ok(Event::Signal) | Err(RecvTimeoutError::Disconnected) => {
                return Ending::Done { code: exit::INTERRUPTED, error: None }
            }
        }
    }
}

/// The worker: reads, prepares, searches.
fn work(request: &Request, shared: &Shared) -> Ending {
    let engine = match prepare(request) {
        Ok(engine) => engine,
        Err(error) => return shared.session().finish(false, None, Some(told(error.as_ref())), None),
    };
    shared.searching.store(true, Ordering::Release);
    search(engine, request.models, request.stats, shared)
}

/// Searches for up to `models` answer sets (0: all) and prints them.
fn search(mut engine: impl Engine, models: u64, stats: bool, shared: &Shared) -> Ending {
    shared.session().start();
    let interrupt = || shared.stopped().is_some();
    let (mut exhausted, mut error) = (false, None);
    loop {
        let enough = models != 0 && shared.session().models() >= models;
        if enough || interrupt() || shared.session().is_over() {
            break;
        }
        match engine.next(&interrupt, &mut |atoms| shared.session().answer(atoms)) {
            Ok(Next::Answer) => continue,
            Ok(Next::Exhausted) => exhausted = true,
            Ok(Next::Interrupted) => {}
            Err(failure) => error = Some(told(failure.as_ref())),
        }
        break;
    }
    let statistics = stats.then(|| engine.statistics());
    let stopped = if exhausted { None } else { shared.stopped() };
    shared.session().finish(exhausted, stopped, error, statistics)
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
mod tests {
    use super::*;
    use serde_json::{Map, Value};
    use solver_host::output::Format;

    /// What [`Fake`] does at each call; after the last it is exhausted.
    #[derive(Clone, Copy)]
    enum Act {
        Answer,
        Fail,
        WaitForInterrupt,
    }

    struct Fake(Vec<Act>);

    impl Engine for Fake {
        fn next(
            &mut self,
            interrupt: &dyn Fn() -> bool,
            show: &mut dyn FnMut(&[&str]),
        ) -> Result<Next, Box<dyn Error>> {
            if self.0.is_empty() {
                return Ok(Next::Exhausted);
            }
            match self.0.remove(0) {
                Act::Answer => {
                    show(&["a", "b"]);
                    Ok(Next::Answer)
                }
                Act::Fail => Err("the device is gone".into()),
                Act::WaitForInterrupt => {
                    while !interrupt() {
                        thread::sleep(Duration::from_millis(1));
                    }
                    Ok(Next::Interrupted)
                }
            }
        }

        fn statistics(&self) -> Map<String, Value> {
            Map::from_iter([("decisions".to_string(), Value::from(3))])
        }
    }

    /// A stream whose bytes can be looked at afterwards, and whose reader goes away after `room` bytes.
    #[derive(Clone)]
    struct Pipe {
        bytes: Arc<Mutex<Vec<u8>>>,
        room: usize,
    }

    impl io::Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut all = self.bytes.lock().expect("no panic holds it");
            if all.len() + bytes.len() > self.room {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            all.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn shared(format: Format, room: usize) -> (Arc<Shared>, Pipe) {
        let pipe = Pipe { bytes: Arc::default(), room };
        let session = Session::new(printer(format, &["f".into()], pipe.clone()), Instant::now());
        let (stop, searching) = (AtomicU8::new(0), AtomicBool::new(true));
        (Arc::new(Shared { session: Mutex::new(session), stop, searching }), pipe)
    }

    /// Exit code, error and JSON document of a search that does `acts`.
    fn document(acts: &[Act], models: u64, stop: Option<Stop>) -> (i32, Option<String>, Value) {
        let (shared, pipe) = shared(Format::Json, usize::MAX);
        if let Some(why) = stop {
            shared.ask_to_stop(why);
        }
        let Ending::Done { code, error } = search(Fake(acts.to_vec()), models, true, &shared) else {
            panic!("a search ends by being done");
        };
        let bytes = pipe.bytes.lock().expect("no panic holds it").clone();
        (code, error, serde_json::from_slice(&bytes).expect("one JSON document"))
    }

    #[test]
    fn stops_at_the_number_asked_for() {
        let two = [Act::Answer, Act::Answer];
        let (code, _, all) = document(&two, 0, None);
        assert_eq!((code, &all["Models"]["Number"], &all["Models"]["More"]), (30, &2.into(), &"no".into()));
        assert_eq!(all["Stats"]["decisions"], 3);
        let (code, _, one) = document(&two, 1, None);
        assert_eq!((code, &one["Models"]["Number"], &one["Models"]["More"]), (10, &1.into(), &"yes".into()));
        assert_eq!(document(&[], 1, None).0, 20);
    }

    #[test]
    fn a_failure_leaves_a_whole_document() {
        let (code, error, failed) = document(&[Act::Answer, Act::Fail], 0, None);
        assert_eq!((code, error.as_deref()), (65 | 10, Some("the device is gone")));
        assert_eq!(
            (&failed["Result"], &failed["Error"]),
            (&"SATISFIABLE".into(), &"the device is gone".into())
        );
    }

    #[test]
    fn a_stop_is_told() {
        let (code, error, cut) = document(&[Act::Answer], 0, Some(Stop::TimeLimit));
        assert_eq!((code, error), (1, None));
        assert_eq!((&cut["Result"], &cut["TIME LIMIT"]), (&"UNKNOWN".into(), &1.into()));
    }

    #[test]
    fn the_watcher_stops_a_search_that_listens() {
        let (shared, pipe) = shared(Format::Text, usize::MAX);
        let (events, inbox) = mpsc::channel();
        let theirs = Arc::clone(&shared);
        let acts = vec![Act::Answer, Act::WaitForInterrupt];
        let worker = thread::spawn(move || events.send(Event::Ended(search(Fake(acts), 0, false, &theirs))));
        let Ending::Done { code, .. } = watch(&shared, &inbox, Some(Instant::now())) else {
            panic!("a watch ends by being done");
        };
        worker.join().expect("no panic").expect("the watcher listens");
        let text = String::from_utf8(pipe.bytes.lock().expect("no panic holds it").clone()).expect("text");
        assert!(code & 1 == 1 && text.contains("TIME LIMIT   : 1\n"), "{code}\n{text}");
    }

    #[test]
    fn a_reader_that_goes_away_ends_the_run_quietly() {
        let (shared, _) = shared(Format::Text, 80);
        let acts = vec![Act::Answer; 1000];
        let ending = search(Fake(acts), 0, false, &shared);
        assert!(matches!(ending, Ending::Done { code: 10, error: None }), "{ending:?}");
        assert!(shared.session().models() < 20);
    }
}
