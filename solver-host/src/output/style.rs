//! How results are printed: [`Style`].

use super::answer::{AtomText, Format};
use super::quiet::Quiet;

/// How results are printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// Which form they take.
    pub format: Format,
    /// What is left out.
    pub quiet: Quiet,
    /// 0: no more than answer sets and the verdict; 1: clasp's default; 2: how long each part took as well.
    pub verbosity: u8,
    /// How text shows atoms.
    pub atoms: AtomText,
}

impl Style {
    /// What clasp prints in that format unless told otherwise.
    pub fn new(format: Format) -> Self {
        Style { format, quiet: Quiet::default_of(format), verbosity: 1, atoms: AtomText::default() }
    }
}
