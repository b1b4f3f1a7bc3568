//! Results as one JSON document in the shape of clingo's `--outf=2`, written while the search runs.
//!
//! Main type: [`Json`]. The frame around the witnesses is written by hand, because a witness leaves the process when
//! it is found; every value in it is written by `serde_json`. A key that does not apply is left out, as in clingo:
//! no `Witnesses` without an answer set, no `TIME LIMIT` or `INTERRUPTED` unless so.
//!
//! Invariant: nothing is written before the search starts or the run ends, and after `finish` the document is closed.

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde_json::{Map, Value};

use super::{statistics, Printer, Stop, Summary, SOLVER};

/// Prints JSON; see the module's documentation.
pub struct Json<W: Write> {
    out: BufWriter<W>,
    inputs: Vec<String>,
    witnesses: u64,
    started: bool,
}

#[derive(Serialize)]
struct Witness<'a> {
    #[serde(rename = "Time")]
    time: f64,
    #[serde(rename = "Value")]
    value: &'a [&'a str],
}

/// The part of the document behind the calls.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Tail<'a> {
    result: &'static str,
    #[serde(rename = "TIME LIMIT", skip_serializing_if = "Option::is_none")]
    time_limit: Option<u8>,
    #[serde(rename = "INTERRUPTED", skip_serializing_if = "Option::is_none")]
    interrupted: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    models: Models,
    calls: u8,
    time: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<Map<String, Value>>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Models {
    number: u64,
    more: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Time {
    total: f64,
    solve: f64,
    model: f64,
    unsat: f64,
    #[serde(rename = "CPU")]
    cpu: f64,
}

/// Seconds to the millisecond, as clingo gives them.
fn millis(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

impl<W: Write> Json<W> {
    /// Prints to `stream` the results of a program read from `inputs`.
    pub fn new(inputs: &[String], stream: W) -> Self {
        Json { out: BufWriter::new(stream), inputs: inputs.to_vec(), witnesses: 0, started: false }
    }

    /// Opens the document and its one call.
    fn open(&mut self, seconds: f64) -> io::Result<()> {
        self.started = true;
        let solver = serde_json::to_string(SOLVER)?;
        let inputs = serde_json::to_string(&self.inputs)?;
        let start = format!("{seconds:.3}");
        write!(
            self.out,
            "{{\n  \"Solver\": {solver},\n  \"Input\": {inputs},\n  \"Call\": [\n    {{\n      \"Start\": {start}"
        )
    }
}

impl<W: Write + Send> Printer for Json<W> {
    fn start(&mut self, seconds: f64) -> io::Result<()> {
        self.open(seconds)?;
        self.out.flush()
    }

    fn answer(&mut self, atoms: &[&str], seconds: f64) -> io::Result<()> {
        let before = if self.witnesses == 0 { ",\n      \"Witnesses\": [" } else { "," };
        self.witnesses += 1;
        write!(self.out, "{before}\n        ")?;
        serde_json::to_writer(&mut self.out, &Witness { time: millis(seconds), value: atoms })?;
        self.out.flush()
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        if !self.started {
            self.open(summary.times.total)?;
        }
        let times = &summary.times;
        let tail = Tail {
            result: summary.verdict().word(),
            time_limit: (summary.stopped == Some(Stop::TimeLimit)).then_some(1),
            interrupted: (summary.stopped == Some(Stop::Interrupted)).then_some(1),
            error: summary.error.as_deref(),
            models: Models { number: summary.models, more: if summary.exhausted { "no" } else { "yes" } },
            calls: 1,
            time: Time {
                total: millis(times.total),
                solve: millis(times.solve),
                model: millis(times.first_model),
                unsat: millis(times.unsat),
                cpu: millis(times.cpu),
            },
            stats: summary.statistics.as_ref().map(statistics::with_rates),
        };
        let tail = serde_json::to_string_pretty(&tail)?;
        let close = if self.witnesses > 0 { "\n      ]" } else { "" };
        // The tail is an object of its own; without its opening brace it continues the document's.
        let rest = tail.trim_start_matches('{');
        writeln!(self.out, "{close},\n      \"Stop\": {:.3}\n    }}\n  ],{rest}", times.total)?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(steps: impl Fn(&mut Json<&mut Vec<u8>>) -> io::Result<()>) -> Value {
        let mut bytes = Vec::new();
        steps(&mut Json::new(&["f.aspif".into()], &mut bytes)).expect("a vector takes everything");
        serde_json::from_slice(&bytes)
            .unwrap_or_else(|error| panic!("{error} in\n{}", String::from_utf8_lossy(&bytes)))
    }

    #[test]
    fn has_clingos_shape() {
        let got = document(|json| {
            json.start(0.001)?;
            json.answer(&[], 0.0021)?;
            json.answer(&["a", "f(1,\"x\\n\")"], 0.25)?;
            json.finish(&Summary { models: 2, exhausted: true, ..Summary::default() })
        });
        let want = serde_json::json!({
            "Solver": SOLVER, "Input": ["f.aspif"],
            "Call": [{"Start": 0.001, "Witnesses": [{"Time": 0.002, "Value": []},
                {"Time": 0.25, "Value": ["a", "f(1,\"x\\n\")"]}], "Stop": 0.0}],
            "Result": "SATISFIABLE", "Models": {"Number": 2, "More": "no"}, "Calls": 1,
            "Time": {"Total": 0.0, "Solve": 0.0, "Model": 0.0, "Unsat": 0.0, "CPU": 0.0},
        });
        assert_eq!(got, want);
        let keys: Vec<_> = got.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["Solver", "Input", "Call", "Result", "Models", "Calls", "Time"]);
    }

    #[test]
    fn is_whole_however_the_run_ends() {
        let early =
            document(|json| json.finish(&Summary { stopped: Some(Stop::TimeLimit), ..Summary::default() }));
        assert_eq!((&early["Result"], &early["TIME LIMIT"]), (&Value::from("UNKNOWN"), &Value::from(1)));
        assert!(early["Call"][0].get("Witnesses").is_none());
        let failed = document(|json| {
            json.start(0.0)?;
            json.answer(&["a"], 0.0)?;
            json.finish(&Summary { models: 1, error: Some("device \"lost\"".into()), ..Summary::default() })
        });
        assert_eq!(failed["Error"], "device \"lost\"");
        assert_eq!(failed["Models"]["More"], "yes");
    }
}
