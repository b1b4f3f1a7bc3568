//! What a grounder prints to standard error: passed on at once, and kept for the fields of an error.
//!
//! Main type: [`Said`]. A thread of its own reads. Invariant: whoever waits for the end waits no longer than
//! [`PATIENCE`], as a process that the grounder has started may still have the stream.

use std::io::{self, ErrorKind, Read, Write};
use std::process::ChildStderr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::input::message::{messages, Message};

/// The most bytes that are kept. All are passed on.
const MOST: usize = 1 << 16;

/// How long to wait for the end of the stream of a grounder that has ended.
const PATIENCE: Duration = Duration::from_millis(500);

/// What a grounder prints to standard error.
#[derive(Clone, Debug, Default)]
pub struct Said(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    kept: Mutex<Vec<u8>>,
    has_ended: AtomicBool,
}

impl Said {
    /// Passes on to this process's standard error what is read from `stream`.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn follow(stream: ChildStderr) -> io::Result<Said> {
        let said = Said::default();
        let inner = said.0.clone();
        let read = move || {
            inner.pass_on(stream, io::stderr());
            // Release: whoever sees the end sees all that was kept.
            inner.has_ended.store(true, Ordering::Release);
        };
        thread::Builder::new().name("grounder says".into()).spawn(read)?;
        Ok(said)
    }

    /// Waits for the end of the stream, for a while.
    pub fn wait(&self) {
        let until = Instant::now() + PATIENCE;
        while !self.0.has_ended.load(Ordering::Acquire) && Instant::now() < until {
            thread::sleep(Duration::from_micros(200));
        }
    }

    /// What was kept so far, as messages.
    pub fn messages(&self) -> Vec<Message> {
        let kept = self.0.kept.lock().unwrap_or_else(PoisonError::into_inner);
        messages(&String::from_utf8_lossy(&kept))
    }
}

impl Inner {
    fn pass_on(&self, mut from: impl Read, mut to: impl Write) {
        let mut bytes = [0; 4096];
        loop {
            let read = match from.read(&mut bytes) {
                Ok(0) => return,
                Ok(n) => n,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            // Nobody may listen.
            let _ = to.write_all(&bytes[..read]).and_then(|()| to.flush());
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            let more = (MOST - kept.len()).min(read);
            kept.extend_from_slice(&bytes[..more]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_passed_on_and_the_beginning_is_kept() {
        let (said, mut passed) = (Said::default(), Vec::new());
        let line = "-:1:2-3: error: x\n\n";
        let printed = line.repeat(2 * MOST / line.len());
        said.0.pass_on(printed.as_bytes(), &mut passed);
        assert_eq!(passed, printed.as_bytes());
        let messages = said.messages();
        assert!(messages.len().abs_diff(MOST / line.len()) <= 1, "{}", messages.len());
        assert_eq!(
            (messages[0].line, messages[0].column, messages[0].text.as_str()),
            (Some(1), Some(2), "x")
        );
    }
}
