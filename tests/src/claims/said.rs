//! What a run said, read from what was printed, in any of the forms.
//!
//! Main function: [`Said::read`]. What a form does not tell is `None`.

use std::sync::OnceLock;

use serde_json::Value;

use super::asked::Format;

/// What was said of one answer set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// The names printed.
    pub value: Option<Vec<String>>,
    /// The costs, highest priority first.
    pub costs: Option<Vec<i64>>,
    /// How many consequences are known, and how many are open.
    pub consequences: Option<(u64, u64)>,
    /// Whether it is said that it is optimal. Text says so by counting from 1 again.
    pub is_optimal: bool,
}

/// What was said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// The answer sets, in the order in which they were printed.
    pub witnesses: Vec<Witness>,
    /// The verdict.
    pub result: String,
    /// Whether the time limit passed.
    pub time_limit: bool,
    /// Whether the run was interrupted.
    pub interrupted: bool,
    /// The error, if one is told. Text does not tell it.
    pub error: Option<String>,
    /// The number of answer sets.
    pub number: u64,
    /// Whether there may be more.
    pub more: bool,
    /// What consequences were said to be, and whether they are complete.
    pub complete: Option<(&'static str, bool)>,
    /// How many consequences are known, and how many are open; text does not say the second.
    pub consequences: Option<(u64, Option<u64>)>,
    /// Whether the optimum is known.
    pub optimum: Option<bool>,
    /// How many answer sets are known to be optimal; text says that only of several.
    pub optimal: Option<u64>,
    /// The best costs.
    pub costs: Option<Vec<i64>>,
    /// What is proved of the optimum.
    pub lower: Option<Vec<i64>>,
    /// What was said to be proved of the optimum while the search went on, as far as the first priority whose
    /// bounds differ. Only text tells it.
    pub progression: Vec<Vec<i64>>,
    /// The costs found, beside `lower`.
    pub upper: Option<Vec<i64>>,
    /// How many searchers there were, and which of them ended the search.
    pub threads: Option<(u64, Option<u64>)>,
}

/// The most bytes of a document that is compared with the schema: that takes a hundred times as long as reading.
const MOST_COMPARED: usize = 200_000;

impl Said {
    /// Reads what was printed in that form, where `whole` says whether everything is printed of each answer set.
    ///
    /// # Errors
    /// If it is not in that form.
    pub fn read(format: Format, whole: bool, out: &[u8]) -> Result<Said, String> {
        let text = std::str::from_utf8(out).map_err(|error| error.to_string())?;
        match format {
            Format::Json => {
                let document: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
                if text.len() <= MOST_COMPARED {
                    is_valid(&document, false)?;
                }
                let mut said = end(&document)?;
                let calls = document["Call"].as_array().ok_or("no calls")?;
                let witnesses = calls.iter().filter_map(|call| call["Witnesses"].as_array()).flatten();
                said.witnesses = witnesses.map(witness).collect::<Result<_, _>>()?;
                Ok(said)
            }
            Format::Lines => {
                let lines = text.lines().map(|line| {
                    let line = serde_json::from_str(line).map_err(|error| error.to_string())?;
                    if text.len() <= MOST_COMPARED {
                        is_valid(&line, true)?;
                    }
                    Ok(line)
                });
                let mut lines: Vec<Value> = lines.collect::<Result<_, String>>()?;
                let mut said = end(&lines.pop().ok_or("no line")?)?;
                said.witnesses = lines.iter().map(witness).collect::<Result<_, _>>()?;
                Ok(said)
            }
            Format::Text => of_text(text, whole),
        }
    }
}

/// Compares a document, or a line, with the schema.
fn is_valid(document: &Value, is_line: bool) -> Result<(), String> {
    static SCHEMAS: OnceLock<[jsonschema::Validator; 2]> = OnceLock::new();
    let schemas = SCHEMAS.get_or_init(|| {
        let whole: Value = serde_json::from_str(solver_host::output::SCHEMA).expect("the schema is JSON");
        let mut line = serde_json::json!({"$ref": "#/$defs/line"});
        line["$defs"] = whole["$defs"].clone();
        [whole, line].map(|schema| jsonschema::validator_for(&schema).expect("a schema"))
    });
    let wrong = schemas[is_line as usize].validate(document);
    wrong.map_err(|wrong| format!("the schema: {wrong}"))
}

fn numbers(list: &Value) -> Option<Vec<i64>> {
    list.as_array()?.iter().map(Value::as_i64).collect()
}

/// Names without the values of integers, which nobody compares.
fn atoms<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    names.filter(|name| !name.starts_with("dl(")).map(String::from).collect()
}

