//! The import floors of the crates, and the sizes of files, comments and pages. (Clippy knows the sizes of
//! functions: `clippy.toml`.)
//!
//! A file imports only from files on floors below its own, so no files of a crate import each other in a
//! circle. A module's own file (`mod.rs`) is a file like any other: it may declare its children and re-export
//! what they define, but what it and they use of each other must not go both ways.
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
    ("solver-cli/mpi/src", "yasmin_mpi"),
    ("check/src", "yasmin_check"),
    ("rust-cuda/cuda_std/src", "cuda_std"),
    ("rust-cuda/cuda_std_macros/src", "cuda_std_macros"),
    ("rust-cuda/cuda_launch/src", "cuda_launch"),
    ("rust-cuda/cust/src", "cust"),
    ("course/lessons/src", "lessons"),
];

/// The source folders of crates whose files import each other in circles still: none of them is a part of the
/// solver.
const OTHERS: [&str; 8] = [
    "python/src",
    "benches/src",
    "tests/src",
    "tests/fuzz/src",
    "scripts/xtask/src",
    "rust-cuda/cuda_builder/src",
    "course/exercises/src",
    "course/exercises/yours/src",
];

/// The most lines that a source file may have.
const MOST_LINES: usize = 600;

/// The most columns of a line, as in `rustfmt.toml`. Rustfmt leaves comments alone.
const COLUMNS: usize = 110;

/// The most lines of comments that may be wider. They are older than the test: the number may only fall.
const MOST_WIDE_COMMENTS: usize = 803;

/// The most words that `ARCHITECTURE.md` may have.
const MOST_WORDS: usize = 2000;

/// The most words that all pages of `docs/` and of the top level may have.
const MOST_WORDS_OF_ALL: usize = 46_000;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folders of the workspace's crates, by its manifest.
fn members(manifest: &str) -> impl Iterator<Item = &str> {
    let members = manifest.split("members = [").nth(1).and_then(|rest| rest.split(']').next());
    let names = members.expect("a list of members").split(',').map(|name| name.trim().trim_matches('"'));
    names.filter(|name| !name.is_empty())
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
    for member in members(&manifest) {
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
fn no_new_comment_is_wider_than_code() {
    let is_wide = |line: &&str| line.trim_start().starts_with("//") && line.chars().count() > COLUMNS;
    let mut wide = 0;
    for folder in CRATES.iter().map(|(folder, _)| folder).chain(&OTHERS) {
        let files = rust_files(&repository().join(folder)).expect("the sources can be read");
        wide += files.iter().flat_map(|(_, text)| text.lines()).filter(is_wide).count();
    }
    assert!(
        wide <= MOST_WIDE_COMMENTS,
        "{wide} lines of comments have more than {COLUMNS} columns, and {MOST_WIDE_COMMENTS} may: see what you changed"
    );
}

/// The first tables of both pages name each folder of the top level that has a crate.
#[test]
fn the_top_level_is_shown() {
    let manifest = fs::read_to_string(repository().join("Cargo.toml")).expect("the manifest can be read");
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(repository().join(page)).expect("the page can be read");
        let table =
            text.split("\n| --- ").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a table");
        for member in members(&manifest) {
            let folder = member.split('/').next().expect("a folder");
            assert!(table.contains(&format!("`{folder}/`")), "{page} does not show {folder}/");
        }
    }
}

#[test]
fn all_pages_together_are_short() {
    let mut words = 0;
    for folder in [repository(), repository().join("docs")] {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            // What has changed only grows.
            if path.extension().is_some_and(|end| end == "md") && !path.ends_with("CHANGELOG.md") {
                words += fs::read_to_string(path).expect("a page").split_whitespace().count();
            }
        }
    }
    assert!(words > MOST_WORDS, "the pages are there");
    assert!(words <= MOST_WORDS_OF_ALL, "the pages have {words} words, more than {MOST_WORDS_OF_ALL}");
}

#[test]
fn the_architecture_page_is_short() {
    let page = fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("the page can be read");
    let words = page.split_whitespace().count();
    assert!(words <= MOST_WORDS, "ARCHITECTURE.md has {words} words, more than {MOST_WORDS}");
}
