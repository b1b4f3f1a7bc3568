//! The program `lessons`: runs lessons and twins, compares a GPU with the simulated one, and measures
//! reductions and transposes.

use clap::{Parser, Subcommand, ValueEnum};
use cuda_launch::{Device, Error};
use lessons::lesson::{Lesson, Outcome};
use lessons::lessons::{find, twins, LESSONS};
use lessons::solve::solve;
use lessons::solving::{solve_on, Program};
use lessons::{measure, KERNELS};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Small GPU kernels in Rust, to learn from.
#[derive(Parser)]
#[command(
    name = "lessons",
    version,
    after_help = "Exit codes: 0 all is right, 1 something is wrong, 2 wrong \
    command line, 3 there is no GPU."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the lessons and their broken twins.
    List,
    /// Run lessons, and compare each with a sequential program; on a GPU, with the simulated GPU as well.
    Run {
        /// The lessons to run [default: all].
        lessons: Vec<String>,
        /// What runs the kernels.
        #[arg(long, value_enum, default_value_t = On::Simt)]
        device: On,
    },
    /// Run twins on the simulated GPU, and print what it says of each mistake.
    Broken {
        /// The twins to run [default: all].
        twins: Vec<String>,
    },
    /// Find all answer sets of a program without variables, with the solver of the last lesson.
    Solve {
        /// The program's file: rules `head :- atom, not atom.` and constraints `:- atom, not atom.`
        file: PathBuf,
        /// What runs the kernel.
        #[arg(long, value_enum, default_value_t = On::Simt)]
        device: On,
    },
    /// Measure kernels on a GPU, in bytes a second, and compare with a copy.
    Time {
        /// Which kernels.
        #[arg(long, value_enum, default_value_t = What::Sums)]
        what: What,
        /// The number of elements of 4 bytes.
        #[arg(long, default_value_t = 1 << 28, value_parser = clap::value_parser!(u32).range(1..=1 << 30))]
        elements: u32,
        /// How often each version runs; the median counts.
        #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..=1000))]
        runs: u32,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// The seven reductions.
    Sums,
    /// The three transposes, of a square matrix with at most so many elements.
    Transposes,
}

#[derive(Clone, Copy, ValueEnum)]
enum On {
    /// One thread of the processor.
    Cpu,
    /// The simulated GPU, which names data races.
    Simt,
    /// The first GPU.
    Gpu,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::List => list(),
        Command::Run { lessons, device } => run(&lessons, device),
        Command::Broken { twins } => broken(&twins),
        Command::Solve { file, device } => solve_file(&file, device),
        Command::Time { what, elements, runs } => time(what, elements as usize, runs as usize),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("lessons: error: {error}");
            ExitCode::from(match error {
                Failure::Usage(_) => 2,
                Failure::Device(Error::NoGpu(_)) => 3,
                Failure::Device(_) => 1,
            })
        }
    }
}

/// Why the program ends early.
enum Failure {
    Usage(String),
    Device(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Device(error)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Usage(what) => f.write_str(what),
            Failure::Device(error) => error.fmt(f),
        }
    }
}

fn list() -> Result<bool, Failure> {
    for lesson in LESSONS {
        let twins: Vec<&str> = lesson.twins.iter().map(|twin| twin.name).collect();
        println!("{:13} {} (twins: {})", lesson.name, lesson.about, twins.join(", "));
    }
    Ok(true)
}

fn open(device: On) -> Result<Device, Error> {
    match device {
        On::Cpu => Ok(Device::cpu()),
        On::Simt => Ok(Device::simt()),
        On::Gpu => Device::gpu(0, KERNELS),
    }
}

/// Runs lessons; returns whether all were right.
fn run(names: &[String], on: On) -> Result<bool, Failure> {
    let unknown = |name: &String| Failure::Usage(format!("there is no lesson `{name}`; see `lessons list`"));
    let lessons: Vec<&Lesson> = match names {
        [] => LESSONS.iter().collect(),
        names => {
            names.iter().map(|name| find(name).ok_or_else(|| unknown(name))).collect::<Result<_, _>>()?
        }
    };
    let mut device = open(on)?;
    println!("on {}", device.name());
    let mut all_right = true;
    for lesson in lessons {
        let outcome = (lesson.run)(&mut device);
        let verdict = verdict(lesson, &outcome, device.is_gpu());
        println!("{:13} {}", lesson.name, verdict.as_deref().unwrap_or_else(|why| why));
        all_right &= verdict.is_ok();
        if outcome.is_err() && device.is_gpu() {
            println!("After an error, the process cannot use the GPU any more: the rest was not run.");
            break;
        }
    }
    Ok(all_right)
}

/// What there is to say of a lesson's outcome; an error if it is wrong.
fn verdict(lesson: &Lesson, outcome: &Result<Outcome, Error>, is_gpu: bool) -> Result<String, String> {
    let outcome = outcome.as_ref().map_err(|error| format!("ERROR: {error}"))?;
    if let Some(difference) = outcome.difference() {
        return Err(format!("WRONG: {difference}"));
    }
    let words = outcome.found.len();
    if !is_gpu {
        return Ok(format!("right, {words} words"));
    }
    let simulated = (lesson.run)(&mut Device::simt()).map_err(|error| format!("ERROR of simt: {error}"))?;
    let compared = Outcome { found: outcome.found.clone(), expected: simulated.found };
    match compared.difference() {
        None => Ok(format!("right, {words} words, equal to simt")),
        Some(difference) => Err(format!("DIFFERS from simt: {difference}")),
    }
}

fn broken(names: &[String]) -> Result<bool, Failure> {
    if let Some(name) = names.iter().find(|name| twins().all(|twin| twin.name != **name)) {
        return Err(Failure::Usage(format!("there is no twin `{name}`; see `lessons list`")));
    }
    for twin in twins().filter(|twin| names.is_empty() || names.iter().any(|name| name == twin.name)) {
        println!("{}: simt says {}", twin.name, twin.said());
    }
    Ok(true)
}

/// The most answer sets that are printed.
const MOST_ANSWERS: usize = 1000;

fn solve_file(file: &Path, on: On) -> Result<bool, Failure> {
    let refused = |why: &dyn std::fmt::Display| Failure::Usage(format!("{}: {why}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| refused(&error))?;
    let program = Program::parse(&text).map_err(|why| refused(&why))?;
    let (answers, count) = solve_on(&mut open(on)?, ("solve", solve), &program, MOST_ANSWERS)?;
    for (number, answer) in (1..).zip(&answers) {
        println!("Answer {number}: {}", program.names(answer));
    }
    match count {
        0 => println!("no answer set"),
        1 => println!("1 answer set"),
        count => println!("{count} answer sets"),
    }
    Ok(true)
}

fn time(what: What, elements: usize, runs: usize) -> Result<bool, Failure> {
    let mut device = Device::gpu(0, KERNELS)?;
    println!("on {}, {elements} elements, median of {runs} runs", device.name());
    let table = match what {
        What::Sums => measure::reductions(&mut device, elements, runs)?,
        What::Transposes => measure::transposes(&mut device, elements, runs)?,
    };
    print!("{table}");
    Ok(table.is_right())
}
