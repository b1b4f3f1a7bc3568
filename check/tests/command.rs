//! The command: exit codes, texts and JSON.

use std::io::Write;
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = "asp 1 0 0\n1 1 2 1 2 0 0\n4 1 a 1 1\n4 1 b 1 2\n0\n";

/// Runs the command with a program as a file and a proof as standard input.
fn run(name: &str, proof: impl AsRef<[u8]>, options: &[&str]) -> Output {
    run_on(name, "-", proof.as_ref(), options)
}

/// The same, with a proof from a file, or from standard input.
fn run_on(name: &str, from: &str, proof: &[u8], options: &[&str]) -> Output {
    run_of(PROGRAM, name, from, proof, options)
}

/// The same, with another program.
fn run_of(program: &str, name: &str, from: &str, proof: &[u8], options: &[&str]) -> Output {
    let file = std::env::temp_dir().join(format!("yasmin-check-{}-{name}", std::process::id()));
    std::fs::write(&file, program).expect("it can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_yasmin-check"));
    command.arg(&file).arg(from).args(options);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    let mut input = child.stdin.take().expect("an input");
    // The command may have ended before it has read everything.
    let _ = input.write_all(proof);
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let _ = std::fs::remove_file(&file);
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

const PROOF: &str = "p yasmin 1\nq 1 0\na 0\na 1 0\na 2 0\na 1 2 0\nn 1 0\nn 0\ne 1\n";

#[test]
fn an_accepted_proof() {
    let output = run("accepted", PROOF, &["--answers"]);
    assert_eq!(output.status.code(), Some(0));
    let expected = "\na\nb\na b\nACCEPTED\nthe program has 4 answer sets, and no other\n";
    assert_eq!(text(&output.stdout), expected);
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn json() {
    let output = run("json", PROOF, &["--json", "--answers"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["Verdict"], "accepted");
    assert_eq!(document["Proved"], "the program has 4 answer sets, and no other");
    assert_eq!(document["Conclusion"]["Question"], "AnswerSets");
    assert_eq!(document["Conclusion"]["AnswerSets"], 4);
    assert_eq!(document["AnswerSets"], serde_json::json!([[], ["a"], ["b"], ["a", "b"]]));
    assert_eq!(document["Steps"], 8);
    assert!(document["Seconds"].is_number());
    let output = run("refused-json", "p yasmin 1\n\nn 1 0\n", &["--json"]);
    assert_eq!(output.status.code(), Some(10));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&document["Verdict"], &document["Line"]), (&"refused".into(), &3.into()));
    let output = run("binary-json", "yasmin01\0n\u{2}\u{2}", &["--json"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&document["Verdict"], &document["Byte"]), (&"refused".into(), &9.into()));
}

#[test]
fn a_compressed_proof() {
    let (first, second) = PROOF.as_bytes().split_at(20);
    let frame = |bytes: &[u8]| zstd::bulk::compress(bytes, 3).expect("memory takes all bytes");
    let whole = [frame(first), frame(second)].concat();
    let output = run("compressed", &whole, &[]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), "ACCEPTED\nthe program has 4 answer sets, and no other\n");
    let output = run("compressed-cut", &whole[..whole.len() - 1], &[]);
    assert_eq!(output.status.code(), Some(65));
    assert!(text(&output.stderr).contains("cannot be read"), "{}", text(&output.stderr));
}

#[test]
fn no_conclusion_and_refusals() {
    let output = run("unfinished", "p yasmin 1\nq 1 0\ne 0\n", &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).starts_with("UNFINISHED\n"));
    let output = run("refused", "p yasmin 1\nq 1 0\nn 1 0\n", &[]);
    assert_eq!((output.status.code(), &text(&output.stdout)[..]), (Some(10), "REFUSED\n"));
    let why = "yasmin-check: step 2 (line 3) is refused: propagation finds no conflict: n 1 0\n";
    assert_eq!(text(&output.stderr), why);
    let output = run("malformed", "p yasmin 1\nn 1\n", &[]);
    assert_eq!(output.status.code(), Some(10));
    assert!(text(&output.stderr).contains("step 1 (line 2) is refused: the step ends too early"));
    let output = run("empty", "", &[]);
    assert_eq!(output.status.code(), Some(10));
}

