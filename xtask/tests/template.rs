//! A crate is made from the template outside the tree, and does what its README says. And its test finds a
//! race.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const XTASK: &str = env!("CARGO_BIN_EXE_xtask");

fn xtask(arguments: &[&str]) -> Output {
    Command::new(XTASK).args(arguments).output().expect("it runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Runs cargo in a crate, without the network. The builds lie beside those of the tests, for the next time.
fn cargo(folder: &Path, arguments: &[&str]) -> Output {
    let builds = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("template");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(folder).args(arguments).args(["--offline", "--quiet"]);
    cargo.env("CARGO_TARGET_DIR", builds);
    cargo.output().expect("cargo runs")
}

#[test]
fn a_new_crate_works_and_its_test_finds_a_race() {
    let outside = tempfile::tempdir().expect("a folder");
    let folder = outside.path().join("first-kernels");
    let made = xtask(&["new", folder.to_str().expect("a path")]);
    assert!(made.status.success(), "{}", text(&made));

    let run = cargo(&folder, &["run"]);
    assert!(run.status.success() && text(&run).contains(": 0 2 4 ... 1998\n"), "{}", text(&run));
    let test = cargo(&folder, &["test"]);
    assert!(test.status.success() && text(&test).contains("1 passed"), "{}", text(&test));

    // The book's first mistake: too short a step.
    let kernel = folder.join("src/lib.rs");
    let source = std::fs::read_to_string(&kernel).expect("the kernel");
    let wrong = source.replace("thread::block_dim_x() * thread::grid_dim_x()", "thread::block_dim_x()");
    assert_ne!(source, wrong);
    std::fs::write(&kernel, wrong).expect("the kernel");
    let test = cargo(&folder, &["test"]);
    let said = text(&test);
    assert!(!test.status.success() && said.contains("data race on data["), "{said}");
    assert!(said.contains("src/lib.rs:") && said.contains("nothing orders the two"), "{said}");
}

#[test]
fn what_cannot_be_made_is_refused() {
    for (folder, word) in [("/tmp", "exists already"), ("/nowhere/1st", "`1st` is no crate's name")] {
        let refused = xtask(&["new", folder]);
        assert_eq!(refused.status.code(), Some(1), "{folder}");
        assert!(text(&refused).contains(word), "{folder}: {}", text(&refused));
    }
}

#[test]
fn an_exercise_is_solved_or_not() {
    let solved = xtask(&["exercise", "1", "--solution"]);
    assert!(solved.status.success() && text(&solved).contains("exercise 1 is solved"), "{}", text(&solved));
    let none = xtask(&["exercise", "99"]);
    assert!(
        none.status.code() == Some(1) && text(&none).contains("there is no exercise 99"),
        "{}",
        text(&none)
    );
}

/// The versions that a lock file names.
fn versions(lock: &str) -> Vec<(String, String)> {
    let value = |line: &str| line.split('"').nth(1).map(str::to_string);
    let mut lines = lock.lines();
    let mut versions = Vec::new();
    while let Some(line) = lines.next() {
        if line == "[[package]]" {
            let (name, version) = (lines.next().and_then(value), lines.next().and_then(value));
            versions.push((name.expect("a name"), version.expect("a version")));
        }
    }
    versions
}

/// What the repository's builds have downloaded is enough for the template.
#[test]
fn the_template_names_the_versions_of_the_repository() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |file: &str| versions(&std::fs::read_to_string(repository.join(file)).expect("a lock file"));
    let (ours, template) = (read("Cargo.lock"), read("template/Cargo.lock"));
    assert!(template.len() > 10);
    for package in template.into_iter().filter(|(name, _)| name != "my-kernels") {
        assert!(
            ours.contains(&package),
            "{package:?}: remove template/Cargo.lock, copy Cargo.lock, build there"
        );
    }
}
