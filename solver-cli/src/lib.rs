//! The command line: from what was typed to what is printed.
//!
//! Main functions: [`run()`], and [`run_in_memory`] for a run that is one of many in a process. [`args`] and
//! [`values`] are what was typed, [`validated`] what is asked for, `process.rs` starts the work and watches
//! over time limit and signals, `run.rs` is the work, `session.rs` the printing that both sides share,
//! [`exit`] the exit codes, [`memory`] what happens when there is no memory left.

use std::ffi::OsString;

use request::request_of_user;

pub mod args;
pub mod clingo;
mod control_options;
mod defaults;
mod ending;
pub mod engine;
pub mod exit;
pub mod explain;
pub mod files;
mod hold;
mod in_memory;
mod lemma_file;
pub mod memory;
mod only_failure;
mod process;
mod progress;
mod proof_check;
pub mod proof_file;
mod request;
mod run;
mod session;
pub mod signals;
pub mod standard_output;
mod usage;
pub mod validated;
pub mod values;
mod words;
mod written;

pub use control_options::{ControlOptions, Reader};
pub use ending::Ending;
pub use in_memory::{run_in_memory, run_request_in_memory, Printed};
pub use process::{run_in, Surroundings};
pub use request::request;
pub use run::Company;

/// Runs the command with the given arguments, the program's name first, and the user's default options. Says
/// by `tell`, a line at a time, what the user should know besides results and errors.
pub fn run(arguments: impl IntoIterator<Item = OsString>, tell: fn(&str)) -> Ending {
    match request_of_user(arguments) {
        Ok(request) => process::run(request, tell),
        Err(ending) => ending,
    }
}
