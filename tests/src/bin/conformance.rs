//! `yasmin-conformance`: compares the solver with the definition on a device of choice, in one process.
//!
//! Needs neither cargo nor a network where it runs. Exit code 1 if anything differs, 65 if nothing can be
//! compared.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use solver_host::device::{self, DeviceError, DeviceKind, Setup};
use solver_host::search::{OptStrategy, Options};
use yasmin_tests::claims::{self, Effort};
use yasmin_tests::judge::Judge;
use yasmin_tests::machine::Machine;
use yasmin_tests::{
    calls, conform, data, differences, nonground, proofs, questions, rich, structured, traces,
};

/// Compares yasmin's answer sets with those of the definition, on random programs and on those of a folder.
#[derive(Parser)]
struct Args {
    /// What to run the search on
    #[arg(long, default_value = "auto")]
    device: DeviceKind,
    /// With `--device simt`: in how many orders of its threads to run each launch
    #[arg(long, default_value_t = 1)]
    simt_schedules: u32,
    /// With `--device simt`: do not check accesses to memory
    #[arg(long)]
    no_simt_check: bool,
    /// Let all blocks have this many threads
    #[arg(long)]
    threads: Option<u32>,
    /// Let this many searchers search each program from the beginning
    #[arg(long, value_name = "N")]
    searchers: Option<usize>,
    /// With `--device auto` and `--searchers`, `--claims` or `--proofs`: the device whose searchers join
    /// those of the processor [default: gpu, or simt with `--claims` and `--proofs`]
    #[arg(long, value_name = "DEVICE")]
    joins: Option<DeviceKind>,
    /// How much further the next program's combination of options is: with 100003 few programs vary all
    /// options
    #[arg(long, default_value_t = 1)]
    step: usize,
    /// Let the random programs, and those of `--claims` and `--proofs`, have difference constraints
    #[arg(long)]
    differences: bool,
    /// How many random programs
    #[arg(long, default_value_t = 2000)]
    programs: usize,
    /// Seed of the first random program; the others follow [default: the number of today, or YASMIN_SEED]
    #[arg(long, default_value_t = yasmin_seeds::first(), hide_default_value = true)]
    seed: u64,
    /// How many random programs with everything that aspif can say, each in every way of reasoning
    #[arg(long, default_value_t = 0)]
    rich: usize,
    /// How many random programs with costs of several priorities, each in every way of reasoning
    #[arg(long, default_value_t = 0)]
    weighted: usize,
    /// The same with weights of up to 64 bits
    #[arg(long, default_value_t = 0)]
    heavy: usize,
    /// How many random programs with variables, each in every way of reasoning; needs gringo, and clasp or
    /// clingo
    #[arg(long, default_value_t = 0)]
    nonground: usize,
    /// How many structured programs of medium size, each in several ways; needs clasp or clingo
    #[arg(long, default_value_t = 0)]
    structured: usize,
    /// Only write the structured programs to this folder, with what is known of their answer sets
    #[arg(long, requires = "structured", value_name = "FOLDER")]
    write: Option<PathBuf>,
    /// Also solve the structured programs of this folder, which `--write` wrote; needs nothing else
    #[arg(long, value_name = "FOLDER")]
    expected: Option<PathBuf>,
    /// How many seconds the search for a structured program may take
    #[arg(long, default_value_t = 120)]
    limit: u64,
    /// Only check each statement of the command, in so many cases of small programs and a tenth as many of
    /// long ones: with `--device auto` on the processor, on the simulation and on both
    #[arg(long, value_name = "N", conflicts_with = "write", group = "by_ranks")]
    claims: Option<usize>,
    /// With `--claims`: let this command solve them, with its first words, in a process of its own
    #[arg(long, value_name = "COMMAND", requires = "claims")]
    command: Option<String>,
    /// With `--claims` or `--proofs`, started by mpirun: let all ranks solve each case together; needs the
    /// feature mpi
    #[arg(long, requires = "by_ranks", conflicts_with = "command")]
    ranks: bool,
    /// Only prove the results of so many random programs and a fiftieth as many long ones, and what the
    /// library answers to so many sequences of questions (not by ranks), and check the proofs
    #[arg(long, value_name = "N", conflicts_with_all = ["write", "claims", "again"], group = "by_ranks")]
    proofs: Option<usize>,
    /// Only trace the searches for so many random programs and a hundredth as many long ones, and replay the
    /// traces
    #[arg(long, value_name = "N", conflicts_with_all = ["write", "claims", "proofs", "again"])]
    traces: Option<usize>,
    /// Only ask so many questions at once, a thousand of each program
    #[arg(long, value_name = "N", conflicts_with_all = ["write", "claims", "proofs", "traces", "again"])]
    questions: Option<usize>,
    /// With `--claims` and `--again`: make each case that fails smaller, for up to so many seconds
    #[arg(long, default_value_t = 0, value_name = "SECONDS")]
    shrink: u64,
    /// Only repeat the cases in the lines of this file, which a failed `--claims` printed, as often as
    /// `--runs` says
    #[arg(long, value_name = "FILE", conflicts_with = "claims")]
    again: Option<PathBuf>,
    /// How often to solve each random program, each time with other options
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// Also check the programs of this folder, which has an `answers.json`
    #[arg(long)]
    data: Option<PathBuf>,
    /// How many answer sets of a program in the folder to enumerate at most
    #[arg(long, default_value_t = 10_000)]
    most: usize,
}

