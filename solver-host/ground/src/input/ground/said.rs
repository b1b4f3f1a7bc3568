//! What a grounder prints to standard error: passed on at once, and kept for the fields of an error.
//!
//! Main type: [`Said`]. A thread of its own reads. Invariant: after [`Said::wait`] all is passed on that
//! the grounder printed before it ended, if standard error takes it. A process that the grounder has
//! started may still have the stream, so the end of the stream may never come.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::process::ChildStderr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{poll, PollFd, PollFlags};

use crate::input::message::{messages, Message};
use crate::text;

/// The most bytes that are kept. All are passed on.
const MOST: usize = 1 << 16;

/// How long to wait after the end of the grounder, should nobody read what is passed on.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long the thread waits for more before it looks again whether the grounder has ended, in milliseconds.
const PAUSE: u8 = 10;

/// What a grounder prints to standard error.
#[derive(Clone, Debug, Default)]
pub struct Said(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    kept: Mutex<Vec<u8>>,
    /// Whether the grounder has ended, so that nothing more of it can come.
    is_over: AtomicBool,
    /// Whether all was passed on.
    has_ended: AtomicBool,
}

impl Said {
    /// Keeps what is read from `stream`, and passes it on to this process's standard error unless `is_quiet`.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn follow(stream: ChildStderr, is_quiet: bool) -> io::Result<Said> {
        let said = Said::default();
        let inner = said.0.clone();
        let read = move || {
            match is_quiet {
                true => inner.pass_on(stream, io::sink()),
                false => inner.pass_on(stream, io::stderr()),
            }
            // Release: whoever sees the end sees all that was kept.
            inner.has_ended.store(true, Ordering::Release);
        };
        thread::Builder::new().name("grounder says".into()).spawn(read)?;
        Ok(said)
    }

    /// Waits until all is passed on that the grounder has printed, which has ended.
    pub fn wait(&self) {
        self.0.is_over.store(true, Ordering::Release);
        let until = Instant::now() + PATIENCE;
        while !self.0.has_ended.load(Ordering::Acquire) && Instant::now() < until {
            thread::sleep(Duration::from_micros(200));
        }
    }

    /// What was kept so far, as messages.
    pub fn messages(&self) -> Vec<Message> {
        let kept = self.0.kept.lock().unwrap_or_else(PoisonError::into_inner);
        messages(&text::of_bytes(kept.clone()))
    }
}

impl Inner {
    fn pass_on(&self, mut from: impl Read + AsFd, mut to: impl Write) {
        let mut bytes = [0; 4096];
        loop {
            // Before the look at the stream: what a grounder has printed is there when it ends.
            let is_over = self.is_over.load(Ordering::Acquire);
            match poll(&mut [PollFd::new(from.as_fd(), PollFlags::POLLIN)], PAUSE) {
                Ok(0) if is_over => return,
                Ok(0) | Err(Errno::EINTR) => continue,
                Ok(_) | Err(_) => {}
            }
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
        let (from, mut to) = io::pipe().expect("a pipe");
        thread::scope(|threads| {
            threads.spawn(|| to.write_all(printed.as_bytes()).map(|()| drop(to)).expect("it is read"));
            said.0.pass_on(from, &mut passed);
        });
        assert_eq!(passed, printed.as_bytes());
        let messages = said.messages();
        assert!(messages.len().abs_diff(MOST / line.len()) <= 1, "{}", messages.len());
        assert_eq!(
            (messages[0].line, messages[0].column, messages[0].text.as_str()),
            (Some(1), Some(2), "x")
        );
    }

    /// Takes so long for each write that a wait with a short limit would miss the rest.
    struct Slow(Vec<u8>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            thread::sleep(Duration::from_millis(300));
            self.0.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_a_grounder_printed_before_its_end_is_waited_for_and_nothing_else() {
        let (said, (from, mut to)) = (Said::default(), io::pipe().expect("a pipe"));
        let printed = "x".repeat(3 * 4096);
        to.write_all(printed.as_bytes()).expect("there is room");
        let reading = {
            let inner = said.0.clone();
            thread::spawn(move || {
                let mut slow = Slow(Vec::new());
                inner.pass_on(from, &mut slow);
                inner.has_ended.store(true, Ordering::Release);
                slow.0.len()
            })
        };
        said.wait();
        assert!(said.0.has_ended.load(Ordering::Acquire));
        assert_eq!(reading.join().expect("it ends"), printed.len());
        // Somebody could still print.
        drop(to);
    }
}
