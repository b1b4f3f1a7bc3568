//! The command as it is started by itself: starts `mpirun`, prints what rank 0 says, and closes the document
//! if rank 0 is gone.
//!
//! Main function: [`launch`]. Invariant: whatever becomes of the ranks, standard output has one whole
//! document, unless it cannot be written.

use std::ffi::OsString;
use std::fs::Permissions;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::sync::mpsc::{sync_channel, RecvTimeoutError};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{kill, Signal};
use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
use nix::unistd::Pid;
use tempfile::TempDir;
use yasmin_cli::standard_output::{self, StandardOutput};
use yasmin_cli::validated::{Request, Task};
use yasmin_cli::{exit, signals, Ending};

use crate::calls::{Cut, Heard};
use crate::typed::Typed;

/// How long `mpirun` may take to end once rank 0 has said its last words, and once it was told to end.
const PATIENCE: Duration = Duration::from_millis(1500);

/// How long rank 0 may take after a signal to say its last words, before `mpirun` is told to end all ranks.
const REACTS: Duration = Duration::from_millis(1200);

/// How often the launcher looks whether `mpirun` has ended, and whether it has any ranks on this host.
const TICK: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(50));

/// The longest line that rank 0 says, in bytes.
const LONGEST: u64 = 1 << 32;

/// The number of this process among several that something else has started; `None` if it is none of such.
pub fn number_of_rank() -> Option<OsString> {
    ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"].iter().find_map(std::env::var_os)
}

/// Whether this process is one of several that something else has started.
pub fn is_rank() -> bool {
    number_of_rank().is_some()
}

/// Starts the ranks for what was typed, of which `request` was made, and prints what they find.
pub fn launch(typed: &Typed, request: &Request, words: &[OsString]) -> Ending {
    let began = Instant::now();
    let failed = |error: String| Ending::Done { code: exit::ERROR, error: Some(error), leaves_worker: false };
    let mut heard = Heard::new(
        request.style.clone(),
        &request.input_names,
        request.goal.reasoning,
        StandardOutput::default(),
    );
    heard.passes = request.task == Task::Answer;
    if let Err(error) = standard_output::check_input_if(request.reads_input()) {
        let _ = heard.finish(Some(Cut::Failed(error.into())), began.elapsed().as_secs_f64());
        return failed(error.into());
    }
    let signals = Arc::<Signals>::default();
    if let Err(error) = signals.pass() {
        return failed(format!("cannot handle signals: {error}"));
    }
    let socket = match Socket::new() {
        Ok(socket) => Some(socket),
        // What rank 0 says passes through `mpirun`, which may lose standard input.
        Err(_) if !request.reads_input() => None,
        Err(error) => {
            return failed(format!(
                "cannot make a socket that standard input passes through: {error}; set TMPDIR to a folder \
                 that can be written, or name a file"
            ))
        }
    };
    let mut child = match start(typed, words, socket.as_ref()) {
        Ok(child) => child,
        Err(error) => {
            // The document says so as well; if it cannot be written, standard error is left.
            let _ = heard.finish(Some(Cut::Failed(error.clone())), began.elapsed().as_secs_f64());
            return failed(error);
        }
    };
    signals.mpirun.store(child.id() as i32, Ordering::SeqCst);
    if signals.have_come() {
        terminate(&child);
    }
    let (status, gone) = follow(&mut heard, &mut child, socket, request.reads_input(), &signals);
    if let Some(error) = gone {
        let code = heard.said.as_ref().map_or(exit::INTERRUPTED, |said| said.code);
        return match error.kind() {
            // The reader has gone away, as `head` does: it has what it wanted.
            io::ErrorKind::BrokenPipe => Ending::Done { code, error: None, leaves_worker: true },
            _ => failed(format!("cannot write to standard output: {error}")),
        };
    }
    let ended = match &status {
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    };
    let is_told = signals.have_come();
    let named = &typed.mpirun;
    let cut = match &heard.said {
        None if is_told => Some(Cut::Interrupted),
        None => Some(Cut::Failed(format!(
            "a rank is gone: {named} ended with {ended} before rank 0 had said how the search ends"
        ))),
        Some(said) if said.is_interrupted && !is_told => {
            Some(Cut::Failed(format!("a rank is gone: {named} ended with {ended}, and nobody had asked")))
        }
        Some(_) => None,
    };
    match heard.finish(cut.clone(), began.elapsed().as_secs_f64()) {
        Ok(code) => {
            let error = match cut {
                Some(Cut::Failed(why)) => Some(why),
                Some(Cut::Interrupted) | None => None,
            };
            Ending::Done { code, error, leaves_worker: false }
        }
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            Ending::Done { code: exit::INTERRUPTED, error: None, leaves_worker: false }
        }
        Err(error) => failed(format!("cannot write to standard output: {error}")),
    }
}

