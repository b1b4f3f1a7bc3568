//! Streams that end after so many bytes: so a crew is lost at any time.

use crate::Peer;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::Arc;

/// One direction of a stream, which ends in both directions after so many bytes.
struct Cut {
    stream: UnixStream,
    left: Arc<AtomicUsize>,
    passed: Arc<AtomicUsize>,
}

impl Cut {
    fn pass(&self, bytes: usize) -> io::Result<usize> {
        let left = self.left.fetch_update(SeqCst, SeqCst, |left| Some(left.saturating_sub(bytes)));
        let bytes = bytes.min(left.unwrap_or(0));
        self.passed.fetch_add(bytes, SeqCst);
        if self.left.load(SeqCst) == 0 {
            // The crew notices as well, and ends.
            let _ = self.stream.shutdown(Shutdown::Both);
        }
        if bytes == 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(bytes)
    }
}

impl Read for Cut {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let bytes = self.stream.read(to)?;
        if bytes == 0 {
            return Ok(0);
        }
        self.pass(bytes)
    }
}

impl Write for Cut {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        let bytes = self.pass(from.len())?;
        self.stream.write_all(&from[..bytes]).map(|()| bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The solver's end of a stream, which ends after `left` bytes in each direction, of a crew that may go.
/// Tells how many bytes have come, too.
pub fn cut(here: &UnixStream, left: usize) -> (Peer, Arc<AtomicUsize>) {
    let came = Arc::<AtomicUsize>::default();
    let direction = |passed: Arc<AtomicUsize>| {
        let (stream, left) = (here.try_clone().expect("a stream"), Arc::new(AtomicUsize::new(left)));
        Box::new(Cut { stream, left, passed })
    };
    let (from, to) = (direction(came.clone()), direction(Arc::default()));
    (Peer { may_go: true, ..Peer::new(from, to) }, came)
}
