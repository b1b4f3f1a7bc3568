//! Output that goes out in larger pieces while there is more of it at hand.
//!
//! Main types: [`Held`] and [`Hold`]. A printer flushes after each answer set, so that a reader of a pipe sees
//! each answer set whole and at once. With millions of answer sets a second that would be as many calls of the
//! system. So flushing does nothing while the next answer set is at hand.
//!
//! Invariant: a piece that goes out ends where the printer has flushed.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// Once so many bytes are held back, they go out at the end of the answer set.
const MOST: usize = 1 << 15;

/// Says whether more output is at hand.
#[derive(Clone, Default)]
pub struct Hold(Arc<AtomicBool>);

impl Hold {
    /// Whether more is going to be written without anybody waiting for it.
    pub fn set(&self, more: bool) {
        // Relaxed: who sets it and who writes hold the session's lock.
        self.0.store(more, Ordering::Relaxed);
    }

    /// `stream`, to which less goes while this says that there is more at hand.
    pub fn of<W: Write>(&self, stream: W) -> Held<W> {
        Held { stream, held: Vec::new(), hold: self.clone() }
    }
}

/// A stream that gets what is written when it is flushed, and nothing else is at hand.
pub struct Held<W> {
    stream: W,
    held: Vec<u8>,
    hold: Hold,
}

impl<W: Write> Write for Held<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.hold.0.load(Ordering::Relaxed) && self.held.len() < MOST {
            return Ok(());
        }
        let written = self.stream.write_all(&self.held);
        self.held.clear();
        written?;
        self.stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_goes_out_with_what_nobody_follows() {
        let (hold, mut out) = (Hold::default(), Vec::new());
        let mut held = hold.of(&mut out);
        let mut put = |more: bool, text: &[u8]| {
            hold.set(more);
            held.write_all(text).and_then(|()| held.flush()).expect("a vector takes everything");
            held.stream.len()
        };
        assert_eq!(put(false, b"one\n"), 4);
        assert_eq!(put(true, b"two\n"), 4);
        assert_eq!(put(true, b"three\n"), 4);
        assert_eq!(put(false, b""), 14);
        assert_eq!(put(true, &[b'x'; MOST]), 14 + MOST);
        assert_eq!(out[..14], *b"one\ntwo\nthree\n");
    }

    #[test]
    fn what_could_not_be_written_is_not_written_later() {
        let hold = Hold::default();
        let mut held = hold.of(io::Cursor::new([0; 4]));
        assert!(held.write_all(b"12345").and_then(|()| held.flush()).is_err());
        assert!(held.flush().is_ok(), "nothing is left");
    }
}
