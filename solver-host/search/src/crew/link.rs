//! Both directions of a stream of messages.
//!
//! Main type: [`Link`]. A thread reads and a thread writes, because both wait: an end that falls silent, or that does not
//! read any more, does not stop the search for longer than its [`Patience`].
//!
//! Invariant: what has come and was not heard yet is at most [`INCOMING`] messages and what one message holds, so that an
//! end that hears slowly makes the other end wait.

use super::message::{Message, Sizes};
use super::seat::spawn;
use crate::campaign::task::Task;
use crate::statistics::Passed;
use crate::SolveError;
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError, SyncSender, TryRecvError, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The most batches of messages that wait to be written.
const BATCHES: usize = 256;

/// How many batches may wait before an end had better say only what must be said.
const MANY_BATCHES: usize = 16;

/// The most messages that have come and wait to be heard.
const INCOMING: usize = 1024;

/// How long the sender sleeps while there is no room for its batch.
const NAP: Duration = Duration::from_millis(1);

/// How long the solver waits for a crew's first message before it asks whether to go on.
const WAIT_FOR_FIRST: Duration = Duration::from_millis(2);

/// How long the last messages may take to be written when a link is dropped.
const LAST: Duration = Duration::from_secs(5);

/// How long the other end of a stream is waited for. `None`: for as long as the stream lives, which then
/// has to notice by itself that the other end is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// How long it may take to read what was said to it.
    pub reads: Option<Duration>,
    /// How long it may take to return when the search is over.
    pub returns: Option<Duration>,
}

impl Patience {
    /// The stream notices by itself that the other end is gone.
    pub const WHILE_IT_LIVES: Patience = Patience { reads: None, returns: None };
}

impl Default for Patience {
    /// Five seconds each.
    fn default() -> Patience {
        let patience = Some(Duration::from_secs(5));
        Patience { reads: patience, returns: patience }
    }
}

/// See the module's documentation.
pub struct Link {
    incoming: Receiver<io::Result<Message>>,
    outgoing: Option<SyncSender<Vec<Message>>>,
    /// The number of batches that wait to be written.
    waiting: Arc<AtomicUsize>,
    /// Gets the end of the writing thread.
    written: Receiver<io::Result<()>>,
    patience: Patience,
    began: Instant,
    /// The bytes that were read and written.
    bytes: Arc<[AtomicU64; 2]>,
    /// Of the task that messages are about.
    sizes: Arc<Mutex<Sizes>>,
    /// Whether the other end is told to leave when the link is dropped.
    says_leave: bool,
}

/// A stream whose bytes are counted.
struct Counted<S> {
    stream: S,
    /// Of the bytes that are read and written, which are these.
    which: usize,
    bytes: Arc<[AtomicU64; 2]>,
}

impl<S> Counted<S> {
    fn count(&self, bytes: usize) {
        self.bytes[self.which].fetch_add(bytes as u64, Relaxed);
    }
}

impl<S: Read> Read for Counted<S> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.stream.read(to).inspect(|&bytes| self.count(bytes))
    }
}

