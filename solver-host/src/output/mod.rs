//! Writing results as people and tools that know clasp expect them: text ([`text`]) or JSON ([`json`]).
//!
//! Main function: [`printer`]. A [`Printer`] is told that the search starts, of each answer set when it is found,
//! and of the end. It writes results to the stream it owns and nothing else: errors are the caller's to report.
//!
//! Invariant: whatever is called between creation and [`Printer::finish`], the stream then holds one complete
//! document.

use std::io::{self, Write};

use serde_json::{Map, Value};

pub mod json;
pub mod statistics;
pub mod text;

/// Which form the results take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// What clasp 3.3 prints.
    Text,
    /// The shape of clingo's `--outf=2`.
    Json,
}

/// Why a search ended before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A signal, such as Ctrl-C.
    Interrupted,
    /// The time limit passed.
    TimeLimit,
}

/// What is known of the program at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is an answer set.
    Satisfiable,
    /// There is none.
    Unsatisfiable,
    /// The search ended before it found one or showed that there is none.
    Unknown,
}

impl Verdict {
    /// The word clasp prints.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Satisfiable => "SATISFIABLE",
            Verdict::Unsatisfiable => "UNSATISFIABLE",
            Verdict::Unknown => "UNKNOWN",
        }
    }
}

/// Seconds, all since the program started unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// The whole run.
    pub total: f64,
    /// From the start of the search to its end.
    pub solve: f64,
    /// From the start of the search to the first answer set; 0 if there was none.
    pub first_model: f64,
    /// From the last answer set (or the start of the search) to the proof that there is no further one; 0 without.
    pub unsat: f64,
    /// Processor time of all threads.
    pub cpu: f64,
}

/// Everything that is said at the end of a run.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// How many answer sets were printed.
    pub models: u64,
    /// Whether it is known that there are no others.
    pub exhausted: bool,
    /// Set if the search was cut short.
    pub stopped: Option<Stop>,
    /// Set if the search failed after it started.
    pub error: Option<String>,
    /// Where the time went.
    pub times: Times,
    /// The solver's statistics, if they were asked for and can be had.
    pub statistics: Option<Map<String, Value>>,
}

impl Summary {
    /// What is known of the program.
    pub fn verdict(&self) -> Verdict {
        match (self.models, self.exhausted) {
            (0, true) => Verdict::Unsatisfiable,
            (0, false) => Verdict::Unknown,
            _ => Verdict::Satisfiable,
        }
    }
}

/// Receives the results of one run, in order: [`start`](Printer::start), answers, [`finish`](Printer::finish).
pub trait Printer: Send {
    /// The input was read and the search starts, `seconds` after the program did.
    fn start(&mut self, seconds: f64) -> io::Result<()>;
    /// An answer set was found: the atoms to show, and the seconds since the program started.
    fn answer(&mut self, atoms: &[&str], seconds: f64) -> io::Result<()>;
    /// The run is over. May come without a [`start`](Printer::start), if the run was cut short while reading.
    fn finish(&mut self, summary: &Summary) -> io::Result<()>;
}

/// A printer of the given format for a program read from `inputs`, which writes to `stream`.
///
/// ```
/// # use solver_host::output::{printer, Format, Summary};
/// let mut text = printer(Format::Text, &["f.aspif".into()], std::io::stdout());
/// text.start(0.0)?;
/// text.answer(&["a", "b"], 0.1)?;
/// text.finish(&Summary { models: 1, ..Summary::default() })?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn printer<W: Write + Send + 'static>(format: Format, inputs: &[String], stream: W) -> Box<dyn Printer> {
    match format {
        Format::Text => Box::new(text::Text::new(inputs, stream)),
        Format::Json => Box::new(json::Json::new(inputs, stream)),
    }
}

/// The solver's name and version, as both formats give it.
pub(crate) const SOLVER: &str = concat!("yasmin version ", env!("CARGO_PKG_VERSION"));
