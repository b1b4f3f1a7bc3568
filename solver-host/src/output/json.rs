//! Results as one JSON document in the shape of clingo's `--outf=2`, written while the search runs.
//!
//! Main type: [`Json`]. The frame around the witnesses is written by hand, because a witness leaves the
//! process when it is found; every value in it is written by `serde_json`. A key that does not apply is left
//! out, as in clingo: no `Witnesses` without an answer set, no `TIME LIMIT` or `INTERRUPTED` unless so.
//!
//! Invariant: nothing is written before the search starts or the run ends, and after `finish` the document is
//! closed.

use std::io::{self, BufWriter, Write};

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::quiet::{Filter, Witness};
use super::{Answer, Phases, Printer, Stop, Style, Summary, SOLVER};
use crate::input::Message;
use crate::program::Formula;
use crate::search::Consequences;

/// Prints JSON; see the module's documentation.
pub struct Json<W: Write> {
    out: BufWriter<W>,
    style: Style,
    inputs: Vec<String>,
    filter: Filter,
    witnesses: u64,
    started: bool,
    /// Whether the present call was ended.
    is_ended: bool,
    formula: Option<Formula>,
}

/// A witness as it is written.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Written<'a> {
    /// The number of the call, if that is not the first: for lines of JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
    time: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Shown<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    consequences: Option<Known>,
    #[serde(skip_serializing_if = "Option::is_none")]
    costs: Option<&'a [i128]>,
    /// There only if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    optimum: Option<bool>,
}

/// What is shown of an answer set.
enum Shown<'a> {
    /// Atoms, as strings.
    Atoms(&'a [&'a str]),
    /// The literals of a formula, as numbers: `-x3` is -3.
    Literals(&'a [&'a str]),
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Shown::Atoms(atoms) => atoms.serialize(to),
            Shown::Literals(literals) => {
                let numbers = literals.iter().map(|literal| literal.replacen('x', "", 1).parse::<i64>());
                to.collect_seq(numbers.map_while(Result::ok))
            }
        }
    }
}

/// The part of the document behind the calls.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Tail<'a> {
    result: &'static str,
    #[serde(rename = "TIME LIMIT", skip_serializing_if = "Option::is_none")]
    time_limit: Option<u8>,
    #[serde(rename = "INTERRUPTED", skip_serializing_if = "Option::is_none")]
    interrupted: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<&'static str>,
    #[serde(skip_serializing_if = "<[Message]>::is_empty")]
    messages: &'a [Message],
    #[serde(flatten)]
    counts: Option<Counts<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<Proof<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<&'a Map<String, Value>>,
}

/// What is left out with verbosity 0.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Counts<'a> {
    models: Models<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<Bounds<'a>>,
    calls: u64,
    time: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<u64>,
}

/// What became of a proof that was checked and accepted.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Proof<'a> {
    verdict: &'static str,
    proved: &'a str,
    seconds: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Models<'a> {
    number: u64,
    more: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    brave: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cautious: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    consequences: Option<Known>,
    #[serde(skip_serializing_if = "Option::is_none")]
    optimum: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    optimal: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    costs: Option<&'a [i128]>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Known {
    #[serde(rename = "True")]
    known: u64,
    open: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Bounds<'a> {
    pub lower: &'a [i128],
    pub upper: &'a [i128],
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

impl From<Consequences> for Known {
    fn from(known: Consequences) -> Self {
        Known { known: known.known, open: known.open }
    }
}

impl<'a> Written<'a> {
    /// What is written of that witness, of a formula or another program.
    pub fn of(witness: &'a Witness<'_>, formula: Option<Formula>) -> Self {
        let shown = if formula.is_some() { Shown::Literals } else { Shown::Atoms };
        Written {
            call: None,
            time: micros(witness.seconds),
            value: witness.atoms.as_deref().map(shown),
            consequences: witness.consequences.map(Known::from),
            costs: witness.costs,
            optimum: witness.is_optimal.then_some(true),
        }
    }
}

impl<'a> Tail<'a> {
    /// What is said of the end, in that style.
    pub fn new(summary: &'a Summary, style: &Style) -> Self {
        let failure = summary.ending.failure();
        Tail {
            result: summary.verdict().words(),
            time_limit: (summary.ending.stop() == Some(Stop::TimeLimit)).then_some(1),
            interrupted: (summary.ending.stop() == Some(Stop::Interrupted)).then_some(1),
            error: failure.map(|failure| &failure.error[..]),
            error_code: failure.map(|failure| failure.trouble.code()),
            messages: failure.map_or(&[], |failure| &failure.messages),
            counts: (style.verbosity > 0).then(|| Counts::of(summary)),
            proof: summary.proved.as_ref().map(|proved| Proof {
                verdict: "accepted",
                proved: &proved.proved,
                seconds: micros(proved.seconds),
            }),
            explanation: summary.explanation.as_deref(),
            stats: summary.statistics.as_ref(),
        }
    }
}

