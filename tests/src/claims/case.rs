//! A case: a program, what is asked, when the run is told to stop, and the options of the search.
//!
//! Main type: [`Case`]. [`Case::run`] runs the command in this process and compares what it says with what is true.

use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use solver_host::output::Stop;
use yasmin_cli::{run_in_memory, Ending, Printed};

use super::asked::Asked;
use super::check::{check, Wrong};
use super::meant::Subject;

/// How long a case may take before it is told to stop.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// How much longer it may take to do so.
const GRACE: Duration = Duration::from_secs(60);

/// When a run is told to stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// Never.
    #[default]
    Never,
    /// When it has asked so often.
    Polls(u64),
    /// When it has found so many answer sets.
    Answers(u64),
}

/// Says why a run is to stop after so many answer sets, if so.
pub type AsksToStop = Box<dyn Fn(u64) -> Option<Stop> + Send + Sync>;

/// A case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// What is solved.
    pub subject: Subject,
    /// What is asked for.
    pub asked: Asked,
    /// When the run is told to stop.
    pub end: End,
    /// Whether it is told so as by a signal; else as by a time limit.
    pub is_signal: bool,
    /// The options of the search, as they are typed.
    pub options: Vec<String>,
}

/// What came of a case.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What is wrong.
    pub wrong: Vec<Wrong>,
    /// What was printed.
    pub printed: Printed,
    /// Whether the run was told to stop.
    pub is_stopped: bool,
}

/// What a run and the one who tells it to stop know of each other.
#[derive(Default)]
struct Told {
    polls: AtomicU64,
    stops: AtomicBool,
    is_slow: AtomicBool,
}

impl Case {
    /// The command line, without the program's name.
    pub fn words(&self) -> Vec<String> {
        [self.asked.words(), self.options.clone()].concat()
    }

    /// The case as a person would repeat it: the command line, when to stop, and the program.
    pub fn told(&self) -> String {
        let end = match self.end {
            End::Never => String::new(),
            End::Polls(n) => format!(" [stop at poll {n}, signal: {}]", self.is_signal),
            End::Answers(n) => format!(" [stop after {n} answer sets, signal: {}]", self.is_signal),
        };
        format!("yasmin {}{end}\n{}", self.words().join(" "), self.subject.text())
    }

    /// The case on one line, which [`Case::again`] reads.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("a case has no maps")
    }

    /// The case of such a line.
    ///
    /// # Errors
    /// If it is none.
    pub fn again(line: &str) -> Result<Case, String> {
        serde_json::from_str(line).map_err(|error| format!("this is no case: {error}"))
    }

    /// Runs the case, and says what is wrong.
    pub fn run(&self) -> Outcome {
        self.run_by(|words, input, asks_to_stop| {
            let words = ["yasmin".to_string()].into_iter().chain(words).map(OsString::from);
            run_in_memory(words, input, asks_to_stop)
        })
    }

    /// Runs the case by a function of choice, which gets the words of the command line, the program and what
    /// says why to stop after so many answer sets. Says what is wrong.
    pub fn run_by(
        &self,
        run: impl FnOnce(Vec<String>, Vec<u8>, AsksToStop) -> Result<Printed, Ending>,
    ) -> Outcome {
        let wrong = |what, how: String| Outcome { wrong: vec![Wrong { what, how }], ..Outcome::default() };
        let began = Instant::now();
        let told = Arc::new(Told::default());
        let (theirs, end) = (told.clone(), self.end);
        let why = if self.is_signal { Stop::Interrupted } else { Stop::TimeLimit };
        let asks_to_stop: AsksToStop = Box::new(move |answers: u64| {
            let polls = theirs.polls.fetch_add(1, Ordering::Relaxed);
            let is_slow = began.elapsed() > PATIENCE;
            let is_time = match end {
                End::Never => false,
                End::Polls(n) => polls >= n,
                End::Answers(n) => answers >= n,
            };
            theirs.is_slow.fetch_or(is_slow, Ordering::Relaxed);
            theirs.stops.fetch_or(is_time || is_slow, Ordering::Relaxed);
            (is_time || is_slow).then_some(why)
        });
        let printed = match run(self.words(), self.subject.text().into_bytes(), asks_to_stop) {
            Ok(printed) => printed,
            Err(Ending::Usage { text, .. }) => return wrong("usage", text),
            Err(ending) => return wrong("usage", format!("{ending:?}")),
        };
        let is_stopped = told.stops.load(Ordering::Relaxed);
        let meant = self.subject.meant(&self.asked);
        let wrong = check(&printed, &self.asked, &meant, is_stopped.then_some(why));
        Outcome { wrong, printed, is_stopped }
    }

    /// Runs the case on a thread of its own, so that a run that never ends is told.
    pub fn run_with_patience(&self) -> Outcome {
        let (case, (send, inbox)) = (self.clone(), std::sync::mpsc::channel());
        let run = move || {
            // Who waits has given up, if nobody listens.
            let _ = send.send(case.run());
        };
        let hangs = |how: &str| {
            let wrong = Wrong { what: "hangs", how: how.into() };
            Outcome { wrong: vec![wrong], ..Outcome::default() }
        };
        if let Err(error) = std::thread::Builder::new().name("case".into()).spawn(run) {
            return hangs(&format!("no thread: {error}"));
        }
        match inbox.recv_timeout(PATIENCE + GRACE) {
            Ok(outcome) => outcome,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => hangs("the run does not end"),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => hangs("a panic"),
        }
    }
}
