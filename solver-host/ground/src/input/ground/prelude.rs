//! What the grounder reads before and after the user's files, if those may have scripts, or difference
//! constraints that they do not define.
//!
//! Main type: [`Prelude`]. A prelude is a script of its own, `prelude/python.lp` or `prelude/lua.lp`. It
//! keeps what scripts print away from the ground program, and guards a function `main`: one that grounds,
//! solves once and looks at nothing that a solver answers is let through, and any other is refused by name.
//!
//! Grounders read files in an order of their own, so that the prelude is both the first and the last file.
//! Either half does what is left to do. The grounder reads preludes from pipes, and says through a pipe what
//! `main` does.
//!
//! Invariant: a program of several steps is refused, even if the grounder says nothing.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use nix::fcntl::{fcntl, FcntlArg, OFlag};
use nix::libc;

use super::error::ReadError;
use super::grounder::Grounder;
use super::guard::Guard;
use super::scripts::{Language, Scripts};

const PYTHON: &str = include_str!("prelude/python.lp");
const LUA: &str = include_str!("prelude/lua.lp");

/// The language of clingo-dl 1.5, with one name in heads and bodies.
const DIFFERENCES: &str = "#theory yasmin_dl {\
    term { + : 1, binary, left; - : 1, binary, left; * : 2, binary, left; / : 2, binary, left; - : 3, unary };\
    &diff/0 : term, {<=,>=,<,>,=,!=}, term, any }.";

/// The most bytes of a prelude. A pipe takes them before anybody reads.
const MOST: usize = 1 << 14;
const _: () = assert!(PYTHON.len() < MOST && LUA.len() < MOST);

/// Says in a prelude that `main` is not guarded.
const UNGUARDED: RawFd = -1;

/// The preludes of one run of the grounder.
#[derive(Default)]
pub struct Prelude {
    /// The pipes with the preludes that are read before the user's files and after them.
    halves: [Vec<PipeReader>; 2],
    /// Where the grounder says what it has seen.
    says: Option<PipeWriter>,
}

impl Prelude {
    /// The preludes for those languages of the scripts that the grounder runs; without a guard if the ground program
    /// is not solved. Returns what tells whether a program has several steps as well.
    ///
    /// # Errors
    /// If the guard was stopped, or there are no pipes.
    pub fn new(
        scripts: Scripts,
        is_solved: bool,
        grounder: &Grounder,
        guard: &Guard,
    ) -> Result<(Prelude, Steps), ReadError> {
        let failed = |error| ReadError::NotRun { name: grounder.name.clone(), error };
        let (mut prelude, mut steps) = (Prelude::default(), Steps { scripts, said: None });
        for &language in steps.scripts.languages() {
            if !runs(grounder, language, guard)? {
                continue;
            }
            if is_solved && prelude.says.is_none() {
                let (said, says) = io::pipe().map_err(failed)?;
                (prelude.says, steps.said) = (Some(says), Some(said));
            }
            let says = prelude.says.as_ref().map_or(UNGUARDED, AsRawFd::as_raw_fd);
            for half in &mut prelude.halves {
                half.push(text_of(language, says).map_err(failed)?);
            }
        }
        Ok((prelude, steps))
    }

    /// Defines difference constraints as well.
    ///
    /// # Errors
    /// If there are no pipes.
    pub fn define_differences(&mut self, grounder: &Grounder) -> Result<(), ReadError> {
        let failed = |error| ReadError::NotRun { name: grounder.name.clone(), error };
        self.halves[0].push(pipe_of(DIFFERENCES).map_err(failed)?);
        Ok(())
    }

    /// The files to name before the user's files and after them.
    pub fn files(&self) -> [Vec<String>; 2] {
        self.halves.each_ref().map(|half| half.iter().map(|pipe| path_of(pipe.as_raw_fd())).collect())
    }

    /// Lets the command's process have the pipes.
    pub fn pass_to(&self, command: &mut Command) {
        let pipes = self.halves.iter().flatten().map(AsRawFd::as_raw_fd);
        keep_open(command, pipes.chain(self.says.as_ref().map(AsRawFd::as_raw_fd)).collect());
    }
}