/// Says why, and gives the exit code for it.
fn cannot_compare(error: impl Display) -> ExitCode {
    eprintln!("yasmin-conformance: error: {error}");
    ExitCode::from(65)
}

/// Writes structured programs and what is known of them.
fn write(folder: &Path, first: u64, count: usize) -> Result<(), String> {
    let (known, left_out) = structured::make(first, count)?;
    structured::write(folder, &known)?;
    println!("{} structured programs in {}, {left_out} left out", known.len(), folder.display());
    Ok(())
}

/// How long to make a case that fails smaller.
fn effort(args: &Args) -> Effort {
    Effort { tries: 10, limit: Duration::from_secs(args.shrink) }
}

/// The ranks that solve each case together.
#[cfg(feature = "mpi")]
struct Ranks(yasmin_mpi::rank::Rank);

#[cfg(feature = "mpi")]
impl Ranks {
    fn start() -> Result<Ranks, String> {
        if !yasmin_mpi::launcher::is_rank() {
            return Err("--ranks: mpirun has to start this command".into());
        }
        yasmin_mpi::rank::Rank::start(claims::ranks::PATIENCE, None).map(Ranks)
    }

    fn is_first(&self) -> bool {
        self.0.number() == 0
    }

    fn cases(
        &self,
        kind: claims::Kind,
        first: u64,
        count: usize,
        told: &mut dyn FnMut(&str),
    ) -> Result<Option<claims::Tally>, String> {
        claims::ranks::cases(&self.0, kind, first, count, told)
    }

    fn proofs(
        &self,
        kind: claims::Kind,
        first: u64,
        count: usize,
        told: &mut dyn FnMut(&str),
    ) -> Result<Option<proofs::Tally>, String> {
        let tally = yasmin_tests::parts::cases(&self.0, kind, first, count, told)?;
        Ok(tally.map(|tally| {
            let ((parts, steps), (refused, accepted)) = (tally.parts, tally.changed);
            println!(
                "parts: {parts} of other ranks, {steps} of them with steps; of changed proofs {refused} are \
                 refused, and {accepted} are true"
            );
            tally.proofs
        }))
    }
}

/// There are none in this build.
#[cfg(not(feature = "mpi"))]
enum Ranks {}

#[cfg(not(feature = "mpi"))]
impl Ranks {
    fn start() -> Result<Ranks, String> {
        Err("--ranks needs the feature mpi: cargo build --release --package yasmin-tests --features mpi"
            .into())
    }

    fn is_first(&self) -> bool {
        match *self {}
    }

    fn cases(
        &self,
        _: claims::Kind,
        _: u64,
        _: usize,
        _: &mut dyn FnMut(&str),
    ) -> Result<Option<claims::Tally>, String> {
        match *self {}
    }

    fn proofs(
        &self,
        _: claims::Kind,
        _: u64,
        _: usize,
        _: &mut dyn FnMut(&str),
    ) -> Result<Option<proofs::Tally>, String> {
        match *self {}
    }
}

/// Says why the ranks cannot go on together, and ends this process at once: to end MPI is to wait for all
/// ranks.
fn ranks_failed(error: &str) -> ! {
    println!("DIFFERENT: {error}");
    std::process::exit(1)
}

/// What the cases have in common.
fn kind(args: &Args, is_long: bool) -> claims::Kind {
    claims::Kind {
        device: args.device,
        joins: args.joins.unwrap_or(DeviceKind::Simt),
        is_long,
        has_differences: args.differences,
    }
}

