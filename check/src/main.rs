//! The `yasmin-check` command.

mod args;
mod files;
mod part;
mod report;

use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;
use std::sync::atomic::AtomicU64;
use std::thread;
use std::time::Instant;

use clap::Parser;
use yasmin_check::program;
use yasmin_check::proof::Proof;
use yasmin_check::trim::Plan;
use yasmin_check::Share;

use args::Args;
use files::{open, open_proof, unreadable, Trimmed};
use part::Part;
use report::{Outcome, Report};

fn main() -> ExitCode {
    let args = Args::try_parse().unwrap_or_else(|error| {
        let _ = error.print();
        std::process::exit(if error.use_stderr() { report::ERROR.into() } else { 0 })
    });
    let begin = Instant::now();
    let checked = check(&args);
    let mut report =
        checked.unwrap_or_else(|reason| Report { outcome: Outcome::Error { reason }, ..Report::default() });
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

/// Where the steps of a proof come from.
enum Source {
    /// A file, which each thread reads.
    File,
    /// What was read of a stream.
    Stream(Vec<u8>),
    /// The steps that are needed, and the proof as it was read.
    Needed(Plan, Vec<u8>),
}

/// Checks the proof. An error says why a file cannot be read.
fn check(args: &Args) -> Result<Report, String> {
    if args.program == "-" && args.proof == "-" {
        return Err("standard input is not the program and the proof; give one of them as a file".into());
    }
    let mut text = Vec::new();
    open(&args.program)?.read_to_end(&mut text).map_err(|error| unreadable(&args.program, &error))?;
    let read = || program::read(&args.program, &text).map_err(|error| error.to_string());
    let whole = || {
        let mut bytes = Vec::new();
        let read = open_proof(&args.proof)?.read_to_end(&mut bytes);
        read.map(|_| bytes).map_err(|error| unreadable(&args.proof, &error))
    };
    let mut trimmed = None;
    let source = if args.backward || args.trim.is_some() {
        let bytes = whole()?;
        let plan = match Plan::new(read()?, &bytes) {
            Ok(plan) => plan,
            Err(rejection) => return Ok(Report::refused(rejection.place, rejection.to_string())),
        };
        if let Some(file) = &args.trim {
            trimmed = Some(Trimmed::create(file, bytes.first() == Some(&b'y'))?);
        }
        Source::Needed(plan, bytes)
    } else if args.proof == "-" && args.threads.get() > 1 {
        Source::Stream(whole()?)
    } else {
        // Who reads the program reports its errors first.
        read()?;
        Source::File
    };
    let first_refused = AtomicU64::new(u64::MAX);
    let part = |number, to: Option<&mut Trimmed<'_>>| -> Result<Option<Report>, String> {
        let program = read()?;
        let part = Part { args, share: Share { number, of: args.threads }, first_refused: &first_refused };
        let all = |from: &mut dyn BufRead, program, to| {
            let mut proof = Proof::new(from);
            part.run(program, &mut || (proof.step(), proof.place()), to)
        };
        Ok(match &source {
            Source::File => all(&mut open_proof(&args.proof)?, program, to),
            Source::Stream(bytes) => all(&mut &bytes[..], program, to),
            Source::Needed(plan, bytes) => {
                let mut from = &bytes[..];
                let mut steps = plan.steps(&mut from);
                part.run(program, &mut || (steps.step(), steps.place()), to)
            }
        })
    };
    let parts: Result<Vec<_>, String> = thread::scope(|scope| {
        let part = &part;
        let others: Vec<_> =
            (1..args.threads.get()).map(|number| scope.spawn(move || part(number, None))).collect();
        let mut parts = vec![part(0, trimmed.as_mut())];
        parts.extend(others.into_iter().map(|other| other.join().expect("a part does not panic")));
        parts.into_iter().collect()
    });
    let report = Report::first(parts?.into_iter().flatten());
    if let Some(trimmed) =
        trimmed.filter(|_| matches!(report.outcome, Outcome::Accepted { .. } | Outcome::Unfinished))
    {
        trimmed.keep();
    }
    Ok(report)
}
