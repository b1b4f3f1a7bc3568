//! The program `lessons`: runs lessons and twins, compares a GPU with the simulated one, and measures
//! reductions, transposes and streams.

use clap::{Parser, Subcommand, ValueEnum};
use cuda_launch::{Device, Error};
use lessons::command::{self, Failure};
use lessons::lesson::simulated;
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
        /// What the simulated GPU draws the order of its threads from.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Run twins on the simulated GPU, and print what it says of each mistake.
    Broken {
        /// The twins to run [default: all].
        twins: Vec<String>,
        /// What the simulated GPU draws the order of its threads from.
        #[arg(long, default_value_t = 1)]
        seed: u64,
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
    /// Eight sums of an eighth of the elements, each too small to fill a GPU, in one to eight streams.
    Streams,
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
        Command::List => {
            command::list(&mut say);
            Ok(true)
        }
        Command::Run { lessons, device, seed } => open(device, seed)
            .map_err(Failure::from)
            .and_then(|mut device| command::run(&lessons, &mut device, &mut say)),
        Command::Broken { twins, seed } => command::broken(&twins, seed, &mut say),
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

fn say(line: String) {
    println!("{line}");
}

fn open(device: On, seed: u64) -> Result<Device, Error> {
    match device {
        On::Cpu => Ok(Device::cpu()),
        On::Simt => Ok(simulated(seed, 1)),
        On::Gpu => Device::gpu(0, KERNELS),
    }
}

fn solve_file(file: &Path, on: On) -> Result<bool, Failure> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    command::solve_text(&name, &text, &mut open(on, 1)?, &mut say)
}

fn time(what: What, elements: usize, runs: usize) -> Result<bool, Failure> {
    let mut device = Device::gpu(0, KERNELS)?;
    println!("on {}, {elements} elements, median of {runs} runs", device.name());
    let table = match what {
        What::Sums => measure::reductions(&mut device, elements, runs)?,
        What::Transposes => measure::transposes(&mut device, elements, runs)?,
        What::Streams => {
            let others = (1..8).map(|_| Device::gpu(0, KERNELS));
            let mut all = std::iter::once(Ok(device)).chain(others).collect::<Result<Vec<_>, _>>()?;
            measure::streams(&mut all, elements / 8, runs)?
        }
    };
    print!("{table}");
    Ok(table.is_right())
}
