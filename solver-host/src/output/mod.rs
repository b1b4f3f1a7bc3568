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

mod answer;
mod dimacs;
mod failure;
pub mod json;
mod lemmas;
pub mod lines;
mod quiet;
pub mod statistics;
mod style;
mod summary;
pub mod text;

pub(crate) use answer::SOLVER;
pub use answer::{Answer, AtomText, Format, Phase, Phases, Printer, Progress, SearchProgress};
pub use failure::{Failure, Trouble};
pub use lemmas::{write_lemmas, LemmaStyle};
pub use quiet::{Level, Quiet};
pub use style::Style;
pub use summary::{Before, Ending, Proved, Searchers, Stop, Summary, Times, Verdict};

/// What every document in JSON looks like: a JSON Schema. Its `$defs` say what each of the lines of JSON
/// looks like.
pub const SCHEMA: &str = include_str!("schema.json");

/// The JSON Schema of a line of [`Format::JsonLines`]: a part of [`SCHEMA`].
pub fn schema_of_lines() -> String {
    schema_of("line", "lines", "What yasmin --json-lines prints on a line")
}

/// The JSON Schema of a reply to one of many questions: a part of [`SCHEMA`].
pub fn schema_of_replies() -> String {
    schema_of("reply", "replies", "What yasmin --questions prints on a line")
}

fn schema_of(part: &str, id: &str, title: &str) -> String {
    let whole: serde_json::Value = serde_json::from_str(SCHEMA).expect("a test reads it");
    let lines = serde_json::json!({
        "$schema": whole["$schema"],
        "$id": format!("urn:yasmin:schema:{id}:1"),
        "title": title,
        "$ref": format!("#/$defs/{part}"),
        "$defs": whole["$defs"],
    });
    format!("{lines:#}\n")
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
