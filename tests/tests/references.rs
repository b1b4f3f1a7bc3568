//! The solver against clasp or clingo: on programs with variables, which a grounder grounds, and on
//! structured programs.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use solver_host::device::DeviceKind;
use yasmin_tests::judge::Judge;
use yasmin_tests::reference::{Grounder, Reference};
use yasmin_tests::{nonground, structured};

/// Whether this error says that a test cannot run, which is then told.
fn is_missing<T>(found: Result<T, String>) -> bool {
    let missing = found.err();
    missing.iter().for_each(|error| eprintln!("SKIPPED: {error}; scripts/setup.sh --tests installs it"));
    missing.is_some()
}

#[test]
fn programs_with_variables_on_cpu() {
    if is_missing(Grounder::find()) || is_missing(Reference::find()) {
        return;
    }
    let told = nonground::programs(1, 80, DeviceKind::Cpu, &mut |report| println!("{report}"));
    let tally = told.expect("grounder and reference ran a moment ago");
    assert!(tally.differences.is_empty(), "{} of {} differ", tally.differences.len(), tally.solves);
    assert!(tally.solves >= 400 && tally.answer_sets >= 400, "too little was compared: {tally:?}");
}

#[test]
fn structured_programs_on_cpu() {
    if is_missing(Reference::find()) {
        return;
    }
    let judge = Judge::find().expect("it ran a moment ago");
    let (all, left_out) = structured::make(1, 18).expect("it ran a moment ago");
    assert_eq!((all.len(), left_out), (18, 0));
    let limit = Duration::from_secs(300);
    let tell = &mut |report: &str| println!("{report}");
    let tally = structured::check(&all, 1, DeviceKind::Cpu, limit, Some(&judge), tell);
    assert!(tally.differences.is_empty(), "{} of {} differ", tally.differences.len(), tally.solves);
    assert!(tally.answer_sets >= 5000, "too little was compared: {tally:?}");
}

/// The runner with these arguments, words apart.
fn conformance(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yasmin-conformance"));
    command.args(["--device", "cpu", "--programs", "1"]).args(line.split(' '));
    command
}

fn run(mut command: Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("the binary is there");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (status.code(), text(&stdout), text(&stderr))
}

#[test]
fn what_was_written_is_checked_without_a_reference() {
    if is_missing(Reference::find()) {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("structured");
    let name = folder.display();
    // Two seeds of which one is a Hamiltonian cycle, the other a tour.
    let (code, out, err) = run(conformance(&format!("--seed 9 --structured 2 --write {name}")));
    assert_eq!(code, Some(0), "{out}{err}");
    let expected = format!("--expected {name}");
    let check = || {
        let mut command = conformance(&expected);
        command.env("PATH", "").env("YASMIN_PYTHON", "/nonexistent");
        run(command)
    };
    let (code, out, err) = check();
    assert!(code == Some(0) && out.contains("2 structured programs of"), "{code:?} {out}{err}");
    // Without the first rule of each program, a choice, nothing is right any more.
    for file in ["hamilton-9.aspif", "tour-10.aspif"] {
        let text = fs::read_to_string(folder.join(file)).expect("was written");
        let lines: Vec<&str> =
            text.lines().enumerate().filter(|&(at, _)| at != 1).map(|(_, line)| line).collect();
        fs::write(folder.join(file), lines.join("\n") + "\n").expect("was written");
    }
    let (code, out, err) = check();
    assert!(code == Some(1) && out.contains("DIFFERENT: hamilton-9, way 0"), "{code:?} {out}{err}");
    assert!(out.contains("DIFFERENT: tour-10"), "{out}{err}");
}

#[test]
fn a_missing_reference_is_an_error() {
    for (asks, needs) in
        [("--nonground 1", "clasp"), ("--structured 1", "clasp"), ("--structured 1 --write x", "clasp")]
    {
        let mut command = conformance(asks);
        command.env("PATH", "").env("YASMIN_PYTHON", "/nonexistent");
        let (code, _, err) = run(command);
        assert_eq!(code, Some(65), "{asks}: {err}");
        assert!(
            err.starts_with("yasmin-conformance: error: there is no ") && err.contains(needs),
            "{asks}: {err}"
        );
    }
}