#[test]
fn files_that_cannot_be_read() {
    let command = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_yasmin-check"));
        let output = command.args(args).stdin(Stdio::null()).output().expect("it runs");
        (output.status.code(), text(&output.stderr))
    };
    let (code, error) = command(&["/no/such/file", "-"]);
    assert_eq!(code, Some(65));
    assert!(error.starts_with("yasmin-check: /no/such/file: cannot be read: "), "{error}");
    let (code, error) = command(&["-", "/no/such/file"]);
    assert_eq!(code, Some(65));
    assert!(error.contains("-:1: expected `asp 1 0 0`"), "{error}");
    assert_eq!(command(&["-", "-"]).0, Some(65));
    assert_eq!(command(&["--no-such-option"]).0, Some(65));
    assert_eq!(command(&["--help"]).0, Some(0));
    assert_eq!(command(&["--version"]).0, Some(0));
    assert_eq!(command(&["--man", "-"]).0, Some(65));
}

#[test]
fn the_manual_page_has_all_options() {
    let output = Command::new(env!("CARGO_BIN_EXE_yasmin-check")).arg("--man").output().expect("it runs");
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    let page = text(&output.stdout);
    assert!(page.contains("\n.TH yasmin-check 1 "), "{page}");
    for option in ["cnf", "lrat", "backward", "trim", "threads", "json", "answers", "man"] {
        assert!(page.contains(&format!("\\-\\-{option}")), "--{option} in {page}");
    }
}

