//! A run of the command without a process of its own: from what would be typed and standard input to what is printed.
//!
//! Main function: [`run_in_memory`]. Validation, search, printing and exit code are those of the command. There are no
//! signals, no thread that watches, and no last words without memory; hence many runs may be in one process, also at
//! once.

use std::ffi::OsString;
use std::io::Cursor;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use solver_host::input::ground::{Guard, Inputs};
use solver_host::output::{printer, Stop};

use super::hold::Hold;
use super::run::{Around, Company, Shared};
use super::session::Session;
use super::validated::{Request, Task};
use super::work::work;
use super::written::Written;
use super::{request, Ending};

/// What a run said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// What is on standard output.
    pub out: Vec<u8>,
    /// The exit code.
    pub code: i32,
    /// The error that standard error ends with, if there is one.
    pub error: Option<String>,
    /// What standard error has besides, a line each.
    pub told: Vec<String>,
}

/// Runs the command with these arguments, the program's name first, on that standard input. Whenever the search asks
/// whether to go on, `asks_to_stop` says why not, if so; its argument is the number of answer sets so far.
///
/// A proof is written and not checked, as that takes another process. A time limit counts from the call. It
/// ends the search, and does not end reading.
///
/// # Errors
/// [`Ending::Help`] or [`Ending::Usage`]: also if a file is named, or nothing would be solved.
pub fn run_in_memory(
    arguments: impl IntoIterator<Item = OsString>,
    input: Vec<u8>,
    asks_to_stop: impl Fn(u64) -> Option<Stop> + Send + Sync + 'static,
) -> Result<Printed, Ending> {
    run_request_in_memory(request(arguments)?, input, None, asks_to_stop)
}

/// The same for a request that was understood, with others that search along, if there are any.
///
/// # Errors
/// As [`run_in_memory`].
pub fn run_request_in_memory(
    request: Request,
    input: Vec<u8>,
    company: Option<Box<dyn Company>>,
    asks_to_stop: impl Fn(u64) -> Option<Stop> + Send + Sync + 'static,
) -> Result<Printed, Ending> {
    let began = Instant::now();
    let refused = |text: &str| Err(Ending::Usage { text: text.into(), document: String::new() });
    if request.files.iter().any(|file| file.as_os_str() != "-") {
        return refused("error: the input is given, and not in a file");
    }
    if !matches!(request.task, Task::Solve | Task::SolveGround) {
        return refused("error: nothing is to be solved");
    }
    if request.proof.as_ref().is_some_and(|proof| proof.is_printed()) {
        return refused("error: --proof wants a file, because this run has no standard output of its own");
    }
    if request.proof.as_ref().is_some_and(|proof| proof.path.is_none()) {
        return refused("error: --check=proof wants a process, and this run is none: leave --check out");
    }
    let deadline = request.time_limit.and_then(|limit| began.checked_add(limit));
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let tell = {
        let lines = lines.clone();
        move |line: &str| lines.lock().unwrap_or_else(PoisonError::into_inner).push(line.into())
    };
    for note in &request.notes {
        tell(&format!("yasmin: note: {note}"));
    }
    let (written, hold, guard) = (Written::default(), Hold::default(), Guard::default());
    let printer = printer(request.style.clone(), &request.input_names, hold.of(written.clone()));
    let around = Around {
        tell: Box::new(tell),
        hold_back: |_| {},
        proof_check: None,
        company,
        asks_to_stop: Box::new(move |answers| match deadline {
            Some(deadline) if Instant::now() >= deadline => Some(Stop::TimeLimit),
            _ => asks_to_stop(answers),
        }),
        over: Box::new(|_| {}),
    };
    let session = Session::new(printer, None, began, hold).reporting(request.style.progress);
    let shared = Shared::new(session, guard.clone(), around);
    let ending = work(&request, || Ok(Inputs::of_stream(Cursor::new(input))?), &shared);
    guard.stop();
    let Ending::Done { code, error, .. } = ending else { return Err(ending) };
    let told = std::mem::take(&mut *lines.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Printed { out: written.bytes(), code, error, told })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `{a; b}.`
    const CHOICE: &str = "asp 1 0 0\n1 1 2 1 2 0 0\n4 1 a 1 1\n4 1 b 1 2\n0\n";

    fn run(line: &str, stops_after: u64) -> Result<Printed, Ending> {
        let words = format!("yasmin --device=cpu -t1 {line}");
        let words: Vec<OsString> = words.split_whitespace().map(OsString::from).collect();
        let stop = move |answers| (answers >= stops_after).then_some(Stop::Interrupted);
        run_in_memory(words, CHOICE.into(), stop)
    }

    #[test]
    fn says_what_the_command_says() {
        let whole = run("0", u64::MAX).expect("a valid line");
        let text = String::from_utf8(whole.out).expect("text");
        assert_eq!((whole.code, whole.error, whole.told.len()), (30, None, 0));
        assert!(text.contains("Reading from stdin\n") && text.contains("\nModels       : 4\n"), "{text}");
        let cut = run("0 --json", 2).expect("a valid line");
        let document: serde_json::Value = serde_json::from_slice(&cut.out).expect("a document");
        assert_eq!(
            (cut.code, &document["INTERRUPTED"], &document["Models"]["Number"]),
            (11, &1.into(), &2.into())
        );
    }

    #[test]
    fn notes_and_errors_are_told() {
        let noted = run("--sat-prepro=2", u64::MAX).expect("a valid line");
        assert!(noted.told[0].starts_with("yasmin: note: "), "{noted:?}");
        let failed = run("--assume nobody", u64::MAX).expect("a valid line");
        assert!(failed.code == 65 && failed.error.is_some(), "{failed:?}");
        for line in ["--text", "f.lp", "-n x", "--help"] {
            assert!(run(line, u64::MAX).is_err(), "{line}");
        }
    }
}
