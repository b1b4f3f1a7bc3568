//! The `yasmin-check` command.

mod args;
mod report;

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use yasmin_check::program::{self, Program};
use yasmin_check::proof::{Place, Proof, ProofError, Step, Writer};
use yasmin_check::trim::Plan;
use yasmin_check::Checker;

use args::Args;
use report::{Outcome, Report};

fn main() -> ExitCode {
    let args = Args::try_parse().unwrap_or_else(|error| {
        let _ = error.print();
        std::process::exit(if error.use_stderr() { report::ERROR.into() } else { 0 })
    });
    let begin = Instant::now();
    let mut report = Report::default();
    report.outcome = check(&args, &mut report).unwrap_or_else(|reason| Outcome::Error { reason });
    report.seconds = begin.elapsed().as_secs_f64();
    match report.print(args.json) {
        // A reader that has gone away has read enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let _ = writeln!(io::stderr(), "yasmin-check: cannot write to standard output: {error}");
            ExitCode::from(report::ERROR)
        }
        _ => ExitCode::from(report.code()),
    }
}

/// Opens a file, or standard input.
fn open(file: &str) -> Result<Box<dyn Read>, String> {
    let opened = match file {
        "-" => Ok(Box::new(io::stdin().lock()) as Box<dyn Read>),
        _ => File::open(file).map(|file| Box::new(file) as Box<dyn Read>),
    };
    opened.map_err(|error| unreadable(file, &error))
}

fn unreadable(file: &str, error: &io::Error) -> String {
    format!("{file}: cannot be read: {error}; is it the right file?")
}

/// Checks the proof. An error says why a file cannot be read.
fn check(args: &Args, report: &mut Report) -> Result<Outcome, String> {
    if args.program == "-" && args.proof == "-" {
        return Err("standard input is not the program and the proof; give one of them as a file".into());
    }
    let mut text = Vec::new();
    open(&args.program)?.read_to_end(&mut text).map_err(|error| unreadable(&args.program, &error))?;
    let read = || program::read(&args.program, &text).map_err(|error| error.to_string());
    let program = read()?;
    if !args.backward && args.trim.is_none() {
        let mut from = BufReader::with_capacity(1 << 16, open(&args.proof)?);
        let mut proof = Proof::new(&mut from);
        let mut next = || (proof.step(), proof.place());
        return forwards(args, program, &mut next, None, report);
    }
    let mut bytes = Vec::new();
    open(&args.proof)?.read_to_end(&mut bytes).map_err(|error| unreadable(&args.proof, &error))?;
    let plan = match Plan::new(program, &bytes) {
        Ok(plan) => plan,
        Err(rejection) => {
            return Ok(Outcome::Refused { place: rejection.place, reason: rejection.to_string() });
        }
    };
    let mut to = match &args.trim {
        Some(file) => Some(Trimmed::create(file, bytes.first() == Some(&b'y'))?),
        None => None,
    };
    let mut from = &bytes[..];
    let mut steps = plan.steps(&mut from);
    let mut next = || (steps.step(), steps.place());
    forwards(args, read()?, &mut next, to.as_mut(), report)
}

/// The file of a trimmed proof.
struct Trimmed<'a> {
    file: &'a str,
    writer: Writer<BufWriter<File>>,
}

impl<'a> Trimmed<'a> {
    fn create(file: &'a str, is_binary: bool) -> Result<Trimmed<'a>, String> {
        let writer = File::create(file).and_then(|to| Writer::new(BufWriter::new(to), is_binary));
        let writer = writer.map_err(|error| format!("{file}: cannot be written: {error}"))?;
        Ok(Trimmed { file, writer })
    }

    /// Writes a step; nothing at the end.
    fn write(&mut self, step: Option<&Step>) -> Result<(), String> {
        let written = match step {
            Some(step) => self.writer.write(step),
            None => self.writer.flush(),
        };
        written.map_err(|error| format!("{}: cannot be written: {error}", self.file))
    }
}

/// Checks one step after the other. `next` reads a step, and says where it is. The verdict is only from here.
fn forwards(
    args: &Args,
    program: Program,
    next: &mut dyn FnMut() -> (Result<Option<Step>, ProofError>, Place),
    mut to: Option<&mut Trimmed<'_>>,
    report: &mut Report,
) -> Result<Outcome, String> {
    let mut checker = Checker::new(program);
    let mut out = BufWriter::new(io::stdout().lock());
    loop {
        let (step, place) = next();
        let number = report.steps + 1;
        let left = if args.backward || to.is_some() { " of those left" } else { "" };
        let refused = |why: String| {
            Ok(Outcome::Refused { reason: format!("step {number}{left} ({place}) is refused: {why}"), place })
        };
        let step = match step {
            Ok(Some(step)) => step,
            Ok(None) => break,
            Err(ProofError::Unreadable(error)) => return Err(unreadable(&args.proof, &error)),
            Err(error) => return refused(error.to_string()),
        };
        report.steps = number;
        match checker.step(&step) {
            Ok(true) if args.answers && args.json => {
                report.answer_sets.get_or_insert_default().push(checker.shown().map(String::from).collect());
            }
            Ok(true) if args.answers => {
                // A reader that has gone away is noticed at the end.
                let _ = writeln!(out, "{}", checker.shown().collect::<Vec<_>>().join(" "));
            }
            Ok(_) => {}
            Err(why) => return refused(format!("{why}: {step}")),
        }
        if let Some(to) = &mut to {
            to.write(Some(&step))?;
        }
    }
    if let Some(to) = to {
        to.write(None)?;
    }
    Ok(checker.conclusion().map_or(Outcome::Unfinished, |conclusion| Outcome::Accepted { conclusion }))
}
