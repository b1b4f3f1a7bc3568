//! Other processes that answer questions.

use std::io::{Read, Write};

/// Another process that answers questions, and those behind it.
pub struct Elsewhere {
    /// Where it reads lines: the number, a tab, and the text. An empty line says that nothing more is wanted.
    pub to: Box<dyn Write + Send>,
    /// Where it writes replies: what they say by bits, the line's number, and what is printed, with tabs
    /// between them.
    pub from: Box<dyn Read + Send>,
    /// How many searchers there are.
    pub searchers: usize,
}