impl<'a> Counts<'a> {
    fn of(summary: &'a Summary) -> Self {
        let times = &summary.times;
        let optimized = summary.optimizes && summary.models > 0 && !summary.costs.is_empty();
        let consequences = summary.consequences();
        let complete = |of| match consequences {
            Some((name, _)) if name == of => {
                Some(if summary.ending.is_all_searched() { "yes" } else { "unknown" })
            }
            _ => None,
        };
        let models = Models {
            number: summary.all_models(),
            more: if summary.ending.is_all_searched() { "no" } else { "yes" },
            brave: complete("Brave"),
            cautious: complete("Cautious"),
            consequences: consequences.map(|(_, known)| known.into()),
            optimum: optimized.then(|| if summary.is_optimum_known() { "yes" } else { "unknown" }),
            optimal: optimized.then(|| summary.optimal()),
            costs: optimized.then_some(&summary.costs),
        };
        let lower = summary.lower();
        Counts {
            models,
            bounds: (!lower.is_empty()).then_some(Bounds { lower, upper: &summary.costs }),
            calls: summary.before.calls + 1,
            time: Time {
                total: micros(times.total),
                solve: micros(times.solve),
                model: micros(times.first_model),
                unsat: micros(times.unsat),
                cpu: micros(times.cpu),
            },
            threads: summary.searchers.map(|all| all.searchers),
            winner: summary.searchers.and_then(|all| all.winner),
        }
    }
}