fn witness(of: &Value) -> Result<Witness, String> {
    let names = |value: &Value| {
        let names: Option<Vec<&str>> = value.as_array()?.iter().map(Value::as_str).collect();
        Some(atoms(names?.into_iter()))
    };
    let known = |value: &Value| value["True"].as_u64().zip(value["Open"].as_u64());
    Ok(Witness {
        value: of.get("Value").map(|value| names(value).ok_or("a Value without names")).transpose()?,
        costs: of.get("Costs").map(|costs| numbers(costs).ok_or("Costs without numbers")).transpose()?,
        consequences: of
            .get("Consequences")
            .map(|of| known(of).ok_or("Consequences without numbers"))
            .transpose()?,
        is_optimal: of.get("Optimum").is_some(),
    })
}

/// What is said at the end, in JSON.
fn end(document: &Value) -> Result<Said, String> {
    let models = &document["Models"];
    let complete =
        ["Brave", "Cautious"].into_iter().find_map(|name| Some((name, models.get(name)? == "yes")));
    Ok(Said {
        witnesses: Vec::new(),
        result: document["Result"].as_str().ok_or("no Result")?.into(),
        time_limit: document.get("TIME LIMIT").is_some(),
        interrupted: document.get("INTERRUPTED").is_some(),
        error: document["Error"].as_str().map(String::from),
        number: models["Number"].as_u64().ok_or("no Number")?,
        more: models["More"] == "yes",
        complete,
        consequences: models
            .get("Consequences")
            .and_then(|of| Some((of["True"].as_u64()?, of["Open"].as_u64()))),
        optimum: models.get("Optimum").map(|known| known == "yes"),
        optimal: models["Optimal"].as_u64(),
        costs: models.get("Costs").and_then(numbers),
        lower: document.get("Bounds").and_then(|bounds| numbers(&bounds["Lower"])),
        upper: document.get("Bounds").and_then(|bounds| numbers(&bounds["Upper"])),
        progression: Vec::new(),
        threads: document["Threads"].as_u64().map(|threads| (threads, document["Winner"].as_u64())),
    })
}

/// The witness that costs or consequences are told of: the last one, if `lacks` says that it lacks them, or else a
/// witness of which `--quiet` leaves the atoms out.
fn last_that(witnesses: &mut Vec<Witness>, lacks: impl Fn(&Witness) -> bool) -> &mut Witness {
    if !witnesses.last().is_some_and(lacks) {
        let is_optimal = witnesses.last().is_some_and(|last| last.is_optimal);
        witnesses.push(Witness { is_optimal, ..Witness::default() });
    }
    let at = witnesses.len() - 1;
    &mut witnesses[at]
}

