//! `--proof` from the command line: where the proof goes, what it is refused with, that it changes no result, and how it
//! ends. Whether the proofs are right is for `tests/tests/proofs.rs` to say.

use super::{command, full_disk_is_an_error_of, json, pairs, run, told, Folder, CIRCLE, PAIR, PIGEONS};
use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use serde_json::{json, Value};
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;
use yasmin_check::proof::Proof;
use yasmin_check::{program, Checker};

fn last_line(path: &str) -> String {
    let text = fs::read_to_string(path).expect("the proof is there");
    assert!(text.starts_with("p yasmin 1\n") && text.ends_with('\n'), "{text}");
    text.lines().last().unwrap_or_default().to_string()
}

#[test]
fn a_proof_changes_no_result_and_says_whether_it_concludes() {
    let folder = Folder::new("proof-answers");
    let path = folder.path("pair.proof");
    for arguments in [
        &["0"][..],
        &["1"],
        &["0", "--engine", "host"],
        &["0", "--device", "simt"],
        &["0", "--project"],
        &["0", "-t4", "--join-after=0"],
    ] {
        let (code, out, err) = run(&[arguments, &["--proof", &path, "-V0"]].concat(), PAIR);
        let (want, plain, _) = run(&[arguments, &["-V0"]].concat(), PAIR);
        assert_eq!((code, err.as_str()), (want, ""), "{arguments:?}");
        let sorted = |text: &str| {
            let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
            lines.sort();
            lines
        };
        // Of one answer set, another may come first.
        assert!(arguments[0] == "1" || sorted(&out) == sorted(&plain), "{arguments:?}: {out}");
        let end = if code & 20 == 20 { "e 1" } else { "e 0" };
        assert_eq!(last_line(&path), end, "{arguments:?}");
    }
    // What is not searched needs no search to be proved.
    let (code, ..) = run(&["--proof", &path, "--brave"], "asp 1 0 0\n1 0 0 0 0\n0\n");
    assert_eq!((code, last_line(&path).as_str()), (20, "e 1"));
}

#[test]
fn a_binary_proof_is_shorter() {
    let folder = Folder::new("proof-binary");
    let (text, binary) = (folder.path("text.proof"), folder.path("binary.proof"));
    let (code, out, err) = run(&[PIGEONS, "0", "--proof", &text], "");
    assert_eq!((code, err.as_str()), (20, ""), "{out}");
    run(&[PIGEONS, "0", "--proof", &binary, "--proof-format", "binary"], "");
    let [text, binary] = [text, binary].map(|path| fs::read(path).expect("the proof is there"));
    assert!(binary.starts_with(b"yasmin01\0") && binary.ends_with(b"e\x02"));
    assert!(2 * binary.len() < text.len(), "{} and {} bytes", binary.len(), text.len());
}

#[test]
fn a_stopped_run_leaves_a_proof_without_a_conclusion() {
    let folder = Folder::new("proof-stopped");
    let (path, program) = (folder.path("many.proof"), folder.path("many.aspif"));
    fs::write(&program, pairs(40)).expect("the folder is there");
    let (code, out, _) = run(&[&program, "0", "-q", "--proof", &path, "--time-limit", "1"], "");
    assert_eq!((code, last_line(&path).as_str()), (11, "e 0"), "{out}");
    let mut child =
        command(&[&program, "0", "-q", "--proof", &path]).stdout(Stdio::null()).spawn().expect("it runs");
    thread::sleep(Duration::from_millis(500));
    kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).expect("it is still there");
    assert_eq!(child.wait().expect("it ends").code(), Some(11));
    assert_eq!(last_line(&path), "e 0");
}

#[test]
fn a_proof_may_go_to_standard_output() {
    let folder = Folder::new("proof-output");
    let path = folder.path("a.proof");
    let (code, results, _) = run(&["0", "--proof", &path, "-V0"], PAIR);
    let (streamed_code, out, err) = run(&["0", "--proof", "-", "-V0"], PAIR);
    assert_eq!((code, streamed_code), (30, 30));
    assert_eq!(out, fs::read_to_string(&path).expect("the proof is there"));
    assert_eq!(err, results, "the results are on standard error");
}