/// Checks the statements of the command in so many cases of small programs, and a tenth as many of long ones.
fn check_claims(args: &Args, count: usize) -> ExitCode {
    let began = Instant::now();
    let effort = (args.shrink > 0).then(|| effort(args));
    let command: Option<Vec<String>> =
        args.command.as_ref().map(|command| command.split_whitespace().map(String::from).collect());
    let ranks = match args.ranks.then(Ranks::start).transpose() {
        Ok(ranks) => ranks,
        Err(error) => return cannot_compare(error),
    };
    let (mut runs, mut failures) = (0, 0);
    for (is_long, count) in [(false, count), (true, count / 10)] {
        let kind = kind(args, is_long);
        let mut told = |report: &str| println!("DIFFERENT: {report}");
        let tally = match (&command, &ranks) {
            (Some(command), _) => claims::outside::cases(command, kind, args.seed, count, &mut told),
            (None, None) => claims::cases(kind, args.seed, count, effort, &mut told),
            (None, Some(ranks)) => match ranks.cases(kind, args.seed, count, &mut told) {
                Ok(Some(tally)) => tally,
                // Rank 0 says what came of them.
                Ok(None) => continue,
                Err(error) => ranks_failed(&error),
            },
        };
        let (which, seed) = (if is_long { "long" } else { "small" }, args.seed);
        println!(
            "claims: {} {which} programs, seeds {seed} on: {} runs left something open, {} were stopped, {} had several searchers",
            tally.cases, tally.unfinished, tally.stopped, tally.swarms
        );
        runs += tally.cases;
        failures += tally.failures.len();
    }
    if ranks.is_some_and(|ranks| !ranks.is_first()) {
        return ExitCode::SUCCESS;
    }
    println!(
        "claims: {runs} runs, {:.1} s, {failures} with a wrong statement",
        began.elapsed().as_secs_f64()
    );
    ExitCode::from(u8::from(failures > 0))
}

/// Proves the results of so many small programs, and of a fiftieth as many long ones; by ranks of a tenth as
/// many. Without ranks, proves what is answered to as many sequences of questions, on one of the devices
/// after the other.
fn check_proofs(args: &Args, count: usize, devices: &[DeviceKind]) -> ExitCode {
    let began = Instant::now();
    let ranks = match args.ranks.then(Ranks::start).transpose() {
        Ok(ranks) => ranks,
        Err(error) => return cannot_compare(error),
    };
    let (mut runs, mut failures) = (0, 0);
    let long = if ranks.is_some() { count / 10 } else { count / 50 };
    for (is_long, count) in [(false, count), (true, long)] {
        let mut told = |report: &str| println!("DIFFERENT: {report}");
        let kind = kind(args, is_long);
        let tally = match &ranks {
            None => proofs::cases(kind, args.seed, count, &mut told),
            Some(ranks) => match ranks.proofs(kind, args.seed, count, &mut told) {
                Ok(Some(tally)) => tally,
                // Rank 0 says what came of them.
                Ok(None) => continue,
                Err(error) => ranks_failed(&error),
            },
        };
        println!(
            "proofs: {} {} programs, seeds {} on: {} results are proved, in {} steps; {} also as clauses",
            tally.cases,
            if is_long { "long" } else { "small" },
            args.seed,
            tally.proved,
            tally.steps,
            tally.clauses
        );
        runs += tally.cases;
        failures += tally.failures.len();
    }
    if ranks.is_none() {
        let tally = calls::cases(devices, args.seed, count, &mut |report| println!("DIFFERENT: {report}"));
        println!(
            "calls: {} sequences, seeds {} on: {} proofs of several calls, {} conclusions, {} of them about \
             optimal answer sets; of changed proofs {} are refused, and {} conclusions are true",
            tally.sequences,
            args.seed,
            tally.proofs,
            tally.conclusions,
            tally.among_optimal,
            tally.changed[0],
            tally.changed[1]
        );
        runs += tally.sequences;
        failures += tally.failures.len();
    }
    if ranks.is_some_and(|ranks| !ranks.is_first()) {
        return ExitCode::SUCCESS;
    }
    println!("proofs: {runs} runs, {:.1} s, {failures} wrong", began.elapsed().as_secs_f64());
    ExitCode::from(u8::from(failures > 0))
}

/// Asks so many questions, a thousand of each program.
fn check_questions(args: &Args, count: usize, devices: &[DeviceKind]) -> ExitCode {
    let began = Instant::now();
    let tally = questions::cases(devices, args.seed, count, &mut |report| println!("DIFFERENT: {report}"));
    println!(
        "questions: {}, seeds {} on: {} satisfiable, {} refuted, {} left, {} by fleets, {} optima, {} with rules, \
         bounds or projections of their own, {} conflicts; {:.1} s, {} programs wrong",
        tally.questions,
        args.seed,
        tally.satisfiable,
        tally.refuted,
        tally.left,
        tally.by_fleets,
        tally.optima,
        tally.own,
        tally.conflicts,
        began.elapsed().as_secs_f64(),
        tally.failures.len()
    );
    ExitCode::from(u8::from(!tally.failures.is_empty()))
}

