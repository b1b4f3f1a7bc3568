//! What rank 0 tells the other ranks before the search: what was typed, the ground program, and the run's
//! number. Ranks that answer questions get the program as text, as it was read.
//!
//! Main type: [`Job`]. It passes from each rank to its children in the tree, before any other message.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use serde::{Deserialize, Serialize};

/// The longest job in bytes: 64 GiB. Whatever is longer is no job.
const LONGEST: u64 = 1 << 36;

/// See the module's documentation.
#[derive(Serialize, Deserialize)]
pub struct Job {
    /// What was typed for yasmin, the program's name first.
    words: Vec<Vec<u8>>,
    /// The program, as [`Program::to_bytes`](solver_host::program::Program::to_bytes) writes it, or its text.
    program: Vec<u8>,
    /// A number that no other run has.
    run: u64,
}

impl Job {
    /// The job as bytes.
    ///
    /// # Errors
    /// If the program is too large for this machine's numbers.
    pub fn bytes_of(words: &[OsString], program: Vec<u8>, run: u64) -> io::Result<Vec<u8>> {
        let words = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        let job = Job { words, program, run };
        postcard::to_stdvec(&job).map_err(io::Error::other)
    }

    /// What was typed, the program, and the number of the run.
    ///
    /// # Errors
    /// If the bytes are no job of this version.
    pub fn of_bytes(bytes: &[u8]) -> io::Result<(Vec<OsString>, Vec<u8>, u64)> {
        let wrong = |_| io::Error::new(io::ErrorKind::InvalidData, "what comes from rank 0 is no job");
        let job: Job = postcard::from_bytes(bytes).map_err(wrong)?;
        let words = job.words.into_iter().map(OsString::from_vec).collect();
        Ok((words, job.program, job.run))
    }
}

/// Reads the bytes of a job.
///
/// # Errors
/// If the stream fails or ends.
pub fn read(from: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut len = [0; 8];
    from.read_exact(&mut len)?;
    let len = u64::from_le_bytes(len);
    if len > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "what comes from rank 0 is too long"));
    }
    let mut bytes = Vec::new();
    match from.take(len).read_to_end(&mut bytes)? as u64 == len {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// A stream that a thread writes a job to; what is written afterwards follows.
pub struct AfterJob<W> {
    stream: Option<W>,
    thread: Option<JoinHandle<io::Result<W>>>,
}

impl<W: Write + Send + 'static> AfterJob<W> {
    /// Begins to write the job.
    ///
    /// # Errors
    /// If the system has no thread to give.
    pub fn new(job: Arc<Vec<u8>>, mut stream: W) -> io::Result<AfterJob<W>> {
        let write = move || {
            stream.write_all(&(job.len() as u64).to_le_bytes())?;
            stream.write_all(&job)?;
            stream.flush().map(|()| stream)
        };
        let thread = thread::Builder::new().name("job".into()).spawn(write)?;
        Ok(AfterJob { stream: None, thread: Some(thread) })
    }

    /// The stream, once the job is written.
    fn stream(&mut self) -> io::Result<&mut W> {
        if let Some(thread) = self.thread.take() {
            let failed = |_| io::Error::other("the thread that wrote the job has failed");
            self.stream = Some(thread.join().map_err(failed)??);
        }
        self.stream.as_mut().ok_or_else(|| io::Error::other("the job could not be written"))
    }
}

impl<W: Write + Send + 'static> Write for AfterJob<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream()?.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipe::Pipe;

    #[test]
    fn a_job_passes_and_what_is_written_later_follows() {
        let program = b"asp 1 0 0\n0\n".to_vec();
        let words = ["yasmin-mpi", "f\u{e4}.lp", "-n0"].map(OsString::from);
        let job = Arc::new(Job::bytes_of(&words, program.clone(), 1 << 60).expect("small"));
        let pipe = Pipe::new();
        let mut to = AfterJob::new(job, pipe.writing()).expect("a thread");
        to.write_all(b"next").expect("room");
        let bytes = pipe.take(usize::MAX).expect("bytes");
        let mut from = &bytes[..];
        let (got, read_program, run) = Job::of_bytes(&read(&mut from).expect("a job")).expect("a job");
        assert_eq!((got, read_program, run), (words.to_vec(), program, 1 << 60));
        assert_eq!(from, b"next");
        assert!(Job::of_bytes(b"none").is_err());
        assert!(read(&mut &bytes[..9]).is_err());
    }
}
