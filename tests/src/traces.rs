//! Whether the trace of a search is right: random programs, solved with `--trace`, and the tests' reader of traces.
//!
//! Main function: [`cases`]. The cases are those of [`crate::claims`]: every goal and bound, several searchers that join at any
//! point, runs that are told to stop. Each has a trace, which [`replay`] checks, and which has to tell what is printed. What
//! the command prints is compared with the definition as there.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::claims::asked::{Format, Mode, Projection, Reasoning};
use crate::claims::{self, Case, Kind, Subject};
use crate::proofs::Scratch;
use crate::replay::{self, Seen};
use crate::rich::{self, Meaning, Rich};

/// The most atoms of a program whose answer sets are compared with those of the trace.
const FEW_ATOMS: i32 = 10;

/// The most events of a trace of a long program: to check one takes as long as there are nogoods.
const FEW_EVENTS: u32 = 1000;

/// What came of a number of cases.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many there were.
    pub cases: usize,
    /// How many traces tell everything.
    pub whole: usize,
    /// What the traces have.
    pub seen: Seen,
    /// A report for each case that failed.
    pub failures: Vec<String>,
}

/// The case of a seed, without the option that names the trace.
pub fn case(kind: Kind, seed: u64) -> Case {
    let mut case = claims::case(kind, seed);
    // Of searches in turns none is traced, nor are several searchers of a device.
    let is_traced = |word: &str| {
        !["--opt-strategy=turns", "--gpu-searchers=", "--fleets="].iter().any(|not| word.starts_with(not))
    };
    case.options.retain(|word| is_traced(word));
    match seed % 8 {
        _ if kind.is_long => case.options.push(format!("--trace-limit={FEW_EVENTS}")),
        0 => case.options.push(format!("--trace-limit={}", 1 + seed / 8 % 300)),
        _ => {}
    }
    case.asked.format = Format::Json;
    case.asked.quiet = None;
    case
}

/// Runs the cases of the seeds `first .. first + count`. Calls `told` with each failure.
pub fn cases(kind: Kind, first: u64, count: usize, told: &mut dyn FnMut(&str)) -> Tally {
    let mut tally = Tally::default();
    for seed in first..first + count as u64 {
        let case = case(kind, seed);
        tally.cases += 1;
        match check(&case) {
            Ok(replayed) => {
                tally.whole += usize::from(replayed.is_whole);
                tally.seen.add(&replayed.seen);
            }
            Err(how) => {
                let report = format!("traces seed {seed}: {how}\n{}{}", case.told(), case.line());
                told(&report);
                tally.failures.push(report);
            }
        }
    }
    tally
}

/// What is told of a trace that is right.
pub struct Replayed {
    /// What the trace has.
    pub seen: Seen,
    /// Whether it tells that everything was searched.
    pub is_whole: bool,
}

/// Solves a case and checks its trace.
///
/// # Errors
/// What is wrong with what the command said, or with the trace.
pub fn check(case: &Case) -> Result<Replayed, String> {
    let file = Scratch::new("trace");
    let outcome = traced(case.clone(), file.path()).run_with_patience();
    if let Some(wrong) = outcome.wrong.first() {
        return Err(wrong.to_string());
    }
    let trace = fs::read_to_string(file.path()).map_err(|error| format!("no trace: {error}"))?;
    let document = serde_json::from_slice(&outcome.printed.out).map_err(|error| error.to_string())?;
    judge(case, &trace, &document).map_err(|how| format!("{how}\n{trace}"))
}

/// The case with a trace in a file.
pub fn traced(mut case: Case, file: &Path) -> Case {
    case.options.push(format!("--trace={}", file.display()));
    case
}

/// Checks the trace of a case, of which a document tells.
fn judge(case: &Case, trace: &str, document: &Value) -> Result<Replayed, String> {
    let mut shown = Vec::new();
    let wanted = answer_sets(case);
    let seen = replay::check(trace, wanted.as_deref(), &mut |names| shown.push(names))?;
    if wanted.is_some() && case.asked.limit(false) != 1 && seen.races > 0 {
        return Err("searchers race for more than one answer set".into());
    }
    let end =
        trace.lines().last().and_then(|line| serde_json::from_str::<Value>(line).ok()).unwrap_or_default();
    let is_whole = end["because"] == "exhausted";
    if end["cut"] == false && case.asked.reasoning == Reasoning::Enumerate {
        are_told(document, shown)?;
    }
    Ok(Replayed { seen, is_whole })
}

/// Compares what is printed with the answer sets of a trace, which may have others besides.
fn are_told(document: &Value, mut shown: Vec<Vec<String>>) -> Result<(), String> {
    let calls = document["Call"].as_array().into_iter().flatten();
    for witness in calls.flat_map(|call| call["Witnesses"].as_array().into_iter().flatten()) {
        let names = witness["Value"].as_array().into_iter().flatten();
        let names: Vec<&str> = names.filter_map(Value::as_str).collect();
        match shown.iter().position(|told| *told == names) {
            Some(place) => drop(shown.swap_remove(place)),
            None => return Err(format!("the trace does not tell the answer set {names:?}")),
        }
    }
    Ok(())
}

/// The answer sets of a case by the definition, each as the names that are printed: if all of them are asked for, and if they
/// are few and their names say everything.
fn answer_sets(case: &Case) -> Option<Vec<Vec<String>>> {
    let Subject::Parts(program) = &case.subject else { return None };
    let (program, asked) = (program.merged(), &case.asked);
    let are_all = asked.reasoning == Reasoning::Enumerate
        && (asked.mode == Mode::Ignore || program.minimize.is_empty() && asked.bound.is_empty())
        && asked.projection == Projection::No;
    // The reader knows atoms by names like `p0x1`, of which others have `y` or `z`.
    let is_named =
        |atom: i32| program.outputs.iter().any(|(name, when)| name.contains('x') && when[..] == [atom]);
    if !are_all || program.atoms > FEW_ATOMS || !(1..=program.atoms).all(is_named) {
        return None;
    }
    Some(Meaning::of(&program).answer_sets.iter().map(|&set| printed(&program, set)).collect())
}

/// What is printed of a set of atoms, sorted.
fn printed(program: &Rich, set: u32) -> Vec<String> {
    let mut names = rich::printed(program, set);
    names.sort_unstable();
    names
}
