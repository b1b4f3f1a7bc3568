//! The command line: from what was typed to what is printed.
//!
//! Main functions: [`run()`], and [`run_in_memory`] for a run that is one of many in a process. [`args`] and
//! [`values`] are what was typed, [`validated`] what is asked for, `process.rs` starts the work and watches
//! over time limit and signals, `work.rs` is the work, `run.rs` its search, `session.rs` the printing that
//! both sides share, [`exit`] the exit codes, `last_words.rs` what a process says at its end, [`memory`] what
//! happens when there is no memory left.
//!
//! Without the feature `command` the options are there, and nothing that runs.

pub mod args;
#[cfg(feature = "command")]
pub mod asker;
pub mod clingo;
mod control_options;
#[cfg(feature = "command")]
mod defaults;
#[cfg(feature = "command")]
pub mod elsewhere;
mod ending;
#[cfg(feature = "command")]
pub mod engine;
pub mod exit;
#[cfg(feature = "command")]
pub mod explain;
#[cfg(feature = "command")]
mod facets;
pub mod files;
#[cfg(feature = "command")]
mod hold;
#[cfg(feature = "command")]
mod in_memory;
#[cfg(feature = "command")]
pub mod last_words;
#[cfg(feature = "command")]
mod lemma_file;
#[cfg(feature = "command")]
mod lines;
pub mod memory;
#[cfg(feature = "command")]
mod only_failure;
#[cfg(feature = "command")]
mod process;
#[cfg(feature = "command")]
mod progress;
#[cfg(feature = "command")]
mod proof_check;
#[cfg(feature = "command")]
pub mod proof_file;
#[cfg(feature = "command")]
pub mod questions;
#[cfg(feature = "command")]
mod request;
#[cfg(feature = "command")]
mod run;
#[cfg(feature = "command")]
mod session;
#[cfg(feature = "command")]
pub mod signals;
#[cfg(feature = "command")]
pub mod standard_output;
#[cfg(feature = "command")]
mod steps;
#[cfg(feature = "command")]
mod unique;
#[cfg(feature = "command")]
mod usage;
pub mod validated;
pub mod values;
mod words;
#[cfg(feature = "command")]
mod work;
#[cfg(feature = "command")]
pub mod written;

pub use control_options::{ControlOptions, Reader};
pub use ending::Ending;
#[cfg(feature = "command")]
pub use in_memory::{run_in_memory, run_request_in_memory, Printed};
#[cfg(feature = "command")]
pub use process::{run_in, Surroundings};
#[cfg(feature = "command")]
pub use request::request;
#[cfg(feature = "command")]
pub use run::Company;

/// Runs the command with the given arguments, the program's name first, and the user's default options. Says
/// by `tell`, a line at a time, what the user should know besides results and errors.
#[cfg(feature = "command")]
pub fn run(arguments: impl IntoIterator<Item = std::ffi::OsString>, tell: fn(&str)) -> Ending {
    match request::request_of_user(arguments) {
        Ok(request) => process::run(request, tell),
        Err(ending) => ending,
    }
}
