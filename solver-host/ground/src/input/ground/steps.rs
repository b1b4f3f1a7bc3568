//! Programs of several steps, which are read step by step: [`Later`].
//!
//! Such a program is ground, or a grounder writes it. A grounder that runs a script's `main` asks for the
//! result of a step by a comment, `10 yasmin`, as soon as the script needs it, and waits until
//! [`Later::tell`] has said it (`prelude.rs`).

use std::io::{stdin, Write};
use std::os::fd::AsFd;
use std::time::Duration;

use nix::poll::{poll, PollFd, PollFlags, PollTimeout};

use super::error::ReadError;
use super::guard::Counted;
use super::output::{Output, Running};
use crate::input::aspif::{self, Earlier, Step};
use crate::input::lexer::Lexer;
use crate::input::{several_steps, InputError};
use crate::program::ProgramBuilder;

/// A ground program, as it is read.
pub(super) type Stream = Lexer<'static, Counted<Output>>;

/// How the search of a step has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// Whether there is an answer set, if that is known.
    pub satisfiable: Option<bool>,
    /// Whether no answer set was left out.
    pub is_exhausted: bool,
}

/// What was read of a program.
pub enum Read {
    /// All of it.
    Whole(ProgramBuilder),
    /// The first of several steps, and what the others are read from.
    Step((ProgramBuilder, Step), Box<Later>),
}

/// The steps of a program after the first one.
pub struct Later {
    stream: Stream,
    earlier: Earlier,
    /// The kind of the next step's first statement, if it was read already.
    kind: Option<i64>,
    grounder: Option<Running>,
}

impl Later {
    /// Of what a grounder writes, which was read up to the end of the first step.
    ///
    /// # Errors
    /// If the grounder goes on without a question.
    pub(super) fn of_grounder(stream: Stream, grounder: Running) -> Result<Later, ReadError> {
        let mut later = Later { stream, earlier: Earlier::default(), kind: None, grounder: Some(grounder) };
        later.is_asked()?;
        Ok(later)
    }

    /// The steps cannot be solved by whoever has read the first.
    pub fn refused(self) -> ReadError {
        match self.grounder {
            Some(grounder) => grounder.said.refused(None, "the program is solved in several steps".into()),
            None => several_steps(&self.stream).into(),
        }
    }

    /// Reads on to the next step, and adds it to the program. `None` if there is none.
    ///
    /// # Errors
    /// If the stream cannot be read, the step is wrong, or the grounder fails.
    pub fn next(&mut self, program: &mut ProgramBuilder) -> Result<Option<Step>, ReadError> {
        let read = match self
            .kind
            .take()
            .map_or_else(|| aspif::next_kind(&mut self.stream), |kind| Ok(Some(kind)))
        {
            Ok(Some(kind)) => aspif::read_step(&mut self.stream, program, &mut self.earlier, kind),
            Ok(None) => return self.concludes(Ok(())).map(|()| None),
            Err(error) => Err(error),
        };
        match read {
            Ok(step) => self.is_asked().map(|()| Some(step)),
            Err(error) => Err(self.concludes(Err(error)).expect_err("has failed")),
        }
    }

    /// Tells the grounder how the search of the last step has ended.
    pub fn tell(&mut self, told: Told) {
        let Some(grounder) = &mut self.grounder else { return };
        let word = told.satisfiable.map_or("unknown", |is| if is { "yes" } else { "no" });
        let rest = if told.is_exhausted { "yes" } else { "no" };
        if let Some(answers) = &mut grounder.said.answers {
            // A grounder that has gone away is noticed when the next step is read.
            let _ = answers.write_all(format!("{word} {rest}\n").as_bytes());
        }
    }

    fn concludes(&mut self, read: Result<(), InputError>) -> Result<(), ReadError> {
        match &mut self.grounder {
            Some(grounder) => grounder.concludes(&mut self.stream, read, true),
            None => Ok(read?),
        }
    }

    /// Checks that a grounder wants to know the result of a step, or has ended after it.
    fn is_asked(&mut self) -> Result<(), ReadError> {
        if self.grounder.is_none() {
            return Ok(());
        }
        match is_question(&mut self.stream) {
            Ok(None | Some(true)) => Ok(()),
            Ok(Some(false)) => {
                let Some(grounder) = self.grounder.take() else { return Ok(()) };
                grounder.guard.lock().end();
                Err(grounder
                    .said
                    .refused(None, "the program is solved in several steps without a script".into()))
            }
            Err(error) => self.concludes(Err(error)),
        }
    }
}

/// Whether a question follows a step; `None` if nothing does.
fn is_question(stream: &mut Stream) -> Result<Option<bool>, InputError> {
    match stream.first()? {
        None => Ok(None),
        Some(b'1') => Ok(Some(stream.rest_of_line()? == "10 yasmin")),
        Some(_) => Ok(Some(false)),
    }
}

/// A ground program that was read up to the end of its first step. See [`super::read_steps`].
pub(super) fn given(
    mut stream: Stream,
    mut program: ProgramBuilder,
    step: Step,
    (patience, is_standard_input): (Option<Duration>, bool),
) -> Result<Read, InputError> {
    let kind = match patience {
        Some(patience) if is_standard_input && !stream.has_more_at_hand() && is_quiet(patience) => None,
        _ => match aspif::next_kind(&mut stream) {
            Ok(Some(kind)) => Some(kind),
            // The first step is solved before what is wrong is told.
            Err(_) if patience.is_some() => None,
            Err(error) => return Err(error),
            Ok(None) => {
                aspif::assume(&stream, &mut program, &step)?;
                return Ok(Read::Whole(program));
            }
        },
    };
    let later = Later { stream, earlier: Earlier::default(), kind, grounder: None };
    Ok(Read::Step((program, step), Box::new(later)))
}

/// Whether standard input brings nothing for so long, and not its end.
fn is_quiet(patience: Duration) -> bool {
    let stdin = stdin();
    let timeout = PollTimeout::try_from(patience).unwrap_or(PollTimeout::MAX);
    poll(&mut [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)], timeout) == Ok(0)
}
