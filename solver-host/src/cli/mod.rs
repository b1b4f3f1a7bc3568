//! The command line: from what was typed to what is printed.
//!
//! Main function: [`run()`]. [`args`] and [`values`] are what was typed, [`validated`] what is asked for, `run.rs` starts the work and watches
//! over time limit and signals, [`session`] is the printing that both sides share, [`exit`] the exit codes.

use std::ffi::OsString;

use clap::Parser;

pub mod args;
pub mod engine;
pub mod exit;
mod progress;
mod run;
mod session;
pub mod validated;
pub mod values;

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
        /// Whether the worker still runs.
        leaves_worker: bool,
    },
}

/// Runs the command with the given arguments, the program's name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Ending {
    match request(arguments) {
        Ok(request) => run::run(request),
        Err(ending) => ending,
    }
}

/// What is asked for by the given arguments, the program's name first. Nothing is opened or started.
///
/// # Errors
/// [`Ending::Help`] or [`Ending::Usage`].
pub fn request(arguments: impl IntoIterator<Item = OsString>) -> Result<validated::Request, Ending> {
    let typed =
        args::Args::try_parse_from(with_levels_apart(arguments)).map_err(|told| match told.use_stderr() {
            false => Ending::Help(told.render().to_string()),
            true => Ending::Usage(told.render().to_string()),
        })?;
    validated::Request::try_from(typed).map_err(|wrong| Ending::Usage(wrong.render().to_string()))
}

/// `-q1` as `--quiet=1`, and so for each option with a level that may be left out: clap would take `-q1` for `-q -1`.
fn with_levels_apart(arguments: impl IntoIterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    let mut only_files = false;
    arguments.into_iter().map(move |argument| {
        only_files |= argument == "--";
        let name = match argument.as_encoded_bytes() {
            _ if only_files => None,
            [b'-', b'q', b'0'..=b'9', ..] => Some("--quiet="),
            [b'-', b's', b'0'..=b'9', ..] => Some("--stats="),
            [b'-', b'V', b'0'..=b'9', ..] => Some("--verbose="),
            _ => None,
        };
        match (name, argument.to_str()) {
            (Some(name), Some(typed)) => format!("{name}{}", &typed[2..]).into(),
            _ => argument,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_may_follow_at_once() {
        let line = "yasmin -q1,0 -V2 -q -s2 -n1 -e brave -- -q1";
        let apart = with_levels_apart(line.split(' ').map(OsString::from));
        let want = "yasmin --quiet=1,0 --verbose=2 -q --stats=2 -n1 -e brave -- -q1";
        assert!(apart.eq(want.split(' ').map(OsString::from)));
    }
}