impl<S: Write> Write for Counted<S> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.stream.write(from).inspect(|&bytes| self.count(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Link {
    /// Begins to read and to write. Messages must fit the sizes of the task.
    ///
    /// # Errors
    /// [`SolveError::Threads`] if the system has no threads to give.
    pub fn new(
        task: &Task,
        from: Box<dyn Read + Send>,
        to: Box<dyn Write + Send>,
        patience: Patience,
    ) -> Result<Link, SolveError> {
        let (began, bytes) = (Instant::now(), Arc::<[AtomicU64; 2]>::default());
        let from = Counted { stream: from, which: 0, bytes: bytes.clone() };
        let to = Counted { stream: to, which: 1, bytes: bytes.clone() };
        let (said, incoming) = sync_channel(INCOMING);
        let sizes = Arc::new(Mutex::new(Sizes::of(task)));
        let now = sizes.clone();
        let read = move || {
            let mut from = BufReader::new(from);
            let sizes = || *now.lock().unwrap_or_else(PoisonError::into_inner);
            while let Some(message) = Message::read_from(&mut from, sizes).transpose() {
                let is_last = message.is_err();
                if said.send(message).is_err() || is_last {
                    return;
                }
            }
        };
        let (outgoing, comes) = sync_channel::<Vec<Message>>(BATCHES);
        let (has_ended, written) = sync_channel(1);
        let waiting = Arc::new(AtomicUsize::new(0));
        let waits = waiting.clone();
        let write = move || {
            let mut to = BufWriter::new(to);
            let mut write = |batch: Vec<Message>| {
                waits.fetch_sub(1, Relaxed);
                batch.iter().try_for_each(|message| message.write_to(&mut to)).and_then(|()| to.flush())
            };
            // The other end of the channel may be gone.
            let _ = has_ended.send(comes.into_iter().try_for_each(&mut write));
        };
        spawn("messages in".into(), read)?;
        spawn("messages out".into(), write)?;
        let (outgoing, says_leave) = (Some(outgoing), false);
        Ok(Link { incoming, outgoing, waiting, written, patience, began, bytes, sizes, says_leave })
    }

    /// The home's end of a stream: if it is dropped, the crew at the other end is told to leave.
    pub fn of_home(mut self) -> Link {
        self.says_leave = true;
        self
    }

    /// Ends the connection without another word.
    pub fn hang_up(mut self) {
        self.says_leave = false;
    }

    /// Says that all messages that come from now on are about this task.
    pub fn turn_to(&self, task: &Task) {
        *self.sizes.lock().unwrap_or_else(PoisonError::into_inner) = Sizes::of(task);
    }

    /// Hands messages to the thread that writes them.
    ///
    /// # Errors
    /// [`SolveError::Gone`] if the stream has failed; [`SolveError::Crew`] if the other end has not read for
    /// too long.
    pub fn say(&mut self, messages: impl IntoIterator<Item = Message>) -> Result<(), SolveError> {
        let mut batch: Vec<Message> = messages.into_iter().collect();
        if batch.is_empty() {
            return Ok(());
        }
        let Some(outgoing) = &self.outgoing else { return Err(gone()) };
        let until = self.patience.reads.map(|patience| Instant::now() + patience);
        self.waiting.fetch_add(1, Relaxed);
        loop {
            batch = match outgoing.try_send(batch) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Full(batch)) if until.is_none_or(|until| Instant::now() < until) => batch,
                Err(error) => {
                    self.outgoing = None;
                    return Err(match (error, self.written.try_recv()) {
                        (TrySendError::Full(_), _) => {
                            SolveError::Crew("it does not read what it is told".into())
                        }
                        (_, Ok(Err(error))) => failed(error),
                        _ => gone(),
                    });
                }
            };
            thread::sleep(NAP);
        }
    }

    /// What has passed so far.
    pub fn passed(&self) -> Passed {
        let [bytes_in, bytes_out] = [0, 1].map(|which: usize| self.bytes[which].load(Relaxed));
        Passed { bytes_in, bytes_out, seconds: self.began.elapsed().as_secs_f64() }
    }

    /// Whether little waits to be written.
    pub fn has_room(&self) -> bool {
        self.waiting.load(Relaxed) < MANY_BATCHES
    }

    /// Waits for the first message, until `interrupt` says that it is enough.
    ///
    /// # Errors
    /// [`SolveError::Gone`] if none can come, [`SolveError::Crew`] if none comes or something else.
    pub fn first(&self, interrupt: &dyn Fn() -> bool) -> Result<Message, SolveError> {
        loop {
            match self.incoming.recv_timeout(WAIT_FOR_FIRST) {
                Err(RecvTimeoutError::Timeout) if interrupt() => {
                    return Err(SolveError::Crew("it has not said in time that it is there".into()));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
                Ok(message) => return message.map_err(failed),
            }
        }
    }

    /// The next message, if one has come.
    ///
    /// # Errors
    /// [`SolveError::Gone`] if none can come any more, [`SolveError::Crew`] if what comes is no message.
    pub fn hear(&self) -> Result<Option<Message>, SolveError> {
        match self.incoming.try_recv() {
            Ok(message) => message.map(Some).map_err(failed),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(gone()),
        }
    }

    /// Waits for the next message, for as long as it takes.
    ///
    /// # Errors
    /// As [`Link::hear`].
    pub fn wait(&self) -> Result<Message, SolveError> {
        self.incoming.recv().map_err(|_| gone())?.map_err(failed)
    }

    /// When a crew that is told to return now has been waited for long enough, if ever.
    pub fn deadline(&self) -> Option<Instant> {
        self.patience.returns.map(|patience| Instant::now() + patience)
    }

    /// Waits for the next message of a crew that was told to return.
    ///
    /// # Errors
    /// As [`Link::hear`], or if no message comes until then.
    pub fn hear_by(&self, until: Option<Instant>) -> Result<Message, SolveError> {
        let Some(until) = until else { return self.wait() };
        match self.incoming.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(message) => message.map_err(failed),
            Err(RecvTimeoutError::Disconnected) => Err(gone()),
            Err(RecvTimeoutError::Timeout) => {
                Err(SolveError::Crew("it was told to return, and has not returned in time".into()))
            }
        }
    }
}

impl Drop for Link {
    /// Lets the thread write what was said last, if the other end reads.
    fn drop(&mut self) {
        if self.says_leave {
            // If the stream has failed, the crew notices that too, unless it is gone.
            let _ = self.say([Message::Leave]);
        }
        if self.outgoing.take().is_some() {
            // If the stream has failed, the other end notices that too.
            let _ = self.written.recv_timeout(LAST);
        }
    }
}

fn failed(error: io::Error) -> SolveError {
    match error.kind() {
        // Somebody is there who says something else.
        ErrorKind::InvalidData | ErrorKind::InvalidInput => SolveError::Crew(error.to_string()),
        _ => SolveError::Gone(error.to_string()),
    }
}

fn gone() -> SolveError {
    SolveError::Gone("the stream has ended before the search".into())
}