#[test]
fn a_compressed_proof_is_the_same_proof() {
    let folder = Folder::new("proof-compressed");
    let (plain, compressed) = (folder.path("a.proof"), folder.path("a.proof.zst"));
    for format in ["text", "binary"] {
        // Other searchers would join after a time, and each run would have a proof of its own.
        let options = [PIGEONS, "0", "-t1", "--proof-format", format, "--proof"];
        let (code, ..) = run(&[&options[..], &[&plain]].concat(), "");
        let (same, ..) = run(&[&options[..], &[&compressed, "--proof-compress"]].concat(), "");
        assert_eq!((code, same), (20, 20));
        let bytes = fs::read(&compressed).expect("the proof is there");
        let decoded = zstd::decode_all(&bytes[..]).expect("it is whole");
        assert_eq!(decoded, fs::read(&plain).expect("the proof is there"), "{format}");
        assert!(bytes.len() < decoded.len(), "{format}");
    }
}

/// A script that stands in for the checker, and the command beside it.
///
/// It keeps its number, and the program and the proof that it reads, in files of the folder; `before` comes
/// before it reads the proof, and `document` is what it prints.
fn beside_a_checker(folder: &Folder, before: &str, document: &str) -> PathBuf {
    let [number, program, proof] = ["checker.pid", "read.aspif", "read.proof"].map(|name| folder.path(name));
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && exit\necho $$ >'{number}'\ncat \"$1\" >'{program}'\n{before}\n\
         cat >'{proof}'\necho '{document}'\n"
    );
    folder.file("yasmin-check", &script);
    folder.installed("yasmin", env!("CARGO_BIN_EXE_yasmin")).into()
}

const ACCEPTED: &str = r#"{"Verdict":"accepted","Proved":"this and that","Seconds":0.25}"#;

/// A run beside a checker.
fn checked(yasmin: &PathBuf, arguments: &[&str], input: &str) -> (i32, String, String) {
    told(fed(yasmin, arguments, input).wait_with_output().expect("it was started"))
}

fn fed(yasmin: &PathBuf, arguments: &[&str], input: &str) -> Child {
    let mut command = Command::new(yasmin);
    command.env_remove("YASMIN_OPTIONS").env("XDG_CONFIG_HOME", "/nonexistent").args(["--device", "cpu"]);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    // The command may end before it has read everything.
    let _ = child.stdin.take().expect("is piped").write_all(input.as_bytes());
    child
}

/// Whether no checker of a folder runs. One that was ended at once may have had no time to say its number.
fn is_gone(folder: &Folder) -> bool {
    let number = fs::read_to_string(folder.path("checker.pid")).unwrap_or_default();
    number.trim().parse().is_ok_and(|number| kill(Pid::from_raw(number), None).is_err()) || number.is_empty()
}

/// What the checker's library says of what the checker of a folder has read.
fn concluded(folder: &Folder) -> Option<String> {
    let [program, proof] =
        ["read.aspif", "read.proof"].map(|name| fs::read(folder.path(name)).expect("it was read"));
    let mut checker = Checker::new(program::read("program", &program).expect("a program"));
    let mut steps = Proof::new(&proof[..]);
    while let Some(step) = steps.step().expect("a step") {
        checker.step(&step).expect("it follows");
    }
    checker.conclusion().map(|concluded| concluded.to_string())
}

/// The lines of what was printed, in no order, without how long it took and without what is proved.
fn answer(out: &str) -> Vec<&str> {
    let is_kept = |line: &&str| {
        let line = line.trim_start_matches("% ");
        !["Time", "CPU Time", "Proved"].iter().any(|word| line.starts_with(word))
    };
    let mut lines: Vec<_> = out.lines().filter(is_kept).collect();
    lines.sort_unstable();
    lines
}

/// A JSON document without what of it differs from run to run, and what is proved.
fn parts(out: &str) -> (Value, Value) {
    let document = json(out);
    let (result, proof) = (json!([document["Result"], document["Models"]]), document["Proof"].clone());
    let mut sets: Vec<String> = document["Call"][0]["Witnesses"]
        .as_array()
        .map_or(&[][..], |sets| sets)
        .iter()
        .map(|set| format!("{} {}", set["Value"], set["Costs"]))
        .collect();
    sets.sort();
    (json!([result, sets]), proof)
}

