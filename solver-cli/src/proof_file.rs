//! Where a proof goes: to a file (`--proof`), to a checker (`proof_check.rs`), or to both.
//!
//! Main function: [`sink`]. Main type: `ProofFile`. A thread of its own writes, and compresses what is
//! written to the file if that is asked for. The search waits for the thread only if the thread is `WAITING`
//! pieces late, as it is if the checker is slow. Nothing is left out.

use std::error::Error;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use solver_host::output::Trouble;
use solver_host::search::ProofSink;

use super::exit::Known;
use super::files::{ProofRequest, WholeFile};
use super::proof_check::ProofCheck;
use super::{memory, standard_output};

/// The most pieces that wait for the thread.
const WAITING: usize = 64;

/// The bytes of a compressed frame, before they are compressed: a frame ends with the piece that reaches so many.
const FRAME: usize = 1 << 20;

/// Zstandard's own default.
const LEVEL: i32 = 3;

/// See the module's documentation.
struct ProofFile {
    /// `None` once the file is at its end.
    to: Option<SyncSender<Message>>,
    thread: Option<JoinHandle<()>>,
    /// Whether the thread has met an error.
    has_failed: Arc<AtomicBool>,
}

/// What the thread is told.
enum Message {
    /// A piece to write: whole steps.
    Piece(Vec<u8>),
    /// To write everything that waits, and to say how that went. An error is said once.
    Flush(SyncSender<io::Result<()>>),
}

/// Begins the file of a proof, or of a part of one, anew. `check` reads along.
///
/// # Errors
/// If the file cannot be written, with its name, or the system lacks threads.
pub fn sink(request: &ProofRequest, check: Option<Arc<ProofCheck>>) -> Result<ProofSink, Box<dyn Error>> {
    let to = Box::new(ProofFile::create(request, check)?);
    Ok(ProofSink { to, format: request.format, part: request.part })
}

impl ProofFile {
    /// Begins the file anew. If it is standard output, whatever else would be printed there goes to standard error from now
    /// on.
    ///
    /// # Errors
    /// If the file cannot be written, with its name, or the system lacks threads.
    fn create(request: &ProofRequest, check: Option<Arc<ProofCheck>>) -> Result<ProofFile, Box<dyn Error>> {
        let file = match &request.path {
            None => None,
            Some(_) if request.is_printed() => {
                let given = standard_output::give_away().map_err(|error| {
                    Known(Trouble::Write, format!("cannot write the proof to standard output: {error}"))
                })?;
                Some(WholeFile::of(given, "standard output".into()))
            }
            Some(path) => Some(WholeFile::create("proof", path)?),
        };
        let frame = request.is_compressed.then(Vec::new);
        let (to, inbox) = mpsc::sync_channel(WAITING);
        let has_failed = Arc::new(AtomicBool::new(false));
        let mut pieces = Pieces { file, frame, check, failure: None, has_failed: has_failed.clone() };
        let thread = memory::with_room_for_thread(|| {
            thread::Builder::new().name("proof".into()).spawn(move || pieces.serve(&inbox))
        })?;
        Ok(ProofFile { to: Some(to), thread: Some(thread), has_failed })
    }

    fn tell(&self, message: Message) -> io::Result<()> {
        let sent = self.to.as_ref().map(|to| to.send(message));
        sent.and_then(Result::ok)
            .ok_or_else(|| io::Error::other("the thread that writes the proof has ended"))
    }
}

impl Write for ProofFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Relaxed: the error itself comes over the channel.
        if self.has_failed.load(Ordering::Relaxed) {
            self.flush()?;
        }
        self.tell(Message::Piece(bytes.to_vec())).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let (reply, told) = mpsc::sync_channel(1);
        self.tell(Message::Flush(reply))?;
        told.recv().unwrap_or_else(|_| Err(io::Error::other("the thread that writes the proof has ended")))
    }
}

impl Drop for ProofFile {
    /// Waits until everything is written.
    fn drop(&mut self) {
        self.to = None;
        if let Some(thread) = self.thread.take() {
            // A panic was reported when it happened.
            let _ = thread.join();
        }
    }
}

/// The thread's part.
struct Pieces {
    file: Option<WholeFile>,
    check: Option<Arc<ProofCheck>>,
    /// What the next frame will have, if the file is compressed.
    frame: Option<Vec<u8>>,
    /// The error that nobody was told of yet. After an error nothing is written.
    failure: Option<io::Error>,
    has_failed: Arc<AtomicBool>,
}

impl Pieces {
    /// Does what it is told until nobody tells anything any more.
    fn serve(&mut self, inbox: &Receiver<Message>) {
        for message in inbox {
            match message {
                Message::Piece(bytes) => self.attempt(|pieces| pieces.take(&bytes)),
                Message::Flush(reply) => {
                    self.attempt(Pieces::finish);
                    // Who does not wait any more knows that the run is over.
                    let _ = reply.send(self.failure.take().map_or(Ok(()), Err));
                }
            }
        }
        self.attempt(Pieces::finish);
    }

    fn attempt(&mut self, action: impl FnOnce(&mut Pieces) -> io::Result<()>) {
        if self.has_failed.load(Ordering::Relaxed) {
            return;
        }
        if let Err(error) = action(self) {
            self.failure = Some(error);
            self.has_failed.store(true, Ordering::Relaxed);
        }
    }

    fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(check) = &self.check {
            check.take(bytes)?;
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        let Some(frame) = &mut self.frame else { return file.write_all(bytes) };
        frame.extend_from_slice(bytes);
        match frame.len() < FRAME {
            true => Ok(()),
            false => self.end_frame(),
        }
    }

    fn end_frame(&mut self) -> io::Result<()> {
        let Some(frame) = self.frame.as_mut().filter(|frame| !frame.is_empty()) else { return Ok(()) };
        let compressed = zstd::bulk::compress(frame, LEVEL)?;
        frame.clear();
        self.file.as_mut().map_or(Ok(()), |file| file.write_all(&compressed))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.end_frame()?;
        self.file.as_mut().map_or(Ok(()), WholeFile::flush)
    }
}
