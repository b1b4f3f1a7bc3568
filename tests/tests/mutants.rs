//! Each barrier and fence of one file, left out: the unit tests of the kernels notice.
//!
//! `scripts/mutants.py` does that for all files and with all tests, which takes long:
//! `scripts/long.sh --only mutants`.

use std::path::Path;
use std::process::Command;

/// What is small enough for every run of the tests.
const FILES: &str = "solver-gpu/src/threads/block\\.rs";

#[test]
fn the_unit_tests_notice_a_missing_barrier() {
    let python = std::env::var("YASMIN_PYTHON").unwrap_or("python3".into());
    if let Err(error) = Command::new(&python).arg("--version").output() {
        eprintln!("SKIPPED: {python}: {error}; install Python 3");
        return;
    }
    let run = Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/mutants.py"))
        .args(["--profile", "test", "--tests", "unit", "--only", FILES])
        .output()
        .expect("Python is there");
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{out}\n{err}");
    let last = out.lines().last().unwrap_or_default();
    let places = last.strip_prefix("mutants: ").and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok());
    assert!(places.is_some_and(|places| places >= 15), "too few places: {last}");
}
