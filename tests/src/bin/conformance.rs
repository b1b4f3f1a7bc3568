//! `yasmin-conformance`: compares the solver with the definition on a device of choice, in one process.
//!
//! Needs neither cargo nor a network where it runs. Exit code 1 if anything differs, 65 if nothing can be compared.

use std::fmt::Display;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use solver_host::device::{self, DeviceKind};
use yasmin_tests::{conform, data, rich};

/// Compares yasmin's answer sets with those of the definition, on random programs and on those of a folder.
#[derive(Parser)]
struct Args {
    /// What to run the search on
    #[arg(long, default_value = "auto")]
    device: DeviceKind,
    /// How many random programs
    #[arg(long, default_value_t = 2000)]
    programs: usize,
    /// Seed of the first random program; the others follow
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many random programs with everything that aspif can say, each in every way of reasoning
    #[arg(long, default_value_t = 0)]
    rich: usize,
    /// How often to solve each program, each time with other options
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

fn main() -> ExitCode {
    let args = Args::parse();
    let device = args.device;
    let began = Instant::now();
    // Else each solve would differ.
    if let Err(error) = device::open(device, 32, 0) {
        return cannot_compare(error);
    }
    let (first, count, runs) = (args.seed, args.programs, args.runs);
    println!("{count} random programs, seeds {first} to {}, {runs} runs", first + count as u64 - 1);
    let mut told = |report: &str| println!("DIFFERENT: {report}");
    let tally = match conform::random_programs(first, count, runs, device, &mut told) {
        Ok(tally) => tally,
        Err(error) => return cannot_compare(error),
    };
    let mut solves = tally.solves;
    let mut differences = tally.differences.len();
    if args.rich > 0 {
        println!("{} rich programs, seeds {first} to {}", args.rich, first + args.rich as u64 - 1);
        let rich = rich::programs(first, args.rich, device, &mut told);
        println!("{} solves, {} answer sets in all", rich.solves, rich.answer_sets);
        solves += rich.solves;
        differences += rich.differences.len();
    }
    if let Some(folder) = args.data {
        let programs = match data::known(&folder) {
            Ok(programs) => programs,
            Err(error) => return cannot_compare(error),
        };
        for run in 0..runs {
            for (place, known) in programs.iter().enumerate() {
                let options = conform::sensible(place + 7 * run, device);
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
         options in each run, {:.1} s, {differences} differences",
        tally.answer_sets,
        count.min(conform::COMBINATIONS),
        conform::COMBINATIONS,
        began.elapsed().as_secs_f64()
    );
    ExitCode::from(u8::from(differences > 0))
}