/// Seconds to the microsecond.
pub(super) fn micros(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

impl<W: Write> Json<W> {
    /// Prints to `stream` the results of a program read from `inputs`.
    pub fn new(style: Style, inputs: &[String], stream: W) -> Self {
        let (out, filter) = (BufWriter::new(stream), Filter::new(style.quiet));
        let (started, is_ended, formula) = (false, false, None);
        Json { out, style, inputs: inputs.to_vec(), filter, witnesses: 0, started, is_ended, formula }
    }

    /// Opens the document and its first call, or a further call.
    fn open(&mut self, seconds: f64) -> io::Result<()> {
        if std::mem::replace(&mut self.started, true) {
            (self.is_ended, self.witnesses) = (false, 0);
            return write!(self.out, ",\n    {{\n      \"Start\": {seconds:.6}");
        }
        let solver = serde_json::to_string(SOLVER)?;
        let inputs = serde_json::to_string(&self.inputs)?;
        let start = format!("{seconds:.6}");
        write!(
            self.out,
            "{{\n  \"Solver\": {solver},\n  \"Input\": {inputs},\n  \"Call\": [\n    {{\n      \"Start\": {start}"
        )
    }

    fn witness(&mut self, witness: &Witness) -> io::Result<()> {
        let before = if self.witnesses == 0 { ",\n      \"Witnesses\": [" } else { "," };
        self.witnesses += 1;
        write!(self.out, "{before}\n        ")?;
        serde_json::to_writer(&mut self.out, &Written::of(witness, self.formula))?;
        self.out.flush()
    }
}

impl<W: Write + Send> Printer for Json<W> {
    fn formula(&mut self, formula: Formula) {
        self.formula = Some(formula);
    }

    fn start(&mut self, phases: &Phases) -> io::Result<()> {
        self.open(phases.since_start)?;
        self.out.flush()
    }

    fn answer(&mut self, answer: &Answer, seconds: f64) -> io::Result<()> {
        match self.filter.now(answer, seconds) {
            Some(witness) => self.witness(&witness),
            None => Ok(()),
        }
    }

    fn end_call(&mut self, summary: &Summary) -> io::Result<()> {
        self.is_ended = true;
        let mut filter = std::mem::replace(&mut self.filter, Filter::new(self.style.quiet));
        filter.last(summary, |witness| Some(self.witness(witness))).unwrap_or(Ok(()))?;
        let close = if self.witnesses > 0 { "\n      ]" } else { "" };
        write!(self.out, "{close},\n      \"Stop\": {:.6}\n    }}", summary.times.total)?;
        self.out.flush()
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        if !self.started {
            self.open(summary.times.total)?;
        }
        if !self.is_ended {
            self.end_call(summary)?;
        }
        let tail = serde_json::to_string_pretty(&Tail::new(summary, &self.style))?;
        // The tail is an object of its own; without its opening brace it continues the document's.
        let rest = tail.trim_start_matches('{');
        writeln!(self.out, "\n  ],{rest}")?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Kind;
    use crate::output::summary::all_searched;
    use crate::output::{Ending, Failure, Format, Level, Quiet, Times, Trouble, SCHEMA};
    use crate::search::Reasoning;

    fn style() -> Style {
        Style::new(Format::Json)
    }

    /// The document of a run of `steps`, which is as the schema says.
    fn document(style: Style, steps: impl Fn(&mut Json<&mut Vec<u8>>) -> io::Result<()>) -> Value {
        let mut bytes = Vec::new();
        steps(&mut Json::new(style, &["f.aspif".into()], &mut bytes)).expect("a vector takes everything");
        let document = serde_json::from_slice(&bytes)
            .unwrap_or_else(|error| panic!("{error} in\n{}", String::from_utf8_lossy(&bytes)));
        let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
        if let Err(wrong) = jsonschema::validate(&schema, &document) {
            panic!("{wrong} in\n{document:#}");
        }
        document
    }

    #[test]
    fn has_clingos_shape() {
        let got = document(style(), |json| {
            json.start(&Phases { since_start: 0.001, ..Phases::default() })?;
            json.answer(&Answer::default(), 0.002_100_4)?;
            json.answer(&Answer { atoms: &|| vec!["a", "f(1,\"x\\n\")"], ..Answer::default() }, 0.25)?;
            json.finish(&Summary {
                models: 2,
                ending: Ending::AllSearched(all_searched()),
                ..Summary::default()
            })
        });
        let want = serde_json::json!({
            "Solver": SOLVER, "Input": ["f.aspif"],
            "Call": [{"Start": 0.001, "Witnesses": [{"Time": 0.0021, "Value": []},
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
        let early = document(style(), |json| {
            json.finish(&Summary { ending: Ending::Stopped(Stop::TimeLimit), ..Summary::default() })
        });
        assert_eq!((&early["Result"], &early["TIME LIMIT"]), (&Value::from("UNKNOWN"), &Value::from(1)));
        assert!(early["Call"][0].get("Witnesses").is_none());
        let lost = Failure::new(Trouble::Device, "device \"lost\"");
        let place =
            Message { file: Some("f.lp".into()), line: Some(3), column: Some(1), ..Message::default() };
        let messages = vec![
            Message { kind: Some(Kind::Note), text: "first\n  second".into(), ..place },
            Message { text: "third".into(), ..Message::default() },
        ];
        let failed = document(style(), |json| {
            json.start(&Phases::default())?;
            json.answer(&Answer { atoms: &|| vec!["a"], ..Answer::default() }, 0.0)?;
            json.finish(&Summary {
                models: 1,
                ending: Ending::Failed(Failure { messages: messages.clone(), ..lost.clone() }),
                ..Summary::default()
            })
        });
        assert_eq!(
            (&failed["Error"], &failed["ErrorCode"]),
            (&"device \"lost\"".into(), &Value::from("device"))
        );
        let want = serde_json::json!([
            {"Kind": "note", "File": "f.lp", "Line": 3, "Column": 1, "Text": "first\n  second"}, {"Text": "third"}
        ]);
        assert_eq!(failed["Messages"], want);
        assert_eq!(failed["Models"]["More"], "yes");
    }

    /// A run that finds one answer set with costs and consequences, and ends with that summary.
    fn one(style: Style, summary: &Summary) -> Value {
        document(style, |json| {
            json.start(&Phases::default())?;
            let (costs, consequences) = (&summary.costs[..], summary.consequences);
            json.answer(&Answer { atoms: &|| vec!["a"], costs, consequences, ..Answer::default() }, 0.0)?;
            json.finish(summary)
        })
    }

    #[test]
    fn costs_and_bounds() {
        let costs = vec![1, -2];
        let open = Summary { models: 1, optimizes: true, costs, lower: vec![0, -9], ..Summary::default() };
        let got = one(style(), &open);
        assert_eq!(got["Call"][0]["Witnesses"][0]["Costs"], serde_json::json!([1, -2]));
        assert_eq!(got["Bounds"], serde_json::json!({"Lower": [0, -9], "Upper": [1, -2]}));
        let want = serde_json::json!(
            {"Number": 1, "More": "yes", "Optimum": "unknown", "Optimal": 0, "Costs": [1, -2]});
        assert_eq!((&got["Result"], &got["Models"]), (&"SATISFIABLE".into(), &want));

        let none = Summary { models: 0, costs: Vec::new(), ..open.clone() };
        assert_eq!(one(style(), &none)["Bounds"], serde_json::json!({"Lower": [0, -9], "Upper": []}));

        let got = one(style(), &Summary { ending: Ending::AllSearched(all_searched()), ..open.clone() });
        let want = serde_json::json!(
            {"Number": 1, "More": "no", "Optimum": "yes", "Optimal": 1, "Costs": [1, -2]});
        assert_eq!((&got["Result"], &got["Models"]), (&"OPTIMUM FOUND".into(), &want));
        assert!(got.get("Bounds").is_none());

        // All answer sets, whatever they cost.
        let got =
            one(style(), &Summary { ending: Ending::AllSearched(all_searched()), optimizes: false, ..open });
        let want = serde_json::json!({"Number": 1, "More": "no"});
        assert_eq!((&got["Result"], &got["Models"]), (&"OPTIMUM FOUND".into(), &want));
    }

    #[test]
    fn consequences() {
        let known = Some(Consequences { known: 3, open: 2 });
        let brave =
            Summary { models: 1, reasoning: Reasoning::Brave, consequences: known, ..Summary::default() };
        let got = one(style(), &brave);
        let known = serde_json::json!({"True": 3, "Open": 2});
        assert_eq!(got["Call"][0]["Witnesses"][0]["Consequences"], known);
        let want = serde_json::json!({"Number": 1, "More": "yes", "Brave": "unknown", "Consequences": known});
        assert_eq!(got["Models"], want);
        let got = one(
            style(),
            &Summary { ending: Ending::AllSearched(all_searched()), reasoning: Reasoning::Cautious, ..brave },
        );
        assert_eq!(got["Models"]["Cautious"], "yes");
        assert_eq!(got["Models"]["Consequences"], serde_json::json!({"True": 5, "Open": 0}));
    }

    #[test]
    fn a_witness_says_that_it_is_optimal() {
        let found = |models| {
            let quiet = Quiet { models, ..style().quiet };
            let got = document(Style { quiet, ..style() }, |json| {
                json.start(&Phases::default())?;
                for is_optimal in [false, true] {
                    json.answer(&Answer { is_optimal, costs: &[1], ..Answer::default() }, 0.0)?;
                }
                json.finish(&Summary { models: 2, costs: vec![1], optimizes: true, ..Summary::default() })
            });
            let witnesses = got["Call"][0]["Witnesses"].as_array().expect("a list").clone();
            witnesses.iter().map(|witness| witness.get("Optimum").cloned()).collect::<Vec<_>>()
        };
        assert_eq!(found(Level::All), [None, Some(true.into())]);
        assert_eq!(found(Level::Last), [None, Some(true.into())]);
    }

    #[test]
    fn times_have_six_decimals() {
        let times = Times { total: 1.0 / 3.0, solve: 0.000_000_4, ..Times::default() };
        let got = document(style(), |json| {
            json.start(&Phases { since_start: 2.0 / 3.0, ..Phases::default() })?;
            json.answer(&Answer::default(), 1.0 / 7.0)?;
            json.finish(&Summary { models: 1, times, ..Summary::default() })
        });
        let call = &got["Call"][0];
        assert_eq!((&call["Start"], &call["Stop"]), (&0.666_667.into(), &0.333_333.into()));
        assert_eq!(call["Witnesses"][0]["Time"], 0.142_857);
        assert_eq!((&got["Time"]["Total"], &got["Time"]["Solve"]), (&0.333_333.into(), &0.0.into()));
    }

    #[test]
    fn what_is_not_asked_for_is_left_out() {
        let summary = Summary { models: 1, costs: vec![1], optimizes: true, ..Summary::default() };
        let quiet = |models, costs| Style { quiet: Quiet { models, costs, calls: Level::None }, ..style() };
        assert!(one(quiet(Level::None, Level::None), &summary)["Call"][0].get("Witnesses").is_none());
        let costs = one(quiet(Level::None, Level::Last), &summary);
        assert_eq!(costs["Call"][0]["Witnesses"], serde_json::json!([{"Time": 0.0, "Costs": [1]}]));
        let terse = one(Style { verbosity: 0, ..style() }, &summary);
        let keys: Vec<_> = terse.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["Solver", "Input", "Call", "Result"]);
    }
}
