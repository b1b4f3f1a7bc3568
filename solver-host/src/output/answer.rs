//! What is printed: [`Answer`] and its parts, and the trait [`Printer`] that each format has.

use std::io;

use serde::{Deserialize, Serialize};

use super::summary::Summary;
use crate::program::Formula;
use crate::search::Consequences;

/// Which form the results take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// What clasp 3.3 prints.
    #[default]
    Text,
    /// The text of the answer set programming competitions, clasp's `--outf=1`.
    Competition,
    /// The shape of clingo's `--outf=2`.
    Json,
    /// One JSON object a line: each answer set, then the end.
    JsonLines,
    /// Nothing.
    None,
}

/// How the atoms of an answer set are written in text, if not as the format has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AtomText {
    /// What stands between two atoms.
    pub separator: Option<String>,
    /// What stands before and after each atom.
    pub around: Option<(String, String)>,
}

/// Seconds at the start of the search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phases {
    /// Since the program started.
    pub since_start: f64,
    /// Of which for reading, and grounding if there was any.
    pub reading: f64,
    /// Of which for translating the program and copying it to the device.
    pub preparing: f64,
}

/// What is to be told of an answer set.
#[derive(Clone, Copy)]
pub struct Answer<'a> {
    /// The names to show: only called where they are printed, as of millions of answer sets mostly nothing
    /// is.
    pub atoms: &'a dyn Fn() -> Vec<&'a str>,
    /// The sum of each priority, highest first; empty if nothing is minimized.
    pub costs: &'a [i128],
    /// How far the consequences are known; `atoms` are those so far.
    pub consequences: Option<Consequences>,
    /// Whether it is known to be optimal.
    pub is_optimal: bool,
    /// Whether the next answer set is at hand, so that the stream may wait for it.
    pub is_next_at_hand: bool,
}

impl Default for Answer<'_> {
    fn default() -> Self {
        Answer { atoms: &Vec::new, costs: &[], consequences: None, is_optimal: false, is_next_at_hand: false }
    }
}

/// What is done just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// A grounder runs, and what it writes is read.
    Grounding,
    /// A ground program is read.
    Reading,
    /// The program is translated, and copied to the device.
    Preparing,
    /// The search goes on.
    Searching,
}

/// How far a run has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Progress {
    /// What is done just now.
    pub phase: Phase,
    /// How many bytes of the ground program were read, while that is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The work of the search, once that has begun.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchProgress>,
}

/// How far a search has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct SearchProgress {
    /// Conflicts met.
    pub conflicts: u64,
    /// Decisions made.
    pub decisions: u64,
    /// Restarts made.
    pub restarts: u64,
    /// Answer sets found.
    pub models: u64,
    /// The costs of the last answer set, highest priority first; empty without any.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub costs: Vec<i128>,
    /// What is proved of the optimum, priority by priority; empty if nothing is.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub lower: Vec<i128>,
}

/// Receives the results of one run, in order: [`begin`](Printer::begin), [`device`](Printer::device),
/// [`start`](Printer::start), answers, bounds and progress, [`finish`](Printer::finish). For a program of
/// several steps [`end_call`](Printer::end_call) comes as well, and what follows the start comes again.
pub trait Printer: Send {
    /// The input is a formula: its models are printed as the literals that hold, and text is as solvers of such formulas
    /// print it. Comes first, if at all.
    fn formula(&mut self, _formula: Formula) {}
    /// The run begins, and nothing was read yet but the beginning of the input. Only text says so.
    fn begin(&mut self) -> io::Result<()> {
        Ok(())
    }
    /// This is what the search will run on. Only text says so, if it is verbose.
    fn device(&mut self, _name: &str) -> io::Result<()> {
        Ok(())
    }
    /// The input was read and the search starts.
    fn start(&mut self, phases: &Phases) -> io::Result<()>;
    /// An answer set was found, that many seconds after the program started.
    fn answer(&mut self, answer: &Answer, seconds: f64) -> io::Result<()>;
    /// No answer set costs less than `lower`, and the best one so far costs `costs`, both highest priority
    /// first; `costs` are empty if there is none. That is known after so many seconds. Called if
    /// [`Style::tells_bounds`](super::Style::tells_bounds) says so.
    fn bound(&mut self, _lower: &[i128], _costs: &[i128], _seconds: f64) -> io::Result<()> {
        Ok(())
    }
    /// So far has the run come, that many seconds after the program started. Called if
    /// [`Style::progress`](super::Style::progress) says so, also before the [`start`](Printer::start).
    fn progress(&mut self, _progress: &Progress, _seconds: f64) -> io::Result<()> {
        Ok(())
    }
    /// The search of a step is over. Another step may come.
    fn end_call(&mut self, _summary: &Summary) -> io::Result<()> {
        Ok(())
    }
    /// The run is over. May come without a [`start`](Printer::start), if the run was cut short while reading.
    fn finish(&mut self, summary: &Summary) -> io::Result<()>;
}

/// The solver's name and version, as all formats give it.
pub const SOLVER: &str = concat!("yasmin version ", env!("CARGO_PKG_VERSION"));
