//! What a grounder writes after a program that is whole: nothing, as a rule.
//!
//! Main type: [`Rest`]. A grounder may go on for a while after that, and the search need not wait for the grounder.

use std::io::{ErrorKind, Read};
use std::process::ChildStdout;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Instant;

use super::error::ReadError;

/// The rest of a grounder's output, which a thread of its own reads.
#[derive(Debug)]
pub struct Rest {
    name: String,
    /// Says at the end whether there was nothing but white space.
    end: Receiver<bool>,
}

impl Rest {
    /// Reads the rest of the output of a grounder of that name.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn of(name: &str, mut output: ChildStdout) -> Result<Rest, ReadError> {
        let (says, end) = mpsc::channel();
        let read = move || {
            let mut bytes = [0; 4096];
            let is_empty = loop {
                match output.read(&mut bytes) {
                    Ok(0) => break true,
                    Ok(n) if bytes[..n].trim_ascii().is_empty() => {}
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Ok(_) | Err(_) => break false,
                }
            };
            // Nobody may listen any more.
            let _ = says.send(is_empty);
        };
        match thread::Builder::new().name("rest".into()).spawn(read) {
            Ok(_) => Ok(Rest { name: name.to_string(), end }),
            Err(error) => Err(ReadError::NotRun { name: name.to_string(), error }),
        }
    }

    /// What errors call the grounder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Waits for the end of the output until then. Returns whether the output has ended.
    ///
    /// # Errors
    /// If there is more in the output than white space.
    pub fn has_ended(&self, until: Option<Instant>) -> Result<bool, ReadError> {
        let said = match until {
            Some(until) => self.end.recv_timeout(until.saturating_duration_since(Instant::now())),
            None => self.end.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match said {
            // The thread has said already that there is nothing.
            Ok(true) | Err(RecvTimeoutError::Disconnected) => Ok(true),
            Ok(false) => Err(ReadError::WroteMore { name: self.name.clone() }),
            Err(RecvTimeoutError::Timeout) => Ok(false),
        }
    }
}
