//! `cargo xtask`: tests an exercise of the book, or makes a crate from the template.

use clap::{Parser, Subcommand};
use exercises::hidden::{check, Whose};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

/// Tasks of people who read the book.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Test an exercise: exercises/src/exercise_N.rs.
    Exercise {
        /// The exercise's number.
        number: u32,
        /// Test the solution in exercises/solutions instead.
        #[arg(long)]
        solution: bool,
    },
    /// Make a crate with a kernel, a test and a program, from the template.
    New {
        /// The new crate's folder, whose name becomes the crate's. It must not exist.
        folder: PathBuf,
    },
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Exercise { number, solution } => {
            let whose = if solution { Whose::Ours } else { Whose::Yours };
            check(number, whose).map(|()| format!("exercise {number} is solved"))
        }
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

/// The files of the template.
const TEMPLATE: [&str; 8] = [
    ".cargo/config.toml",
    ".gitignore",
    "Cargo.lock",
    "Cargo.toml",
    "build.rs",
    "src/lib.rs",
    "src/main.rs",
    "tests/simt.rs",
];

/// Copies the template, with the crate's name and the place of these packages filled in.
fn new(folder: &Path) -> Result<String, String> {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if !is_name {
        return Err(format!("`{name}` is no crate's name: letters, digits, - and _, a letter first"));
    }
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository");
    let failed = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
    if folder.exists() {
        return Err(format!("{} exists already", folder.display()));
    }
    for file in TEMPLATE {
        let (from, to) = (repository.join("template").join(file), folder.join(file));
        let parent = to.parent().expect("a file has a folder");
        fs::create_dir_all(parent).map_err(|error| failed(parent, error))?;
        let text = fs::read_to_string(&from).map_err(|error| failed(&from, error))?;
        let text = text
            .replace("../rust-cuda", &repository.join("rust-cuda").display().to_string())
            .replace("my-kernels", name)
            .replace("my_kernels", &name.replace('-', "_"));
        fs::write(&to, text).map_err(|error| failed(&to, error))?;
    }
    Ok(format!("made {0}; now: cd {0} && cargo test && cargo run", folder.display()))
}
