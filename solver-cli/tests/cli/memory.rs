//! A run without enough memory: one line on standard error, a whole document, and the exit code that the help
//! names.
//!
//! Main function: [`run_within`], which runs the command with so much address space.

use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// 10,000 independent pairs, with a name each.
const PAIRS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/pairs-10000.aspif");

/// Runs the command on [`PAIRS`] with that many KiB of address space.
fn run_within(kilobytes: u32, options: &[&str]) -> Output {
    let limited = format!("ulimit -v {kilobytes}; exec \"$@\"");
    Command::new("sh")
        .args(["-c", &limited, "sh", env!("CARGO_BIN_EXE_yasmin"), PAIRS, "--device=cpu"])
        .args(options)
        .stdin(Stdio::null())
        .output()
        .expect("there is a shell")
}

/// The JSON object of the end, after the answer sets.
fn end_of(output: &Output, is_lines: bool) -> Value {
    let text = std::str::from_utf8(&output.stdout).expect("text");
    let text = if is_lines { text.lines().last().unwrap_or_default() } else { text };
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

/// The least address space, to 2 MB, in which the command can begin to read, so that what it prints is all
/// its own.
fn least() -> u32 {
    let begins = |kilobytes: &u32| run_within(*kilobytes, &["--json"]).stdout.first() == Some(&b'{');
    (8000..200_000).step_by(2000).find(begins).expect("200 MB are enough to begin")
}

#[test]
fn a_run_without_memory_ends_in_order() {
    let schema: Value = serde_json::from_str(solver_host::output::SCHEMA).expect("the schema is JSON");
    let least = least();
    let mut codes = Vec::new();
    for kilobytes in (least..least + 60_000).step_by(3700) {
        for mode in ["--json", "--json-lines", "--outf=0"] {
            let output = run_within(kilobytes, &[mode]);
            let code = output.status.code();
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(code == Some(33) || code == Some(10), "{kilobytes} {mode} {:?} {told}", output.status);
            let is_out = code == Some(33);
            // Where there is no memory for a second searcher, one has to do.
            let (warnings, errors): (Vec<&str>, Vec<&str>) =
                told.lines().partition(|line| line.contains("searchers had to do on the processor"));
            assert!(warnings.len() <= 1 - is_out as usize, "{kilobytes} {mode} {told}");
            assert_eq!(errors.len(), is_out as usize, "{kilobytes} {mode} {told}");
            assert!(errors.iter().all(|line| line.contains("out of memory")), "{kilobytes} {mode} {told}");
            codes.push(is_out);
            if mode == "--outf=0" {
                continue;
            }
            let end = end_of(&output, mode == "--json-lines");
            let result = if is_out { "UNKNOWN" } else { "SATISFIABLE" };
            assert_eq!((&end["Result"], end.get("Error").is_some()), (&result.into(), is_out), "{end:#}");
            if mode == "--json" {
                jsonschema::validate(&schema, &end).unwrap_or_else(|wrong| panic!("{wrong} in {end:#}"));
            }
        }
    }
    assert!(codes.contains(&true) && codes.contains(&false), "both sides of the limit were seen");
}

#[test]
fn memory_that_ends_after_an_answer_set_leaves_what_was_printed() {
    // How much a second searcher has taken when memory ends is a matter of time.
    let has_answer = |kilobytes: &u32| run_within(*kilobytes, &["--json", "-t1"]).status.code() == Some(10);
    let least = least();
    let enough = (least..200_000).step_by(500).find(has_answer).expect("200 MB are enough for one");
    assert!(enough < least + 45_000, "{enough} KiB where {least} are enough to begin");
    // The search keeps more and more answer sets for each launch, up to a number. So memory ends before that
    // with little more than is enough for one. Two runs with as much address space do not get as much memory
    // (where things lie is up to chance), hence several sizes.
    let ended: Vec<_> = (enough..enough + 6000)
        .step_by(1000)
        .filter(|kilobytes| {
            let output = run_within(*kilobytes, &["--json", "-t1", "-n0", "-q1", "--time-limit=2"]);
            let end = end_of(&output, false);
            let (result, has_error, witnesses) = match output.status.code() {
                Some(33) => ("UNKNOWN", true, None),
                Some(43) => ("SATISFIABLE", true, Some(1)),
                Some(11) => ("SATISFIABLE", false, Some(1)),
                code => panic!("{kilobytes} {code:?} {end:#}"),
            };
            assert_eq!((&end["Result"], end.get("Error").is_some()), (&result.into(), has_error), "{end:#}");
            // The last one is printed.
            assert_eq!(end["Call"][0]["Witnesses"].as_array().map(Vec::len), witnesses, "{end:#}");
            has_error && witnesses.is_some()
        })
        .collect();
    assert!(!ended.is_empty(), "memory ends after an answer set at some size from {enough} KiB");
}
