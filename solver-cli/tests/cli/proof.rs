//! `--proof` from the command line: where the proof goes, what it is refused with, that it changes no result, and how it
//! ends. Whether the proofs are right is for `tests/tests/proofs.rs` to say.

use super::{command, full_disk_is_an_error_of, pairs, run, Folder, PAIR, PIGEONS};
use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use serde_json::{json, Value};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

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

/// A checker beside the command, which prints `document`, and the command.
fn beside_a_checker(folder: &Folder, document: &str) -> PathBuf {
    folder.file("yasmin-check", &format!("#!/bin/sh\necho '{document}'\n"));
    folder.installed("yasmin", env!("CARGO_BIN_EXE_yasmin")).into()
}

#[test]
fn what_the_checker_says_of_a_proof_is_told() {
    let folder = Folder::new("proof-checked");
    let (program, proof) = (folder.path("p.aspif"), folder.path("p.proof"));
    fs::write(&program, PAIR).expect("it can be written");
    let run = |document: &str, format: &str| {
        let mut command = Command::new(beside_a_checker(&folder, document));
        let output = command.args([&program, "0", "--check=all", "--proof", &proof, format]).output();
        let output = output.expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let accepted = r#"{"Verdict":"accepted","Proved":"this and that","Seconds":0.25}"#;
    let (code, out, err) = run(accepted, "--outf=0");
    assert!(code == Some(30) && out.contains("\nProved       : this and that (0.250s)\n"), "{out}{err}");
    let (code, out, _) = run(accepted, "--json");
    let document: Value = serde_json::from_str(&out).expect("JSON");
    let proved = json!({ "Verdict": "accepted", "Proved": "this and that", "Seconds": 0.25 });
    assert_eq!((code, &document["Proof"]), (Some(30), &proved));
    for (document, told) in [
        (r#"{"Verdict":"refused","Reason":"step 3"}"#, "internal error: the proof is refused: step 3"),
        (r#"{"Verdict":"unfinished"}"#, "internal error: the proof has no conclusion"),
        (r#"{"Verdict":"error","Reason":"no file"}"#, "yasmin-check: no file"),
        ("{", "says no JSON"),
    ] {
        let (code, out, err) = run(document, "--json");
        let doubts = told.starts_with("internal error");
        // If the answer sets are not in doubt, the code says that there are some.
        assert_eq!(code, Some(if doubts { 65 } else { 75 }), "{out}");
        assert!(err.contains(told), "{err}");
        let document: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(document["Result"], if doubts { "UNKNOWN" } else { "SATISFIABLE" }, "{out}");
        assert!(
            document["Proof"].is_null() && document["Error"].as_str().is_some_and(|why| why.contains(told))
        );
    }
}

#[test]
fn what_cannot_be_checked_is_said_before_the_search() {
    let folder = Folder::new("proof-unchecked");
    let (program, path) = (folder.path("p.aspif"), folder.path("p.proof"));
    fs::write(&program, PAIR).expect("it can be written");
    let checked = beside_a_checker(&folder, "{}");
    fs::create_dir(folder.path("no-checker")).expect("it can be made");
    let alone = folder.installed("no-checker/yasmin", env!("CARGO_BIN_EXE_yasmin")).into();
    for (command, arguments, told) in [
        (&checked, &["--proof", &path, "-"][..], "give it as one file"),
        (&checked, &["--proof", "-", &program], "give --proof a file"),
        (&alone, &["--proof", &path, &program], "--check=all with --proof runs yasmin-check"),
    ] {
        let mut command = Command::new(command);
        command.args(arguments).arg("--check=all").env("PATH", "/nonexistent");
        let output = command.stdin(fs::File::open(&program).expect("it is there")).output();
        let output = output.expect("it runs");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(65) && err.contains(told), "{err}");
        assert!(!String::from_utf8_lossy(&output.stdout).contains("Answer"), "{err}");
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
