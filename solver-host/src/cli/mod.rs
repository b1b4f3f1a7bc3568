//! The command line: from what was typed to what is printed.
//!
//! Main function: [`run()`]. [`args`] is what was typed, [`validated`] what is asked for, `run.rs` starts the work and watches
//! over time limit and signals, [`session`] is the printing that both sides share, [`exit`] the exit codes.

use std::ffi::OsString;

use clap::Parser;

pub mod args;
pub mod engine;
pub mod exit;
mod run;
mod session;
pub mod validated;

/// How a run of the command ended.
#[derive(Debug)]
pub enum Ending {
    /// Help or version was asked for: this text.
    Help(String),
    /// The command line is wrong; the text says how, and how to do it.
    Usage(String),
    /// The work was started; all results are printed.
    Done {
        /// The process's exit code.
        code: i32,
        /// What went wrong, if something did.
        error: Option<String>,
    },
}

/// Runs the command with the given arguments, the program's name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Ending {
    let typed = match args::Args::try_parse_from(arguments) {
        Ok(typed) => typed,
        Err(told) if !told.use_stderr() => return Ending::Help(told.render().to_string()),
        Err(wrong) => return Ending::Usage(wrong.render().to_string()),
    };
    match validated::Request::try_from(typed) {
        Ok(request) => run::run(request),
        Err(wrong) => Ending::Usage(wrong.render().to_string()),
    }
}