/// Traces the searches for so many small programs, and for a hundredth as many long ones.
fn check_traces(args: &Args, count: usize) -> ExitCode {
    let began = Instant::now();
    if let DeviceKind::Gpus(_) = args.device {
        return cannot_compare("--traces follows one searcher of a GPU: name one, as in --device gpu:0");
    }
    let (mut runs, mut failures) = (0, 0);
    for (is_long, count) in [(false, count), (true, count / 100)] {
        let mut told = |report: &str| println!("DIFFERENT: {report}");
        let kind = kind(args, is_long);
        let tally = traces::cases(kind, args.seed, count, &mut told);
        println!(
            "traces: {} {} programs, seeds {} on: {} traces are whole; {:?}",
            tally.cases,
            if is_long { "long" } else { "small" },
            args.seed,
            tally.whole,
            tally.seen
        );
        runs += tally.cases;
        failures += tally.failures.len();
    }
    println!("traces: {runs} runs, {:.1} s, {failures} wrong", began.elapsed().as_secs_f64());
    ExitCode::from(u8::from(failures > 0))
}

/// Repeats the cases of a file.
fn repeat_claims(args: &Args, file: &Path) -> ExitCode {
    let runs = args.runs;
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => return cannot_compare(format_args!("{}: {error}", file.display())),
    };
    let mut all = 0;
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let case = match claims::Case::again(line) {
            Ok(case) => case,
            Err(error) => return cannot_compare(error),
        };
        print!("{}", case.told());
        let mut failures = 0;
        let mut first = None;
        for run in 0..runs {
            for wrong in case.run_with_patience().wrong {
                println!("DIFFERENT: run {run}: {wrong}");
                first.get_or_insert(wrong.what);
                failures += 1;
            }
        }
        if let Some(what) = first.filter(|_| args.shrink > 0) {
            println!("smaller: {}", claims::smaller(&case, what, effort(args)));
        }
        println!("claims: {runs} runs, {failures} wrong statements");
        all += failures;
    }
    ExitCode::from(u8::from(all > 0))
}

/// Options for a program with difference constraints, which no two searches in turns know.
fn differing(seed: u64, machine: Machine) -> Options {
    let options = conform::combination(seed as usize, machine);
    let turns = matches!(options.opt_strategy, OptStrategy::Turns(_));
    Options { opt_strategy: if turns { OptStrategy::Auto } else { options.opt_strategy }, ..options }
}

/// Compares what is found of random programs.
fn random_programs(
    args: &Args,
    machine: Machine,
    told: &mut dyn FnMut(&str),
) -> std::io::Result<conform::Tally> {
    let (first, count) = (args.seed, args.programs);
    match args.differences {
        true => Ok(differences::compare::programs(first, count, |seed| differing(seed, machine), told)),
        false => conform::random_programs(first, count, args.runs, machine, told),
    }
}

/// The devices that a kind stands for, each of which can be opened.
fn open(kind: DeviceKind) -> Result<Vec<DeviceKind>, DeviceError> {
    let devices = device::each(kind)?;
    devices.iter().try_for_each(|&device| device::open(device, Setup::default()).map(drop))?;
    Ok(devices)
}

