//! The check of a proof by another process, `yasmin-check`, which runs beside the search.
//!
//! Main type: [`ProofCheck`]. The checker reads the ground program from one pipe, and then the proof from
//! another, as it is written (`proof_file.rs`). A pipe holds little, so that a slow checker has the search
//! wait, and loses no step. Of several ranks each writes a part to a file, and the checker reads the files
//! after the search.
//! Invariant: once [`ProofCheck::leave`] has returned, no checker runs and none is started.

use std::error::Error;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use nix::fcntl::{fcntl, FcntlArg, FdFlag};
use nix::sys::signal::{killpg, Signal};
use nix::unistd::Pid;
use serde_json::Value;
use solver_host::output::{Proved, Trouble};

use super::exit::Known;
use super::validated::Request;

/// The command.
const CHECKER: &str = "yasmin-check";

/// How often a check is asked whether it has ended.
const ASKED: Duration = Duration::from_millis(5);

/// A check that goes on while the search does.
pub struct ProofCheck {
    checker: PathBuf,
    /// The file of the first part, and the program once it is known, if the proof has several parts.
    parts: Option<(PathBuf, Mutex<Vec<u8>>)>,
    /// The process, until somebody has waited for it. Held for moments only.
    child: Mutex<Option<Child>>,
    /// What the process reads the proof from, and what it prints.
    pipes: Mutex<Option<(ChildStdin, ChildStdout)>>,
    /// Whether nobody wants to know the verdict any more.
    is_left: AtomicBool,
    /// Whether the checker has read no more before the proof was whole.
    has_ended_early: AtomicBool,
}

impl ProofCheck {
    /// The check that a request asks for, if it asks for one.
    ///
    /// # Errors
    /// If there is no checker.
    pub fn of(request: &Request) -> Result<Option<Arc<ProofCheck>>, String> {
        let Some((proof, option)) = request.proof.as_ref().and_then(|proof| Some((proof, proof.checked_by?)))
        else {
            return Ok(None);
        };
        let checker = find().map_err(|error| {
            format!(
                "{option} runs {CHECKER}, and that fails: {error}; put it beside yasmin, or say --check=auto"
            )
        })?;
        Ok(Some(Arc::new(ProofCheck {
            checker,
            parts: proof.part.and(proof.path.clone()).map(|path| (path, Mutex::default())),
            child: Mutex::default(),
            pipes: Mutex::default(),
            is_left: AtomicBool::new(false),
            has_ended_early: AtomicBool::new(false),
        })))
    }

    /// Starts the checker, and gives it the ground program. The proof may be written from then on. If the
    /// proof has several parts, [`Self::conclude`] does that.
    ///
    /// # Errors
    /// If the checker cannot be started. One that does not read the program is told of by [`Self::conclude`].
    pub fn begin(&self, program: &[u8]) -> Result<(), Box<dyn Error>> {
        match &self.parts {
            None => self.begin_with(program, Path::new("-")),
            Some((_, kept)) => {
                *lock(kept) = program.to_vec();
                Ok(())
            }
        }
    }

    fn begin_with(&self, program: &[u8], proof: &Path) -> Result<(), Box<dyn Error>> {
        let (mut to, child) = self.start(proof).map_err(|error| self.not_run(&error))?;
        self.keep(child);
        if to.write_all(program).is_err() {
            self.has_ended_early.store(!self.is_left(), Ordering::Relaxed);
        }
        Ok(())
    }

    /// Starts the checker of a proof. Returns what it reads the program from.
    fn start(&self, proof: &Path) -> io::Result<(io::PipeWriter, Child)> {
        let (from, to) = io::pipe()?;
        let from = OwnedFd::from(from);
        // Only the checker is started until this end is closed here.
        fcntl(&from, FcntlArg::F_SETFD(FdFlag::empty()))?;
        let mut command = Command::new(&self.checker);
        command.arg(format!("/dev/fd/{}", from.as_raw_fd())).arg(proof).arg("--json");
        // A signal of the terminal is for us: we end the checker.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        Ok((to, command.spawn()?))
    }

    fn keep(&self, mut child: Child) {
        *lock(&self.pipes) = child.stdin.take().zip(child.stdout.take());
        *lock(&self.child) = Some(child);
        if self.is_left() {
            self.leave();
        }
    }

    /// Gives the checker a piece of the proof, or nobody if the checker was left.
    ///
    /// # Errors
    /// If the checker reads no more.
    pub fn take(&self, bytes: &[u8]) -> io::Result<()> {
        let mut pipes = lock(&self.pipes);
        let written = pipes.as_mut().map_or(Ok(()), |(to, _)| to.write_all(bytes));
        match written {
            Err(error) if !self.is_left() => {
                self.has_ended_early.store(true, Ordering::Relaxed);
                Err(io::Error::new(error.kind(), format!("{CHECKER} reads no more of it: {error}")))
            }
            _ => Ok(()),
        }
    }

