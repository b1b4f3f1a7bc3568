//! Results as lines of JSON: each answer set as soon as it is found, and the end, whose object has a
//! `Result`. On request there are lines with `Bounds` and with `Progress` as well.
//!
//! Main type: [`Lines`]. A line is what [`super::json`] makes of the same thing.
//!
//! Invariant: each line is one complete JSON object, and is flushed.

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use super::json::{micros, Bounds, Tail, Written};
use super::quiet::{Filter, Witness};
use super::{Answer, Phases, Printer, Progress, Style, Summary, SOLVER};
use crate::program::Formula;

/// Prints lines of JSON; see the module's documentation.
pub struct Lines<W: Write> {
    out: BufWriter<W>,
    style: Style,
    inputs: Vec<String>,
    filter: Filter,
    /// The number of the present call, and whether it was ended.
    call: (u64, bool),
    formula: Option<Formula>,
}

/// The last line.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct End<'a> {
    solver: &'a str,
    input: &'a [String],
    #[serde(flatten)]
    tail: Tail<'a>,
}

/// A line between answer sets.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Told<'a> {
    time: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<Bounds<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<&'a Progress>,
}

impl<W: Write> Lines<W> {
    /// Prints to `stream` the results of a program read from `inputs`.
    pub fn new(style: Style, inputs: &[String], stream: W) -> Self {
        let (out, filter) = (BufWriter::new(stream), Filter::new(style.quiet));
        Lines { out, style, inputs: inputs.to_vec(), filter, call: (0, false), formula: None }
    }

    fn witness(&mut self, witness: &Witness) -> io::Result<()> {
        let mut written = Written::of(witness, self.formula);
        written.call = Some(self.call.0).filter(|&call| call > 1);
        write_line(&mut self.out, &written)
    }
}

fn write_line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)?;
    out.flush()
}

impl<W: Write + Send> Printer for Lines<W> {
    fn formula(&mut self, formula: Formula) {
        self.formula = Some(formula);
    }

    fn start(&mut self, _phases: &Phases) -> io::Result<()> {
        self.call = (self.call.0 + 1, false);
        Ok(())
    }

    fn answer(&mut self, answer: &Answer, seconds: f64) -> io::Result<()> {
        match self.filter.now(answer, seconds) {
            Some(witness) => self.witness(&witness),
            None => Ok(()),
        }
    }

    fn bound(&mut self, lower: &[i128], costs: &[i128], seconds: f64) -> io::Result<()> {
        let told =
            Told { time: micros(seconds), bounds: Some(Bounds { lower, upper: costs }), progress: None };
        write_line(&mut self.out, &told)
    }

    fn progress(&mut self, progress: &Progress, seconds: f64) -> io::Result<()> {
        let told = Told { time: micros(seconds), bounds: None, progress: Some(progress) };
        write_line(&mut self.out, &told)
    }

    fn end_call(&mut self, summary: &Summary) -> io::Result<()> {
        self.call.1 = true;
        let mut filter = std::mem::replace(&mut self.filter, Filter::new(self.style.quiet));
        filter.last(summary, |witness| Some(self.witness(witness))).unwrap_or(Ok(()))
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        if !self.call.1 {
            self.end_call(summary)?;
        }
        let tail = Tail::new(summary, &self.style);
        write_line(&mut self.out, &End { solver: SOLVER, input: &self.inputs, tail })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{Format, Phase, SearchProgress};

    #[test]
    fn each_line_is_an_object() {
        let mut bytes = Vec::new();
        let mut lines = Lines::new(Style::new(Format::JsonLines), &["f".into()], &mut bytes);
        lines.start(&Phases::default()).expect("a vector takes everything");
        lines
            .answer(&Answer { atoms: &|| vec!["a"], costs: &[3], ..Answer::default() }, 0.5)
            .expect("as above");
        let summary = Summary { models: 1, costs: vec![3], optimizes: true, ..Summary::default() };
        lines.finish(&summary).expect("as above");
        drop(lines);
        let text = String::from_utf8(bytes).expect("text");
        let want = format!(
            "{{\"Time\":0.5,\"Value\":[\"a\"],\"Costs\":[3]}}\n\
             {{\"Solver\":\"{SOLVER}\",\"Input\":[\"f\"],\"Result\":\"SATISFIABLE\",\"Models\":{{\"Number\":1,\
             \"More\":\"yes\",\"Optimum\":\"unknown\",\"Optimal\":0,\"Costs\":[3]}},\"Calls\":1,\"Time\":{{\
             \"Total\":0.0,\"Solve\":0.0,\"Model\":0.0,\"Unsat\":0.0,\"CPU\":0.0}}}}\n"
        );
        assert_eq!(text, want);
    }

    #[test]
    fn bounds_and_progress_are_lines_that_the_schema_knows() {
        let mut bytes = Vec::new();
        let mut lines = Lines::new(Style::new(Format::JsonLines), &["f".into()], &mut bytes);
        let search = SearchProgress {
            conflicts: 1,
            decisions: 2,
            restarts: 3,
            models: 4,
            costs: vec![5],
            lower: vec![],
        };
        let reading = Progress { phase: Phase::Grounding, bytes: Some(7), search: None };
        let searching = Progress { phase: Phase::Searching, bytes: None, search: Some(search) };
        lines.progress(&reading, 0.5).expect("a vector takes everything");
        lines.progress(&searching, 1.0 / 3.0).expect("as above");
        lines.bound(&[1, 2], &[], 2.0).expect("as above");
        lines.bound(&[1, 2], &[3, 0], 2.0).expect("as above");
        drop(lines);
        let text = String::from_utf8(bytes).expect("text");
        let want = "{\"Time\":0.5,\"Progress\":{\"Phase\":\"grounding\",\"Bytes\":7}}\n\
            {\"Time\":0.333333,\"Progress\":{\"Phase\":\"searching\",\"Conflicts\":1,\"Decisions\":2,\"Restarts\":3,\
            \"Models\":4,\"Costs\":[5]}}\n\
            {\"Time\":2.0,\"Bounds\":{\"Lower\":[1,2],\"Upper\":[]}}\n\
            {\"Time\":2.0,\"Bounds\":{\"Lower\":[1,2],\"Upper\":[3,0]}}\n";
        assert_eq!(text, want);
        let schema = serde_json::from_str(&crate::output::schema_of_lines()).expect("the schema is JSON");
        let schema = jsonschema::validator_for(&schema).expect("a schema");
        for line in text.lines() {
            let line = serde_json::from_str(line).expect("JSON");
            assert!(schema.is_valid(&line), "{line}");
            let beside = serde_json::json!({"Time": 1.0, "Progress": line["Progress"], "Value": []});
            assert!(!schema.is_valid(&beside), "{beside}");
        }
    }
}
