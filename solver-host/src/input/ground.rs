//! Reading programs that may have to be grounded first, by a grounder that runs as a process of its own.
//!
//! Main function: [`read_sources`]. What the grounder writes is read while it writes. Files that can be opened again are
//! left to the grounder; standard input and pipes are passed on to it.
//!
//! Invariant: however reading ends, nobody waits for the grounder, it does not run any more, and no half of a kept program is
//! left; [`Guard::stop`] sees to that from another thread.

use std::fs::{self, File};
use std::io::{self, Cursor, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{killpg, Signal};
use nix::unistd::Pid;

use super::kind::{self, Kind};
use super::InputError;
use crate::program::Program;

/// What is tried if no grounder is named, in this order.
const GROUNDERS: [&str; 2] = ["gringo", "clingo"];

/// How to ground what is not ground yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grounding {
    /// The grounder, by name or path; if none is named, `gringo` or `clingo`, whichever is on the path. One whose name has
    /// `clingo` in it is asked to ground only.
    pub grounder: Option<String>,
    /// Values of constants, each as `name=term`.
    pub constants: Vec<String>,
    /// Where to keep the ground program.
    pub keep: Option<PathBuf>,
}

/// Why a program could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The input is bad.
    #[error(transparent)]
    Input(#[from] InputError),
    /// There is no grounder.
    #[error(
        "{file}: not ground, and there is neither gringo nor clingo on the path; install one (Debian: `apt-get install gringo`), \
         name one with --grounder, or, with PyPI's clingo, `python3 -m clingo --mode=gringo FILE | yasmin`"
    )]
    NoGrounder {
        /// What was to be grounded.
        file: String,
    },
    /// The grounder that was named cannot be run.
    #[error("cannot run the grounder `{name}`: {error}")]
    NotRun {
        /// As it was named.
        name: String,
        /// Why.
        error: io::Error,
    },
    /// The grounder failed, and has said why.
    #[error("the grounder `{name}` failed ({status})")]
    Failed {
        /// The grounder.
        name: String,
        /// How it ended.
        status: ExitStatus,
    },
    /// The ground program cannot be kept where it was to be kept.
    #[error("cannot write {}: {error}", .path.display())]
    NotKept {
        /// Where.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// An option for a grounder, and nothing to ground.
    #[error("{file}: this program is ground, so that {option} means nothing")]
    AlreadyGround {
        /// The ground program.
        file: String,
        /// The option.
        option: &'static str,
    },
    /// [`Guard::stop`] was called.
    #[error("reading was stopped")]
    Stopped,
}

/// Lets another thread end a grounder that is running.
#[derive(Clone, Debug, Default)]
pub struct Guard(Arc<Mutex<Guarded>>);

#[derive(Debug, Default)]
struct Guarded {
    stopped: bool,
    child: Option<Child>,
    /// A file that is not whole yet.
    partial: Option<PathBuf>,
}

impl Guard {
    /// Ends the grounder if one is running, removes what it has written so far, and lets none start any more.
    pub fn stop(&self) {
        let mut guarded = self.lock();
        guarded.stopped = true;
        guarded.end();
    }

