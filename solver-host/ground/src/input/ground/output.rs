//! What a ground program is read from: a stream, or a grounder that is running.
//!
//! Main types: [`Output`], [`Running`].

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ChildStdout;

use super::error::ReadError;
use super::guard::{Counted, Guard};
use super::keep::Kept;
use super::prelude::Said;
use crate::input::lexer::Lexer;
use crate::input::InputError;

/// What a ground program is read from.
pub enum Output {
    /// What the user has named.
    Given(Box<dyn io::Read + Send>),
    /// A grounder.
    Written(Written),
}

impl io::Read for Output {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self {
            Output::Given(stream) => stream.read(to),
            Output::Written(written) => written.read(to),
        }
    }
}

/// The grounder's output, which is written to a file while it is read if it is to be kept.
pub struct Written {
    pub stdout: ChildStdout,
    pub kept: Option<Kept>,
    /// Why it cannot be kept.
    pub failure: Option<io::Error>,
    /// Whether nothing was read so far.
    pub is_empty: bool,
    pub has_ended: bool,
}

impl io::Read for Written {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.stdout.read(to)?;
        self.has_ended |= read == 0 && !to.is_empty();
        self.is_empty &= read == 0;
        if let Some(kept) = &mut self.kept {
            if let Err(error) = kept.file.write_all(&to[..read]) {
                self.failure = Some(error);
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        Ok(read)
    }
}

/// A grounder whose output is read.
pub struct Running {
    pub name: String,
    pub said: Said,
    /// What an error says if the grounder fails.
    pub remedy: &'static str,
    /// Where the ground program is kept, if it is.
    pub keep: PathBuf,
    pub guard: Guard,
}

impl Running {
    /// Ends the reading of what the grounder has written, which was understood or not. `is_incremental` says
    /// that it may have several steps.
    pub fn concludes(
        &mut self,
        lexer: &mut Lexer<'static, Counted<Output>>,
        read: Result<(), InputError>,
        is_incremental: bool,
    ) -> Result<(), ReadError> {
        self.conclude(&mut lexer.stream().stream, read, is_incremental)
    }

    /// The same.
    pub fn conclude(
        &mut self,
        output: &mut Output,
        read: Result<(), InputError>,
        is_incremental: bool,
    ) -> Result<(), ReadError> {
        let Output::Written(output) = output else { return Ok(read?) };
        let (guard, name) = (&self.guard, self.name.clone());
        // A kept program is kept whole, even if something in it cannot be solved.
        if read.is_ok() || output.kept.is_some() {
            let _ = io::copy(output, &mut io::sink());
        }
        if let Some(error) = output.failure.take() {
            guard.lock().end();
            return Err(ReadError::NotKept { path: self.keep.clone(), error });
        }
        if !output.has_ended {
            guard.lock().end();
            self.said.check(is_incremental, false)?;
            return Ok(read?);
        }
        // A grounder that fails leaves a program that is cut off. Its own message is of more use than an
        // error about the cut.
        let status = guard.wait()?;
        let ended = self.said.check(is_incremental, status.success()).and_then(|()| match status.success() {
            false => Err(guard.failed(name, status, self.remedy)),
            true if output.is_empty => Err(ReadError::WroteNothing { name }),
            true => Ok(()),
        });
        if let Err(error) = ended {
            guard.lock().end();
            return Err(error);
        }
        if let Some(kept) = output.kept.take() {
            kept.commit(guard)?;
        }
        Ok(read?)
    }
}
