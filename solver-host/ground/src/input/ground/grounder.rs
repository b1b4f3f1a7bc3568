//! Which grounder to run, and how: a program on the path, a command with arguments, or a Python with clingo's package.
//!
//! Main function: [`find`]. Nothing is tried out if gringo or clingo is on the path. Invariant: the grounder ends when
//! this process does, even if a signal kills this process at once.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::libc;

use super::error::ReadError;
use crate::text;

/// The grounders that are looked for on the path, in this order, if none is named.
const GROUNDERS: [&str; 2] = ["gringo", "clingo"];

/// The Pythons that are tried if none of [`GROUNDERS`] is there.
const PYTHONS: [&str; 2] = ["python3", "python"];

/// Runs clingo's package as a grounder, which grounds programs with scripts in Python as gringo does. `python3 -m
/// clingo` runs no script's `main`, and would hide a failure: its exit code is always 0.
const SCRIPT: &str = "import sys, clingo, clingo.script; clingo.script.enable_python(); \
    sys.exit(clingo.clingo_main(clingo.Application(), sys.argv[1:]))";

/// Tells clingo to ground only.
const GROUND_ONLY: &str = "--mode=gringo";

/// Set for a grounder, so that a yasmin that is called clingo does not ground with itself.
const MARK: &str = "YASMIN_GROUNDS";

/// A grounder: a command and its first arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grounder {
    /// What errors call the grounder.
    pub name: String,
    words: Vec<String>,
}

/// The grounder to run: the one that is named, else the first that is there.
///
/// # Errors
/// If the name is no command line, or none is there. `file` is the program that is not ground.
pub fn find(named: Option<&str>, file: &str) -> Result<Grounder, ReadError> {
    if std::env::var_os(MARK).is_some() {
        return Err(ReadError::GroundsWithItself);
    }
    if let Some(named) = named {
        // A path may have spaces in it.
        if named.is_empty() || Path::new(&text::to_os(named)).is_file() {
            return Ok(of_program(named));
        }
        let words = shlex::split(named).filter(|words| !words.is_empty());
        return match words {
            Some(words) if words.len() == 1 => Ok(of_program(&words[0])),
            Some(words) => Ok(Grounder { name: named.to_string(), words: of_package(words) }),
            None => Err(ReadError::NotACommand { name: named.to_string() }),
        };
    }
    let known = GROUNDERS.into_iter().find_map(|name| Some(of_path(name, &on_path(name).next()?)));
    if let Some(known) = known {
        return Ok(known);
    }
    of_python().ok_or_else(|| ReadError::NoGrounder { file: file.to_string() })
}

/// The grounder to run where none is named and the program has scripts: clingo if it is there. A script may look at
/// the atoms of the program that it grounds, which gringo does not let it do.
pub fn for_scripts() -> Option<Grounder> {
    let [_, clingo] = GROUNDERS;
    on_path(clingo).find(|at| is_clingo(at)).map(|at| of_path(clingo, &at)).or_else(of_python)
}

/// clingo's package, of the first Python that has it.
fn of_python() -> Option<Grounder> {
    for python in PYTHONS.into_iter().filter(|name| on_path(name).next().is_some()) {
        let mut probe = Command::new(python);
        probe.args(["-c", "import clingo, clingo.script; clingo.clingo_main"]).stdin(Stdio::null());
        if probe.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
            let words = [python, "-c", SCRIPT, GROUND_ONLY].map(String::from).to_vec();
            return Some(Grounder { name: format!("clingo of {python}"), words });
        }
    }
    None
}

/// A grounder of one word. One with `clingo` in its name is asked to ground only.
fn of_program(program: &str) -> Grounder {
    let is_clingo =
        Path::new(program).file_name().is_some_and(|file| file.to_string_lossy().contains("clingo"));
    let mut words = vec![program.to_string()];
    words.extend(is_clingo.then(|| GROUND_ONLY.to_string()));
    Grounder { name: program.to_string(), words }
}

/// `python3 -m clingo` with [`SCRIPT`] in place of the module; other commands are left as they are.
fn of_package(mut words: Vec<String>) -> Vec<String> {
    if let Some(at) = words.windows(2).position(|pair| pair[0] == "-m" && pair[1] == "clingo") {
        words.splice(at..at + 2, ["-c", SCRIPT].map(String::from));
        // clingo refuses an option that is given twice.
        if !words.iter().any(|word| word.starts_with("--mode")) {
            words.push(GROUND_ONLY.to_string());
        }
    }
    words
}

/// The programs of this name on the path, except this process's own, which may be called clingo.
fn on_path(name: &str) -> impl Iterator<Item = PathBuf> {
    let own = std::env::current_exe().and_then(|own| own.canonicalize()).ok();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all: Vec<PathBuf> = std::env::split_paths(&path).map(|folder| folder.join(name)).collect();
    all.into_iter().filter(move |at| at.is_file() && (own.is_none() || at.canonicalize().ok() != own))
}

/// Whether a program says that it is clingo. A script of this name may start yasmin.
fn is_clingo(at: &Path) -> bool {
    let asked = Command::new(at).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
    asked.is_ok_and(|told| told.stdout.starts_with(b"clingo"))
}

/// The grounder of this name at this place.
fn of_path(name: &str, at: &Path) -> Grounder {
    Grounder { name: name.to_string(), ..of_program(&text::of_os(at)) }
}

impl Grounder {
    /// Whether the command has clingo's name in it.
    pub fn is_clingo(&self) -> bool {
        self.words.iter().any(|word| word.contains("clingo"))
    }

    /// The words of the command after the first.
    pub fn arguments(&self) -> &[String] {
        &self.words[1..]
    }

    /// A command that runs the grounder, in a process group of its own: a Ctrl-C goes to yasmin, which ends the
    /// grounder.
    pub fn command(&self) -> Command {
        let mut command = Command::new(text::to_os(&self.words[0]));
        command.args(self.words[1..].iter().map(|word| text::to_os(word))).env(MARK, "1").process_group(0);
        end_with_parent(&mut command);
        command
    }
}

/// Lets the kernel kill the command's process when the thread that starts the process ends.
#[cfg(target_os = "linux")]
fn end_with_parent(command: &mut Command) {
    let parent = std::process::id();
    let tie = move || {
        // SAFETY: both calls are safe between fork and exec, as they only ask the kernel.
        let (tied, now) = unsafe { (libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL), libc::getppid()) };
        match tied {
            // The parent may have ended before the process was tied to the parent.
            0 if u32::try_from(now) == Ok(parent) => Ok(()),
            0 => Err(std::io::ErrorKind::Interrupted.into()),
            _ => Err(std::io::Error::last_os_error()),
        }
    };
    // SAFETY: the closure allocates nothing and takes no lock.
    unsafe { command.pre_exec(tie) };
}

/// Other systems have no such tie: a grounder may outlive a killed yasmin there.
#[cfg(not(target_os = "linux"))]
fn end_with_parent(_command: &mut Command) {}
