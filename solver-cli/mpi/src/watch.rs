//! How long other ranks are waited for.
//!
//! Main types: [`Turns`], a clock, and [`Watch`], which gives up when it is too late.
//!
//! Invariant: time in which this process does not run counts little. So a rank that is stopped, or whose
//! machine is loaded, does not take the others for lost.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// One turn counts as this part of the time-out at most.
const PART: u32 = 10;

/// How often a watch looks at its clock.
const TICK: Duration = Duration::from_millis(5);

/// A clock that is read again and again, and counts the time between two readings as a part of the time-out
/// at most.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    counted: Duration,
    read: Instant,
    most: Duration,
}

impl Turns {
    /// A clock for a time-out, which begins now.
    pub fn new(timeout: Duration) -> Turns {
        Turns { counted: Duration::ZERO, read: Instant::now(), most: timeout / PART }
    }

    /// Reads the clock at this time.
    pub fn read(&mut self, now: Instant) -> Duration {
        self.counted += now.saturating_duration_since(self.read).min(self.most);
        self.read = now;
        self.counted
    }

    /// What the clock said when it was read last.
    pub fn last(&self) -> Duration {
        self.counted
    }
}

/// A thread that does something when it is too late, unless the watch is dropped before.
#[derive(Debug)]
pub struct Watch(Arc<AtomicBool>);

impl Watch {
    /// Begins to wait for so long, and does `late` after that.
    ///
    /// # Errors
    /// If the system has no thread to give.
    pub fn begin(timeout: Duration, late: impl FnOnce() + Send + 'static) -> io::Result<Watch> {
        let is_over = Arc::new(AtomicBool::new(false));
        let theirs = is_over.clone();
        let watch = move || {
            let mut turns = Turns::new(timeout);
            while turns.read(Instant::now()) < timeout {
                if theirs.load(Ordering::SeqCst) {
                    return;
                }
                thread::sleep(TICK);
            }
            if !theirs.load(Ordering::SeqCst) {
                late();
            }
        };
        thread::Builder::new().name("watch".into()).spawn(watch).map(|_| Watch(is_over))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{channel, RecvTimeoutError};

    #[test]
    fn a_long_time_without_turns_counts_little() {
        let mut turns = Turns::new(Duration::from_secs(2));
        let begin = turns.read;
        let after = |millis| begin + Duration::from_millis(millis);
        assert_eq!(turns.read(after(50)), Duration::from_millis(50));
        assert_eq!(turns.read(after(60_000)), Duration::from_millis(250));
        assert_eq!(turns.read(after(60_001)), Duration::from_millis(251));
        assert_eq!((turns.last(), turns.read(begin)), (turns.counted, Duration::from_millis(251)));
    }

    #[test]
    fn a_watch_that_is_dropped_in_time_does_nothing() {
        let (told, hears) = channel();
        let other = told.clone();
        let say = |to: std::sync::mpsc::Sender<&'static str>, what| move || to.send(what).expect("it hears");
        let late = Watch::begin(Duration::from_millis(20), say(told, "late")).expect("a thread");
        drop(Watch::begin(Duration::from_millis(500), say(other, "dropped")).expect("a thread"));
        assert_eq!(hears.recv(), Ok("late"));
        assert_eq!(hears.recv_timeout(Duration::from_secs(20)), Err(RecvTimeoutError::Disconnected));
        drop(late);
    }
}
