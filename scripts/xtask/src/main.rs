//! `cargo xtask`: tests the exercises of the book and gives hints, makes a crate from the template, builds
//! the book, or compiles the kernels that are shipped.

mod book;
mod kernels;
mod watch;

use clap::{Parser, Subcommand};
use cuda_builder::{CudaBuilder, CudaBuilderError};
use exercises::hidden::{check, On};
use exercises::list::{Exercise, EXERCISES};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs, io};

/// Tasks of people who read the book, or change kernels.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Test an exercise: course/exercises/src/exercise_N.rs.
    Exercise {
        /// The exercise's number.
        number: u32,
        /// Test the solution in course/exercises/solutions instead.
        #[arg(long)]
        solution: bool,
    },
    /// Give a hint for an exercise.
    Hint {
        /// The exercise's number.
        number: u32,
        /// Which hint: each says more than the one before.
        #[arg(default_value_t = 1)]
        hint: usize,
    },
    /// Test an exercise whenever a file is saved, and go on to the next one when it is solved.
    Watch {
        /// The first exercise.
        #[arg(default_value_t = 1)]
        number: u32,
    },
    /// Compile the kernels of solver-gpu, and write what comes with the sources:
    /// solver-host/device/solver_gpu.ptx.zst, and solver-host/device/machine_code. The latter wants ptxas.
    Kernels {
        /// Write nothing; fail if the file is not what the sources compile to. Its PTX is compared only where
        /// the compiler is the one that made it: another version makes other PTX.
        #[arg(long)]
        check: bool,
    },
    /// Build the book in target/book, with pages that run the lessons.
    Book {
        /// Build pages that run nothing. That takes neither WebAssembly nor binaryen.
        #[arg(long)]
        plain: bool,
    },
    /// What mdbook calls for `book`.
    #[command(hide = true)]
    Mark {
        /// `supports` and a format, where mdbook asks whether there are marks in it.
        question: Vec<String>,
    },
    /// Make a crate with a kernel, a test and a program, from the template.
    New {
        /// The new crate's folder, whose name becomes the crate's. It must not exist.
        folder: PathBuf,
    },
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Exercise { number, solution: true } => {
            check(number, On::Host).map(|()| format!("the solution of exercise {number} is right"))
        }
        Task::Exercise { number, solution: false } => solved(number),
        Task::Hint { number, hint: which } => hint(number, which),
        Task::Watch { number } => watch::watch(number),
        Task::Kernels { check } => kernels::kernels(check),
        Task::Book { plain } => book::book(plain),
        Task::Mark { question } if question.is_empty() => book::mark(),
        Task::Mark { .. } => return ExitCode::SUCCESS,
        Task::New { folder } => new(&folder),
    };
    match outcome {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::from(1)
        }
    }
}

/// The exercise of this number.
fn exercise(number: u32) -> Result<&'static Exercise, String> {
    let found = (number as usize).checked_sub(1).and_then(|index| EXERCISES.get(index));
    found.ok_or_else(|| format!("there is no exercise {number}; there are {}, from 1 on", EXERCISES.len()))
}

/// A hint for an exercise, and how to ask for the next one.
fn hint(number: u32, which: usize) -> Result<String, String> {
    let hints = &exercise(number)?.hints;
    let hint = which.checked_sub(1).and_then(|index| hints.get(index));
    let of = hints.len();
    let hint = hint.ok_or_else(|| format!("exercise {number} has hints 1 to {of}, and no hint {which}"))?;
    let more =
        if which < of { format!("\nmore: cargo xtask hint {number} {}", which + 1) } else { String::new() };
    Ok(format!("hint {which} of {of}: {hint}{more}"))
}

/// The repository's folder, in which this crate is `scripts/xtask`.
fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("two folders up")
}

/// The folder for builds.
fn builds() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| repository().join("target"), PathBuf::from)
}

/// The folder of the reader's exercises. Tests have one of their own.
fn exercises() -> PathBuf {
    env::var_os("EXERCISES").map_or_else(|| repository().join("course/exercises/src"), PathBuf::from)
}

/// Tests the reader's exercise, which is compiled alone: on the host, and if it is right, for a GPU. What is
/// wrong is printed or returned, or else what there is to say.
fn solved(number: u32) -> Result<String, String> {
    exercise(number)?;
    let crate_of_one = repository().join("course/exercises/yours");
    let file = exercises().join(format!("exercise_{number}.rs"));
    let source = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut run = Command::new(&cargo);
    run.current_dir(&crate_of_one).args(["run", "--quiet", "--package", "exercise"]);
    if !cfg!(debug_assertions) {
        run.arg("--release");
    }
    let status = run.env("EXERCISE", number.to_string()).status();
    if !status.map_err(|error| format!("{}: {error}", cargo.display()))?.success() {
        return Err(format!("exercise {number} is not solved"));
    }
    if let Ok(place) = env::var("CUDA_STD_WITHOUT") {
        return Ok(format!("exercise {number} is right without {place}; now take it out of the source"));
    }
    if !source.contains("#[kernel]") {
        return Ok(format!("exercise {number} is solved"));
    }
    println!("right on the host; for a GPU it is compiled now, which takes a minute the first time");
    match CudaBuilder::new(crate_of_one).env("EXERCISE", number.to_string()).check(&builds()) {
        Ok(()) => Ok(format!("exercise {number} is solved")),
        Err(why @ CudaBuilderError::NoToolchain(_)) => {
            Ok(format!("exercise {number} is solved on the host; not compiled for a GPU: {why}"))
        }
        Err(why) => Err(format!("exercise {number} is right on the host, and not fit for a GPU: {why}")),
    }
}

/// The files of the template.
const TEMPLATE: [&str; 7] =
    [".gitignore", "Cargo.lock", "Cargo.toml", "build.rs", "src/lib.rs", "src/main.rs", "tests/simt.rs"];

/// Copies the template, with the crate's name and the place of these packages filled in.
fn new(folder: &Path) -> Result<String, String> {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if !is_name {
        return Err(format!("`{name}` is no crate's name: letters, digits, - and _, a letter first"));
    }
    let repository = repository();
    let failed = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
    if folder.exists() {
        return Err(format!("{} exists already", folder.display()));
    }
    for file in TEMPLATE {
        let (from, to) = (repository.join("course/template").join(file), folder.join(file));
        let parent = to.parent().expect("a file has a folder");
        fs::create_dir_all(parent).map_err(|error| failed(parent, error))?;
        let text = fs::read_to_string(&from).map_err(|error| failed(&from, error))?;
        let text = text
            .replace("../../rust-cuda", &repository.join("rust-cuda").display().to_string())
            .replace("my-kernels", name)
            .replace("my_kernels", &name.replace('-', "_"));
        fs::write(&to, text).map_err(|error| failed(&to, error))?;
    }
    Ok(format!("made {0}; now: cd {0} && cargo test && cargo run", folder.display()))
}
