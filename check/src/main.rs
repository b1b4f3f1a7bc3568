//! The `yasmin-check` command.

mod args;
mod report;

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use yasmin_check::clauses::Clauses;
use yasmin_check::program::{self, Program};
use yasmin_check::proof::{Place, Proof, ProofError, Step, Writer};
use yasmin_check::trim::Plan;
use yasmin_check::Checker;

use args::Args;
use report::{Outcome, Report};

/// How a file begins that is compressed by Zstandard (RFC 8878).
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

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

/// Opens a proof, which may be compressed.
fn open_proof(file: &str) -> Result<Box<dyn BufRead>, String> {
    let mut from = BufReader::with_capacity(1 << 16, open(file)?);
    let begins = from.fill_buf().map_err(|error| unreadable(file, &error))?;
    if !begins.starts_with(&ZSTD) {
        return Ok(Box::new(from));
    }
    let decoder = zstd::Decoder::with_buffer(from).map_err(|error| unreadable(file, &error))?;
    Ok(Box::new(BufReader::with_capacity(1 << 16, decoder)))
}

/// The files of `--cnf` and `--drat`. Unless they are kept, they are removed.
struct Written {
    paths: [PathBuf; 2],
    cnf: File,
    drat: BufWriter<File>,
    is_kept: bool,
}

impl Written {
    fn create(cnf: &Path, drat: &Path) -> Result<Written, String> {
        let create = |path: &Path| {
            File::create(path).map_err(|error| format!("cannot write {}: {error}", path.display()))
        };
        let (paths, cnf, drat) = ([cnf.to_owned(), drat.to_owned()], create(cnf)?, create(drat)?);
        Ok(Written { paths, cnf, drat: BufWriter::new(drat), is_kept: false })
    }

    /// Writes the formula, and keeps both files.
    fn keep(mut self, formula: &[u8]) -> io::Result<()> {
        self.cnf.write_all(formula)?;
        self.is_kept = true;
        Ok(())
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        if !self.is_kept {
            // Nobody wants half of a proof. What is no file any more need not be removed.
            self.paths.iter().for_each(|path| drop(std::fs::remove_file(path)));
        }
    }
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
        let mut from = open_proof(&args.proof)?;
        let mut proof = Proof::new(&mut from);
        let mut next = || (proof.step(), proof.place());
        return forwards(args, program, &mut next, None, report);
    }
    let mut bytes = Vec::new();
    open_proof(&args.proof)?.read_to_end(&mut bytes).map_err(|error| unreadable(&args.proof, &error))?;
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

/// The file of a trimmed proof. Unless the file is kept, it is removed.
struct Trimmed<'a> {
    file: &'a str,
    writer: Writer<BufWriter<File>>,
    is_kept: bool,
}

impl Drop for Trimmed<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            // Nobody wants half of a proof. What is no file any more need not be removed.
            let _ = std::fs::remove_file(self.file);
        }
    }
}

impl<'a> Trimmed<'a> {
    fn create(file: &'a str, is_binary: bool) -> Result<Trimmed<'a>, String> {
        let writer = File::create(file).and_then(|to| Writer::new(BufWriter::new(to), is_binary));
        let writer = writer.map_err(|error| format!("{file}: cannot be written: {error}"))?;
        Ok(Trimmed { file, writer, is_kept: false })
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
    let files = args.cnf.as_ref().zip(args.drat.as_ref());
    let mut written = files.map(|(cnf, drat)| Written::create(cnf, drat)).transpose()?;
    let mut checker = if written.is_some() { Checker::logging(program) } else { Checker::new(program) };
    let mut clauses = match &mut written {
        Some(written) => Some(Clauses::new(&mut checker, &mut written.drat)?),
        None => None,
    };
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
        let checked = match &mut clauses {
            Some(clauses) => clauses.step(&mut checker, &step),
            None => checker.step(&step),
        };
        match checked {
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
        to.is_kept = true;
    }
    let Some(conclusion) = checker.conclusion() else { return Ok(Outcome::Unfinished) };
    if let Some(clauses) = clauses {
        let mut formula = Vec::new();
        let done = clauses.finish(&mut formula, checker.names());
        written.map_or(Ok(()), |written| done.and_then(|()| written.keep(&formula))).map_err(|error| {
            format!("the clauses cannot be written: {error}; --cnf and --drat want files that can be written")
        })?;
    }
    Ok(Outcome::Accepted { proved: conclusion.to_string(), conclusion })
}