/// Where rank 0 finds the launcher if both are on one host: `mpirun` passes nothing on while it ends ranks.
struct Socket {
    /// The folder of the socket, which goes with this value.
    _folder: TempDir,
    path: PathBuf,
    listener: UnixListener,
}

impl Socket {
    /// A socket in a folder of its own that only this user can enter.
    fn new() -> io::Result<Socket> {
        let private = Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new().prefix("yasmin-mpi-").permissions(private).tempdir()?;
        let path = folder.path().join("rank-0");
        let listener = UnixListener::bind(&path)?;
        Ok(Socket { _folder: folder, path, listener })
    }
}

/// Where rank 0 speaks to the launcher: at the socket with this path, or on standard output if that is on
/// another host. From the socket comes the launcher's standard input, if this run reads that: `mpirun` passes
/// standard input on, and sometimes loses it. If `prints`, what this process prints goes there as well.
///
/// # Errors
/// A sentence, if standard input is read and does not come from the socket.
pub fn to_launcher(path: &str, reads_input: bool, prints: bool) -> Result<Box<dyn Write + Send>, String> {
    let connected = UnixStream::connect(path);
    if let (Ok(stream), true) = (&connected, prints) {
        let moved = nix::unistd::dup2_stdout(stream);
        moved.map_err(|error| format!("cannot print to the launcher: {error}"))?;
    }
    match connected {
        Ok(stream) if reads_input => match nix::unistd::dup2_stdin(&stream) {
            Ok(()) => Ok(Box::new(stream)),
            Err(error) => Err(format!("cannot read standard input from the launcher: {error}")),
        },
        Ok(stream) => Ok(Box::new(stream)),
        Err(error) if reads_input => Err(format!(
            "rank 0 is not on the launcher's host ({error}), and cannot read its standard input: name a file"
        )),
        Err(_) => Ok(Box::new(StandardOutput::default())),
    }
}

/// Starts `mpirun`.
fn start(typed: &Typed, words: &[OsString], socket: Option<&Socket>) -> Result<Child, String> {
    let mut mpirun = shlex::split(&typed.mpirun).unwrap_or_default().into_iter();
    let name = mpirun.next().ok_or("--mpirun names no command")?;
    let own = std::env::current_exe().map_err(|error| format!("cannot find yasmin-mpi itself: {error}"))?;
    let mut command = Command::new(&name);
    command.args(mpirun);
    if let Some(ranks) = typed.ranks {
        command.arg("-n").arg(ranks.to_string());
    }
    let path = socket.map_or(OsString::from("-"), |socket| socket.path.clone().into());
    command.arg(own).arg("--rank-launched").arg(path).args(words.iter().skip(1));
    // `mpirun` would handle what this process ignores: a Ctrl-C goes to this process alone.
    command.stdin(Stdio::null()).stdout(Stdio::piped()).process_group(0);
    command.spawn().map_err(|error| {
        format!(
            "cannot start {name}: {error}; --mpirun names the command (Debian: apt-get install openmpi-bin)"
        )
    })
}

/// Signals that ask this process to end, and where they go.
#[derive(Default)]
struct Signals {
    /// How many have come.
    came: AtomicU32,
    /// The numbers of the processes `mpirun` and, on this host, rank 0; 0 as long as they are not known.
    mpirun: AtomicI32,
    first: AtomicI32,
}

