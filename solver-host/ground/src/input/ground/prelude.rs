//! What the grounder reads before and after the user's files, if those may have scripts or several steps, or
//! difference constraints that they do not define.
//!
//! Main type: [`Prelude`]. A prelude is a script of its own, `prelude/python.lp` or `prelude/lua.lp`. It
//! keeps what scripts print away from the ground program, and guards a function `main`: what `main` wants to
//! know of a search is asked for (`steps.rs`), and what else needs the solver is refused by name. For a
//! program with `#include <incmode>` it has a `main` of its own.
//!
//! Grounders read files in an order of their own, so that the prelude is both the first and the last file.
//! Either half does what is left to do. The grounder reads preludes from pipes, says through a pipe what
//! `main` does, and is told the results of searches through another one.
//!
//! Invariant: a program of several steps that the prelude does not guard is refused.

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
    /// Where the grounder says what it has seen, and is told how searches end.
    pipes: Option<(PipeWriter, PipeReader)>,
}

impl Prelude {
    /// The preludes for those languages of the scripts that the grounder runs; without a guard if the ground program
    /// is not solved. Returns what the grounder says as well.
    ///
    /// # Errors
    /// If the guard was stopped, there are no pipes, or nothing can solve the program step by step.
    pub fn new(
        scripts: Scripts,
        is_solved: bool,
        grounder: &Grounder,
        guard: &Guard,
    ) -> Result<(Prelude, Said), ReadError> {
        let failed = |error| ReadError::NotRun { name: grounder.name.clone(), error };
        let steps = scripts.incremental().filter(|_| is_solved).map(str::to_string);
        let (mut prelude, mut said) = (Prelude::default(), Said { scripts, said: None, answers: None });
        let languages = match said.scripts.languages() {
            [] if steps.is_some() => &Language::ALL[..],
            languages => languages,
        };
        for &language in languages {
            let has_own_steps = steps.is_some() && prelude.pipes.is_none();
            let is_needed = has_own_steps || said.scripts.languages().contains(&language);
            if !is_needed || !runs(grounder, language, guard)? {
                continue;
            }
            if is_solved && prelude.pipes.is_none() {
                let ((from, says), (told, answers)) =
                    (io::pipe().map_err(failed)?, io::pipe().map_err(failed)?);
                prelude.pipes = Some((says, told));
                (said.said, said.answers) = (Some(from), Some(answers));
            }
            let pipes = prelude.pipes.as_ref();
            let [says, told] =
                pipes.map_or([UNGUARDED; 2], |(says, told)| [says.as_raw_fd(), told.as_raw_fd()]);
            for half in &mut prelude.halves {
                half.push(text_of(language, [says, told, has_own_steps.into()]).map_err(failed)?);
            }
        }
        match steps {
            Some(place) if prelude.pipes.is_none() => {
                Err(ReadError::NoLanguage { place, name: grounder.name.clone() })
            }
            _ => Ok((prelude, said)),
        }
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
        let ends = self.pipes.iter().flat_map(|(says, told)| [says.as_raw_fd(), told.as_raw_fd()]);
        keep_open(command, pipes.chain(ends).collect());
    }
}

/// Whether the grounder runs a prelude of that language, and may read pipes.
fn runs(grounder: &Grounder, language: Language, guard: &Guard) -> Result<bool, ReadError> {
    let failed = |error| ReadError::NotRun { name: grounder.name.clone(), error };
    let pipe = text_of(language, [UNGUARDED, UNGUARDED, 0]).map_err(failed)?;
    let mut command = grounder.command();
    command.arg(path_of(pipe.as_raw_fd())).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    keep_open(&mut command, vec![pipe.as_raw_fd()]);
    guard.start(&mut command, &grounder.name)?;
    Ok(guard.wait()?.success())
}

/// A pipe from which the prelude can be read. It names where the grounder says what it has seen and where it
/// is told results, and whether (1) or not (0) it solves `#include <incmode>`.
fn text_of(language: Language, [says, told, steps]: [RawFd; 3]) -> io::Result<PipeReader> {
    let text = if language == Language::Python { PYTHON } else { LUA };
    let values = [("@STATUS@", says), ("@ANSWERS@", told), ("@STEPS@", steps)];
    pipe_of(
        &values.iter().fold(text.to_string(), |text, (name, value)| text.replace(name, &value.to_string())),
    )
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

/// What a grounder says while it runs a script's `main`, and what it is told.
pub struct Said {
    scripts: Scripts,
    said: Option<PipeReader>,
    /// Where results of searches are written for the grounder.
    pub answers: Option<PipeWriter>,
}

impl Said {
    /// Checks a grounder's run that has ended. `is_incremental` says that the ground program may have several steps,
    /// and `is_whole` that the grounder has succeeded.
    ///
    /// # Errors
    /// If a script's `main` was refused, or nobody knows whether it was guarded.
    pub fn check(&mut self, is_incremental: bool, is_whole: bool) -> Result<(), ReadError> {
        let said = self.said.take().map(all_of).unwrap_or_default();
        let (mut guarded, mut is_over) = (Vec::new(), false);
        for line in said.lines() {
            match line.split('\t').collect::<Vec<_>>()[..] {
                ["refused", chunk, line, word, what] => {
                    let place = self.scripts.place(chunk, line.parse().unwrap_or(1), word);
                    // The prelude's own `main` has no place.
                    let who = if chunk.is_empty() { "the program" } else { "the script's function `main`" };
                    return Err(self.refused(place, format!("{who} {what}")));
                }
                ["guarded"] => is_over = true,
                // The last word on each language counts.
                [language, what] => {
                    guarded.retain(|&(known, _)| known != language);
                    guarded.push((language, what == "main"));
                }
                _ => {}
            }
        }
        // Some grounders call each program incremental, and a grounder that was cut off tells nothing.
        if !is_incremental || is_over || !is_whole {
            return Ok(());
        }
        let is_guarded = |language: &Language| guarded.contains(&(language.name(), false));
        match self.scripts.languages().iter().all(is_guarded) {
            true => Ok(()),
            false => Err(self.refused(None, "a script's function `main` may solve in several steps".into())),
        }
    }

    /// The error that says so of the program, or of a place in it.
    pub fn refused(&self, place: Option<String>, what: String) -> ReadError {
        let steps = || self.scripts.incremental().map(str::to_string);
        let place =
            place.or_else(steps).or_else(|| self.scripts.first()).unwrap_or_else(|| "the program".into());
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
