//! Other people's programs that results are compared with: a grounder, and clasp or clingo to solve what is ground.
//!
//! Main types: [`Grounder`] and [`Reference`]. Where one is missing its `find` says what to install.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

use crate::answers::Answer;
use crate::conform::Shown;

/// What turns a program with variables into aspif.
#[derive(Clone, Debug)]
pub struct Grounder(Vec<String>);

/// What solves aspif.
#[derive(Clone, Debug)]
pub struct Reference(Vec<String>);

/// What a reference says of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The answer sets.
    pub answers: Vec<Answer>,
    /// Whether these are all.
    pub is_complete: bool,
}

/// The Python that has clingo: the one in `YASMIN_PYTHON` (set by `scripts/test.sh`), else `python3`.
fn python() -> String {
    std::env::var("YASMIN_PYTHON").unwrap_or_else(|_| "python3".into())
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}

fn python_clingo(mode: &str) -> Vec<String> {
    [vec![python()], words("-m clingo"), words(mode)].concat()
}

/// Runs a command on an input. Returns its exit code, standard output and standard error.
fn run(command: &[String], more: &[&str], input: &[u8]) -> Result<(i32, Vec<u8>, String), String> {
    let told = |error: std::io::Error| format!("cannot run `{}`: {error}", command.join(" "));
    let mut child = Command::new(&command[0])
        .args(&command[1..])
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(told)?;
    let mut stdin = child.stdin.take().expect("is piped");
    // From a thread, as it may write before it has read all.
    let output = thread::scope(|scope| {
        scope.spawn(move || {
            // If it does not read to the end it says why.
            let _ = stdin.write_all(input);
        });
        child.wait_with_output().map_err(told)
    })?;
    let code = output.status.code().unwrap_or(-1);
    Ok((code, output.stdout, String::from_utf8_lossy(&output.stderr).into_owned()))
}

impl Grounder {
    /// gringo or clingo, as a command of its own or as a package of Python.
    ///
    /// # Errors
    /// If there is none.
    pub fn find() -> Result<Grounder, String> {
        let candidates = [words("gringo"), words("clingo --mode=gringo"), python_clingo("--mode=gringo")];
        let works = |command: &Vec<String>| matches!(run(command, &["--warn=none"], b"a."), Ok((0, out, _)) if out.starts_with(b"asp 1 0 0"));
        candidates.into_iter().find(works).map(Grounder).ok_or(
            "there is no gringo and no clingo to ground with; install one (Debian: `apt-get install gringo`)"
                .into(),
        )
    }

    /// The ground program in aspif.
    ///
    /// # Errors
    /// What the grounder says.
    pub fn ground(&self, program: &str) -> Result<Vec<u8>, String> {
        match run(&self.0, &["--warn=none"], program.as_bytes())? {
            (0, text, _) if !text.is_empty() => Ok(text),
            (code, _, words) => Err(format!("`{}` ends with {code}: {words}", self.0.join(" "))),
        }
    }
}

impl Reference {
    /// clasp, else clingo, as a command of its own or as a package of Python.
    ///
    /// # Errors
    /// If there is none.
    pub fn find() -> Result<Reference, String> {
        Reference::all().into_iter().next().ok_or(
            "there is no clasp and no clingo to compare with; install one (Debian: `apt-get install clasp`)"
                .into(),
        )
    }

    /// All that there are: versions differ in their faults.
    pub fn all() -> Vec<Reference> {
        let candidates = [words("clasp"), words("clingo --mode=clasp"), python_clingo("--mode=clasp")];
        let works = |reference: &Reference| reference.list(b"asp 1 0 0\n0\n", &[], 0).is_ok();
        candidates.into_iter().map(Reference).filter(works).collect()
    }

    /// The command.
    pub fn name(&self) -> String {
        self.0.join(" ")
    }

    /// Up to `most` answer sets (0: all) and their costs, whatever is minimized.
    ///
    /// # Errors
    /// What the reference says.
    pub fn list(&self, aspif: &[u8], options: &[&str], most: usize) -> Result<Listing, String> {
        let most = most.to_string();
        let more = [&["--outf=2", "--opt-mode=enum", &most], options].concat();
        let document = self.ask(aspif, &more)?;
        let witnesses = document["Call"][0]["Witnesses"].as_array().cloned().unwrap_or_default();
        let answers = witnesses.iter().map(answer).collect::<Option<Vec<_>>>();
        let answers = answers.ok_or("a witness without names")?;
        Ok(Listing { answers, is_complete: document["Models"]["More"] == "no" })
    }

    /// Whether there is an answer set, and the lowest costs, if something is minimized.
    ///
    /// # Errors
    /// What the reference says, or that the optimum is not known in so many seconds.
    pub fn optimum(&self, aspif: &[u8], seconds: u32) -> Result<(bool, Option<Vec<i64>>), String> {
        let limit = format!("--time-limit={seconds}");
        let document = self.ask(aspif, &["--outf=2", "--opt-mode=opt", "--quiet=1", &limit])?;
        match document["Result"].as_str() {
            Some("UNSATISFIABLE") => Ok((false, None)),
            Some("SATISFIABLE") if document["Models"].get("Costs").is_none() => Ok((true, None)),
            Some("OPTIMUM FOUND") => Ok((true, numbers(&document["Models"]["Costs"]))),
            _ => Err(format!("no optimum in {seconds} s")),
        }
    }

    fn ask(&self, aspif: &[u8], options: &[&str]) -> Result<Value, String> {
        let (code, out, words) = run(&self.0, options, aspif)?;
        let command = || self.name();
        let document: Value = serde_json::from_slice(&out)
            .map_err(|error| format!("`{}` ends with {code}: {error}: {words}", command()))?;
        match document["Result"].as_str() {
            Some("UNKNOWN") | None => Err(format!("`{}` ends with {code}: {words}", command())),
            Some(_) => Ok(document),
        }
    }
}

fn answer(witness: &Value) -> Option<Answer> {
    let mut names = match witness.get("Value") {
        Some(names) => {
            names.as_array()?.iter().map(|name| name.as_str().map(String::from)).collect::<Option<Shown>>()?
        }
        None => Shown::new(),
    };
    names.sort_unstable();
    let costs = witness.get("Costs").and_then(numbers).unwrap_or_default();
    Some((names, costs))
}

fn numbers(list: &Value) -> Option<Vec<i64>> {
    list.as_array()?.iter().map(Value::as_i64).collect()
}
