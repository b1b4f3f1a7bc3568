//! Many questions about one program: `--questions`.
//!
//! Main function: [`answer_all`]. A thread reads lines, and each is asked as soon as there is room for it.
//! What is answered is printed at once, while further lines arrive. A line that is no question is told by its
//! number, and the others are answered.

use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError, TryRecvError};
use std::thread;
use std::time::Duration;

use library::{Control, Literal, Optimization, Question, Reply, Symmetry};
use serde_json::{json, Map, Value};
use solver_host::input::ground::{read_builder, Guard, Inputs};
use solver_host::output::{Level, Trouble};
use solver_host::program::ProgramBuilder;
use solver_host::search::Options;

use super::exit::{self, Known};
use super::standard_output::{self, StandardOutput};
use super::validated::Request;
use super::values::{literals, Literals};
use super::Ending;

/// How many questions are open at most. What is read ahead besides waits for them.
const OPEN: u64 = 256;

/// How long a reply or a line is waited for before the other one is looked at.
const WAIT: Duration = Duration::from_millis(1);

/// How long a reply is waited for if no line is.
const LONG: Duration = Duration::from_millis(20);

/// A control for a program that was read, and the literals of names.
pub struct Asked {
    pub control: Control,
    /// What may be shown.
    pub shown: Vec<(String, Literal)>,
    names: HashMap<String, Literal>,
    /// What every question is, with what is assumed in all of them.
    pub question: Question,
    /// The name of each literal that has one.
    named: HashMap<Literal, String>,
    /// What is assumed in every question.
    assumed: Vec<Spoken>,
    is_formula: bool,
}

/// A literal, as somebody named it.
type Spoken = (Literal, String);

/// A question and what it assumes, or what is wrong with its line.
type Read = Result<(Question, Vec<Spoken>), String>;

impl Asked {
    /// Reads the program that is asked for.
    ///
    /// # Errors
    /// If it cannot be read, or what is assumed in every question is no name of it.
    pub fn read(inputs: Inputs, request: &Request, guard: &Guard) -> Result<Asked, Box<dyn Error>> {
        let is_formula = inputs.formula().is_some();
        let inputs = if request.maxsat { inputs.with_soft_disjunctions()? } else { inputs };
        let builder: ProgramBuilder = read_builder(inputs, &request.grounding, guard)?;
        guard.conclude(None)?;
        let theory_atom = builder.first_theory_atom().filter(|_| request.reads_differences());
        let variable = request.minimized.as_ref().map(|variable| format!("--minimize-variable={variable}"));
        if let Some(what) = theory_atom.or(variable) {
            let what = format!("--questions and --facets know no theories: leave `{what}` out");
            return Err(Known(Trouble::Usage, what).into());
        }
        let minimizes = builder.statements().minimizes > 0;
        let options = Options { symmetry: Symmetry::No, ..request.options };
        let mut control = Control::of(builder, options);
        control.modify_domain(request.domain);
        let shown = control.named()?;
        let names = shown.iter().cloned().collect();
        let named = shown.iter().map(|(name, literal)| (*literal, name.clone())).collect();
        let goal = match request.goal.optimization {
            Optimization::OptN if minimizes && request.models.is_none() => 0,
            _ if minimizes && request.goal.optimization == Optimization::Opt => 0,
            _ => request.models.unwrap_or(1),
        };
        let question = Question::new().goal(request.goal.clone()).limit(goal);
        let assumed = Vec::new();
        let mut asked = Asked { control, shown, names, question, named, assumed, is_formula };
        let assumed = asked.literals(&request.assumptions);
        asked.assumed = assumed.map_err(|why| Known(Trouble::Usage, why))?;
        asked.question = asked.question.assume(asked.assumed.iter().map(|(literal, _)| *literal));
        // What is wrong with the program or the device is wrong with the whole run.
        asked.control.is_refuted(&request.goal)?;
        Ok(asked)
    }

    fn literals(&self, names: &[(String, bool)]) -> Result<Vec<Spoken>, String> {
        let literal = |(name, holds): &(String, bool)| {
            let known = self.names.get(name).copied();
            // Of a formula the literals have names that begin with a sign.
            let negated = || name.strip_prefix('-').and_then(|name| self.names.get(name)).map(|&lit| !lit);
            let literal = known.or_else(|| negated().filter(|_| self.is_formula));
            let literal =
                literal.ok_or_else(|| format!("the program shows nothing that is called `{name}`"))?;
            Ok(if *holds { (literal, name.clone()) } else { (!literal, format!("not {name}")) })
        };
        names.iter().map(literal).collect()
    }

    /// The name of a literal of a core, as the question has it if it does.
    fn name(&self, literal: Literal, spoken: &[Spoken]) -> String {
        let mut all = spoken.iter().chain(&self.assumed);
        if let Some((_, name)) = all.find(|(other, _)| *other == literal) {
            return name.clone();
        }
        // The rest are values of external atoms.
        if let Some(name) = self.named.get(&literal) {
            return name.clone();
        }
        match self.named.get(&!literal) {
            Some(name) => format!("not {name}"),
            None => "an external atom that is not shown".into(),
        }
    }

