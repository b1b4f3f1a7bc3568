//! Ending a grounder that is running, from another thread.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{killpg, Signal};
use nix::unistd::Pid;

use super::ReadError;

/// Lets another thread end a grounder that is running.
#[derive(Clone, Debug, Default)]
pub struct Guard(Arc<Mutex<Guarded>>);

/// What a [`Guard`] guards.
#[derive(Debug, Default)]
pub(super) struct Guarded {
    /// Whether nothing is to be started any more.
    pub stopped: bool,
    /// The grounder, until somebody has waited for it.
    pub child: Option<Child>,
    /// A file that is not whole yet.
    pub partial: Option<PathBuf>,
}

impl Guard {
    /// Ends the grounder if one is running, removes what it has written so far, and lets none start any more.
    pub fn stop(&self) {
        let mut guarded = self.lock();
        guarded.stopped = true;
        guarded.end();
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

    /// Waits for the end of the grounder, so that [`Self::stop`] can still end it meanwhile.
    pub(super) fn wait(&self) -> Result<ExitStatus, ReadError> {
        let mut pause = Duration::from_micros(100);
        loop {
            let mut guarded = self.lock();
            let Some(child) = guarded.child.as_mut() else { return Err(ReadError::Stopped) };
            // A child of ours can always be waited for.
            if let Ok(Some(status)) = child.try_wait() {
                guarded.child = None;
                return Ok(status);
            }
            drop(guarded);
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
        }
        if let Some(partial) = self.partial.take() {
            let _ = fs::remove_file(partial);
        }
    }
}
