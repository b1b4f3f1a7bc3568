//! Exit codes, as clasp's: an OR of bits.

use std::error::Error;
use std::io;

use solver_host::device::DeviceError;
use solver_host::input::ground::ReadError;
use solver_host::output::{Ending, Failure, Stop, Summary, Trouble};
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

/// What was found by another process to be wrong, or not proved.
#[derive(Debug)]
pub struct Doubtful(pub String);

impl std::fmt::Display for Doubtful {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "internal error: {}; please report it with the program", self.0)
    }
}

impl Error for Doubtful {}

/// The failure that an error means.
pub fn failure(error: &(dyn Error + 'static)) -> Failure {
    let trouble = match error.downcast_ref() {
        _ if is_out_of_memory(error) => Trouble::Memory,
        Some(SolveError::WrongAnswer(_) | SolveError::Contradicts(_)) => Trouble::Doubt,
        _ if error.is::<Doubtful>() => Trouble::Doubt,
        _ => Trouble::Other,
    };
    Failure { error: told(error) + options_against(error), trouble }
}

/// The options that an error's remedy is about, for the end of its text.
fn options_against(error: &(dyn Error + 'static)) -> &'static str {
    match error.downcast_ref() {
        Some(SolveError::Searchers { .. }) => " (--gpu-searchers, --gpu-memory)",
        Some(SolveError::Crowd { .. }) => " (--gpu-searchers, --searcher-threads)",
        Some(SolveError::Threads(_)) => " (-t)",
        _ => "",
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

/// Whether an error says that there is no memory left.
fn is_out_of_memory(error: &(dyn Error + 'static)) -> bool {
    let device = match error.downcast_ref() {
        Some(SolveError::Device(device)) => Some(device),
        _ => error.downcast_ref(),
    };
    let system = match error.downcast_ref() {
        Some(ReadError::NotRun { error, .. }) => Some(error),
        _ => error.downcast_ref::<io::Error>(),
    };
    matches!(device, Some(DeviceError::OutOfMemory { .. }))
        || system.is_some_and(|error| error.kind() == io::ErrorKind::OutOfMemory)
}

/// The exit code of a run that ended so.
pub fn code(summary: &Summary) -> i32 {
    let found = if summary.models > 0 { SATISFIABLE } else { 0 };
    match &summary.ending {
        Ending::AllSearched(_) => found | EXHAUSTED,
        Ending::Stopped(Stop::Interrupted | Stop::TimeLimit) => found | INTERRUPTED,
        Ending::Stopped(Stop::Enough | Stop::SolveLimit) => found,
        Ending::Failed(failure) => match failure.trouble {
            Trouble::Memory => found | MEMORY,
            Trouble::Doubt => ERROR,
            Trouble::Other => found | ERROR,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_memory_are_told_apart() {
        let device = DeviceError::OutOfMemory { device: "d".into(), bytes: 1 };
        assert!(is_out_of_memory(&device));
        assert!(is_out_of_memory(&SolveError::Device(device)));
        assert!(!is_out_of_memory(&DeviceError::Failed("out of memory".into())));
        let io = || io::Error::from(io::ErrorKind::OutOfMemory);
        assert!(is_out_of_memory(&io()));
        assert!(is_out_of_memory(&ReadError::NotRun { name: "gringo".into(), error: io() }));
        assert!(!is_out_of_memory(&io::Error::from(io::ErrorKind::NotFound)));
    }

    #[test]
    fn codes_are_clasps() {
        let of = |models, ending| code(&Summary { models, ending, ..Summary::default() });
        let stopped = |models, stop| of(models, Ending::Stopped(stop));
        assert_eq!(stopped(1, Stop::Enough), 10);
        assert_eq!(stopped(0, Stop::SolveLimit), 0);
        assert_eq!(stopped(0, Stop::TimeLimit), 1);
        assert_eq!(stopped(5, Stop::Interrupted), 11);
        let failed = |models, trouble| of(models, Ending::Failed(Failure { error: "lost".into(), trouble }));
        assert_eq!([0, 1].map(|models| failed(models, Trouble::Other)), [65, 75]);
        assert_eq!([0, 1].map(|models| failed(models, Trouble::Memory)), [33, 43]);
        assert_eq!([0, 1].map(|models| failed(models, Trouble::Doubt)), [65, 65]);
    }
}
