//! A stream of bytes in both directions between two ranks.
//!
//! Main type: [`Pipe`]. Threads that search read and write ([`Reading`], [`Writing`]); the one thread of a
//! rank that calls MPI takes away what was written and brings what has come.
//!
//! Invariant: at most [`WINDOW`] bytes are written that the other end has not read. Who writes more waits, so
//! that an end that reads slowly makes the other end wait, wherever the bytes are.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The most bytes that are on their way in one direction.
pub const WINDOW: u64 = 4 << 20;

/// What is known of a pipe.
#[derive(Debug, Default)]
struct State {
    /// What has come and was not read.
    incoming: VecDeque<u8>,
    /// What was written and not taken away.
    outgoing: VecDeque<u8>,
    /// The number of bytes that were ever read, of which the other end knows, that were ever written, and
    /// that the other end has read.
    read: u64,
    told: u64,
    written: u64,
    accepted: u64,
    /// Why nothing comes or goes any more.
    failure: Option<String>,
}

/// See the module's documentation.
#[derive(Debug, Default)]
pub struct Pipe {
    state: Mutex<State>,
    /// Something has come, was accepted, or has failed.
    changed: Condvar,
}

impl Pipe {
    /// A pipe through which nothing has passed.
    pub fn new() -> Arc<Pipe> {
        Arc::default()
    }

    /// The end of which other threads read.
    pub fn reading(self: &Arc<Pipe>) -> Reading {
        Reading(self.clone())
    }

    /// The end into which other threads write.
    pub fn writing(self: &Arc<Pipe>) -> Writing {
        Writing(self.clone())
    }

    /// Brings bytes that have come.
    pub fn bring(&self, bytes: &[u8]) {
        self.state().incoming.extend(bytes);
        self.changed.notify_all();
    }

    /// Takes away at most so many bytes that were written; none if nothing was.
    pub fn take(&self, most: usize) -> Option<Vec<u8>> {
        let mut state = self.state();
        let len = state.outgoing.len().min(most);
        (len > 0).then(|| state.outgoing.drain(..len).collect())
    }

    /// The number of bytes that were ever read, if the other end is to be told.
    pub fn to_tell(&self) -> Option<u64> {
        let mut state = self.state();
        let is_due = state.read - state.told >= WINDOW / 4;
        is_due.then(|| {
            state.told = state.read;
            state.read
        })
    }

    /// The other end has read so many bytes.
    pub fn accepted(&self, bytes: u64) {
        let mut state = self.state();
        state.accepted = state.accepted.max(bytes);
        self.changed.notify_all();
    }

    /// Nothing comes or goes any more, for this reason.
    pub fn fail(&self, why: &str) {
        self.state().failure.get_or_insert_with(|| why.into());
        self.changed.notify_all();
    }

    /// How many bytes were read and written.
    pub fn passed(&self) -> (u64, u64) {
        let state = self.state();
        (state.read, state.written)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn error(&self) -> Option<io::Error> {
        self.failure.as_ref().map(|why| io::Error::new(io::ErrorKind::BrokenPipe, why.clone()))
    }
}

/// The end of a pipe of which threads read.
pub struct Reading(Arc<Pipe>);

impl Read for Reading {
    /// Waits for the next bytes.
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let mut state = self.0.state();
        while state.incoming.is_empty() {
            if let Some(error) = state.error() {
                return Err(error);
            }
            state = self.0.wait(state);
        }
        let len = state.incoming.read(to)?;
        state.read += len as u64;
        Ok(len)
    }
}

/// The end of a pipe into which threads write.
pub struct Writing(Arc<Pipe>);

impl Write for Writing {
    /// Waits until there is room.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.state();
        loop {
            if let Some(error) = state.error() {
                return Err(error);
            }
            let room = (WINDOW - (state.written - state.accepted)) as usize;
            if room > 0 || bytes.is_empty() {
                let len = room.min(bytes.len());
                state.outgoing.extend(&bytes[..len]);
                state.written += len as u64;
                return Ok(len);
            }
            state = self.0.wait(state);
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn all_bytes_pass_in_order_and_never_too_many() {
        let (here, there) = (Pipe::new(), Pipe::new());
        let sent: Vec<u8> = (0..3 * WINDOW + 17).map(|i| (i ^ i >> 8) as u8).collect();
        let (mut writing, bytes) = (here.writing(), sent.clone());
        let writer = thread::spawn(move || writing.write_all(&bytes));
        let mut reading = there.reading();
        let len = sent.len();
        let reader = thread::spawn(move || {
            let mut got = vec![0; len];
            reading.read_exact(&mut got).map(|()| got)
        });
        let (mut passed, mut accepted) = (0, 0);
        while passed < len {
            if let Some(bytes) = here.take(10_000) {
                passed += bytes.len();
                there.bring(&bytes);
            }
            if let Some(read) = there.to_tell() {
                here.accepted(read);
                accepted = read;
            }
            assert!(passed as u64 - accepted <= WINDOW + WINDOW / 4);
        }
        writer.join().expect("no panic").expect("no failure");
        assert!(reader.join().expect("no panic").expect("no failure") == sent);
        assert_eq!((here.passed().1, there.passed().0), (len as u64, len as u64));
    }

    #[test]
    fn who_writes_too_much_waits_and_hears_of_a_failure() {
        let pipe = Pipe::new();
        let mut writing = pipe.writing();
        assert_eq!(writing.write(&vec![0; 2 * WINDOW as usize]).expect("room"), WINDOW as usize);
        let waits = thread::spawn(move || writing.write(&[1]));
        let mut reading = pipe.reading();
        let reads = thread::spawn(move || reading.read(&mut [0]));
        thread::sleep(std::time::Duration::from_millis(20));
        assert!(!waits.is_finished() && !reads.is_finished());
        pipe.fail("rank 3 is gone");
        pipe.fail("later");
        for result in [waits.join(), reads.join()] {
            assert_eq!(result.expect("no panic").expect_err("a failure").to_string(), "rank 3 is gone");
        }
    }

    #[test]
    fn what_has_come_is_read_before_a_failure_is_told() {
        let pipe = Pipe::new();
        pipe.bring(&[1, 2]);
        pipe.fail("gone");
        let mut got = Vec::new();
        assert!(pipe.reading().read_to_end(&mut got).is_err());
        assert_eq!(got, [1, 2]);
    }
}