/// `{a; b}.`, at least one of them, and each costs.
const COSTLY: &str = "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 0 0 2 -1 -2\n2 0 2 1 3 2 2\n4 1 a 1 1\n4 1 b 1 2\n0\n";

#[test]
fn a_proof_that_is_checked_changes_no_answer_and_says_that_it_is_proved() {
    let folder = Folder::new("proof-beside");
    let yasmin = beside_a_checker(&folder, "", ACCEPTED);
    let pigeons = fs::read_to_string(PIGEONS).expect("it is there");
    for (program, options, proved) in [
        (&*pigeons, &["0", "-t1"][..], "the program has no answer set"),
        (CIRCLE, &["0", "-t1"], "the program has no answer set"),
        (PAIR, &["0", "-t1"], "the program has 2 answer sets, and no other"),
        ("asp 1 0 0\n1 0 1 1 0 0\n4 1 a 1 1\n0\n", &["--brave", "-t1"], "the brave consequences"),
        (COSTLY, &["-t1"], "the optimal costs are 2"),
        (COSTLY, &["--opt-mode=optN", "0", "-t1"], "the program has 1 answer set"),
    ] {
        let proof = [options, &["--check=proof"]].concat();
        for style in ["--outf=0", "-q", "--outf=1"] {
            let (code, out, err) = checked(&yasmin, &[&proof[..], &[style]].concat(), program);
            let (same, plain, _) = run(&[options, &[style]].concat(), program);
            assert_eq!(code, same, "{options:?} {style} {err}");
            // A competition is told the last answer set alone, and that may be another one.
            assert!(style == "--outf=1" || answer(&out) == answer(&plain), "{options:?} {style}: {out}");
            assert!(out.lines().any(|line| line.ends_with(": this and that (0.250s)")), "{out}");
        }
        let (code, out, _) = checked(&yasmin, &[&proof[..], &["--json"]].concat(), program);
        let (same, plain, _) = run(&[options, &["--json"]].concat(), program);
        let ((found, is_proved), (wanted, _)) = (parts(&out), parts(&plain));
        assert_eq!((code, found), (same, wanted), "{options:?}");
        assert_eq!(is_proved, serde_json::from_str::<Value>(ACCEPTED).expect("JSON"));
        let (code, out, _) = checked(&yasmin, &[&proof[..], &["--json-lines"]].concat(), program);
        let last: Value = serde_json::from_str(out.lines().last().unwrap_or_default()).expect("JSON");
        assert_eq!((code, &last["Proof"]["Proved"]), (same, &"this and that".into()), "{out}");
        assert_eq!(fs::read_to_string(folder.path("read.aspif")).expect("it was read"), program);
        let concluded = concluded(&folder).unwrap_or_default();
        assert!(concluded.contains(proved), "{options:?}: {concluded}");
        assert!(is_gone(&folder));
    }
    let (code, out, _) = checked(&yasmin, &["0", "--check=proof", "--outf=3"], PAIR);
    assert_eq!((code, &*out), (30, ""));
    // No other file was left.
    let mut files: Vec<_> =
        fs::read_dir(&folder.0).expect("it is there").map(|file| file.expect("a file").file_name()).collect();
    files.sort();
    assert_eq!(files, ["checker.pid", "read.aspif", "read.proof", "yasmin", "yasmin-check"]);
}

#[test]
fn a_checked_proof_may_be_kept() {
    let folder = Folder::new("proof-kept");
    let (yasmin, path) = (beside_a_checker(&folder, "", ACCEPTED), folder.path("p.proof"));
    for check in ["--check=all", "--check=proof"] {
        let options = ["0", "-t1", check, "--proof", &path, "--proof-compress"];
        let (code, out, err) = checked(&yasmin, &options, PAIR);
        assert!(code == 30 && out.contains("\nProved       : this and that"), "{out}{err}");
        let kept = zstd::decode_all(&fs::read(&path).expect("it was written")[..]).expect("it is whole");
        assert!(kept.starts_with(b"p yasmin 1\n"));
        assert_eq!(kept, fs::read(folder.path("read.proof")).expect("it was read"), "{check}");
        let (code, out, err) = checked(&yasmin, &["0", "-t1", check, "--proof", "-"], PAIR);
        assert_eq!((code, out.as_bytes()), (30, &kept[..]));
        assert!(err.contains("\nProved       : this and that"), "{err}");
    }
}