/// Reads text as clasp prints it.
fn of_text(text: &str, whole: bool) -> Result<Said, String> {
    let numbers =
        |line: &str| line.split_whitespace().map(|word| word.parse().ok()).collect::<Option<Vec<i64>>>();
    let mut said = Said::default();
    let mut lines = text.lines().peekable();
    for line in lines.by_ref() {
        if line == "Solving..." {
            break;
        }
    }
    while let Some(line) = lines.next() {
        if line.starts_with("Answer: ") {
            let is_first = whole && line == "Answer: 1" && !said.witnesses.is_empty();
            let is_optimal = is_first || said.witnesses.last().is_some_and(|last| last.is_optimal);
            let mut witness = Witness { is_optimal, ..Witness::default() };
            let names = lines.next().unwrap_or_default();
            witness.value = Some(atoms(names.split_whitespace()));
            said.witnesses.push(witness);
        } else if let Some(costs) = line.strip_prefix("Optimization: ") {
            let last = last_that(&mut said.witnesses, |last| last.costs.is_none());
            last.costs = Some(numbers(costs).ok_or(line)?);
        } else if let Some(known) = line.strip_prefix("Consequences: [") {
            let last =
                last_that(&mut said.witnesses, |last| last.costs.is_none() && last.consequences.is_none());
            let (known, most) = known.trim_end_matches(']').split_once(';').ok_or(line)?;
            let known: u64 = known.parse().map_err(|_| line)?;
            let most: u64 = most.parse().map_err(|_| line)?;
            last.consequences = Some((known, most.checked_sub(known).ok_or(line)?));
        } else if let Some(bounds) = line.strip_prefix("Progression : ") {
            let (lower, _) = bounds.split_once(';').ok_or(line)?;
            said.progression.push(numbers(&lower.replace('[', "")).ok_or(line)?);
        } else {
            said.result = line.into();
            break;
        }
    }
    for line in lines {
        let Some((name, value)) = line.split_once(':') else { continue };
        let (name, value) = (name.trim(), value.trim());
        let number = || value.trim_end_matches('+').parse::<u64>().map_err(|_| line.to_string());
        match name {
            "TIME LIMIT" => said.time_limit = true,
            "INTERRUPTED" => said.interrupted = true,
            "Models" => (said.number, said.more) = (number()?, value.ends_with('+')),
            "Brave" => said.complete = Some(("Brave", value == "yes")),
            "Cautious" => said.complete = Some(("Cautious", value == "yes")),
            "Consequences" => said.consequences = Some((number()?, None)),
            "Optimum" => said.optimum = Some(value == "yes"),
            "Optimal" => said.optimal = Some(number()?),
            "Optimization" => said.costs = Some(numbers(value).ok_or(line)?),
            "Bounds" => {
                let (mut lower, mut upper) = (Vec::new(), Vec::new());
                for word in value.split_whitespace() {
                    let word = word.trim_matches(['[', ']']);
                    let (low, up) = word.split_once(';').unwrap_or((word, word));
                    lower.push(low.parse().map_err(|_| line)?);
                    if up != "*" {
                        upper.push(up.parse().map_err(|_| line)?);
                    }
                }
                (said.lower, said.upper) = (Some(lower), Some(upper));
            }
            "Threads" => {
                let (threads, winner) = value.split_once("(Winner:").unwrap_or((value, ""));
                let winner = winner.trim_end_matches(')').trim().parse().ok();
                said.threads = Some((threads.trim().parse().map_err(|_| line)?, winner));
            }
            _ => {}
        }
    }
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver_host::device::DeviceKind;
    use solver_host::input;
    use solver_host::output::{printer, Answer, Ending, Phases, Searchers, Stop, Style, Summary};
    use solver_host::search::{AllSearched, Options, Solver};
    use solver_host::search::{Consequences, Reasoning};
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Pipe(Arc<Mutex<Vec<u8>>>);

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("no panic").write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// What is read of these answers and this end, in each form.
    fn read(answers: &[Answer], summary: &Summary) -> [Said; 3] {
        use solver_host::output::Format as Form;
        let forms =
            [(Form::Json, Format::Json), (Form::JsonLines, Format::Lines), (Form::Text, Format::Text)];
        forms.map(|(form, format)| {
            let pipe = Pipe::default();
            let mut printer = printer(Style::new(form), &["stdin".into()], pipe.clone());
            printer.start(&Phases::default()).expect("memory");
            answers.iter().for_each(|answer| printer.answer(answer, 0.5).expect("memory"));
            printer.finish(summary).expect("memory");
            let bytes = pipe.0.lock().expect("no panic").clone();
            Said::read(format, true, &bytes)
                .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&bytes)))
        })
    }

    /// What a search says of a program without an answer set.
    fn nothing_left() -> AllSearched {
        let program = input::read("none", "asp 1 0 0\n1 0 0 0 0\n0\n".as_bytes()).expect("a program");
        let options = Options { device: DeviceKind::Cpu, ..Options::default() };
        Solver::new(program, options).expect("a processor").all_searched().expect("there is no answer set")
    }

    #[test]
    fn each_form_says_the_same() {
        let names = || vec!["p0a", "p1b"];
        let first = Answer { atoms: &names, costs: &[3, -1], ..Answer::default() };
        let best = Answer { costs: &[2, 0], is_optimal: true, ..first };
        let summary = Summary {
            models: 2,
            optimal: 2,
            optimizes: true,
            costs: vec![2, 0],
            lower: vec![1, 5],
            ending: Ending::Stopped(Stop::TimeLimit),
            searchers: Some(Searchers { searchers: 3, winner: Some(1) }),
            ..Summary::default()
        };
        let [json, lines, text] = read(&[first, best], &summary);
        assert_eq!(json, lines);
        assert!(json.witnesses[1].is_optimal && json.time_limit && json.optimum == Some(false));
        assert_eq!((&json.lower, &json.upper), (&Some(vec![1, 5]), &Some(vec![2, 0])));
        assert_eq!(json.threads, Some((3, Some(1))));
        assert_eq!(text, json);
    }

    #[test]
    fn consequences_are_read() {
        let names = || vec!["p0a"];
        let known = Consequences { known: 1, open: 4 };
        let answer = Answer { atoms: &names, consequences: Some(known), ..Answer::default() };
        let summary = Summary {
            models: 1,
            reasoning: Reasoning::Brave,
            consequences: Some(known),
            ending: Ending::Stopped(Stop::Interrupted),
            ..Summary::default()
        };
        let [json, lines, mut text] = read(&[answer], &summary);
        assert_eq!(json, lines);
        assert_eq!((json.complete, json.consequences), (Some(("Brave", false)), Some((1, Some(4)))));
        assert_eq!(json.witnesses[0].consequences, Some((1, 4)));
        text.consequences = json.consequences;
        assert_eq!(text, json);
        let empty = Answer::default();
        let ending = Ending::AllSearched(nothing_left());
        let [json, _, text] = read(&[empty], &Summary { models: 1, ending, ..Summary::default() });
        assert_eq!((&text, json.witnesses[0].value.as_deref(), json.more), (&json, Some(&[][..]), false));
    }
}