fn main() -> ExitCode {
    let args = Args::parse();
    if let Some(folder) = &args.write {
        return match write(folder, args.seed, args.structured) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => cannot_compare(error),
        };
    }
    // Else each solve would differ.
    let devices = match open(args.device) {
        Ok(devices) => devices,
        Err(error) => return cannot_compare(error),
    };
    if let Some(count) = args.claims {
        return check_claims(&args, count);
    }
    if let Some(count) = args.proofs {
        return check_proofs(&args, count, &devices);
    }
    if let Some(count) = args.traces {
        return check_traces(&args, count);
    }
    if let Some(count) = args.questions {
        return check_questions(&args, count, &devices);
    }
    if let Some(file) = &args.again {
        return repeat_claims(&args, file);
    }
    let device = args.device;
    let (schedules, checks) = (args.simt_schedules.max(1), !args.no_simt_check);
    let Args { threads, step, searchers, .. } = args;
    let joins = args.joins.unwrap_or(Options::default().join_device);
    let machine = Machine { device, schedules, checks, threads, step, searchers, joins };
    let began = Instant::now();
    let (first, count, runs) = (args.seed, args.programs, args.runs);
    println!("{count} random programs, seeds {first} to {}, {runs} runs", first + count as u64 - 1);
    let mut told = |report: &str| println!("DIFFERENT: {report}");
    let tally = match random_programs(&args, machine, &mut told) {
        Ok(tally) => tally,
        Err(error) => return cannot_compare(error),
    };
    let mut solves = tally.solves;
    let mut differences = tally.differences.len();
    if args.rich > 0 {
        println!("{} rich programs, seeds {first} to {}", args.rich, first + args.rich as u64 - 1);
        let rich = rich::programs(first, args.rich, machine, &mut told);
        println!("{} solves, {} answer sets in all", rich.solves, rich.answer_sets);
        solves += rich.solves;
        differences += rich.differences.len();
    }
    if args.weighted > 0 {
        println!(
            "{} weighted programs, seeds {first} to {}",
            args.weighted,
            first + args.weighted as u64 - 1
        );
        let weighted = rich::weighted_programs(first, args.weighted, machine, &mut told);
        println!("{} solves, {} answer sets in all", weighted.solves, weighted.answer_sets);
        solves += weighted.solves;
        differences += weighted.differences.len();
    }
    if args.heavy > 0 {
        println!("{} heavy programs, seeds {first} to {}", args.heavy, first + args.heavy as u64 - 1);
        let heavy = rich::heavy_programs(first, args.heavy, machine, &mut told);
        println!("{} solves, {} answer sets in all", heavy.solves, heavy.answer_sets);
        solves += heavy.solves;
        differences += heavy.differences.len();
    }
    let mut disputed = 0;
    if args.nonground > 0 {
        println!(
            "{} programs with variables, seeds {first} to {}",
            args.nonground,
            first + args.nonground as u64 - 1
        );
        let tally = match nonground::programs(first, args.nonground, machine, &mut told) {
            Ok(tally) => tally,
            Err(error) => return cannot_compare(error),
        };
        let (answer_sets, left_out) = (tally.answer_sets, tally.left_out);
        println!(
            "{} solves, {answer_sets} answer sets in all, {left_out} programs with too many",
            tally.solves
        );
        solves += tally.solves;
        disputed += tally.disputed;
        differences += tally.differences.len();
    }
    let mut known = Vec::new();
    let mut judge = None;
    if args.structured > 0 {
        println!(
            "{} structured programs, seeds {first} to {}",
            args.structured,
            first + args.structured as u64 - 1
        );
        match Judge::find().and_then(|judge| Ok((judge, structured::make(first, args.structured)?))) {
            Ok((found, (made, left_out))) => {
                println!("{left_out} of them have too many answer sets");
                known.extend(made);
                judge = Some(found);
            }
            Err(error) => return cannot_compare(error),
        }
    }
    if let Some(folder) = args.expected {
        match structured::read(&folder) {
            Ok(read) => {
                println!("{} structured programs of {}", read.len(), folder.display());
                known.extend(read);
            }
            Err(error) => return cannot_compare(error),
        }
    }
    if !known.is_empty() {
        let limit = Duration::from_secs(args.limit);
        let tally = structured::check(&known, first as usize, machine, limit, judge.as_ref(), &mut told);
        println!("{} solves, {} answer sets in all", tally.solves, tally.answer_sets);
        solves += tally.solves;
        disputed += tally.disputed;
        differences += tally.differences.len();
    }
    if let Some(folder) = args.data {
        let programs = match data::known(&folder) {
            Ok(programs) => programs,
            Err(error) => return cannot_compare(error),
        };
        for run in 0..runs {
            for (place, known) in programs.iter().enumerate() {
                let options = conform::sensible(place + 7 * run, machine);
                let file = &known.file;
                solves += 1;
                match data::check_file(&folder, known, options, args.most) {
                    Ok(found) => println!("run {run}, {file}: {found} answer sets, as known"),
                    Err(error) => {
                        println!("DIFFERENT: run {run}, {file}, {options:?}: {error}");
                        differences += 1;
                    }
                }
            }
        }
    }
    println!(
        "conformance: {solves} solves on {device:?}, {} answer sets of random programs, {} of {} combinations of \
         options in each run, {:.1} s, {disputed} disputed, {differences} differences",
        tally.answer_sets,
        count.min(conform::COMBINATIONS),
        conform::COMBINATIONS,
        began.elapsed().as_secs_f64()
    );
    ExitCode::from(u8::from(differences > 0))
}