#[test]
fn a_slow_checker_is_waited_for_and_reads_every_step() {
    let folder = Folder::new("proof-slow");
    let yasmin = beside_a_checker(&folder, "sleep 1", ACCEPTED);
    // More than a pipe and what waits for it hold.
    let (code, out, err) = checked(&yasmin, &["0", "-q", "-t1", "--check=proof"], &pairs(13));
    assert!(code == 30 && out.contains("\nProved       : this and that"), "{out}{err}");
    assert!(fs::metadata(folder.path("read.proof")).expect("it was read").len() > 1 << 17);
    assert_eq!(concluded(&folder).as_deref(), Some("the program has 8192 answer sets, and no other"));
}

#[test]
fn a_search_that_claims_nothing_leaves_no_checker() {
    let folder = Folder::new("proof-left");
    // Its reading of the proof begins when the test is over.
    let yasmin = beside_a_checker(&folder, "sleep 1000", ACCEPTED);
    let many = pairs(40);
    for (options, program, code) in [
        (&["1"][..], PAIR, 10),
        (&["0", "-q", "--time-limit=1"], &many, 11),
        // All was searched, and the checker was stopped.
        (&["0", "--time-limit=1"], PAIR, 30),
        (&["0", "-q", "--solve-limit=0"], PAIR, 0),
    ] {
        for style in ["--outf=0", "--json"] {
            let options = [options, &["--check=proof", style]].concat();
            let (was, out, err) = checked(&yasmin, &options, program);
            assert!(was == code && err.is_empty(), "{options:?}: {was} {out}{err}");
            assert!(!out.contains("Proved") && is_gone(&folder), "{options:?}: {out}");
        }
    }
    for (program, code) in [(&*many, 11), (PAIR, 30)] {
        fs::remove_file(folder.path("checker.pid")).expect("it is there");
        let child = fed(&yasmin, &["0", "-q", "--check=proof"], program);
        while fs::read_to_string(folder.path("checker.pid")).map_or(0, |number| number.len()) == 0 {
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(Duration::from_millis(300));
        kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).expect("it is still there");
        let (was, out, err) = told(child.wait_with_output().expect("it was started"));
        assert!(was == code && err.is_empty() && !out.contains("Proved"), "{was} {out}{err}");
        assert!(is_gone(&folder));
    }
}

