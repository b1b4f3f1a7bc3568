//! Ending a grounder that is running, from another thread.

use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{killpg, Signal};
use nix::unistd::Pid;

use super::error::ReadError;
use super::rest::Rest;
use super::said::Said;
use crate::input::Message;

/// Lets another thread end a grounder that is running.
#[derive(Clone, Debug, Default)]
pub struct Guard(Arc<Mutex<Guarded>>);

/// What a [`Guard`] guards.
#[derive(Debug, Default)]
pub(super) struct Guarded {
    /// Whether nothing is to be started any more.
    pub stopped: bool,
    /// Whether what the grounder prints to standard error is kept alone, and not passed on.
    pub is_quiet: bool,
    /// The grounder, until somebody has waited for it.
    pub child: Option<Child>,
    /// A file that is not whole yet.
    pub partial: Option<PathBuf>,
    /// What the grounder may still write.
    pub rest: Option<Rest>,
    /// What the grounder prints to standard error, if that is piped.
    pub said: Option<Said>,
    /// When the grounder was started.
    pub started: Option<Instant>,
    /// How far reading has come.
    pub reading: Reading,
    /// The text of the ground program, if that is copied.
    pub copy: Option<Vec<u8>>,
}

/// How far reading has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// How many bytes of the ground program were read.
    pub bytes: u64,
    /// Whether a grounder writes them, or is about to.
    pub is_grounding: bool,
    /// How long the grounder took, once it has ended.
    pub grounding: Option<Duration>,
}

/// A stream whose bytes are counted, for [`Guard::reading`].
pub(super) struct Counted<R> {
    pub stream: R,
    pub guard: Guard,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(to)?;
        let mut guarded = self.guard.lock();
        guarded.reading.bytes += read as u64;
        if let Some(copy) = &mut guarded.copy {
            copy.extend(&to[..read]);
        }
        Ok(read)
    }
}

impl Guard {
    /// A guard of a grounder whose words are not for standard error: [`Self::messages`] has them.
    pub fn quiet() -> Guard {
        let guard = Guard::default();
        guard.lock().is_quiet = true;
        guard
    }

    /// What the grounder has printed to standard error so far.
    pub fn messages(&self) -> Vec<Message> {
        self.lock().said.as_ref().map_or_else(Vec::new, Said::messages)
    }

    /// Ends the grounder if one is running, removes what it has written so far, and lets none start any more.
    pub fn stop(&self) {
        let mut guarded = self.lock();
        guarded.stopped = true;
        guarded.end();
    }

    /// Waits for the end of a grounder whose program was read already, for so long or without a limit. Returns
    /// whether the grounder has ended.
    ///
    /// # Errors
    /// If the grounder has failed or written more than the program. The grounder does not run any more then.
    pub fn conclude(&self, within: Option<Duration>) -> Result<bool, ReadError> {
        let until = within.and_then(|within| Instant::now().checked_add(within));
        let Some(rest) = self.lock().rest.take() else { return Ok(true) };
        let concluded = match rest.has_ended(until) {
            Ok(true) => self.wait_until(until).and_then(|status| match status {
                Some(status) if !status.success() => Err(self.failed(rest.name().into(), status, "")),
                status => Ok(status.is_some()),
            }),
            other => other,
        };
        let mut guarded = self.lock();
        match concluded {
            Err(_) => guarded.end(),
            Ok(false) => guarded.rest = Some(rest),
            Ok(true) => {}
        }
        concluded
    }

    /// Lets the text of the ground program be copied while it is read.
    pub fn copy(&self) {
        self.lock().copy = Some(Vec::new());
    }

    /// What was copied since ([`Guard::copy`]): at least the whole program, once that is read.
    pub fn copied(&self) -> Vec<u8> {
        self.lock().copy.take().unwrap_or_default()
    }

    /// How far reading has come.
    pub fn reading(&self) -> Reading {
        self.lock().reading
    }

    /// The same as [`Self::stop`], for a thread that may be in the middle of starting the grounder: after some
    /// time the thread goes on without.
    pub fn try_stop(&self) {
        for _ in 0..100 {
            if let Ok(mut guarded) = self.0.try_lock() {
                guarded.stopped = true;
                return guarded.end();
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Guarded> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the grounder, which errors call `name`. Returns what is piped of its output and its input.
    pub(super) fn start(
        &self,
        command: &mut Command,
        name: &str,
    ) -> Result<(Option<ChildStdout>, Option<ChildStdin>), ReadError> {
        let mut guarded = self.lock();
        if guarded.stopped {
            return Err(ReadError::Stopped);
        }
        let not_run = |error| ReadError::NotRun { name: name.to_string(), error };
        let mut child = command.spawn().map_err(not_run)?;
        let (piped, stderr) = ((child.stdout.take(), child.stdin.take()), child.stderr.take());
        guarded.child = Some(child);
        let is_quiet = guarded.is_quiet;
        let said = stderr.map(|stream| Said::follow(stream, is_quiet)).transpose();
        guarded.said = said.map_err(not_run).inspect_err(|_| guarded.end())?;
        guarded.started = Some(Instant::now());
        guarded.reading.is_grounding = true;
        Ok(piped)
    }

    /// The failure of a grounder that has ended.
    pub(super) fn failed(&self, name: String, status: ExitStatus, remedy: &'static str) -> ReadError {
        ReadError::Failed { name, status, remedy, said: self.messages() }
    }

    /// Waits for the end of the grounder, so that [`Self::stop`] can still end it meanwhile.
    pub(super) fn wait(&self) -> Result<ExitStatus, ReadError> {
        loop {
            if let Some(status) = self.wait_until(None)? {
                return Ok(status);
            }
        }
    }

    /// Waits for the end of the grounder until then. Returns nothing if the grounder still runs.
    fn wait_until(&self, until: Option<Instant>) -> Result<Option<ExitStatus>, ReadError> {
        let mut pause = Duration::from_micros(100);
        loop {
            let mut guarded = self.lock();
            let Some(child) = guarded.child.as_mut() else { return Err(ReadError::Stopped) };
            // A child of ours can always be waited for.
            if let Ok(Some(status)) = child.try_wait() {
                guarded.child = None;
                guarded.reading.is_grounding = false;
                guarded.reading.grounding = guarded.started.map(|started| started.elapsed());
                let said = guarded.said.clone();
                drop(guarded);
                if let Some(said) = said {
                    said.wait();
                }
                return Ok(Some(status));
            }
            drop(guarded);
            if until.is_some_and(|until| Instant::now() >= until) {
                return Ok(None);
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

impl Guarded {
    /// Ends the grounder and removes what is not whole.
    pub fn end(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It leads a group of its own, so that what it may have started ends as well.
            if let Ok(pid) = i32::try_from(child.id()) {
                let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
            }
            let _ = child.wait();
            if let Some(said) = &self.said {
                said.wait();
            }
        }
        self.rest = None;
        if let Some(partial) = self.partial.take() {
            let _ = fs::remove_file(partial);
        }
    }
}
