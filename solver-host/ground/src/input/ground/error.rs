//! Why a program could not be read: [`ReadError`].

use crate::input::{InputError, Message};
use crate::text;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

/// Why a program could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The input is bad.
    #[error(transparent)]
    Input(#[from] InputError),
    /// No grounder is named, and none is on the path.
    #[error(
        "{file}: not ground, and there is neither gringo nor clingo on the path, nor a Python with the package clingo; \
         install one (Debian: `apt-get install gringo`; PyPI: `python3 -m pip install clingo`) or name one with --grounder"
    )]
    NoGrounder {
        /// The file that is not ground.
        file: String,
    },
    /// The name of the grounder is no command.
    #[error("the grounder `{name}` is no command; a quote is not closed")]
    NotACommand {
        /// The grounder, as it was named.
        name: String,
    },
    /// A yasmin that is called like a grounder was asked to ground.
    #[error("yasmin was started as a grounder, but yasmin is none; name gringo or clingo with --grounder")]
    GroundsWithItself,
    /// A program is solved in several steps where that is not possible, or its script needs more of the
    /// solver.
    #[error("{place}: {what}, which is not possible here; use `python3 -m yasmin`, or clingo")]
    SeveralSteps {
        /// The file and the line.
        place: String,
        /// What the program does.
        what: String,
    },
    /// No language of scripts can be run, which programs of several steps need.
    #[error(
        "{place}: a program of several steps, and the grounder `{name}` runs no scripts in Python or Lua; \
         install clingo (`python3 -m pip install clingo`), which yasmin takes by itself"
    )]
    NoLanguage {
        /// The file and the line.
        place: String,
        /// The grounder, as it was called.
        name: String,
    },
    /// The grounder ended without having written anything.
    #[error("the grounder `{name}` wrote nothing")]
    WroteNothing {
        /// The grounder, as it was called.
        name: String,
    },
    /// The grounder went on writing after the end of the ground program.
    #[error("the grounder `{name}` wrote more after the end of the ground program")]
    WroteMore {
        /// The grounder, as it was called.
        name: String,
    },
    /// The grounder that was named cannot be run.
    #[error("cannot run the grounder `{name}`: {error}")]
    NotRun {
        /// The grounder, as it was named.
        name: String,
        /// Why it cannot be run.
        error: io::Error,
    },
    /// The grounder failed, and has printed why.
    #[error("the grounder `{name}` failed ({status}){remedy}")]
    Failed {
        /// The grounder, as it was called.
        name: String,
        /// How the grounder ended.
        status: ExitStatus,
        /// What may help, if anything: a text that follows.
        remedy: &'static str,
        /// What the grounder has printed to standard error.
        said: Vec<Message>,
    },
    /// The ground program cannot be kept where it was to be kept.
    #[error("cannot write {}: {error}", text::of_os(.path))]
    NotKept {
        /// The file for the ground program.
        path: PathBuf,
        /// Why the file cannot be written.
        error: io::Error,
    },
    /// An option for a grounder was given, and there is nothing to ground.
    #[error("{file}: this program is ground, so that {option} means nothing")]
    AlreadyGround {
        /// The ground program.
        file: String,
        /// The option that was given.
        option: &'static str,
    },
    /// [`Guard::stop`](super::Guard::stop) was called.
    #[error("reading was stopped")]
    Stopped,
}

impl ReadError {
    /// What is wrong with the program, as far as a place is known or a grounder has said more.
    pub fn messages(&self) -> Vec<Message> {
        match self {
            ReadError::Input(error) => vec![error.message()],
            ReadError::Failed { said, .. } => said.clone(),
            _ => Vec::new(),
        }
    }
}