#[test]
fn what_the_checker_says_against_a_proof_is_told() {
    let folder = Folder::new("proof-against");
    let refused = r#"echo '{"Verdict":"refused","Reason":"step 3"}'; exit 10"#;
    let many = pairs(13);
    for (before, document, program, told) in [
        ("", r#"{"Verdict":"refused","Reason":"step 3"}"#, PAIR, "error: the proof is refused: step 3"),
        ("", r#"{"Verdict":"unfinished"}"#, PAIR, "error: the proof has no conclusion"),
        ("", r#"{"Verdict":"error","Reason":"no memory"}"#, PAIR, "yasmin-check: no memory"),
        ("", "{", PAIR, "has ended without a verdict"),
        // While the search is on.
        (refused, "", &many, "error: the proof is refused: step 3"),
        (&format!("echo '{ACCEPTED}'; exit"), "", &many, "error: the proof is accepted without its end"),
        ("kill -9 $$", "", &many, "has ended without a verdict: signal: 9"),
    ] {
        let yasmin = beside_a_checker(&folder, before, document);
        let path = folder.path("p.proof");
        for check in [&["--check=proof"][..], &["--check=all", "--proof", &path]] {
            let (code, out, err) = checked(&yasmin, &[check, &["0", "--json"]].concat(), program);
            let doubts = told.starts_with("error");
            // If the answer sets are not in doubt, the code says that there are some.
            assert_eq!(code, if doubts { 65 } else { 75 }, "{told}: {err}");
            assert!(err.contains(told) && err.lines().count() == 1, "{err}");
            let document = json(&out);
            assert_eq!(document["Result"], if doubts { "UNKNOWN" } else { "SATISFIABLE" }, "{told}");
            assert!(document["Proof"].is_null(), "{told}");
            assert!(document["Error"].as_str().is_some_and(|why| err.contains(why)), "{told}: {err}");
            assert!(!document["Call"][0]["Witnesses"][0].is_null(), "{told}");
            let (again, out, _) = checked(&yasmin, &[check, &["0"]].concat(), program);
            assert!(again == code && out.contains("Answer: 1") && !out.contains("Proved"), "{told}: {out}");
            assert!(is_gone(&folder));
        }
    }
}

#[test]
fn what_cannot_be_checked_is_said_before_the_search() {
    let folder = Folder::new("proof-unchecked");
    let path = folder.path("p.proof");
    let yasmin = beside_a_checker(&folder, "", ACCEPTED);
    fs::create_dir(folder.path("no-checker")).expect("it can be made");
    let alone: PathBuf = folder.installed("no-checker/yasmin", env!("CARGO_BIN_EXE_yasmin")).into();
    let two_steps = "asp 1 0 0 incremental\n1 0 1 1 0 0\n0\n1 0 1 2 0 0\n0\n";
    for (command, options, program, why) in [
        (&alone, &["--check=all", "--proof", &path][..], PAIR, "--check=all with --proof runs yasmin-check"),
        (&alone, &["--check=proof"], PAIR, "--check=proof runs yasmin-check"),
        (&yasmin, &["--check=proof"], "p cnf 1 1\n1 0\n", "--check=proof: a formula in DIMACS, WCNF or OPB"),
        (&yasmin, &["--check=proof"], two_steps, "--check=proof is for programs of one step"),
        (&yasmin, &["--check=proof", "--trace", &path], PAIR, "--check=proof is not possible with --trace"),
        (&yasmin, &["--check=proof", "--supp-models"], PAIR, "not possible with --supp-models"),
        (&yasmin, &["--check=proof", "--facets"], PAIR, "not possible with --facets"),
        (&yasmin, &["--check=proof", "--questions", &path], PAIR, "not possible with --questions"),
        (&yasmin, &["--check=proof", "--lemma-out", &path], PAIR, "not possible with --lemma-out"),
        (&yasmin, &["--check=proof", "-e", "domRec"], PAIR, "not possible with --enum-mode=domRec"),
        (&yasmin, &["--check=proof", "--text"], PAIR, "--check=proof follows a search"),
        (&yasmin, &["--check=proof", "--symmetry=yes"], PAIR, "not possible with --check=proof"),
    ] {
        let mut child = Command::new(command);
        child.args(options).env("PATH", "/nonexistent");
        child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().expect("it runs");
        let _ = child.stdin.take().expect("is piped").write_all(program.as_bytes());
        let (code, out, err) = told(child.wait_with_output().expect("it was started"));
        assert!(code == 65 && err.contains(why), "{options:?}: {err}");
        assert!(!out.contains("Answer"), "{out}");
        assert!(fs::metadata(folder.path("checker.pid")).is_err(), "{options:?}");
    }
}

#[test]
fn what_cannot_be_proved_is_said_before_the_search() {
    let folder = Folder::new("proof-refused");
    let (missing, path) = (folder.path("no/a.proof"), folder.path("a.proof"));
    for (arguments, told) in [
        (&["--proof", &missing][..], "cannot write the proof"),
        (&["--proof", &missing], "No such file or directory"),
        (&["--proof", &path, "--text"], "--proof follows a search"),
        (&["--proof", &path, "--trace", &missing], "--trace"),
        (&["--proof-format", "text"], "--proof"),
        (&["--proof", &path, "--proof-format", "drat"], "[possible values: text, binary]"),
        (&["--proof", &path, "--out-hide-aux", "--brave"], "leave --out-hide-aux out"),
    ] {
        let (code, out, err) = run(arguments, PAIR);
        assert_eq!(code, 65, "{arguments:?}: {out}");
        assert!(err.contains(told), "{arguments:?}: {err}");
        assert!(!out.contains("Answer"), "{arguments:?}: {out}");
    }
    assert!(fs::metadata(&path).is_err(), "no proof was begun");
    for formula in ["p cnf 1 1\n1 0\n", "h 1 0\n3 -1 0\n", "* #variable= 1\n1 x1 >= 1 ;\n"] {
        let (code, out, err) = run(&["--proof", &path], formula);
        assert!(code == 65 && err.contains("DIMACS, WCNF or OPB"), "{out}{err}");
    }
}

#[test]
fn a_full_disk_is_an_error_with_an_exit_code() {
    full_disk_is_an_error_of("proof");
}
