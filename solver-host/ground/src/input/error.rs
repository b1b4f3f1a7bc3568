//! What is wrong with an input, and where.

use std::fmt;

use super::message::{Kind, Message};

/// An input that cannot be read or solved: file, line, what was expected or found, and what helps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct InputError {
    file: String,
    line: Option<u64>,
    what: String,
    remedy: String,
}

impl InputError {
    /// An error in `file`, at `line` (from 1) if that says anything. An empty `remedy` is left out.
    pub fn new(file: &str, line: Option<u64>, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        InputError { file: file.into(), line, what: what.into(), remedy: remedy.into() }
    }

    /// The file cannot be read.
    pub fn unreadable(file: &str, error: &std::io::Error) -> Self {
        InputError::new(file, None, format!("cannot be read: {error}"), "")
    }

    /// The same error with another remedy.
    pub(super) fn with_remedy(self, remedy: &str) -> Self {
        InputError { remedy: remedy.into(), ..self }
    }

    /// The same, in fields.
    pub fn message(&self) -> Message {
        let remedy = if self.remedy.is_empty() { String::new() } else { format!("; {}", self.remedy) };
        let text = format!("{}{remedy}", self.what);
        Message {
            kind: Some(Kind::Error),
            file: Some(self.file.clone()),
            line: self.line,
            column: None,
            text,
        }
    }

    /// The line, from 1.
    pub fn line(&self) -> Option<u64> {
        self.line
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.message().text)
    }
}

pub const GROUND: &str = "ground a logic program with `gringo FILE | yasmin`";