    fn lock(&self) -> MutexGuard<'_, Guarded> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the end of the grounder, so that [`Self::stop`] can still end it meanwhile.
    fn wait(&self) -> Result<ExitStatus, ReadError> {
        let mut pause = Duration::from_micros(100);
        loop {
            let mut guarded = self.lock();
            let Some(child) = guarded.child.as_mut() else { return Err(ReadError::Stopped) };
            // A child of ours can always be waited for.
            if let Ok(Some(status)) = child.try_wait() {
                guarded.child = None;
                return Ok(status);
            }
            drop(guarded);
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

impl Guarded {
    fn end(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It leads a group of its own, so that what it may have started ends as well.
            if let Ok(pid) = i32::try_from(child.id()) {
                let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
            }
            let _ = child.wait();
        }
        if let Some(partial) = self.partial.take() {
            let _ = fs::remove_file(partial);
        }
    }
}

/// An input that is not ground.
enum Source {
    /// A file, which the grounder opens itself.
    File(PathBuf),
    /// What can be read only once, and what was read of it.
    Stream(Box<dyn Read + Send>),
}

/// Reads the program in `files` (none, or `-`, is standard input): one that is ground, or some that are grounded together.
///
/// # Errors
/// If a file cannot be read, the grounder fails or there is none, or the ground program is not one that can be solved.
pub fn read_sources(files: &[PathBuf], grounding: &Grounding, guard: &Guard) -> Result<Program, ReadError> {
    let standard_input = [PathBuf::from("-")];
    let files = if files.is_empty() { &standard_input } else { files };
    let mut ground: Option<(String, Box<dyn Read + Send>)> = None;
    let mut sources = Vec::new();
    for file in files {
        let name = display_name(file);
        let unreadable = |error| InputError::unreadable(&name, &error);
        let (mut stream, is_regular) = open(file).map_err(unreadable)?;
        let (kind, bytes) = kind::begin(&mut stream).map_err(unreadable)?;
        let stream: Box<dyn Read + Send> = Box::new(Cursor::new(bytes).chain(stream));
        match kind {
            Kind::Binary => {
                return Err(InputError::new(
                    &name,
                    None,
                    "this is neither a logic program nor a ground one",
                    "",
                )
                .into())
            }
            Kind::Ground => match ground {
                Some(_) => return Err(two_ground(&name).into()),
                None => ground = Some((name, stream)),
            },
            // A program may be empty; nothing at all on a pipe is more likely a command that failed.
            Kind::Nothing if !is_regular && files.len() == 1 => ground = Some((name, stream)),
            _ if is_regular => sources.push(Source::File(file.clone())),
            _ => sources.push(Source::Stream(stream)),
        }
    }
    let Some((name, stream)) = ground else {
        return read_grounded(&display_name(&files[0]), sources, grounding, guard);
    };
    if !sources.is_empty() {
        let what = "this program is ground, and another is not";
        return Err(InputError::new(
            &name,
            None,
            what,
            "ground the sources together: `gringo FILE FILE | yasmin`",
        )
        .into());
    }
    for (is_given, option) in
        [(!grounding.constants.is_empty(), "--const"), (grounding.keep.is_some(), "--keep-ground")]
    {
        if is_given {
            return Err(ReadError::AlreadyGround { file: name, option });
        }
    }
    Ok(super::read(&name, stream)?)
}

fn display_name(file: &Path) -> String {
    match file.to_str() {
        Some("-") => "standard input".into(),
        _ => file.display().to_string(),
    }
}

fn two_ground(second: &str) -> InputError {
    let what = "a second ground program: each numbers its atoms for itself";
    InputError::new(second, None, what, "ground the sources together: `gringo FILE FILE | yasmin`")
}

/// The file, and whether it can be opened once more.
fn open(file: &Path) -> io::Result<(Box<dyn Read + Send>, bool)> {
    if file == Path::new("-") {
        return Ok((Box::new(io::stdin()), false));
    }
    let opened = File::open(file)?;
    let about = opened.metadata()?;
    match about.is_dir() {
        true => Err(io::ErrorKind::IsADirectory.into()),
        false => Ok((Box::new(opened), about.is_file())),
    }
}

/// Grounds the sources and reads what comes of it.
fn read_grounded(
    first: &str,
    sources: Vec<Source>,
    grounding: &Grounding,
    guard: &Guard,
) -> Result<Program, ReadError> {
    let kept = grounding.keep.as_deref().map(|path| Kept::create(path, guard)).transpose()?;
    let (name, stdout, stdin) = start(first, &sources, grounding, guard)?;
    if let Some(stdin) = stdin {
        feed(stdin, sources);
    }
    let mut output = Output { stdout, kept, failure: None, has_ended: false };
    let program = super::read(&format!("output of {name}"), &mut output);
    // What is to be kept is kept whole, even if there is something in it that cannot be solved.
    if program.is_ok() || output.kept.is_some() {
        let _ = io::copy(&mut output, &mut io::sink());
    }
    if let Some(error) = output.failure {
        guard.lock().end();
        let path = grounding.keep.clone().unwrap_or_default();
        return Err(ReadError::NotKept { path, error });
    }
    if !output.has_ended {
        guard.lock().end();
        return Ok(program?);
    }
    // A grounder that fails leaves a program that is cut off; what it said then is of more use.
    let status = guard.wait()?;
    if !status.success() {
        guard.lock().end();
        return Err(ReadError::Failed { name, status });
    }
    if let Some(kept) = output.kept {
        kept.commit(guard)?;
    }
    Ok(program?)
}

/// Starts the grounder: its name, what it writes, and where to write what it is to read, if anything.
fn start(
    first: &str,
    sources: &[Source],
    grounding: &Grounding,
    guard: &Guard,
) -> Result<(String, ChildStdout, Option<ChildStdin>), ReadError> {
    let mut candidates: Vec<&str> = GROUNDERS.to_vec();
    if let Some(named) = &grounding.grounder {
        candidates = vec![named];
    }
    for name in candidates {
        let mut command = command(name, sources, grounding);
        let mut guarded = guard.lock();
        if guarded.stopped {
            guarded.end();
            return Err(ReadError::Stopped);
        }
        match command.spawn() {
            Ok(mut child) => {
                let (stdout, stdin) = (child.stdout.take(), child.stdin.take());
                guarded.child = Some(child);
                let stdout = stdout.expect("is piped");
                return Ok((name.to_string(), stdout, stdin));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && grounding.grounder.is_none() => {}
            Err(error) => {
                guarded.end();
                return Err(ReadError::NotRun { name: name.to_string(), error });
            }
        }
    }
    guard.lock().end();
    Err(ReadError::NoGrounder { file: first.to_string() })
}

fn command(name: &str, sources: &[Source], grounding: &Grounding) -> Command {
    let mut command = Command::new(name);
    if Path::new(name).file_name().is_some_and(|file| file.to_string_lossy().contains("clingo")) {
        command.arg("--mode=gringo");
    }
    command.args(grounding.constants.iter().map(|constant| format!("--const={constant}")));
    let mut stdin = Stdio::null();
    for source in sources {
        match source {
            // Not an option, whatever it is called.
            Source::File(path) if path.as_os_str().as_bytes().starts_with(b"-") => {
                command.arg(Path::new(".").join(path))
            }
            Source::File(path) => command.arg(path),
            Source::Stream(_) => {
                stdin = Stdio::piped();
                continue;
            }
        };
    }
    if sources.iter().any(|source| matches!(source, Source::Stream(_))) {
        command.arg("-");
    }
    // Its own group: a Ctrl-C is for us, and we end it.
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::inherit()).process_group(0);
    command
}

/// Passes the streams on to the grounder, from a thread of its own: it may write before it has read everything.
fn feed(mut stdin: ChildStdin, sources: Vec<Source>) {
    let feed = move || -> io::Result<()> {
        for (n, source) in sources.into_iter().enumerate() {
            if let Source::Stream(mut stream) = source {
                if n > 0 {
                    // Each source begins anew, as files do.
                    stdin.write_all(b"\n#program base.\n")?;
                }
                io::copy(&mut stream, &mut stdin)?;
            }
        }
        Ok(())
    };
    // Nobody waits for this thread: the grounder may end without having read all. A stream that breaks off is cut off.
    let _ = thread::Builder::new().name("feed".into()).spawn(feed);
}

/// What the grounder writes, kept as it is read if that is asked for.
struct Output {
    stdout: ChildStdout,
    kept: Option<Kept>,
    /// Why it cannot be kept.
    failure: Option<io::Error>,
    has_ended: bool,
}

impl Read for Output {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.stdout.read(to)?;
        self.has_ended |= read == 0 && !to.is_empty();
        if let Some(kept) = &mut self.kept {
            if let Err(error) = kept.file.write_all(&to[..read]) {
                self.failure = Some(error);
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        Ok(read)
    }
}

/// A file that gets its name when it is whole.
struct Kept {
    path: PathBuf,
    file: File,
    /// What it is called until then; none for a device or a pipe, which is written as it is.
    partial: Option<PathBuf>,
}

impl Kept {
    fn create(path: &Path, guard: &Guard) -> Result<Self, ReadError> {
        let failed = |error| ReadError::NotKept { path: path.to_path_buf(), error };
        // What a link points to is replaced, not the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if fs::metadata(&path).is_ok_and(|about| !about.is_file()) {
            let file = File::options().write(true).open(&path).map_err(failed)?;
            return Ok(Kept { path, file, partial: None });
        }
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{}.part", std::process::id()));
        let partial = path.with_file_name(name);
        let file = File::create_new(&partial).map_err(failed)?;
        guard.lock().partial = Some(partial.clone());
        Ok(Kept { path, file, partial: Some(partial) })
    }

    /// Gives the file its name.
    fn commit(mut self, guard: &Guard) -> Result<(), ReadError> {
        let mut guarded = guard.lock();
        if guarded.stopped {
            return Err(ReadError::Stopped);
        }
        let written = self.file.flush().and_then(|()| match &self.partial {
            Some(partial) => fs::rename(partial, &self.path),
            None => Ok(()),
        });
        match written {
            Ok(()) => {
                guarded.partial = None;
                Ok(())
            }
            Err(error) => {
                guarded.end();
                Err(ReadError::NotKept { path: self.path, error })
            }
        }
    }
}

impl ReadError {
    /// The exit status of the grounder, if that is why; 128 and the signal if one ended it, as in a shell.
    pub fn grounder_status(&self) -> Option<i32> {
        match self {
            ReadError::Failed { status, .. } => {
                status.code().or_else(|| status.signal().map(|signal| 128 + signal))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Instant;

    /// A folder of its own with files of these names, texts and modes; it is removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(files: &[(&str, &str)]) -> Self {
            static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
            let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("yasmin-ground-{}-{number}", std::process::id()));
            fs::create_dir_all(&path).expect("a folder");
            for (name, text) in files {
                fs::write(path.join(name), text).expect("a file");
                let mode = if text.starts_with("#!") { 0o755 } else { 0o644 };
                fs::set_permissions(path.join(name), fs::Permissions::from_mode(mode)).expect("its mode");
            }
            Folder(path)
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.join(name)
        }

        /// Reads files of the folder with its file `grounder` as the grounder.
        fn read(&self, files: &[&str], keep: bool) -> Result<Program, ReadError> {
            let files: Vec<PathBuf> = files.iter().map(|name| self.path(name)).collect();
            let grounding = Grounding {
                grounder: Some(self.path("grounder").display().to_string()),
                constants: Vec::new(),
                keep: keep.then(|| self.path("kept")),
            };
            let guard = Guard::default();
            let program = read_sources(&files, &grounding, &guard);
            assert!(guard.lock().child.is_none() && guard.lock().partial.is_none(), "something is left");
            program
        }

        fn names(&self) -> Vec<String> {
            let names = fs::read_dir(&self.0).expect("a folder");
            let mut names: Vec<String> = names
                .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
                .collect();
            names.sort_unstable();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const FACT: &str = "asp 1 0 0\n1 0 1 1 0 0\n4 1 a 0\n0\n";
    const GROUNDER: &str = "#!/bin/sh\nprintf 'asp 1 0 0\\n1 0 1 1 0 0\\n4 1 a 0\\n0\\n'\n";

    #[test]
    fn a_logic_program_is_grounded_and_kept() {
        let folder = Folder::new(&[("p", "a."), ("grounder", GROUNDER)]);
        assert_eq!(folder.read(&["p"], true).expect("a program").rules(), 1);
        assert_eq!(fs::read_to_string(folder.path("kept")).expect("text"), FACT);
        assert_eq!(folder.names(), ["grounder", "kept", "p"]);
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let folder = Folder::new(&[("p", "a."), ("g", FACT), ("h", FACT), ("grounder", GROUNDER)]);
        assert!(folder.read(&["g"], false).is_ok());
        for (files, keep, word) in [
            (&["g", "h"][..], false, "a second ground program"),
            (&["g", "p"], false, "is ground, and another is not"),
            (&["p", "g"], false, "is ground, and another is not"),
            (&["g"], true, "--keep-ground means nothing"),
            (&["nowhere"], false, "cannot be read"),
            (&["."], false, "cannot be read"),
        ] {
            let error = folder.read(files, keep).expect_err("does not fit together").to_string();
            assert!(error.contains(word), "{files:?}: {error}");
        }
    }

    #[test]
    fn a_grounder_that_fails_leaves_nothing() {
        for (end, status) in [("exit 7", 7), ("kill -9 $$", 137)] {
            let grounder = format!("{GROUNDER}{end}\n");
            let folder = Folder::new(&[("p", "a."), ("grounder", &grounder)]);
            let error = folder.read(&["p"], true).expect_err("it fails");
            assert_eq!(error.grounder_status(), Some(status), "{error}");
            assert_eq!(folder.names(), ["grounder", "p"]);
        }
    }

    #[test]
    fn what_cannot_be_solved_is_kept_all_the_same() {
        let folder =
            Folder::new(&[("p", "a."), ("grounder", "#!/bin/sh\nprintf 'asp 1 0 0\\nbad\\nworse\\n'\n")]);
        let error = folder.read(&["p"], true).expect_err("is no program");
        assert!(matches!(error, ReadError::Input(_)), "{error}");
        assert_eq!(fs::read_to_string(folder.path("kept")).expect("text"), "asp 1 0 0\nbad\nworse\n");
    }

    #[test]
    fn a_grounder_that_goes_on_after_an_error_is_ended() {
        let endless = "#!/bin/sh\nprintf 'asp 1 0 0\\nbad\\n'\nsleep 1000\n";
        let folder = Folder::new(&[("p", "a."), ("grounder", endless)]);
        let began = Instant::now();
        assert!(matches!(folder.read(&["p"], false), Err(ReadError::Input(_))));
        assert!(began.elapsed() < Duration::from_secs(100));
    }

    #[test]
    fn the_guard_ends_the_grounder() {
        let folder =
            Folder::new(&[("p", "a."), ("grounder", "#!/bin/sh\nprintf 'asp 1 0 0\\n'\nsleep 1000\n")]);
        let guard = Guard::default();
        let theirs = guard.clone();
        let ender = thread::spawn(move || {
            while theirs.lock().child.is_none() {
                thread::sleep(Duration::from_millis(1));
            }
            theirs.stop();
        });
        let grounding = Grounding {
            grounder: Some(folder.path("grounder").display().to_string()),
            keep: Some(folder.path("kept")),
            ..Grounding::default()
        };
        assert!(read_sources(&[folder.path("p")], &grounding, &guard).is_err());
        ender.join().expect("no panic");
        assert_eq!(folder.names(), ["grounder", "p"]);
        let again = read_sources(&[folder.path("p")], &grounding, &guard);
        assert!(matches!(again, Err(ReadError::Stopped)));
        assert_eq!(folder.names(), ["grounder", "p"]);
    }
}