#[test]
fn what_is_needed_is_checked_and_written() {
    let short = std::env::temp_dir().join(format!("yasmin-check-{}-short", std::process::id()));
    let file = short.to_str().expect("a name");
    // The step `n 2 0` is of no use.
    let proof = PROOF.replace("n 1 0\n", "n 1 0\nn 2 0\n");
    let output = run("trim", &proof, &["--trim", file, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["Conclusion"]["AnswerSets"], 4);
    let left = std::fs::read_to_string(&short).expect("it was written");
    assert!(!left.contains("n 2 0") && left.ends_with("e 1\n"), "{left}");
    assert_eq!(document["Steps"], left.lines().count() - 1);
    let again = run("trimmed", &left, &[]);
    assert_eq!(text(&again.stdout), "ACCEPTED\nthe program has 4 answer sets, and no other\n");
    std::fs::remove_file(&short).expect("it is there");

    let output = run("backward", "p yasmin 1\nq 1 0\nn 1 0\nn 0\ne 1\n", &["--backward"]);
    assert_eq!((output.status.code(), &text(&output.stdout)[..]), (Some(10), "REFUSED\n"));
    let why = "yasmin-check: step 3 (line 4) is refused: propagation finds no conflict: n 0\n";
    assert_eq!(text(&output.stderr), why);
    let output = run("answer", "p yasmin 1\nq 1 0\na 1 0\na 1 0\ne 0\n", &["--backward"]);
    let why = "yasmin-check: step 3 (line 4) is refused: it was told before: a 1 0\n";
    assert_eq!((output.status.code(), &text(&output.stderr)[..]), (Some(10), why));
    let output = run("unwritable", PROOF, &["--trim", "/no/such/folder/file"]);
    assert_eq!(output.status.code(), Some(65));
    assert!(text(&output.stderr).contains("/no/such/folder/file: cannot be written: "));
}

/// A proof that is right, and more than an option takes, is no proof that is refused.
#[test]
fn what_an_option_does_not_take_is_said() {
    let short = std::env::temp_dir().join(format!("yasmin-check-{}-beyond", std::process::id()));
    let file = short.to_str().expect("a name");
    let lrat = &format!("{file}.lrat")[..];
    let calls = "p yasmin 1\nq 1 0\nk 1 0\na 1 0\na 1 2 0\nf 1 1 0\ne 1\n";
    let two = "p yasmin 1\nq 5 0\nq 1 0\na 0\na 1 0\na 2 0\na 1 2 0\nn 0\ne 1\n";
    let clauses = "cannot be written as clauses; leave out --cnf and --lrat";
    for (proof, options, why) in [
        (calls, &["--cnf", file, "--lrat", lrat], format!("step 2 (line 3): calls {clauses}")),
        (
            two,
            &["--cnf", file, "--lrat", lrat],
            format!("step 1 (line 2): bounds, consequences, an optimum, or several questions {clauses}"),
        ),
    ] {
        for right in [&[][..], &["--backward"]] {
            let right = run_of(PROGRAM, "beyond", "-", proof.as_bytes(), right);
            assert_eq!(right.status.code(), Some(0), "{}", text(&right.stderr));
        }
        let output = run_of(PROGRAM, "beyond", "-", proof.as_bytes(), options);
        assert_eq!(
            (output.status.code(), text(&output.stderr)),
            (Some(65), format!("yasmin-check: {why}\n"))
        );
        assert_eq!(text(&output.stdout), "");
        assert!(!short.exists() && !std::path::Path::new(lrat).exists());
    }
}

#[test]
fn several_threads_say_what_one_says() {
    let proofs = [
        PROOF.to_string(),
        PROOF.replace("n 1 0\n", "n 1 0\nn 2 0\n"),
        // Steps that are refused: of each share, the last one, one of two, an answer set, one that is none.
        PROOF.replace("a 1 2 0\n", ""),
        "p yasmin 1\nq 1 0\nn 1 0\n".into(),
        "p yasmin 1\nq 1 0\nn 1 -1 0\nn 1 0\nn 1 0\n".into(),
        "p yasmin 1\nq 1 0\nn 1 -1 0\nn 2 -2 0\nn 1 0\ne 0\n".into(),
        "p yasmin 1\nq 1 0\na 1 0\na 1 0\ne 0\n".into(),
        "p yasmin 1\nq 1 0\nn 1 -1 0\nn 1\n".into(),
        "p yasmin 1\nq 1 0\ne 0\n".into(),
    ];
    let file = std::env::temp_dir().join(format!("yasmin-check-{}-shared.proof", std::process::id()));
    for proof in &proofs {
        for options in [&["--answers"][..], &["--json", "--answers"], &["--backward", "--answers"]] {
            // What was found out until a step was refused may differ in the time that it took.
            let said = |output: Output| {
                let words = text(&output.stdout);
                let words = words.split("\"Seconds\"").next().unwrap_or_default().to_string();
                (output.status.code(), words, text(&output.stderr))
            };
            let alone = said(run("one-thread", proof, options));
            for threads in ["2", "3", "7"] {
                let options = [options, &["--threads", threads]].concat();
                let shared = said(run("threads", proof, &options));
                match alone.0 {
                    // The part that refuses the step may not be the one that prints answer sets.
                    Some(10) => assert_eq!((shared.0, &shared.2), (Some(10), &alone.2), "{threads}: {proof}"),
                    _ => assert_eq!(shared, alone, "{threads}: {proof}"),
                }
            }
        }
    }
    std::fs::write(&file, PROOF).expect("it can be written");
    let output = run_on("threads-file", file.to_str().expect("a name"), b"", &["--threads", "3"]);
    assert_eq!(text(&output.stdout), "ACCEPTED\nthe program has 4 answer sets, and no other\n");
    std::fs::remove_file(&file).expect("it is there");
    let refused =
        run("threads-trim", proofs[6].as_str(), &["--threads", "2", "--trim", "/tmp/yasmin-no-such-file"]);
    assert_eq!(refused.status.code(), Some(10));
    assert!(!std::path::Path::new("/tmp/yasmin-no-such-file").exists());
    assert_eq!(run("no-threads", PROOF, &["--threads", "0"]).status.code(), Some(65));
    assert_eq!(run("cnf", PROOF, &["--threads", "2", "--cnf", "a", "--lrat", "b"]).status.code(), Some(65));
}
