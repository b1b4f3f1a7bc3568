//! Whether what the command says is proved: random programs, solved with `--proof`, and the checker of proofs.
//!
//! Main function: [`cases`]. The cases are those of [`crate::claims`], each with a proof. What the command
//! prints is compared with the definition as there, and with what the checker concludes.

use std::collections::BTreeSet;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;
use solver_host::device::DeviceKind;
use yasmin_check::clauses::{Clauses, Unwritten};
use yasmin_check::program;
use yasmin_check::proof::{Proof, Source, Writer};
use yasmin_check::trim::Plan;
use yasmin_check::{Checker, Conclusion, Kind as Asked};

use crate::claims::asked::Format;
use crate::claims::{self, Case, Kind};
use crate::lrat;
use crate::random::Random;

/// The most steps of a proof that is checked as clauses, which takes long.
const FEW_STEPS: u64 = 400;

/// What came of a number of cases.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many there were.
    pub cases: usize,
    /// How many proofs conclude something.
    pub proved: usize,
    /// How many steps the proofs have.
    pub steps: u64,
    /// How many proofs could be written as clauses, and were accepted as such.
    pub clauses: usize,
    /// A report for each case that failed.
    pub failures: Vec<String>,
}

/// The case of a seed, without the option that names the proof.
pub fn case(mut kind: Kind, seed: u64) -> Case {
    if kind.has_differences {
        // They are proved there alone.
        kind.device = DeviceKind::Cpu;
    }
    let mut case = claims::case(kind, seed);
    if seed.is_multiple_of(3) {
        case.options.push("--proof-format=binary".into());
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
            Ok(told) => {
                tally.proved += told.is_proved as usize;
                tally.steps += told.steps;
                tally.clauses += told.is_clauses as usize;
            }
            Err(how) => {
                let report = format!("proofs seed {seed}: {how}\n{}{}", case.told(), case.line());
                told(&report);
                tally.failures.push(report);
            }
        }
    }
    tally
}

/// A file of its own for a proof or a trace, which goes with the value.
pub struct Scratch(PathBuf);

impl Scratch {
    /// A file that is not there yet. The extension of its name is `what`.
    pub fn new(what: &str) -> Scratch {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Scratch(std::env::temp_dir().join(format!("yasmin-{}-{number}.{what}", std::process::id())))
    }

    /// Its name.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Without a run that wrote it there is no file.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// What is told of a proof that is right.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// Whether the proof concludes something.
    pub is_proved: bool,
    /// The number of its steps.
    pub steps: u64,
    /// Whether it could be written as clauses.
    pub is_clauses: bool,
}

/// Solves a case and checks the proof, also as clauses if there are few and the proof can be written so.
///
/// # Errors
/// What is wrong with what the command said, or with the proof.
pub fn check(case: &Case) -> Result<Told, String> {
    let (proof, document, code) = prove(case)?;
    judge(case, &proof, &document, code)
}

/// Checks the proof of a case, of which a document and an exit code tell.
///
/// # Errors
/// What is wrong with the proof.
pub fn judge(case: &Case, proof: &[u8], document: &Value, code: i32) -> Result<Told, String> {
    let text = case.subject.text();
    let (conclusion, steps) = accept(text.as_bytes(), proof)?;
    let left = trim(text.as_bytes(), proof).map_err(|how| format!("it is not trimmed: {how}"))?;
    let left = accept(text.as_bytes(), &left[..]).map_err(|how| format!("what is left: {how}"))?.0;
    if left != conclusion {
        return Err(format!("the proof concludes {conclusion:?}, and what is left of it {left:?}"));
    }
    match conclusion {
        Some(conclusion) if code & 20 == 20 => {
            agrees(&conclusion, document)?;
            let is_clauses = steps <= FEW_STEPS && is_right_as_clauses(text.as_bytes(), proof)?;
            Ok(Told { is_proved: true, steps, is_clauses })
        }
        None if code & 20 != 20 => Ok(Told { is_proved: false, steps, is_clauses: false }),
        Some(conclusion) => Err(format!("the run was not whole, and the proof says: {conclusion}")),
        None => Err("the run was whole, and the proof concludes nothing".into()),
    }
}

