//! Why something cannot be done: [`Error`].

use solver_host::input::ground::ReadError;
use solver_host::input::InputError;
use solver_host::output::Trouble;
use solver_host::program::{BuildError, TheoryError};
use solver_host::search::SolveError;

/// Why something cannot be done. After an error of reading or adding, everything is as it was before.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A ground program cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A program cannot be grounded. What the grounder has said of it is a part of the text.
    #[error("{}", with_what_was_said(.0))]
    Ground(#[from] ReadError),
    /// The search has failed, or cannot begin.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The program is too large.
    #[error(transparent)]
    TooLarge(#[from] BuildError),
    /// A theory atom is no difference constraint, where all are to be.
    #[error(transparent)]
    Differences(#[from] TheoryError),
    /// A part of a theory atom is wrong.
    #[error("{0}")]
    Theory(&'static str),
    /// An atom of another control.
    #[error("the program has {atoms} atoms, and none with the index {index}")]
    UnknownAtom {
        /// The index.
        index: u32,
        /// How many atoms there are.
        atoms: u32,
    },
    /// A question has a rule that is none, or is about atoms that there are not.
    #[error("{0}")]
    Rule(String),
    /// A number that no atom of a ground program has.
    #[error("an atom has a number from 1 to 2^28, and not {0}")]
    Number(u64),
    /// A question gives a value to an atom that has none of its own: its index.
    #[error("the atom with the index {0} is not external, or is released or has a rule, so that no question gives it a value")]
    NotExternal(u32),
    /// Another question was asked since, or the program has grown: ask again.
    #[error("another question was asked since, or the program has grown; ask again")]
    Superseded,
}

/// An error, and what a grounder that has failed has said, a line for each message.
fn with_what_was_said(error: &ReadError) -> String {
    let mut text = error.to_string();
    if let ReadError::Failed { said, .. } = error {
        said.iter().for_each(|message| text += &format!("\n{message}"));
    }
    text
}

impl Error {
    /// What kind of error this is, in a word that stays the same from one version to the next. The page
    /// `docs/errors.md` lists the words.
    pub fn code(&self) -> &'static str {
        let trouble = match self {
            Error::Input(_) | Error::Number(_) | Error::Rule(_) | Error::Differences(_) => Trouble::Input,
            Error::Ground(error) => error.into(),
            Error::Solve(error) => error.into(),
            Error::TooLarge(_) => Trouble::TooLarge,
            Error::UnknownAtom { .. } | Error::NotExternal(_) | Error::Theory(_) | Error::Superseded => {
                Trouble::Usage
            }
        };
        trouble.code()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver_host::device::DeviceError;

    #[test]
    fn errors_have_the_codes_of_the_command() {
        let memory = DeviceError::OutOfMemory { device: "d".into(), bytes: 1 };
        let failed = DeviceError::Failed("it is gone".into());
        let no_grounder = ReadError::NoGrounder { file: "f".into() };
        let cases = [
            (Error::Solve(SolveError::Device(memory)), "memory"),
            (Error::Solve(SolveError::Device(failed)), "device"),
            (Error::Solve(SolveError::Contradicts("c".into())), "doubt"),
            (Error::Ground(no_grounder), "no-grounder"),
            (Error::Number(0), "input"),
            (Error::Solve(SolveError::Propagator("p".into())), "propagator"),
            (Error::Superseded, "usage"),
        ];
        for (error, code) in cases {
            assert_eq!(error.code(), code, "{error}");
        }
    }
}