    /// The question on a line, with what it assumes, and its name.
    fn question(&self, line: &str) -> (Option<String>, Read) {
        let mut spoken = Vec::new();
        if !line.starts_with('{') {
            let assumed = literals(line).and_then(|Literals(names)| self.literals(&names));
            let question = assumed.map(|assumed| self.assuming(self.question.clone(), assumed, &mut spoken));
            return (None, question.map(|question| (question, spoken)));
        }
        let object: Map<String, Value> = match serde_json::from_str(line) {
            Ok(object) => object,
            Err(error) => return (None, Err(format!("this is no JSON object: {error}"))),
        };
        let name = object.get("name").and_then(|name| match name {
            Value::String(name) => Some(name.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        });
        let with = |question, (key, value): (&String, &Value)| self.with(question, key, value, &mut spoken);
        let question = object.iter().try_fold(self.question.clone(), with);
        (name, question.map(|question| (question, spoken)))
    }

    fn assuming(&self, question: Question, assumed: Vec<Spoken>, spoken: &mut Vec<Spoken>) -> Question {
        let question = question.assume(assumed.iter().map(|(literal, _)| *literal));
        spoken.extend(assumed);
        question
    }

    /// The question with what one key of an object says.
    fn with(
        &self,
        question: Question,
        key: &str,
        value: &Value,
        spoken: &mut Vec<Spoken>,
    ) -> Result<Question, String> {
        let wrong = |what: &str| format!("`{key}` is {what}, and not {value}");
        match key {
            "name" if value.is_string() || value.is_number() => Ok(question),
            "name" => Err(wrong("a string or a number")),
            "assumptions" => {
                let wrong = || wrong("a list of strings, each a literal");
                let texts: Option<Vec<&str>> =
                    value.as_array().ok_or_else(wrong)?.iter().map(Value::as_str).collect();
                let mut names = Vec::new();
                for text in texts.ok_or_else(wrong)? {
                    names.extend(literals(text)?.0);
                }
                Ok(self.assuming(question, self.literals(&names)?, spoken))
            }
            "models" => {
                let models = value.as_u64().ok_or_else(|| wrong("a number of answer sets; 0: all"))?;
                Ok(question.limit(models))
            }
            "minimal_core" => match value.as_bool().ok_or_else(|| wrong("true or false"))? {
                true => Ok(question.minimal_core()),
                false => Ok(question),
            },
            "time_limit" => {
                let seconds = value.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                Ok(question.within(seconds.ok_or_else(|| wrong("a number of seconds"))?))
            }
            _ => Err(format!("`{key}` is none of name, assumptions, models, minimal_core and time_limit")),
        }
    }
}

/// A line, and its number from 1 on.
type Line = (u64, io::Result<String>);

/// Lines as they arrive, from a thread that reads them.
fn lines(request: &Request) -> Result<Receiver<Line>, Box<dyn Error>> {
    let input: Box<dyn BufRead + Send> = match request.questions.as_os_str() == "-" {
        true => Box::new(BufReader::new(io::stdin())),
        false => {
            let path = &request.questions;
            // A folder can be opened, and not read.
            let opened = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
                true => Err(ErrorKind::IsADirectory.into()),
                false => Ok(file),
            });
            Box::new(BufReader::new(opened.map_err(|why| {
                Known(Trouble::Input, format!("{}: cannot be read: {why}", path.display()))
            })?))
        }
    };
    let (tell, told) = sync_channel(OPEN as usize);
    let reads = move || {
        for (line, number) in input.split(b'\n').zip(1..) {
            let line = line.map(|bytes| String::from_utf8_lossy(&bytes).trim().to_string());
            let is_last = line.is_err();
            if tell.send((number, line)).is_err() || is_last {
                return;
            }
        }
    };
    thread::Builder::new().name("questions".into()).spawn(reads)?;
    Ok(told)
}

/// Who asks and tells.
struct Asker<'a> {
    asked: Asked,
    request: &'a Request,
    /// The line and the name of each open question, and what it assumes.
    open: HashMap<u64, (u64, Option<String>, Vec<Spoken>)>,
    out: BufWriter<StandardOutput>,
    has_found: bool,
    has_failed: bool,
    /// Whether there was a question, and whether some were not searched to the end.
    has_asked: bool,
    is_open: bool,
}

