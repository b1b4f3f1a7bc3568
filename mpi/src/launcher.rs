//! The command as it is started by itself: starts `mpirun`, prints what rank 0 says, and closes the document if rank 0 is
//! gone.
//!
//! Main function: [`launch`]. Invariant: whatever becomes of the ranks, standard output has one whole document, unless it cannot be
//! written.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use yasmin_cli::standard_output::StandardOutput;
use yasmin_cli::validated::Request;
use yasmin_cli::{exit, Ending};

use crate::calls::{Cut, Heard};
use crate::typed::Typed;

/// How long `mpirun` may take to end all ranks once it was told to.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest line that rank 0 says, in bytes.
const LONGEST: u64 = 1 << 32;

/// Whether this process is one of several that something else has started.
pub fn is_rank() -> bool {
    ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"].iter().any(|name| std::env::var_os(name).is_some())
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
    let (told, pid) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicI32::new(0)));
    if let Err(error) = pass_signals(pid.clone(), told.clone()) {
        return failed(format!("cannot handle signals: {error}"));
    }
    let mut child = match start(typed, words) {
        Ok(child) => child,
        Err(error) => {
            // The document says so as well; if it cannot be written, standard error is left.
            let _ = heard.finish(Some(Cut::Failed(error.clone())), began.elapsed().as_secs_f64());
            return failed(error);
        }
    };
    pid.store(child.id() as i32, Ordering::SeqCst);
    if told.load(Ordering::SeqCst) {
        terminate(&child);
    }
    let mut gone = None;
    if let Some(lines) = child.stdout.take() {
        if let Err(error) = hear(&mut heard, lines) {
            gone = Some(error);
            terminate(&child);
        }
    }
    let status = wait(&mut child);
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
    let is_told = told.load(Ordering::SeqCst);
    let named = &typed.mpirun;
    let cut = match &heard.said {
        None if is_told => Some(Cut::Interrupted),
        None => {
            Some(Cut::Failed(format!("rank 0 is gone: {named} ended with {ended} before the search had")))
        }
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

/// Starts `mpirun`.
fn start(typed: &Typed, words: &[OsString]) -> Result<Child, String> {
    let mut mpirun = shlex::split(&typed.mpirun).unwrap_or_default().into_iter();
    let name = mpirun.next().ok_or("--mpirun names no command")?;
    let own = std::env::current_exe().map_err(|error| format!("cannot find yasmin-mpi itself: {error}"))?;
    let mut command = Command::new(&name);
    command.args(mpirun);
    if let Some(ranks) = typed.ranks {
        command.arg("-n").arg(ranks.to_string());
    }
    command.arg(own).arg("--rank-launched").args(words.iter().skip(1)).stdout(Stdio::piped());
    command.spawn().map_err(|error| {
        format!(
            "cannot start {name}: {error}; --mpirun names the command (Debian: apt-get install openmpi-bin)"
        )
    })
}

/// Passes signals on to `mpirun`, which has this number once it runs and passes them on to the ranks.
fn pass_signals(pid: Arc<AtomicI32>, told: Arc<AtomicBool>) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || {
        told.store(true, Ordering::SeqCst);
        let pid = pid.load(Ordering::SeqCst);
        if pid > 0 {
            // It may have ended already.
            let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        }
    })
}

/// Prints what comes. What is not rank 0's goes to standard error.
fn hear<W: Write>(heard: &mut Heard<W>, lines: impl Read) -> io::Result<()> {
    let mut lines = BufReader::new(lines);
    let mut line = Vec::new();
    loop {
        line.clear();
        // What `mpirun` passes on may end at any byte.
        if (&mut lines).take(LONGEST).read_until(b'\n', &mut line).unwrap_or(0) == 0 {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&line);
        if !heard.hear(text.trim_end_matches('\n'))? {
            // Standard error may be closed.
            let _ = io::stderr().write_all(text.as_bytes());
        }
    }
}

fn terminate(child: &Child) {
    // It may have ended already.
    let _ = kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM);
}

/// Waits for the end of `mpirun`, whose output has ended, and ends it if that takes long.
fn wait(child: &mut Child) -> io::Result<ExitStatus> {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() > until {
            child.kill()?;
            return child.wait();
        }
        thread::sleep(Duration::from_millis(2));
    }
}