    /// Whether the checker has ended, or has read no more, before it had the whole proof.
    pub fn has_ended_early(&self) -> bool {
        // Relaxed: the flag carries no other data.
        self.has_ended_early.load(Ordering::Relaxed)
    }

    fn is_left(&self) -> bool {
        self.is_left.load(Ordering::Acquire)
    }

    /// Ends the checker if it still runs. Nobody wants to know the verdict.
    pub fn leave(&self) {
        self.is_left.store(true, Ordering::Release);
        let child = lock(&self.child).take();
        if let Some(mut child) = child {
            if let Ok(pid) = i32::try_from(child.id()) {
                let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
            }
            let _ = child.wait();
        }
    }

    /// Waits for what the checker says of the proof, which is whole. `None` if the checker was left, or
    /// `is_stopped` says so meanwhile.
    ///
    /// # Errors
    /// [`Trouble::Doubt`] if the proof is not accepted; else if the checker cannot judge it, or has ended
    /// without a verdict.
    pub fn conclude(&self, is_stopped: &dyn Fn() -> bool) -> Result<Option<Proved>, Box<dyn Error>> {
        if let Some((file, program)) = self.parts.as_ref().filter(|_| !self.is_left()) {
            self.begin_with(&std::mem::take(&mut *lock(program)), file)?;
        }
        // The end of the proof is the end of the pipe.
        let Some((_, output)) = lock(&self.pipes).take().map(|(to, output)| (drop(to), output)) else {
            return Ok(None);
        };
        let Some((told, status)) = self.watched(output, is_stopped).map_err(|error| self.not_run(&error))?
        else {
            return Ok(None);
        };
        let told: Value = serde_json::from_slice(&told).map_err(|_| {
            Known(
                Trouble::System,
                format!("{} has ended without a verdict: {status}", self.checker.display()),
            )
        })?;
        let text = |name: &str| told[name].as_str().unwrap_or_default().to_string();
        match told["Verdict"].as_str() {
            Some("accepted") if self.has_ended_early() => {
                Err(Known::doubt("the proof is accepted without its end").into())
            }
            Some("accepted") => {
                let seconds = told["Seconds"].as_f64().unwrap_or_default();
                Ok(Some(Proved { proved: text("Proved"), seconds }))
            }
            Some("error") => Err(Known(Trouble::System, format!("{CHECKER}: {}", text("Reason"))).into()),
            Some("refused") => Err(Known::doubt(&format!("the proof is refused: {}", text("Reason"))).into()),
            _ => Err(Known::doubt("the proof has no conclusion").into()),
        }
    }

    /// What the checker prints, and how it ends. `None` if it was left.
    fn watched(
        &self,
        mut output: ChildStdout,
        is_stopped: &dyn Fn() -> bool,
    ) -> io::Result<Option<(Vec<u8>, ExitStatus)>> {
        thread::scope(|scope| {
            let reader =
                thread::Builder::new().name("proof check".into()).spawn_scoped(scope, move || {
                    let mut bytes = Vec::new();
                    output.read_to_end(&mut bytes).map(|_| bytes)
                })?;
            let status = loop {
                if is_stopped() {
                    self.leave();
                }
                let mut child = lock(&self.child);
                let Some(ended) = child.as_mut().map(Child::try_wait) else { return Ok(None) };
                if let Some(status) = ended? {
                    // Its number may be another process's from now on.
                    *child = None;
                    break status;
                }
                drop(child);
                thread::sleep(ASKED);
            };
            let bytes = reader
                .join()
                .unwrap_or_else(|_| Err(io::Error::other("the thread that reads its output has ended")))?;
            Ok(Some((bytes, status)))
        })
    }

    fn not_run(&self, error: &io::Error) -> Known {
        Known(Trouble::System, format!("cannot run {}: {error}", self.checker.display()))
    }
}

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The checker: beside this command, or where the shell finds it.
fn find() -> io::Result<PathBuf> {
    let beside =
        std::env::current_exe().ok().map(|own| own.with_file_name(CHECKER)).filter(|path| path.is_file());
    let checker = beside.unwrap_or_else(|| CHECKER.into());
    let ended =
        Command::new(&checker).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    match ended.success() {
        true => Ok(checker),
        false => Err(io::Error::other(format!("{} --version: {ended}", checker.display()))),
    }
}
