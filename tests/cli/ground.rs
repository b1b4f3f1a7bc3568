//! Programs that have to be grounded first. Most tests need gringo, and say so if it is not there.

use std::fs;
use std::path::Path;

use super::*;

/// Whether gringo can be run.
pub fn has_gringo() -> bool {
    let found = Command::new("gringo").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        eprintln!("SKIPPED: gringo is missing");
    }
    found
}

/// The atoms of each answer set, in order, as text prints them.
fn answers(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let found = lines.windows(2).filter(|pair| pair[0].starts_with("Answer: "));
    let mut all: Vec<String> = found
        .map(|pair| {
            let mut atoms: Vec<&str> = pair[1].split(' ').collect();
            atoms.sort_unstable();
            atoms.join(" ")
        })
        .collect();
    all.sort_unstable();
    all
}

#[test]
fn a_logic_program_is_grounded() {
    if !has_gringo() {
        return;
    }
    let folder = Folder::new("grounded");
    let program = folder.file("no.ending", "#const n = 1. a(n). b :- not c. c :- not b.");
    let other = folder.file("-c.lp", "d :- b.");
    let (code, out, err) = run(&[&program, "0"], "");
    assert_eq!((code, answers(&out), err.as_str()), (30, vec!["a(1) b".into(), "a(1) c".into()], ""));
    let (code, out, _) = run(&["-c", "n=7", "--const=m=2", &program, &other, "0"], "");
    assert_eq!((code, answers(&out)), (30, vec!["a(7) b d".into(), "a(7) c".into()]));
    assert!(out.contains("\nReading from ") && out.contains(" ...\n"), "{out}");
    // Files and standard input, and that alone.
    let (code, out, _) = run(&[&program, "-", "0"], ":- c. e.");
    assert_eq!((code, answers(&out)), (30, vec!["a(1) b e".into()]));
    // Not taken for a ground program.
    assert!(!run(&[], "1\n{a; b}\n1.").2.contains("standard input"));
    let (_, out, _) = run(&["--json", "-"], "asp :- not b. b :- not asp. :- b.");
    assert_eq!(json(&out)["Call"][0]["Witnesses"][0]["Value"], serde_json::json!(["asp"]));
}

#[test]
fn the_ground_program_is_kept_whole_or_not_at_all() {
    if !has_gringo() {
        return;
    }
    let folder = Folder::new("kept");
    let kept = folder.path("kept.aspif");
    let (code, out, _) = run(&["--keep-ground", &kept, "0"], "a :- not b. b :- not a.");
    assert_eq!(code, 30);
    let (_, again, _) = run(&[&kept, "0"], "");
    assert_eq!(answers(&out), answers(&again));
    // A grounder that fails leaves the old one as it was.
    let before = fs::read(&kept).expect("was written");
    assert_ne!(run(&["--keep-ground", &kept], "a(X).").0 & 1, 0);
    assert_eq!(fs::read(&kept).expect("is there"), before);
    assert_eq!(fs::read_dir(&folder.0).expect("a folder").count(), 1);
    for nowhere in [folder.path("missing/kept"), "/dev/full".into()] {
        let (code, out, err) = run(&["--keep-ground", &nowhere], "a.");
        assert!(code == 65 && knows_nothing(&out), "{err}");
        assert!(err.starts_with(&format!("yasmin: error: cannot write {nowhere}: ")), "{err}");
    }
}

#[test]
fn what_the_grounder_says_is_told_as_it_is() {
    if !has_gringo() {
        return;
    }
    let (code, out, err) = run(&["--json"], "a b c(");
    let gringos = Command::new("sh").args(["-c", "echo 'a b c(' | gringo"]).output().expect("a shell");
    let words = String::from_utf8_lossy(&gringos.stderr).into_owned();
    assert!(code == 65 && knows_nothing(&out), "{out}");
    assert!(err.starts_with(&words) && err.contains("yasmin: error: the grounder `gringo` failed"), "{err}");
}

#[test]
fn without_a_grounder_it_is_said_how_to_get_one() {
    let folder = Folder::new("nothing");
    let mut missing = command(&["--json"]);
    let mut child = missing.env("PATH", &folder.0).spawn().expect("the binary is there");
    child.stdin.take().expect("is piped").write_all(b"a.").expect("is read");
    let (code, out, err) = told(child.wait_with_output().expect("it was started"));
    assert!(code == 65 && knows_nothing(&out), "{out}");
    assert!(
        err.starts_with("yasmin: error: standard input: not ground")
            && err.contains("apt-get install gringo"),
        "{err}"
    );
    assert_eq!(err.lines().count(), 1, "{err}");
    let (code, _, err) = run(&["--grounder", "/nowhere/gringo"], "a.");
    assert!(code == 65 && err.contains("cannot run the grounder `/nowhere/gringo`: "), "{err}");
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let folder = Folder::new("mixed");
    let (ground, text) = (folder.file("ground", PAIR), folder.file("text", "a."));
    for (arguments, word) in [
        (&[ground.as_str(), &text][..], "this program is ground, and another is not"),
        (&[text.as_str(), "-"], "this program is ground, and another is not"),
        (&[ground.as_str(), "-"], "a second ground program"),
        (&[ground.as_str(), "-c", "n=1"], "--const means nothing"),
        (&[ground.as_str(), "--keep-ground", "x"], "--keep-ground means nothing"),
        (&["/nowhere/p.lp"], "/nowhere/p.lp: cannot be read"),
    ] {
        let (code, out, err) = run(arguments, PAIR);
        assert!(code == 65 && knows_nothing(&out), "{arguments:?}: {err}");
        assert!(err.contains(word) && err.lines().count() == 1, "{arguments:?}: {err}");
    }
}

#[test]
fn no_grounder_goes_on_without_us() {
    let folder = Folder::new("endless");
    let program = folder.file("text", "a.");
    let written = folder.path("pid");
    let script = format!("#!/bin/sh\necho $$ > {written}.new\nmv {written}.new {written}\nsleep 1000\n");
    let grounder = folder.file("grounder", &script);
    let arguments =
        [program.as_str(), "--grounder", &grounder, "--keep-ground", &folder.path("kept"), "--json"];
    for signal in [Some(Signal::SIGINT), Some(Signal::SIGTERM), None] {
        let limit: &[&str] = if signal.is_none() { &["--time-limit", "1"] } else { &[] };
        let child = start(&[&arguments, limit].concat(), b"");
        while !Path::new(&written).exists() {
            thread::sleep(Duration::from_millis(5));
        }
        let theirs: i32 = fs::read_to_string(&written).expect("text").trim().parse().expect("a process id");
        if let Some(signal) = signal {
            kill(pid(&child), signal).expect("it runs");
        }
        let (code, out, err) = told(child.wait_with_output().expect("it was started"));
        let cut = json(&out);
        assert_eq!((code, &cut["Result"], err.as_str()), (1, &"UNKNOWN".into(), ""), "{out}");
        assert_eq!(cut.get("TIME LIMIT").is_some(), signal.is_none());
        assert!(kill(Pid::from_raw(theirs), None).is_err(), "the grounder is still there");
        fs::remove_file(&written).expect("was written");
        assert_eq!(fs::read_dir(&folder.0).expect("a folder").count(), 2, "something is left");
    }
}
