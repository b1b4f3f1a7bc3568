//! Times yasmin and clasp side by side on ground programs, and checks that they agree.
//!
//! The way of a suite: [`suite`] is read, [`ground`] makes ground programs from encodings and [`generate`]d facts,
//! [`run`] calls the solvers in turn (one by [`child`]; what it printed is read by [`outcome`]), [`check`] compares what they
//! say, and [`report`] and [`plot`] show it: times as [`compare`]d side by side, rates of [`counting`], and [`scaling`] with
//! more searchers.
//!
//! Invariant: nothing here uses code of the solver; it is a child process like any other.

pub mod check;
pub mod child;
pub mod cli;
pub mod compare;
pub mod counting;
pub mod generate;
pub mod ground;
pub mod numbers;
pub mod outcome;
pub mod plot;
pub mod record;
pub mod report;
pub mod run;
pub mod scaling;
pub mod suite;
pub mod table;

use std::path::Path;

/// Why nothing, or nothing more, could be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written.
    #[error("{0}: {1}")]
    File(String, std::io::Error),
    /// A suite file is not one.
    #[error("{0}: {1}")]
    Suite(String, String),
    /// A family has no such size.
    #[error("{0}")]
    Size(String),
    /// A program cannot be called.
    #[error("{0} cannot be run: {1}")]
    Call(String, std::io::Error),
    /// There is no grounder.
    #[error("{0} cannot be run: {1}; install gringo, or bring what `yasmin-bench ground` made elsewhere (--ground)")]
    Grounder(String, std::io::Error),
    /// The grounder failed.
    #[error("grounding {0}: {1}")]
    Ground(String, String),
    /// The ground program of an instance is missing.
    #[error(
        "there is no ground program {0}, and the suite does not say what to make it from; bring the file"
    )]
    Missing(String),
    /// There are results already.
    #[error(
        "{0} is there already; go on with it by --resume, begin anew by --replace, or name another --out"
    )]
    Exists(String),
    /// Results are of something else.
    #[error("{0} cannot be resumed: {1} were not the same; name another --out, or begin anew by --replace")]
    Resume(String, &'static str),
    /// Nothing is left to run.
    #[error("nothing to run: {0}")]
    Nothing(String),
    /// A plot cannot be drawn.
    #[error("{0}: {1}")]
    Plot(String, String),
}

impl Error {
    /// That file, that failure.
    pub fn file(path: &Path, error: std::io::Error) -> Self {
        Error::File(path.display().to_string(), error)
    }
}
