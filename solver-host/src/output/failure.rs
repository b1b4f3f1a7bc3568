//! What ended a run that failed: [`Failure`], and what kind of failure that is: [`Trouble`].

use std::io;

use crate::device::DeviceError;
use crate::input::ground::ReadError;
use crate::input::Message;
use crate::search::SolveError;

/// What kind of failure ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The options are wrong, or do not fit each other or the program.
    Usage,
    /// The program cannot be read, or is wrong.
    Input,
    /// The program is solved in several steps.
    SeveralSteps,
    /// There is no grounder, or the one that was named cannot be run.
    NoGrounder,
    /// The grounder has failed.
    GrounderFailed,
    /// The program is larger than the solver's numbers.
    TooLarge,
    /// Results, a proof, a trace or the ground program cannot be written.
    Write,
    /// There is no such device, or the device has failed.
    Device,
    /// There is no memory left.
    Memory,
    /// The operating system lacks something, such as threads.
    System,
    /// Another process that searches along has failed.
    Cluster,
    /// What was found contradicts the program, or what was said before: an error of the solver. Then nothing
    /// that was said can be relied on.
    Doubt,
    /// A propagator of the caller's own has failed.
    Propagator,
    /// Another error of the solver.
    Internal,
}

impl Trouble {
    /// All kinds of failures.
    pub const ALL: [Trouble; 14] = [
        Trouble::Usage,
        Trouble::Input,
        Trouble::SeveralSteps,
        Trouble::NoGrounder,
        Trouble::GrounderFailed,
        Trouble::TooLarge,
        Trouble::Write,
        Trouble::Device,
        Trouble::Memory,
        Trouble::System,
        Trouble::Cluster,
        Trouble::Doubt,
        Trouble::Propagator,
        Trouble::Internal,
    ];

    /// The code of the failure: a short word that stays the same from one version to the next.
    pub fn code(self) -> &'static str {
        match self {
            Trouble::Usage => "usage",
            Trouble::Input => "input",
            Trouble::SeveralSteps => "several-steps",
            Trouble::NoGrounder => "no-grounder",
            Trouble::GrounderFailed => "grounder-failed",
            Trouble::TooLarge => "too-large",
            Trouble::Write => "write",
            Trouble::Device => "device",
            Trouble::Memory => "memory",
            Trouble::System => "system",
            Trouble::Cluster => "cluster",
            Trouble::Doubt => "doubt",
            Trouble::Propagator => "propagator",
            Trouble::Internal => "internal",
        }
    }
}

impl From<&ReadError> for Trouble {
    fn from(error: &ReadError) -> Trouble {
        match error {
            ReadError::NotRun { error, .. } if error.kind() == io::ErrorKind::OutOfMemory => Trouble::Memory,
            ReadError::Input(_) => Trouble::Input,
            ReadError::NotACommand { .. } | ReadError::AlreadyGround { .. } => Trouble::Usage,
            ReadError::NoGrounder { .. }
            | ReadError::NoLanguage { .. }
            | ReadError::GroundsWithItself
            | ReadError::NotRun { .. } => Trouble::NoGrounder,
            ReadError::SeveralSteps { .. } => Trouble::SeveralSteps,
            ReadError::WroteNothing { .. } | ReadError::WroteMore { .. } | ReadError::Failed { .. } => {
                Trouble::GrounderFailed
            }
            ReadError::NotKept { .. } => Trouble::Write,
            ReadError::Stopped => Trouble::Internal,
        }
    }
}

impl From<&DeviceError> for Trouble {
    fn from(error: &DeviceError) -> Trouble {
        match error {
            DeviceError::OutOfMemory { .. } => Trouble::Memory,
            _ => Trouble::Device,
        }
    }
}

impl From<&SolveError> for Trouble {
    fn from(error: &SolveError) -> Trouble {
        match error {
            SolveError::WrongAnswer(_) | SolveError::Contradicts(_) => Trouble::Doubt,
            SolveError::TooLarge(_) => Trouble::TooLarge,
            SolveError::Device(error) => error.into(),
            SolveError::Searchers { .. } | SolveError::Crowd { .. } => Trouble::Device,
            SolveError::OtherOptions(_) | SolveError::NoAtom(_) | SolveError::Contradiction(_) => {
                Trouble::Usage
            }
            SolveError::Threads(_) => Trouble::System,
            SolveError::Crew(_) | SolveError::Gone(_) => Trouble::Cluster,
            SolveError::Proof(_) | SolveError::Trace(_) => Trouble::Write,
            SolveError::Propagator(_) => Trouble::Propagator,
            SolveError::Internal(_) => Trouble::Internal,
        }
    }
}

/// A failure that ended a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong, in words.
    pub error: String,
    /// What kind of failure that is.
    pub trouble: Trouble,
    /// What is wrong with the program and where, as far as that is known.
    pub messages: Vec<Message>,
}

impl Failure {
    /// A failure of this kind, without messages.
    pub fn new(trouble: Trouble, error: impl Into<String>) -> Failure {
        Failure { error: error.into(), trouble, messages: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::SCHEMA;

    #[test]
    fn schema_and_page_list_the_codes() {
        let codes = Trouble::ALL.map(Trouble::code);
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
        assert_eq!(schema["$defs"]["errorCode"]["enum"], serde_json::json!(codes));
        let page = include_str!("../../../docs/errors.md");
        let (_, table) = page.split_once("| code |").expect("a table of codes");
        let rows = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        assert!(rows.eq(codes), "docs/errors.md lists other codes");
    }
}