impl Asker<'_> {
    fn ask(&mut self, (line, text): Line) -> io::Result<()> {
        let text = match text {
            Ok(text) if text.is_empty() || text.starts_with('%') => return Ok(()),
            Ok(text) => text,
            Err(why) => {
                return self.fail(line, None, Trouble::Input.code(), &format!("cannot read on: {why}"))
            }
        };
        match self.asked.question(&text) {
            (name, Err(why)) => self.fail(line, name, Trouble::Input.code(), &why),
            (name, Ok((question, spoken))) => match self.asked.control.submit(&question) {
                Ok(number) => {
                    self.has_asked = true;
                    self.open.insert(number, (line, name, spoken));
                    Ok(())
                }
                Err(why) => self.fail(line, name, why.code(), &why.to_string()),
            },
        }
    }

    fn fail(&mut self, line: u64, name: Option<String>, code: &str, why: &str) -> io::Result<()> {
        self.has_failed = true;
        let mut told = begun(line, name);
        told.insert("Error".into(), why.into());
        told.insert("ErrorCode".into(), code.into());
        self.write(&told)
    }

    fn tell(&mut self, reply: &Reply) -> io::Result<()> {
        let (line, name, spoken) = self.open.remove(&reply.number()).unwrap_or_default();
        if let Some(why) = reply.error() {
            return self.fail(line, name, why.code(), &why.to_string());
        }
        self.has_found |= reply.is_satisfiable() == Some(true);
        self.is_open |= !reply.is_exhausted();
        let result = match reply.is_satisfiable() {
            Some(true) if reply.optimum().is_some() => "OPTIMUM FOUND",
            Some(true) => "SATISFIABLE",
            Some(false) => "UNSATISFIABLE",
            None => "UNKNOWN",
        };
        let mut told = begun(line, name);
        told.insert("Result".into(), result.into());
        if self.request.style.quiet.models != Level::None && !reply.answers().is_empty() {
            let hides = |name: &&str| self.request.shows_auxiliary || !name.starts_with('_');
            let witness = |answer: &library::Answer| {
                let mut witness = json!({ "Value": answer.names().filter(hides).collect::<Vec<_>>() });
                if !answer.costs().is_empty() {
                    witness["Costs"] = answer.costs().into();
                }
                witness
            };
            told.insert("Witnesses".into(), reply.answers().iter().map(witness).collect());
        }
        let more = if reply.is_exhausted() { "no" } else { "yes" };
        told.insert("Models".into(), json!({ "Number": reply.answers().len(), "More": more }));
        if let Some(core) = reply.core() {
            let mut names: Vec<String> = Vec::new();
            for name in core.iter().map(|&literal| self.asked.name(literal, &spoken)) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            told.insert("Core".into(), names.into());
        }
        told.insert("Conflicts".into(), reply.conflicts().into());
        told.insert("Time".into(), (reply.time().as_micros() as f64 / 1e6).into());
        self.write(&told)
    }

    fn write(&mut self, told: &Map<String, Value>) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, told)?;
        self.out.write_all(b"\n")
    }

    /// Waits for a reply, after what was told is flushed.
    fn reply(&mut self, wait: Duration) -> io::Result<Option<Reply>> {
        match self.asked.control.reply(Duration::ZERO) {
            Some(reply) => Ok(Some(reply)),
            None => {
                self.out.flush()?;
                Ok(self.asked.control.reply(wait))
            }
        }
    }

    fn answer_all(&mut self, lines: &Receiver<Line>, is_stopped: &dyn Fn() -> bool) -> io::Result<()> {
        let (mut are_all, mut is_left) = (false, false);
        while !are_all || !self.open.is_empty() {
            if is_stopped() && !is_left {
                self.asked.control.leave_questions();
                (are_all, is_left) = (true, true);
            }
            while !are_all && self.asked.control.open_questions() < OPEN {
                match lines.try_recv() {
                    Ok(line) => self.ask(line)?,
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => are_all = true,
                }
            }
            if !self.open.is_empty() {
                let reply = self.reply(if are_all { LONG } else { WAIT })?;
                reply.map_or(Ok(()), |reply| self.tell(&reply))?;
            } else if !are_all {
                self.out.flush()?;
                match lines.recv_timeout(LONG) {
                    Ok(line) => self.ask(line)?,
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => are_all = true,
                }
            }
        }
        self.out.flush()
    }
}

/// The beginning of what is told of a line.
fn begun(line: u64, name: Option<String>) -> Map<String, Value> {
    let name = name.map(|name| ("Name".to_string(), Value::from(name)));
    [("Line".to_string(), Value::from(line))].into_iter().chain(name).collect()
}

/// Answers all questions that are asked for, until it is time to stop.
///
/// # Errors
/// If the questions cannot be read, or what is found cannot be written.
pub fn answer_all(
    asked: Asked,
    request: &Request,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Ending, Box<dyn Error>> {
    let lines = lines(request)?;
    let (open, out) = (HashMap::new(), BufWriter::new(StandardOutput::default()));
    let (has_found, has_failed, has_asked, is_open) = (false, false, false, false);
    let mut asker = Asker { asked, request, open, out, has_found, has_failed, has_asked, is_open };
    let written = asker.answer_all(&lines, is_stopped);
    // Nobody waits for what is still searched.
    asker.asked.control.leave_questions();
    standard_output::told(written).map_err(Known::not_printed)?;
    let found = if asker.has_found { exit::SATISFIABLE } else { 0 };
    let end = match is_stopped() {
        true => exit::INTERRUPTED,
        false if asker.has_failed => exit::ERROR,
        false if asker.has_asked && !asker.is_open => exit::EXHAUSTED,
        false => 0,
    };
    Ok(Ending::Done { code: found | end, error: None, leaves_worker: false })
}