impl Signals {
    /// Passes the first signal on to rank 0, which ends the search in order: `mpirun` would sleep for 1
    /// s before it passes the signal on, and for 1 s after that. Further signals go to `mpirun`, and so
    /// does the first one if rank 0 is not known.
    ///
    /// # Errors
    /// If signals cannot be handled.
    fn pass(self: &Arc<Signals>) -> io::Result<()> {
        let asked = self.clone();
        signals::on_each(move |signal| {
            let is_first = asked.came.fetch_add(1, Ordering::SeqCst) == 0;
            let [first, mpirun] = [&asked.first, &asked.mpirun].map(|pid| pid.load(Ordering::SeqCst));
            // Rank 0 ignores what this process ignores. `mpirun` passes some signals on instead of ending.
            let (pid, signal) =
                if is_first && first > 0 { (first, signal) } else { (mpirun, Signal::SIGTERM) };
            if pid > 0 {
                // It may have ended already.
                let _ = kill(Pid::from_raw(pid), signal);
            }
        })
    }

    fn have_come(&self) -> bool {
        self.came.load(Ordering::SeqCst) > 0
    }

    /// Rank 0 is at the other end of a stream.
    fn know(&self, stream: &UnixStream) {
        if let Ok(peer) = getsockopt(stream, PeerCredentials) {
            self.first.store(peer.pid(), Ordering::SeqCst);
        }
    }
}

/// What the launcher waits for.
enum Event {
    Line(Vec<u8>),
    /// The stream `mpirun` writes to has ended.
    Ended,
}

/// Prints what comes until `mpirun` ends, and ends it if that takes long after the last words of rank 0.
/// Returns how it has ended, and why results cannot be printed, if so.
fn follow<W: Write>(
    heard: &mut Heard<W>,
    child: &mut Child,
    socket: Option<Socket>,
    reads_input: bool,
    signals: &Arc<Signals>,
) -> (io::Result<ExitStatus>, Option<io::Error>) {
    // Ranks wait if this process prints slowly.
    let (events, inbox) = sync_channel(64);
    if let Some(stdout) = child.stdout.take() {
        let events = events.clone();
        thread::spawn(move || {
            each_line(stdout, |line| events.send(Event::Line(line)).is_ok());
            // Nobody may listen any more.
            let _ = events.send(Event::Ended);
        });
    }
    let listener = socket.as_ref().and_then(|socket| socket.listener.try_clone().ok());
    let (speaks, spoken) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (theirs, their_end, their_signals) = (speaks.clone(), spoken.clone(), signals.clone());
    thread::spawn(move || {
        if let Some((stream, _)) = listener.and_then(|listener| listener.accept().ok()) {
            theirs.store(true, Ordering::SeqCst);
            their_signals.know(&stream);
            if let Some(to) = stream.try_clone().ok().filter(|_| reads_input) {
                thread::spawn(move || feed(to));
            }
            each_line(stream, |line| events.send(Event::Line(line)).is_ok());
        }
        their_end.store(true, Ordering::SeqCst);
    });
    let (mut gone, mut ended, mut until, mut reacts) = (None, false, None, None);
    let mut is_terminated = false;
    let mut ranks = Ranks::of(child);
    loop {
        match inbox.recv_timeout(TICK.0) {
            Ok(Event::Line(line)) if gone.is_none() => {
                if let Err(error) = hear(heard, &line) {
                    gone = Some(error);
                    terminate(child);
                }
            }
            Ok(Event::Line(_)) => {}
            Ok(Event::Ended) => ended = true,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                // Whatever rank 0 said is heard once it has ended.
                let is_silent = !speaks.load(Ordering::SeqCst) || spoken.load(Ordering::SeqCst);
                if ended && is_silent {
                    if let Some(status) = child.try_wait().transpose() {
                        return (status, gone);
                    }
                }
            }
        }
        if heard.said.is_none() && signals.have_come() && !is_terminated {
            is_terminated = Instant::now() >= *reacts.get_or_insert_with(|| Instant::now() + REACTS);
            if is_terminated {
                terminate(child);
            }
        }
        if ended || heard.said.is_some() || gone.is_some() || ranks.are_gone() {
            let now = Instant::now();
            let deadline = *until.get_or_insert(now + PATIENCE);
            if now >= deadline && is_terminated {
                // A process that has ended needs no signal.
                let _ = child.kill();
                return (child.wait(), gone);
            }
            if now >= deadline {
                is_terminated = true;
                until = Some(now + PATIENCE);
                terminate(child);
            }
        }
    }
}

