//! How results are printed: [`Style`].

use std::time::Duration;

use super::answer::{AtomText, Format};
use super::quiet::{Level, Quiet};

/// How results are printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// Which form they take.
    pub format: Format,
    /// What is left out.
    pub quiet: Quiet,
    /// Whether nobody has said what is left out, so that it depends on the input.
    pub has_default_quiet: bool,
    /// 0: no more than answer sets and the verdict; 1: clasp's default; 2: how long each part took as well.
    pub verbosity: u8,
    /// How often lines of JSON say how far the run has come, if they do; then they tell bounds as well.
    pub progress: Option<Duration>,
    /// How text shows atoms.
    pub atoms: AtomText,
}

impl Style {
    /// What clasp prints in that format unless told otherwise.
    pub fn new(format: Format) -> Self {
        let (quiet, atoms) = (Quiet::default_of(format), AtomText::default());
        Style { format, quiet, has_default_quiet: true, verbosity: 1, progress: None, atoms }
    }

    /// Whether lower bounds on the costs are printed while the search goes on.
    pub fn tells_bounds(&self) -> bool {
        match self.format {
            Format::Text | Format::Competition => self.verbosity >= 1 && self.quiet.costs == Level::All,
            Format::JsonLines => self.progress.is_some(),
            Format::Json | Format::None => false,
        }
    }
}