/// Whether the grounder runs a prelude of that language, and may read pipes.
fn runs(grounder: &Grounder, language: Language, guard: &Guard) -> Result<bool, ReadError> {
    let failed = |error| ReadError::NotRun { name: grounder.name.clone(), error };
    let pipe = text_of(language, UNGUARDED).map_err(failed)?;
    let mut command = grounder.command();
    command.arg(path_of(pipe.as_raw_fd())).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    keep_open(&mut command, vec![pipe.as_raw_fd()]);
    guard.start(&mut command, &grounder.name)?;
    Ok(guard.wait()?.success())
}

/// A pipe from which the prelude can be read.
fn text_of(language: Language, says: RawFd) -> io::Result<PipeReader> {
    let text = if language == Language::Python { PYTHON } else { LUA };
    pipe_of(&text.replace("@STATUS@", &says.to_string()))
}

/// A pipe from which a text can be read, which has at most [`MOST`] bytes.
fn pipe_of(text: &str) -> io::Result<PipeReader> {
    let (from, mut to) = io::pipe()?;
    to.write_all(text.as_bytes())?;
    Ok(from)
}

fn path_of(pipe: RawFd) -> String {
    format!("/dev/fd/{pipe}")
}

/// Leaves these open in the command's process, by the same numbers.
fn keep_open(command: &mut Command, pipes: Vec<RawFd>) {
    let keep = move || {
        for &pipe in &pipes {
            // SAFETY: the call is safe between fork and exec, as it only changes a flag.
            if unsafe { libc::fcntl(pipe, libc::F_SETFD, 0) } < 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    };
    // SAFETY: the closure allocates nothing and takes no lock.
    unsafe { command.pre_exec(keep) };
}

/// Whether a ground program is all that there is to solve.
pub struct Steps {
    scripts: Scripts,
    said: Option<PipeReader>,
}

impl Steps {
    /// Checks a grounder's run that has ended. `is_incremental` says that the ground program may have several steps,
    /// and `is_whole` that the grounder has succeeded.
    ///
    /// # Errors
    /// If a script's `main` was refused, or a program that is whole may depend on what a solver answers.
    pub fn check(&mut self, is_incremental: bool, is_whole: bool) -> Result<(), ReadError> {
        let said = self.said.take().map(all_of).unwrap_or_default();
        let (mut guarded, mut is_one_step) = (Vec::new(), false);
        for line in said.lines() {
            match line.split('\t').collect::<Vec<_>>()[..] {
                ["refused", chunk, line, word, what] => {
                    let place = self.scripts.place(chunk, line.parse().unwrap_or(1), word);
                    return Err(self.refused(place, format!("the script's function `main` {what}")));
                }
                ["one step"] => is_one_step = true,
                // The last word on each language counts.
                [language, what] => {
                    guarded.retain(|&(known, _)| known != language);
                    guarded.push((language, what == "main"));
                }
                _ => {}
            }
        }
        if !is_incremental || is_one_step {
            return Ok(());
        }
        // Some grounders call each program incremental.
        let is_guarded = |language: &Language| guarded.contains(&(language.name(), false));
        match self.scripts.incremental() {
            Some(place) => {
                Err(self.refused(Some(place.into()), "the program solves in several steps".into()))
            }
            // A grounder that was cut off tells nothing.
            None if !is_whole || self.scripts.languages().iter().all(is_guarded) => Ok(()),
            None => Err(self.refused(None, "a script's function `main` may solve in several steps".into())),
        }
    }

    fn refused(&self, place: Option<String>, what: String) -> ReadError {
        let place = place.or_else(|| self.scripts.first()).unwrap_or_else(|| "the program".into());
        ReadError::SeveralSteps { place, what }
    }
}

/// What was written to a pipe so far. A process that the grounder has started may still have the pipe.
fn all_of(mut pipe: PipeReader) -> String {
    let mut bytes = Vec::new();
    if fcntl(&pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).is_ok() {
        let _ = pipe.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
