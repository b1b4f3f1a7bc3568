//! Writing results as people and tools that know clasp expect them: text ([`text`]), JSON ([`json`]) or lines
//! of JSON ([`lines`]).
//!
//! Main function: [`printer`]. A [`Printer`] is told that the search starts, of each answer set when it is
//! found, and of the end. It writes results to the stream it owns and nothing else: errors are the caller's
//! to report. What of an answer set is printed, and when, is the matter of `quiet.rs`; what is known at the
//! end, of `summary.rs`.
//!
//! Invariants: whatever is called between creation and [`Printer::finish`], the stream then holds one
//! complete document. Of the search this module knows the plain types of goals and consequences alone; the
//! search knows nothing of output.

use std::io::{self, Write};

use crate::search::Consequences;

mod dimacs;
pub mod json;
pub mod lines;
mod quiet;
pub mod statistics;
mod summary;
pub mod text;

pub use quiet::{Level, Quiet};
pub use summary::{Ending, Failure, Searchers, Stop, Summary, Times, Trouble, Verdict};

/// What every document in JSON looks like: a JSON Schema. Its `$defs` say what each of the lines of JSON
/// looks like.
pub const SCHEMA: &str = include_str!("schema.json");

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
    pub costs: &'a [i64],
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

/// Receives the results of one run, in order: [`begin`](Printer::begin), [`device`](Printer::device),
/// [`start`](Printer::start), answers, [`finish`](Printer::finish).
pub trait Printer: Send {
    /// The input is a formula in DIMACS: its models are printed as the literals that hold, and text is as SAT
    /// solvers print it. Comes first, if at all.
    fn dimacs(&mut self) {}
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
    /// The run is over. May come without a [`start`](Printer::start), if the run was cut short while reading.
    fn finish(&mut self, summary: &Summary) -> io::Result<()>;
}

/// A printer of the given style for a program read from `inputs`, which writes to `stream`.
///
/// ```
/// # use solver_host::output::{printer, Answer, Format, Phases, Style, Summary};
/// let mut text = printer(Style::new(Format::Text), &["f.aspif".into()], std::io::stdout());
/// text.start(&Phases::default())?;
/// text.answer(&Answer { atoms: &|| vec!["a", "b"], ..Answer::default() }, 0.1)?;
/// text.finish(&Summary { models: 1, ..Summary::default() })?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn printer<W: Write + Send + 'static>(style: Style, inputs: &[String], stream: W) -> Box<dyn Printer> {
    match style.format {
        Format::Text | Format::Competition => Box::new(text::Text::new(style, inputs, stream)),
        Format::Json => Box::new(json::Json::new(style, inputs, stream)),
        Format::JsonLines => Box::new(lines::Lines::new(style, inputs, stream)),
        Format::None => Box::new(Nothing),
    }
}

/// Prints nothing.
struct Nothing;

impl Printer for Nothing {
    fn start(&mut self, _phases: &Phases) -> io::Result<()> {
        Ok(())
    }

    fn answer(&mut self, _answer: &Answer, _seconds: f64) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self, _summary: &Summary) -> io::Result<()> {
        Ok(())
    }
}

/// The solver's name and version, as all formats give it.
pub(crate) const SOLVER: &str = concat!("yasmin version ", env!("CARGO_PKG_VERSION"));
