//! Exit codes, as clasp's: an OR of bits.

use std::error::Error;
use std::io;

use solver_host::device::DeviceError;
use solver_host::input::ground::ReadError;
use solver_host::input::InputError;
use solver_host::output::{Ending, Failure, Stop, Summary, Trouble};
use solver_host::program::{BuildError, TheoryError, UnknownName};
use solver_host::search::SolveError;

/// Cut short by a signal or the time limit.
pub const INTERRUPTED: i32 = 1;
/// There is an answer set.
pub const SATISFIABLE: i32 = 10;
/// The search space was exhausted.
pub const EXHAUSTED: i32 = 20;
/// There is no memory left.
pub const MEMORY: i32 = 33;
/// Bad usage, bad input, or a failure while solving.
pub const ERROR: i32 = 65;

/// An error of the command itself: what kind of failure that is, and its text.
#[derive(Debug)]
pub struct Known(pub Trouble, pub String);

impl Known {
    /// What could not be printed.
    pub fn not_printed(error: io::Error) -> Known {
        Known(Trouble::Write, format!("cannot write to standard output: {error}"))
    }

    /// What was found by another process to be wrong, or not proved.
    pub fn doubt(what: &str) -> Known {
        Known(Trouble::Doubt, format!("internal error: {what}; please report it with the program"))
    }
}

impl std::fmt::Display for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.1)
    }
}

impl Error for Known {}

/// The failure that an error means.
pub fn failure(error: &(dyn Error + 'static)) -> Failure {
    let read: Option<&ReadError> = error.downcast_ref();
    let messages = match (read, error.downcast_ref::<InputError>()) {
        (Some(read), _) => read.messages(),
        (None, Some(input)) => vec![input.message()],
        (None, None) => Vec::new(),
    };
    Failure { error: told(error) + options_against(error), trouble: trouble_of(error), messages }
}

/// What kind of failure an error means.
fn trouble_of(error: &(dyn Error + 'static)) -> Trouble {
    if let Some(Known(trouble, _)) = error.downcast_ref() {
        return *trouble;
    }
    if let Some(read) = error.downcast_ref::<ReadError>() {
        return read.into();
    }
    if let Some(solve) = error.downcast_ref::<SolveError>() {
        return solve.into();
    }
    if let Some(device) = error.downcast_ref::<DeviceError>() {
        return device.into();
    }
    if let Some(system) = error.downcast_ref::<io::Error>() {
        let is_memory = system.kind() == io::ErrorKind::OutOfMemory;
        return if is_memory { Trouble::Memory } else { Trouble::System };
    }
    match () {
        () if error.is::<InputError>() => Trouble::Input,
        () if error.is::<TheoryError>() => Trouble::Input,
        () if error.is::<UnknownName>() => Trouble::Usage,
        () if error.is::<BuildError>() => Trouble::TooLarge,
        () => Trouble::Internal,
    }
}

/// The options that an error's remedy is about, for the end of its text.
fn options_against(error: &(dyn Error + 'static)) -> &'static str {
    match error.downcast_ref() {
        Some(SolveError::Searchers { .. }) => " (--gpu-searchers, --gpu-memory)",
        Some(SolveError::Crowd { .. }) => " (--gpu-searchers, --searcher-threads)",
        Some(SolveError::Threads(_)) => " (-t)",
        _ => match error.downcast_ref() {
            Some(TheoryError::Unknown(_)) => {
                "; it knows `&diff`, and --theory=none lets each theory atom be true or false"
            }
            _ => "",
        },
    }
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

/// The exit code of a run that ended so.
pub fn code(summary: &Summary) -> i32 {
    let found = if summary.models > 0 { SATISFIABLE } else { 0 };
    match &summary.ending {
        Ending::AllSearched(_) => found | EXHAUSTED,
        Ending::Stopped(Stop::Interrupted | Stop::TimeLimit) => found | INTERRUPTED,
        Ending::Stopped(Stop::Enough | Stop::SolveLimit) => found,
        Ending::Failed(failure) => {
            let found = if summary.all_models() > 0 { SATISFIABLE } else { 0 };
            match failure.trouble {
                Trouble::Memory => found | MEMORY,
                Trouble::Doubt => ERROR,
                _ => found | ERROR,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_memory_are_told_apart() {
        let lacks_memory = |error: &(dyn Error + 'static)| trouble_of(error) == Trouble::Memory;
        let device = DeviceError::OutOfMemory { device: "d".into(), bytes: 1 };
        assert!(lacks_memory(&device));
        assert!(lacks_memory(&SolveError::Device(device)));
        assert!(!lacks_memory(&DeviceError::Failed("out of memory".into())));
        let io = || io::Error::from(io::ErrorKind::OutOfMemory);
        assert!(lacks_memory(&io()));
        assert!(lacks_memory(&ReadError::NotRun { name: "gringo".into(), error: io() }));
        assert!(!lacks_memory(&io::Error::from(io::ErrorKind::NotFound)));
    }

    #[test]
    fn codes_are_clasps() {
        let of = |models, ending| code(&Summary { models, ending, ..Summary::default() });
        let stopped = |models, stop| of(models, Ending::Stopped(stop));
        assert_eq!(stopped(1, Stop::Enough), 10);
        assert_eq!(stopped(0, Stop::SolveLimit), 0);
        assert_eq!(stopped(0, Stop::TimeLimit), 1);
        assert_eq!(stopped(5, Stop::Interrupted), 11);
        let failed = |models, trouble| of(models, Ending::failed(trouble, "lost"));
        assert_eq!([0, 1].map(|models| failed(models, Trouble::Device)), [65, 75]);
        assert_eq!([0, 1].map(|models| failed(models, Trouble::Memory)), [33, 43]);
        assert_eq!([0, 1].map(|models| failed(models, Trouble::Doubt)), [65, 65]);
    }
}
