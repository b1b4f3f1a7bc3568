//! The import floors of the crates, and the sizes of files and pages.
//!
//! A file imports only from files on floors below its own, so no files of a crate import each other in a circle. A
//! module's own file (`mod.rs`) is a file like any other: it may declare its children and re-export what they define, but
//! what it and they use of each other must not go both ways.
//!
//! Code for tests alone does not count. See [`yasmin_tests::floors`] for what counts as an import.

use std::fs;
use std::path::{Path, PathBuf};

use yasmin_tests::floors::{rust_files, Crate};

/// The source folders, each with the name of its crate.
const CRATES: [(&str, &str); 15] = [
    ("solver-gpu/src", "solver_gpu"),
    ("solver-host/src", "solver_host"),
    ("solver-host/ground/src", "yasmin_ground"),
    ("solver-host/nogoods/src", "yasmin_nogoods"),
    ("solver-host/device/src", "yasmin_device"),
    ("solver-host/search/src", "yasmin_search"),
    ("solver-cli/src", "yasmin_cli"),
    ("yasmin/src", "yasmin"),
    ("mpi/src", "yasmin_mpi"),
    ("check/src", "yasmin_check"),
    ("rust-cuda/cuda_std/src", "cuda_std"),
    ("rust-cuda/cuda_std_macros/src", "cuda_std_macros"),
    ("rust-cuda/cuda_launch/src", "cuda_launch"),
    ("rust-cuda/cust/src", "cust"),
    ("lessons/src", "lessons"),
];

/// The source folders of crates whose files import each other in circles still: none of them is a part of the solver.
const OTHERS: [&str; 7] = [
    "python/src",
    "benches/src",
    "tests/src",
    "fuzz/src",
    "xtask/src",
    "rust-cuda/cuda_builder/src",
    "exercises/src",
];

/// The most lines that a source file may have.
const MOST_LINES: usize = 600;

/// The most words that `ARCHITECTURE.md` may have.
const MOST_WORDS: usize = 2000;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn no_files_of_a_crate_import_each_other() {
    let mut circles = Vec::new();
    for (folder, name) in CRATES {
        let sources = Crate::read(&repository().join(folder), name).expect("the sources can be read");
        circles.extend(sources.file_cycle().map(|circle| format!("{name}: {circle}")));
    }
    assert!(circles.is_empty(), "these import each other in a circle: {}", circles.join("; "));
}

/// Each crate of the workspace is in the list, but for those that have no modules. A link leads to the sources
/// of another crate.
#[test]
fn each_crate_is_looked_at() {
    let manifest = fs::read_to_string(repository().join("Cargo.toml")).expect("the manifest can be read");
    let members = manifest.split("members = [").nth(1).and_then(|rest| rest.split(']').next());
    for member in members.expect("a list of members").split(", ").map(|name| name.trim_matches('"')) {
        let source = repository().join(member).join("src").canonicalize().expect("sources");
        let mut folders = CRATES.iter().map(|(folder, _)| folder).chain(&OTHERS);
        let is_known =
            folders.any(|folder| repository().join(folder).canonicalize().is_ok_and(|it| it == source));
        let files = fs::read_dir(&source).map_or(0, Iterator::count);
        assert!(is_known || files <= 1, "{member} is not in the list");
    }
}

#[test]
fn no_source_file_is_too_long() {
    let mut long = Vec::new();
    for folder in CRATES.iter().map(|(folder, _)| folder).chain(&OTHERS) {
        for (name, text) in rust_files(&repository().join(folder)).expect("the sources can be read") {
            let lines = text.lines().count();
            if lines > MOST_LINES {
                long.push(format!("{folder}/{name} has {lines} lines"));
            }
        }
    }
    assert!(long.is_empty(), "more than {MOST_LINES} lines: {}", long.join(", "));
}

#[test]
fn the_architecture_page_is_short() {
    let page = fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("the page can be read");
    let words = page.split_whitespace().count();
    assert!(words <= MOST_WORDS, "ARCHITECTURE.md has {words} words, more than {MOST_WORDS}");
}
