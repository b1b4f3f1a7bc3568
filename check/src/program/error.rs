//! What is wrong with a program, and where.

/// A program that cannot be read: file, line, what was expected or found, and what helps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}; {remedy}")]
pub struct ProgramError {
    /// The name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// What is wrong.
    pub what: String,
    /// What helps.
    pub remedy: &'static str,
}

/// What is wrong with a program, and what helps.
pub type Wrong = (&'static str, &'static str);
