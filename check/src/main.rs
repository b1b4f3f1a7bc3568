//! The `yasmin-check` command.

mod args;
mod report;

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use yasmin_check::program;
use yasmin_check::proof::{Proof, ProofError};
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
    let program = program::read(&args.program, &text).map_err(|error| error.to_string())?;
    let mut from = open_proof(&args.proof)?;
    let mut checker = Checker::new(program);
    let mut proof = Proof::new(&mut from);
    let mut out = BufWriter::new(io::stdout().lock());
    loop {
        let (step, place) = (proof.step(), proof.place());
        let number = report.steps + 1;
        let refused = |why: String| {
            Ok(Outcome::Refused { reason: format!("step {number} ({place}) is refused: {why}"), place })
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
    }
    Ok(match checker.conclusion() {
        None => Outcome::Unfinished,
        Some(conclusion) => Outcome::Accepted { proved: conclusion.to_string(), conclusion },
    })
}
