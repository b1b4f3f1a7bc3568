//! Exit codes, as clasp's: an OR of bits.

use std::error::Error;
use std::io;

use solver_host::device::DeviceError;
use solver_host::input::ground::ReadError;
use solver_host::output::{Stop, Summary};
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

/// Whether an error says that there is no memory left.
pub fn is_out_of_memory(error: &(dyn Error + 'static)) -> bool {
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
    let mut code = 0;
    if summary.models > 0 {
        code |= SATISFIABLE;
    }
    if summary.exhausted {
        code |= EXHAUSTED;
    }
    if matches!(summary.stopped, Some(Stop::Interrupted | Stop::TimeLimit)) {
        code |= INTERRUPTED;
    }
    if summary.error.is_some() {
        code |= if summary.is_out_of_memory { MEMORY } else { ERROR };
    }
    code
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
        let run =
            |models, exhausted, stopped| code(&Summary { models, exhausted, stopped, ..Summary::default() });
        assert_eq!(run(0, true, None), 20);
        assert_eq!(run(3, true, None), 30);
        assert_eq!(run(1, false, None), 10);
        assert_eq!(run(0, false, Some(Stop::TimeLimit)), 1);
        assert_eq!(run(5, false, Some(Stop::Interrupted)), 11);
        let failed = Summary { error: Some("lost".into()), ..Summary::default() };
        assert_eq!(code(&failed), 65);
        let exhausted = Summary { is_out_of_memory: true, ..failed };
        assert_eq!(code(&exhausted), 33);
        assert_eq!(code(&Summary { models: 1, ..exhausted }), 43);
    }
}
