//! The `yasmin-check` command.

mod args;
mod files;
mod halves;
mod memory;
mod part;
mod report;
mod standard;

use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use clap::{CommandFactory, FromArgMatches};
use yasmin_check::parts::identity;
use yasmin_check::program::{self, Program};
use yasmin_check::proof::{ProofError, Source as Steps, Step, Writer};
use yasmin_check::trim::{Plan, Rejection};
use yasmin_check::Share;

use args::Args;
use files::{open, open_proof, unreadable, Proofs, Trimmed};
use part::Part;
use report::{Outcome, Report};

#[global_allocator]
static MEMORY: memory::Watched = memory::Watched;

fn main() -> ExitCode {
    if let Err(why) = standard::check_output() {
        let _ = writeln!(io::stderr(), "yasmin-check: {why}");
        return ExitCode::from(report::ERROR);
    }
    let matches = Args::command().try_get_matches().unwrap_or_else(|error| end(&error));
    if matches.get_flag("man") {
        return print_manual();
    }
    let args = Args::from_arg_matches(&matches).unwrap_or_else(|error| end(&error));
    memory::print_json(args.json);
    let begin = Instant::now();
    let checked = check(&args);
    let mut report =
        checked.unwrap_or_else(|reason| Report { outcome: Outcome::Error { reason }, ..Report::default() });
    report.seconds = begin.elapsed().as_secs_f64();
    code_once(report.print(args.json), report.code())
}

/// The exit code of a run that has printed what it had to.
fn code_once(printed: io::Result<()>, code: u8) -> ExitCode {
    match printed {
        // A reader that has gone away has read enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let _ = writeln!(io::stderr(), "yasmin-check: cannot write to standard output: {error}");
            ExitCode::from(report::ERROR)
        }
        _ => ExitCode::from(code),
    }
}

/// Ends the command with what clap has to say: an error, or the help.
fn end(said: &clap::Error) -> ! {
    let _ = said.print();
    std::process::exit(if said.use_stderr() { report::ERROR.into() } else { 0 })
}

/// Prints the manual page.
fn print_manual() -> ExitCode {
    let mut page = Vec::new();
    clap_mangen::Man::new(Args::command()).render(&mut page).expect("a vector takes everything");
    code_once(io::stdout().write_all(&page), 0)
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
    if args.program == "-" && args.proofs.iter().any(|proof| proof == "-") {
        return Err("standard input is not the program and the proof; give one of them as a file".into());
    }
    let mut text = Vec::new();
    open(&args.program)?.read_to_end(&mut text).map_err(|error| unreadable(&args.program, &error))?;
    let read = || program::read(&args.program, &text).map_err(|error| error.to_string());
    let ground = read()?;
    let proofs = Proofs::of(&args.proofs)?;
    let whole = || {
        let mut bytes = Vec::new();
        let read = open_proof(proofs.first())?.read_to_end(&mut bytes);
        read.map(|_| bytes).map_err(|error| unreadable(proofs.first(), &error))
    };
    let mut trimmed = None;
    let source = if args.backward || args.trim.is_some() {
        let bytes = match as_one(&proofs, &ground, whole()?)? {
            Ok(bytes) => bytes,
            Err(report) => return Ok(report),
        };
        let plan = match Plan::new(read()?, &bytes) {
            Ok(plan) => plan,
            Err(rejection) => {
                let told = rejection.to_string();
                return match rejection {
                    Rejection::Refused { place, .. } => Ok(Report::refused(place, told)),
                    Rejection::Beyond { .. } => Err(told),
                };
            }
        };
        if let Some(file) = &args.trim {
            trimmed = Some(Trimmed::create(file, bytes.first() == Some(&b'y'))?);
        }
        Source::Needed(plan, bytes)
    } else if proofs.first() == "-" && (args.threads.get() > 1 || args.cnf.is_some()) {
        Source::Stream(whole()?)
    } else {
        Source::File
    };
    drop(ground);
    let first_refused = AtomicU64::new(u64::MAX);
    let steps = |program: &Program| -> Result<Box<dyn Steps + '_>, String> {
        Ok(match &source {
            Source::File => Box::new(proofs.steps(program, open_proof(proofs.first())?)),
            Source::Stream(bytes) => Box::new(proofs.steps(program, Box::new(&bytes[..]))),
            Source::Needed(plan, bytes) => Box::new(plan.steps(bytes)),
        })
    };
    let part = |number, to: Option<&mut Trimmed<'_>>| -> Result<Option<Report>, String> {
        let program = read()?;
        let (share, proof) = (Share { number, of: args.threads }, proofs.first());
        // Numbers of clauses that follow come after those of the formula.
        let later = if args.cnf.is_some() { later(&mut *steps(&program)?) } else { 0 };
        let part = Part { args, proof, share, later, first_refused: &first_refused };
        let mut steps = steps(&program)?;
        Ok(part.run(program, &mut *steps, to))
    };
    let parts: Result<Vec<_>, String> = thread::scope(|scope| {
        let part = &part;
        let start = |number| {
            memory::want_thread();
            thread::Builder::new().spawn_scoped(scope, move || part(number, None)).map_err(|error| {
                // Those that have started need not go on.
                first_refused.store(0, Ordering::Relaxed);
                format!("a thread cannot be started: {error}; ask for fewer than --threads {}", args.threads)
            })
        };
        let others = (1..args.threads.get()).map(start).collect::<Result<Vec<_>, String>>()?;
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

/// How many clauses the steps are going to add to the formula.
fn later(steps: &mut dyn Steps) -> u64 {
    let mut later = 0;
    // A step that is none is told once the steps before it were checked.
    while let Ok(Some(step)) = steps.step() {
        later += u64::from(matches!(step, Step::Answer(_) | Step::Assumption(_)));
    }
    later
}

/// The proof in one piece: `bytes`, or all parts together if `bytes` is the first one. The other error is a
/// report of what is no step.
fn as_one(proofs: &Proofs, program: &Program, bytes: Vec<u8>) -> Result<Result<Vec<u8>, Report>, String> {
    if !matches!(identity(&bytes[..]), Ok(Some(_))) {
        return Ok(Ok(bytes));
    }
    let (mut merged, mut all) = (proofs.steps(program, Box::new(&bytes[..])), Vec::new());
    let mut writer =
        Writer::new(&mut all, bytes.first() == Some(&b'y')).map_err(|error| error.to_string())?;
    let written = merged.write_to(&mut writer);
    drop(writer);
    match written {
        Ok(()) => {}
        Err(ProofError::Parts(why)) => return Err(why),
        Err(why) => {
            let (place, file) = (merged.place(), merged.file().unwrap_or_default());
            return Ok(Err(Report::refused(place, format!("{place} of {file} is refused: {why}"))));
        }
    }
    drop(merged);
    Ok(Ok(all))
}