/// The ranks that `mpirun` has on this host. A rank that dies while it connects to `mpirun` can make Open MPI
/// 4.1 wait for itself, after it has ended all others.
struct Ranks {
    mpirun: u32,
    /// What ranks run.
    own: Option<PathBuf>,
    looked: Instant,
    were_there: bool,
    are_gone: bool,
}

impl Ranks {
    fn of(mpirun: &Child) -> Ranks {
        let own = std::env::current_exe().ok();
        Ranks { mpirun: mpirun.id(), own, looked: Instant::now(), were_there: false, are_gone: false }
    }

    /// Whether there were ranks on this host, and all of them have ended. False if that cannot be known.
    fn are_gone(&mut self) -> bool {
        if !self.are_gone && self.looked.elapsed() >= TICK.1 {
            self.looked = Instant::now();
            let are_there = self.are_there().unwrap_or(false);
            self.are_gone = self.were_there && !are_there;
            self.were_there |= are_there;
        }
        self.are_gone
    }

    /// Whether any child of `mpirun` runs what this process runs.
    fn are_there(&self) -> io::Result<bool> {
        let is_rank = |child: &str| {
            // A process that has ended runs nothing.
            let runs = std::fs::read_link(format!("/proc/{child}/exe")).ok();
            runs.is_some() && runs == self.own
        };
        for task in std::fs::read_dir(format!("/proc/{}/task", self.mpirun))? {
            let children = std::fs::read_to_string(task?.path().join("children"))?;
            if children.split_whitespace().any(is_rank) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Passes standard input on to rank 0.
fn feed(mut to: UnixStream) {
    // If rank 0 does not read on, it has said why. If this process cannot read on, rank 0 must not take the
    // end for the end of the program.
    match io::copy(&mut io::stdin(), &mut to) {
        Ok(_) => drop(to.shutdown(Shutdown::Write)),
        Err(error) if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) => {}
        Err(error) => {
            let _ = writeln!(io::stderr(), "yasmin-mpi: error: cannot read standard input: {error}");
            signals::ask_to_end();
        }
    }
}

/// Calls `tell` with each line that comes, until it says that it is enough.
fn each_line(from: impl Read, tell: impl Fn(Vec<u8>) -> bool) {
    let mut from = BufReader::new(from);
    loop {
        let mut line = Vec::new();
        // What `mpirun` passes on may end at any byte.
        let read = (&mut from).take(LONGEST).read_until(b'\n', &mut line);
        if read.unwrap_or(0) == 0 || !tell(line) {
            return;
        }
    }
}

/// Prints what a line says. What is not rank 0's goes to standard error.
fn hear<W: Write>(heard: &mut Heard<W>, line: &[u8]) -> io::Result<()> {
    let text = String::from_utf8_lossy(line);
    if !heard.hear(text.trim_end_matches('\n'))? {
        // Standard error may be closed.
        let _ = io::stderr().write_all(text.as_bytes());
    }
    Ok(())
}

fn terminate(child: &Child) {
    // It may have ended already.
    let _ = kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A launcher that was killed leaves its folder, and the next one may have its number: in a container
    /// each has the same.
    #[test]
    fn what_a_launcher_left_is_not_in_the_way_of_the_next_one() {
        let killed = Socket::new().expect("a socket");
        let next = Socket::new().expect("a socket besides the one that was left");
        assert_ne!(killed.path, next.path);
        let folder = next.path.parent().expect("a folder").to_path_buf();
        let mode = std::fs::metadata(&folder).expect("the folder is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "only this user can enter");
        UnixStream::connect(&next.path).expect("rank 0 finds it");
        drop(next);
        assert!(!folder.exists(), "the folder goes with the launcher");
    }
}
