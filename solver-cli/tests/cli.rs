//! The command from end to end: usage, bad input, exit codes, pipes, limits and signals. What is printed in
//! which form is in `cli/output.rs`, what a terminal shows in `cli/terminal.rs`, several searchers in
//! `cli/swarm.rs`, grounding in `cli/ground.rs`, scripts in `cli/scripts.rs`, runs without memory in
//! `cli/memory.rs`, symmetries in `cli/symmetry.rs`, traces in `cli/trace.rs`, proofs in `cli/proof.rs`,
//! optimisation in `cli/optimisation.rs`, default options in `cli/defaults.rs`, domain recording in
//! `cli/domain.rs`, lemmas in `cli/lemmas.rs`, signals in `cli/signals.rs`, many questions in
//! `cli/questions.rs`, programs of several steps in `cli/steps.rs`.
//!
//! Runs the built binary as a shell would.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use serde_json::Value;

#[path = "cli/bytes.rs"]
mod bytes;
#[path = "cli/clingo.rs"]
mod clingo;
#[path = "cli/defaults.rs"]
mod defaults;
#[path = "cli/differences.rs"]
mod differences;
#[path = "cli/dimacs.rs"]
mod dimacs;
#[path = "cli/domain.rs"]
mod domain;
#[path = "cli/explain.rs"]
mod explain;
#[path = "cli/formulas.rs"]
mod formulas;
#[path = "cli/ground.rs"]
mod ground;
#[path = "cli/lemmas.rs"]
mod lemmas;
#[path = "cli/memory.rs"]
mod memory;
#[path = "cli/optimisation.rs"]
mod optimisation;
#[path = "cli/output.rs"]
mod output;
#[path = "cli/proof.rs"]
mod proof;
#[path = "cli/questions.rs"]
mod questions;
#[path = "cli/scripts.rs"]
mod scripts;
#[path = "cli/signals.rs"]
mod signals;
#[path = "cli/simt.rs"]
mod simt;
#[path = "cli/steps.rs"]
mod steps;
#[path = "cli/supported.rs"]
mod supported;
#[path = "cli/swarm.rs"]
mod swarm;
#[path = "cli/symmetry.rs"]
mod symmetry;
#[path = "cli/terminal.rs"]
mod terminal;
#[path = "cli/trace.rs"]
mod trace;

/// The path of a program with conflicts.
const PIGEONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/pigeons.aspif");

/// `a :- not b. b :- not a.`, both shown.
const PAIR: &str = "asp 1 0 0\n1 0 1 1 0 1 -2\n1 0 1 2 0 1 -1\n4 1 a 1 1\n4 1 b 1 2\n0\n";
/// The same, only `a` shown.
const PAIR_ONE_SHOWN: &str = "asp 1 0 0\n1 0 1 1 0 1 -2\n1 0 1 2 0 1 -1\n4 1 a 1 1\n0\n";
/// `p :- q. q :- p. :- not p.`: no answer set, because `p` and `q` only support each other.
const CIRCLE: &str = "asp 1 0 0\n1 0 1 1 0 1 2\n1 0 1 2 0 1 1\n1 0 0 0 1 -1\n4 1 p 1 1\n4 1 q 1 2\n0\n";

/// `n` independent pairs: 2^n answer sets.
fn pairs(n: usize) -> String {
    let mut text = String::from("asp 1 0 0\n");
    for a in (1..=2 * n).step_by(2) {
        let b = a + 1;
        writeln!(text, "1 0 1 {a} 0 1 -{b}\n1 0 1 {b} 0 1 -{a}").expect("a string takes everything");
    }
    for a in (1..=2 * n).step_by(2) {
        let name = format!("a{a}");
        writeln!(text, "4 {} {name} 1 {a}", name.len()).expect("a string takes everything");
    }
    text + "0\n"
}

