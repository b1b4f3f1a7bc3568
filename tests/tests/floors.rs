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
const CRATES: [(&str, &str); 8] = [
    ("solver-gpu/src", "solver_gpu"),
    ("solver-host/src", "solver_host"),
    ("rust-cuda/cuda_std/src", "cuda_std"),
    ("rust-cuda/cuda_launch/src", "cuda_launch"),
    ("lessons/src", "lessons"),
    ("solver-cli/src", "yasmin_cli"),
    ("check/src", "yasmin_check"),
    ("yasmin/src", "yasmin"),
];

/// The most lines that a source file may have.
const MOST_LINES: usize = 600;

/// The most words that `ARCHITECTURE.md` may have.
const MOST_WORDS: usize = 2000;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn check(number: usize) {
    let (folder, name) = CRATES[number];
    let sources = Crate::read(&repository().join(folder), name).expect("the sources can be read");
    if let Some(cycle) = sources.file_cycle() {
        panic!("these import each other in a circle: {cycle}");
    }
}

#[test]
fn no_files_of_solver_gpu_import_each_other() {
    check(0);
}

#[test]
fn no_files_of_solver_host_import_each_other() {
    check(1);
}

#[test]
fn no_files_of_cuda_std_import_each_other() {
    check(2);
}

#[test]
fn no_files_of_cuda_launch_import_each_other() {
    check(3);
}

#[test]
fn no_files_of_lessons_import_each_other() {
    check(4);
}

#[test]
fn no_files_of_solver_cli_import_each_other() {
    check(5);
}

#[test]
fn no_files_of_check_import_each_other() {
    check(6);
}

#[test]
fn no_files_of_the_library_import_each_other() {
    check(7);
}

#[test]
fn no_source_file_is_too_long() {
    let mut long = Vec::new();
    for (folder, _) in CRATES {
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