/// Writes an accepted proof as clauses, and checks them by themselves. Returns whether the proof can be written so.
fn is_right_as_clauses(program: &[u8], proof: impl std::io::Read) -> Result<bool, String> {
    let program = program::read("program", program).map_err(|error| error.to_string())?;
    let (mut checker, mut lrat, mut formula) = (Checker::logging(program), Vec::new(), Vec::new());
    let mut clauses = Clauses::new(&mut checker, &mut lrat, FEW_STEPS).map_err(|error| error.to_string())?;
    let mut from = BufReader::new(proof);
    let mut proof = Proof::new(&mut from);
    while let Some(step) = proof.step().map_err(|error| error.to_string())? {
        match clauses.step(&mut checker, &step) {
            Ok(_) => {}
            Err(Unwritten::Beyond(_)) => return Ok(false),
            Err(why) => return Err(format!("as clauses: `{step}`: {why}")),
        }
    }
    clauses.finish(&mut formula, checker.names()).map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let told = lrat::formula(&text(&formula)).and_then(|clauses| lrat::check(&clauses, &text(&lrat)));
    told.map(|()| true).map_err(|why| format!("as clauses: {why}"))
}

/// The case with a proof in a file.
pub fn proved(mut case: Case, file: &Path) -> Case {
    // A proof follows one search of a thread, and not two in turns. Without the option one searcher goes by
    // cores.
    case.options.retain(|word| !word.starts_with("--opt-strategy=turns"));
    case.options.push(format!("--proof={}", file.display()));
    case
}

/// Solves a case, which says what is true. Returns the proof, the document and the exit code.
fn prove(case: &Case) -> Result<(Vec<u8>, Value, i32), String> {
    let file = Scratch::new("proof");
    let proved = proved(case.clone(), file.path());
    let outcome = proved.run_with_patience();
    if let Some(wrong) = outcome.wrong.first() {
        return Err(wrong.to_string());
    }
    let proof = std::fs::read(file.path()).map_err(|error| format!("no proof: {error}"))?;
    let document = serde_json::from_slice(&outcome.printed.out).map_err(|error| error.to_string())?;
    Ok((proof, document, outcome.printed.code))
}

/// What became of proofs that were changed.
#[derive(Clone, Debug, Default)]
pub struct Changed {
    /// How many were refused.
    pub refused: usize,
    /// How many conclude nothing any more.
    pub unfinished: usize,
    /// How many were accepted, and conclude what is true.
    pub accepted: usize,
    /// A report for each that concludes what is not true.
    pub failures: Vec<String>,
}

/// Proves the whole of what is asked in the cases of the seeds `first .. first + count`, and changes each proof in four
/// ways. What is accepted all the same must conclude what is true.
pub fn changes(kind: Kind, first: u64, count: usize) -> Changed {
    let mut changed = Changed::default();
    for seed in first..first + count as u64 {
        let mut case = case(kind, seed);
        case.options.retain(|word| !word.starts_with("--proof-format"));
        (case.end, case.asked.models) = (claims::End::Never, Some(0));
        (case.asked.opt_stop, case.asked.time_limit, case.asked.solve_limit) = (None, None, None);
        let report = |how: &str| format!("changes seed {seed}: {how}\n{}", case.told());
        let (proof, document) = match prove(&case) {
            Ok((proof, document, _)) => (String::from_utf8_lossy(&proof).into_owned(), document),
            Err(how) => {
                changed.failures.push(report(&how));
                continue;
            }
        };
        let random = &mut Random::new(seed);
        for _ in 0..4 {
            let Some(other) = change(&proof, random) else { continue };
            let program = case.subject.text();
            let whole = accept(program.as_bytes(), other.as_bytes());
            // What is left of it may be right though it is wrong, and is if it is right.
            let left = trim(program.as_bytes(), other.as_bytes())
                .and_then(|left| accept(program.as_bytes(), &left[..]));
            if let Ok((conclusion, _)) = &whole {
                if !matches!(&left, Ok((left, _)) if left == conclusion) {
                    let how = format!("it concludes {conclusion:?}, and trimmed {left:?}\n{other}");
                    changed.failures.push(report(&how));
                }
            }
            if let (Err(_), Ok((Some(conclusion), _))) = (&whole, &left) {
                if let Err(how) = agrees(conclusion, &document) {
                    changed.failures.push(report(&format!("trimmed: {how}\n{other}")));
                }
            }
            match whole {
                Err(_) => changed.refused += 1,
                Ok((None, _)) => changed.unfinished += 1,
                Ok((Some(conclusion), _)) => match agrees(&conclusion, &document) {
                    Ok(()) => changed.accepted += 1,
                    Err(how) => changed.failures.push(report(&format!("{how}\n{other}"))),
                },
            }
        }
    }
    changed
}

