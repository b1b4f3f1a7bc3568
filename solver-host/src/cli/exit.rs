//! Exit codes, as clasp's: an OR of bits.

use solver_host::output::{Stop, Summary};

/// Cut short by a signal or the time limit.
pub const INTERRUPTED: i32 = 1;
/// There is an answer set.
pub const SATISFIABLE: i32 = 10;
/// The search space was exhausted.
pub const EXHAUSTED: i32 = 20;
/// Bad usage, bad input, or a failure while solving.
pub const ERROR: i32 = 65;

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
        code |= ERROR;
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

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
    }
}