/// The command with these arguments, on the processor unless they say otherwise.
fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yasmin"));
    // Options that are the default for whoever runs the tests do not count.
    command.env_remove("YASMIN_OPTIONS").env("XDG_CONFIG_HOME", "/nonexistent");
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if !arguments.iter().any(|word| word.starts_with("--device")) {
        command.args(["--device", "cpu"]);
    }
    signals::obeys_all(&mut command);
    command
}

/// Starts the command and feeds it `input` from a thread of its own.
fn start(arguments: &[&str], input: &[u8]) -> Child {
    let mut child = command(arguments).spawn().expect("the binary is there");
    let mut stdin = child.stdin.take().expect("is piped");
    let input = input.to_vec();
    // The command may end before it has read everything.
    thread::spawn(move || drop(stdin.write_all(&input)));
    child
}

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("yasmin-cli-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// A file of the folder with that text, which can be run if it is a script.
    fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        if text.starts_with("#!") {
            let source = self.path(&format!("{name}.text"));
            fs::write(&source, text).expect("a file");
            let path = self.installed(name, &source);
            fs::remove_file(source).expect("the file");
            return path;
        }
        fs::write(&path, text).expect("a file");
        path
    }

    /// A copy of `source` that can be run.
    ///
    /// A process of its own writes the copy: what this process has open for writing is open in each child
    /// that another test starts at this moment, and Linux runs no file that is open for writing.
    fn installed(&self, name: &str, source: &str) -> String {
        let path = self.path(name);
        let status = Command::new("install").args(["-m", "755", source, &path]).status();
        assert!(status.expect("install runs").success(), "{name}");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Exit code, standard output and standard error of a run.
fn run(arguments: &[&str], input: impl AsRef<[u8]>) -> (i32, String, String) {
    told(start(arguments, input.as_ref()).wait_with_output().expect("it was started"))
}

fn told(output: Output) -> (i32, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let code = output.status.code().expect("not killed by a signal");
    (code, text(output.stdout), text(output.stderr))
}

/// The one JSON document in `text`, which is as the schema says.
fn json(text: &str) -> Value {
    let document = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    let schema: Value = serde_json::from_str(solver_host::output::SCHEMA).expect("the schema is JSON");
    jsonschema::validate(&schema, &document).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    document
}

/// Whether the output of a run that failed before the search says so: in text as clasp does, in JSON with the
/// error.
fn knows_nothing(out: &str) -> bool {
    match out.starts_with('{') {
        true => {
            let document = json(out);
            document["Result"] == "UNKNOWN" && document["Error"].is_string()
        }
        false => out.starts_with("yasmin version ") && out.contains("\nUNKNOWN\n"),
    }
}

/// The process id of a child.
fn pid(child: &Child) -> Pid {
    Pid::from_raw(child.id().try_into().expect("a process id"))
}

/// Checks that a full disk is an error of the option `--what`, which names a file.
fn full_disk_is_an_error_of(what: &str) {
    if std::fs::metadata("/dev/full").is_err() {
        return;
    }
    let (code, out, err) = run(&[PIGEONS, "0", &format!("--{what}"), "/dev/full", "--json"], "");
    assert_eq!(code, 65, "{out}");
    let wanted = format!("cannot write the {what}");
    assert!(err.contains(&wanted) && err.contains("/dev/full: No space left"), "{err}");
    let document: Value = serde_json::from_str(&out).expect("the document is whole");
    assert!(document["Error"].as_str().is_some_and(|told| told.contains(&wanted)), "{out}");
}

#[test]
fn bad_usage_is_65() {
    for arguments in [
        &["--foo"][..],
        &["-n", "x"],
        &["-n", "1", "2"],
        &["1", "2"],
        &["-", "-"],
        &["--threads-per-block", "33"],
        &["--restarts", "luby"],
        &["--time-limit", "-2"],
        &["--device", "abacus"],
    ] {
        let (code, out, err) = run(arguments, PAIR);
        assert_eq!((code, out.as_str()), (65, ""), "{arguments:?}: {err}");
        assert!(err.starts_with("yasmin: error: "), "{arguments:?}: {err}");
    }
}

#[test]
fn help_and_version_are_0() {
    for (arguments, word) in [(["--help"], "Exit codes"), (["-h"], "Examples:"), (["-v"], "yasmin ")] {
        let (code, out, err) = run(&arguments, "");
        assert_eq!((code, err.as_str()), (0, ""), "{arguments:?}");
        assert!(out.contains(word), "{out}");
    }
}

#[test]
fn bad_input_is_65_in_every_format() {
    let cases: [(&str, &[u8]); 14] = [
        ("garbage", b"\x00\xff\xfe\x80\x01\x02garbage"),
        ("a statement of unknown kind", b"asp 1 0 0\n77 1\n0\n"),
        ("an atom of an unknown theory", b"asp 1 0 0\n9 0 1 3\n9 5 1 1 0\n0\n"),
        ("cut off in a rule", b"asp 1 0 0\n1 0 1 1 0 1"),
        ("cut off after a rule", b"asp 1 0 0\n1 0 1 1 0 0\n"),
        ("not a number", b"asp 1 0 0\n1 0 1 x 0 0\n0\n"),
        ("literal 0", b"asp 1 0 0\n1 0 1 1 0 1 0\n0\n"),
        ("atom 0", b"asp 1 0 0\n1 0 1 0 0 0\n0\n"),
        ("atom beyond 2^28", b"asp 1 0 0\n1 0 1 268435457 0 0\n0\n"),
        ("negative length", b"asp 1 0 0\n1 0 -1 0 0\n0\n"),
        ("a length that lies", b"asp 1 0 0\n1 0 1 1 0 5 2\n0\n"),
        ("4 GiB claimed", b"asp 1 0 0\n1 0 1 1 0 4294967295 2\n0\n"),
        ("a theory statement of unknown kind", b"asp 1 0 0\n9 7 1 1\n0\n"),
        ("another version", b"asp 2 0 0\n0\n"),
    ];
    for (what, input) in cases {
        for format in [&["-"][..], &["-", "--json"], &["-", "--outf=2"]] {
            let (code, out, err) = run(format, input);
            assert!(code == 65 && knows_nothing(&out), "{what}: {code} {err}");
            assert!(err.starts_with("yasmin: error: "), "{what}: {err}");
            assert!(!err.contains("panicked"), "{what}: {err}");
        }
    }
    for file in ["/nowhere/f.aspif", ""] {
        let (code, out, err) = run(&[file], "");
        assert!(code == 65 && knows_nothing(&out), "{out}");
        assert!(err.contains("cannot be read"), "{err}");
    }
    let (_, lines, _) = run(&["/nowhere/f.aspif", "--json-lines"], "");
    let last: Value = serde_json::from_str(&lines).expect("one line");
    assert_eq!(last["Result"], "UNKNOWN");
    assert!(last["Error"].as_str().is_some_and(|error| error.contains("/nowhere/f.aspif")));
}

#[test]
fn bad_usage_is_json_too() {
    for arguments in [
        &["--json", "--foo"][..],
        &["--outf=2", "-n", "x"],
        &["--bar", "--outf", "2"],
        &["--json", "--text=1"],
    ] {
        let (code, out, err) = run(arguments, "");
        assert!(code == 65 && knows_nothing(&out) && out.starts_with('{'), "{arguments:?}: {out}");
        assert!(!err.is_empty());
    }
    assert_eq!(run(&["--foo"], "").1, "");
}

#[test]
fn the_document_after_bad_usage_names_the_files() {
    let input = |arguments: &[&str]| json(&run(arguments, "").1)["Input"].clone();
    for arguments in [
        &["--json", "f.lp", "--foo"][..],
        &["--json", "--foo", "f.lp"],
        &["--outf=2", "-n", "x", "f.lp"],
        &["--outf", "2", "f.lp", "1", "2"],
        &["--json", "--trace", "-", "f.lp"],
    ] {
        assert_eq!(input(arguments), serde_json::json!(["f.lp"]), "{arguments:?}");
    }
    assert_eq!(input(&["--json", "--foo", "7"]), serde_json::json!(["stdin"]));
}

#[test]
fn a_run_that_prints_a_program_tells_its_failure_as_asked() {
    for arguments in [&["--pre"][..], &["--mode=gringo"], &["--text"]] {
        let missing = [arguments, &["/nowhere/f.lp"]].concat();
        let (code, out, err) = run(&[&missing[..], &["--json"]].concat(), "");
        assert!(code == 65 && out.starts_with('{') && knows_nothing(&out), "{arguments:?}: {out}");
        assert_eq!(json(&out)["Input"], serde_json::json!(["/nowhere/f.lp"]));
        assert_eq!(err.lines().count(), 1, "{err}");
        let (_, lines, _) = run(&[&missing[..], &["--json-lines"]].concat(), "");
        assert_eq!(serde_json::from_str::<Value>(&lines).expect("one line")["Result"], "UNKNOWN");
        assert_eq!(run(&missing, "").1, "");
    }
    let (code, out, _) = run(&["--json", "--pre"], "asp 1 0 0\n1 0 1 x 0 0\n0\n");
    assert!(code == 65 && out.starts_with('{') && knows_nothing(&out), "{out}");
    let (code, out, _) = run(&["--json", "--pre"], PAIR);
    assert!(code == 0 && out.starts_with("asp 1 0 0\n"), "{out}");
}

#[test]
fn a_closed_standard_output_is_an_error() {
    let told_of = |arguments: &str| {
        let yasmin = env!("CARGO_BIN_EXE_yasmin");
        let line = format!("cd {}/..; {yasmin} --device cpu {arguments} >&-", env!("CARGO_MANIFEST_DIR"));
        let done = Command::new("bash").args(["-c", &line]).output().expect("a shell");
        (done.status.code(), String::from_utf8(done.stderr).expect("text"))
    };
    for arguments in ["0", "0 --json", "0 --json-lines", "0 -q", "--pre", "--help", "--version", "--schema"] {
        let (code, err) = told_of(&format!("data/choice.aspif {arguments}"));
        assert!(err.starts_with("yasmin: error: cannot write to standard output: "), "{arguments}: {err}");
        assert_eq!((code, err.lines().count()), (Some(65), 1), "{arguments}: {err}");
    }
    if ground::has_gringo() {
        let (code, err) = told_of("data/choice.lp --text");
        assert!(code == Some(65) && err.contains("cannot write to standard output"), "{err}");
    }
    // Nothing is lost.
    assert_eq!(told_of("data/choice.aspif 0 --outf=3"), (Some(30), String::new()));
}

#[test]
fn a_closed_standard_input_is_no_empty_program() {
    let told_of = |arguments: &str| {
        let yasmin = env!("CARGO_BIN_EXE_yasmin");
        let line = format!("cd {}/..; {yasmin} --device cpu {arguments} <&-", env!("CARGO_MANIFEST_DIR"));
        told(Command::new("bash").args(["-c", &line]).output().expect("a shell"))
    };
    for arguments in ["", "-", "data/choice.aspif -", "--json", "--text", "--pre"] {
        let (code, out, err) = told_of(arguments);
        assert_eq!((code, err.lines().count()), (65, 1), "{arguments}: {err}");
        assert!(err.starts_with("yasmin: error: standard input is closed"), "{arguments}: {err}");
        assert!(!out.contains("SATISFIABLE"), "{arguments}: {out}");
    }
    assert_eq!(json(&told_of("--json").1)["ErrorCode"], "input");
    assert_eq!(told_of("data/choice.aspif 0").0, 30, "nothing is to be read");
}

#[test]
fn a_closed_standard_error_is_no_panic() {
    let yasmin = env!("CARGO_BIN_EXE_yasmin");
    for closed in ["2>&-", "2>/dev/full"] {
        for arguments in ["--foo", "/nowhere/f", "-t 2 --device cpu data/choice.aspif"] {
            let line = format!("cd {}/..; {yasmin} {arguments} {closed}", env!("CARGO_MANIFEST_DIR"));
            let done = Command::new("bash").args(["-c", &line]).output().expect("a shell");
            assert!([Some(65), Some(10)].contains(&done.status.code()), "{line}: {:?}", done.status);
        }
    }
}

#[test]
fn numbers_of_answer_sets_say_something_sensible() {
    let (code, _, err) = run(&["-n", "abc"], PAIR);
    assert!(code == 65 && err.contains("expected a number of answer sets"), "{err}");
    assert_eq!(run(&["-n", "-1"], PAIR).0, 10, "as if it were not there");
    assert_eq!(run(&["-n", "-2"], PAIR).0, 65);
}

#[test]
fn exit_codes_are_clasps() {
    assert_eq!(run(&[], PAIR).0, 10);
    assert_eq!(run(&["0"], PAIR).0, 30);
    assert_eq!(run(&["-n", "0"], PAIR).0, 30);
    assert_eq!(run(&["--models=3"], PAIR).0, 30);
    // What needs no decision is known to be all there is.
    assert_eq!(run(&["1"], "asp 1 0 0\n1 0 1 1 0 0\n0\n").0, 30);
    assert_eq!(run(&["2"], PAIR).0, 30);
    assert_eq!(run(&["0"], CIRCLE).0, 20);
    assert_eq!(run(&[], CIRCLE).0, 20);
    assert_eq!(run(&["0", "--no-simplify", "--learning", "res"], CIRCLE).0, 20);
    assert_eq!(run(&["0", "--device", "simt"], PAIR).0, 30);
}

#[test]
fn each_option_keeps_the_answers() {
    for options in [
        &["--learning", "res"][..],
        &["--heuristic", "positive"],
        &["--heuristic", "negative"],
        &["--heuristic", "jeroslow-wang"],
        &["--heuristic", "activity"],
        &["--conflicts", "8"],
        &["--restarts", "none"],
        &["--restarts", "geometric,1,1.5"],
        &["--threads-per-block", "32"],
        &["--seed", "7"],
        &["--no-simplify"],
    ] {
        let (code, out, err) = run(&[&["0"], options].concat(), pairs(3));
        assert!(code == 30 && out.contains("\nModels       : 8\n"), "{options:?}: {out}{err}");
    }
}

#[test]
fn ten_thousand_decision_levels() {
    let (code, out, err) = run(&[], pairs(10_000));
    assert_eq!((code, err.as_str()), (10, ""));
    assert!(out.contains("\nSATISFIABLE\n"));
}

#[test]
fn a_reader_that_goes_away_ends_the_run_quietly() {
    for format in [&["0"][..], &["0", "--json"]] {
        let mut child = start(format, pairs(60).as_bytes());
        let mut line = String::new();
        // The end of this statement closes the pipe.
        BufReader::new(child.stdout.take().expect("is piped")).read_line(&mut line).expect("a line");
        assert!(!line.is_empty());
        let mut err = String::new();
        child.stderr.take().expect("is piped").read_to_string(&mut err).expect("text");
        let status = child.wait().expect("it was started");
        assert_eq!((err.as_str(), status.code().map(|code| code & 65)), ("", Some(0)), "{status}");
    }
}

#[test]
fn the_time_limit_ends_a_search() {
    let began = Instant::now();
    let (code, out, _) = run(&["0", "--time-limit", "1", "--json"], pairs(60));
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    let cut = json(&out);
    assert_eq!((code, &cut["TIME LIMIT"], &cut["Models"]["More"]), (11, &1.into(), &"yes".into()));
    let witnesses = cut["Call"][0]["Witnesses"].as_array().expect("a list").len();
    assert_eq!(cut["Models"]["Number"], witnesses);
}

#[test]
fn the_time_limit_covers_reading() {
    // Nobody writes to standard input and nobody closes it.
    let mut child = command(&["--time-limit", "0.3"]).spawn().expect("the binary is there");
    let stdin = child.stdin.take();
    let (code, out, _) = told(child.wait_with_output().expect("it was started"));
    drop(stdin);
    assert_eq!(code, 1);
    assert!(out.contains("\nUNKNOWN\n\nTIME LIMIT   : 1\nModels       : 0+\n"), "{out}");
}

/// A library that says so when a process lets its libraries clean up.
fn with_last_words(folder: &Folder) -> String {
    let text = "#include <unistd.h>\n\
        __attribute__((destructor)) static void end(void) { if (write(2, \"cleaned up\", 10) < 0) _exit(3); }";
    let (source, library) = (folder.file("last_words.c", text), folder.path("last_words.so"));
    // Rust links by this compiler.
    let compiled = Command::new("cc").args(["-shared", "-fPIC", &source, "-o", &library]).status();
    assert!(compiled.expect("is installed").success());
    library
}

#[test]
fn nothing_is_cleaned_up_under_a_worker() {
    // A GPU's driver frees what it uses when the process ends, and a worker that has it compile a kernel
    // cannot be stopped: "double free".
    let folder = Folder::new("last-words");
    let library = with_last_words(&folder);
    let run = |arguments: &[&str], input: &str| {
        let mut child = command(arguments).env("LD_PRELOAD", &library).spawn().expect("the binary is there");
        let mut stdin = child.stdin.take().expect("is piped");
        stdin.write_all(input.as_bytes()).expect("it reads");
        // Who waits for more is still reading.
        let reads_on = input.is_empty().then_some(stdin);
        let (code, _, err) = told(child.wait_with_output().expect("it was started"));
        drop(reads_on);
        (code, err)
    };
    assert_eq!(run(&["--time-limit", "0.3"], ""), (1, String::new()));
    assert_eq!(run(&["0"], PAIR), (30, String::from("cleaned up")), "the library does what it is for");
}

#[test]
fn a_signal_ends_the_run_with_what_is_known() {
    for signal in signals::ALL {
        let mut child = start(&["0", "--json"], pairs(60).as_bytes());
        let pid = pid(&child);
        let mut reader = BufReader::new(child.stdout.take().expect("is piped"));
        let mut out = String::new();
        while !out.contains("\"Value\"") {
            assert!(reader.read_line(&mut out).expect("text") > 0, "ended early: {out}");
        }
        kill(pid, signal).expect("it runs");
        // A run that goes on fails the test before it fills the memory.
        reader.take(1 << 28).read_to_string(&mut out).expect("text");
        let code = child.wait().expect("it was started").code();
        let cut = json(&out);
        assert_eq!((code, &cut["INTERRUPTED"], &cut["Result"]), (Some(11), &1.into(), &"SATISFIABLE".into()));
    }
}

#[test]
fn one_signal_is_enough_while_nobody_reads() {
    for format in ["--json", "--json-lines", "--outf=0"] {
        // The pipe is full long before all answer sets are printed.
        let mut child = start(&["0", format], pairs(60).as_bytes());
        let pid = pid(&child);
        let mut first = [0; 1];
        let mut out = child.stdout.take().expect("is piped");
        out.read_exact(&mut first).expect("it prints");
        thread::sleep(Duration::from_millis(300));
        let began = Instant::now();
        kill(pid, Signal::SIGTERM).expect("it runs");
        let code = loop {
            match child.try_wait().expect("it was started") {
                Some(status) => break status.code(),
                None if began.elapsed() > Duration::from_secs(30) => {
                    child.kill().expect("it runs");
                    panic!("{format}: the run goes on");
                }
                None => thread::sleep(Duration::from_millis(20)),
            }
        };
        drop(out);
        assert_eq!(code, Some(11), "{format}");
    }
}