/// The proof without a step, or with a literal left out, turned around or replaced, or with two
/// constraints of a cycle in each other's place. What is asked stays, and the definitions too, as another
/// definition may make another proof.
fn change(proof: &str, random: &mut Random) -> Option<String> {
    let lines: Vec<&str> = proof.lines().collect();
    let is_changed = |line: &&str| line.starts_with(['b', 'n', 'u', 'g', 'a', 'x', 'r', 'l']);
    let places: Vec<usize> = (0..lines.len()).filter(|&at| is_changed(&lines[at])).collect();
    let at = *places.get(random.below(places.len().max(1)))?;
    let mut words: Vec<String> = lines[at].split(' ').map(String::from).collect();
    let word = 1 + random.below(words.len() - 1);
    let is_literal = words[word] != "0";
    let line = match random.below(4) {
        0 => None,
        1 if is_literal => {
            words.remove(word);
            Some(words.join(" "))
        }
        2 if is_literal && words[0] == "g" => {
            words.swap(1, word);
            Some(words.join(" "))
        }
        2 if is_literal && !words[word].starts_with('-') => {
            words[word].insert(0, '-');
            Some(words.join(" "))
        }
        2 if is_literal => {
            words[word].remove(0);
            Some(words.join(" "))
        }
        _ if is_literal => {
            words[word] = (1 + random.below(12)).to_string();
            Some(words.join(" "))
        }
        _ => None,
    };
    let mut other: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
    match line {
        Some(line) => other[at] = line,
        None => drop(other.remove(at)),
    }
    Some(other.join("\n") + "\n")
}

/// What is left of a proof without the steps that are not needed, in the same form.
///
/// # Errors
/// If a step cannot be read or does not follow, or if there is no conflict in the end.
pub fn trim(program: &[u8], proof: &[u8]) -> Result<Vec<u8>, String> {
    let program = program::read("program", program).map_err(|error| error.to_string())?;
    let plan = Plan::new(program, proof).map_err(|rejection| rejection.to_string())?;
    let mut left = Vec::new();
    let mut steps = plan.steps(proof);
    let mut writer = Writer::new(&mut left, proof.starts_with(b"y")).map_err(|error| error.to_string())?;
    while let Some(step) = steps.step().map_err(|error| error.to_string())? {
        writer.write(&step).map_err(|error| error.to_string())?;
    }
    drop(writer);
    Ok(left)
}

/// Lets the checker read a ground program and a proof.
///
/// # Errors
/// If the program cannot be read, or a step is refused.
pub fn accept(program: &[u8], proof: impl std::io::Read) -> Result<(Option<Conclusion>, u64), String> {
    let program = program::read("program", program).map_err(|error| error.to_string())?;
    let (mut checker, mut from, mut steps) = (Checker::new(program), BufReader::new(proof), 0);
    let mut proof = Proof::new(&mut from);
    loop {
        match proof.step() {
            Ok(None) => return Ok((checker.conclusion(), steps)),
            Ok(Some(step)) => {
                steps += 1;
                checker
                    .step(&step)
                    .map_err(|why| format!("step {steps}, {}: `{step}`: {why}", proof.place()))?;
            }
            Err(error) => return Err(format!("step {}, {}: {error}", steps + 1, proof.place())),
        }
    }
}

/// Compares what the checker concludes with what was printed.
///
/// # Errors
/// What differs.
pub fn agrees(conclusion: &Conclusion, document: &Value) -> Result<(), String> {
    let differs =
        |what: &str, said: &Value| Err(format!("{what} is {said}, and the proof says: {conclusion}"));
    let (models, costs) = (&document["Models"], conclusion.costs.as_ref());
    if (document["Result"] == "UNSATISFIABLE") != (conclusion.answer_sets == 0) {
        return differs("Result", &document["Result"]);
    }
    let optimizes = !models["Costs"].is_null() && models["Optimum"] == "yes";
    if costs.is_some() && optimizes {
        let printed: Option<Vec<i128>> = models["Costs"]
            .as_array()
            .map(|costs| costs.iter().filter_map(Value::as_i64).map(i128::from).collect());
        if !conclusion.optimal || printed.as_ref() != costs {
            return differs("Costs", &models["Costs"]);
        }
    }
    match conclusion.question {
        Asked::AnswerSets | Asked::Projections | Asked::Shown => {
            let number = models.get("Optimal").filter(|_| optimizes).unwrap_or(&models["Number"]);
            if number.as_u64() != Some(conclusion.answer_sets) {
                return differs("the number", number);
            }
        }
        Asked::Optimum => {}
        _ => {
            let last =
                document["Call"].as_array().and_then(|calls| calls.last()?["Witnesses"].as_array()?.last());
            let printed: BTreeSet<&str> = last
                .and_then(|last| last["Value"].as_array())
                .map(|names| names.iter().filter_map(Value::as_str).collect())
                .unwrap_or_default();
            let proved = conclusion.consequences.iter().flatten().map(String::as_str);
            // The command also tells what holds in every answer set though the projection leaves it out.
            let mut missing = proved.filter(|name| !printed.contains(name));
            if let Some(name) = missing.next() {
                return Err(format!("{name} is not printed, and the proof says: {conclusion}"));
            }
        }
    }
    Ok(())
}
