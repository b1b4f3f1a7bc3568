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

/// What an external atom means that is in the head of a rule, as clingo 5.8.3 says.
#[test]
fn only_a_rule_that_can_derive_an_external_atom_defines_it() {
    if !has_gringo() {
        return;
    }
    for (program, want) in [
        ("#external b. [true] b :- not b.", &["b"][..]),
        ("#external b. [false] b :- not b.", &[]),
        ("{c}. #external e. [free] {e} :- not e.", &["", "c", "c e", "e"]),
        ("{c}. #external e. [true] e :- c, e.", &["c e", "e"]),
        ("{c}. #external e. [true] e :- c.", &["", "c e"]),
        // The grounder gives the weight constraint an atom, by which `e` is defined.
        ("{c;d}. #external e. [true] e :- 3 #sum {2,e: not e; 1,c: c; 1,d: d}.", &[""]),
        ("{c}. #external e. [true] e :- c, not d. #external d. [true] d ; e :- not d, c.", &["d", "c d"]),
    ] {
        let (code, out, err) = run(&["0", "--check=all"], program);
        let mut want = want.to_vec();
        want.sort_unstable();
        assert_eq!(
            (answers(&out), err.as_str()),
            (want.iter().map(|set| set.to_string()).collect(), ""),
            "{program}"
        );
        assert_eq!(code, if want.is_empty() { 20 } else { 30 }, "{program}");
    }
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

/// The error code and the messages of a run, which the schema allows.
fn code_and_messages(out: &str) -> (String, Value) {
    let document = json(out);
    let schema: Value = serde_json::from_str(solver_host::output::SCHEMA).expect("JSON");
    assert!(jsonschema::is_valid(&schema, &document), "{document:#}");
    (document["ErrorCode"].as_str().unwrap_or_default().into(), document["Messages"].clone())
}

#[test]
fn what_the_grounder_says_is_in_fields_as_well() {
    if !has_gringo() {
        return;
    }
    let folder = Folder::new("messages");
    let bad = folder.file("bad.lp", "a :- b.\nc(X) :-\n  not d(X).\n");
    for further in [&[][..], &["--text"], &["--keep-ground", &folder.path("kept")]] {
        let (code, out, err) = run(&[&[bad.as_str(), "--json"], further].concat(), "");
        let (word, messages) = code_and_messages(&out);
        assert_eq!((code, word.as_str()), (65, "grounder-failed"), "{further:?}: {out}");
        let messages = messages.as_array().expect("a list").clone();
        let places: Vec<Value> =
            messages.iter().map(|one| serde_json::json!([one["Kind"], one["Line"], one["Column"]])).collect();
        assert_eq!(places[..2], [serde_json::json!(["error", 2, 1]), serde_json::json!(["note", 2, 3])]);
        assert!(messages[..2].iter().all(|one| one["File"] == bad.as_str()), "{messages:?}");
        // All that is in the fields was printed as well, in the same order.
        let mut rest = err.as_str();
        for line in messages.iter().flat_map(|one| one["Text"].as_str().expect("text").lines()) {
            rest = &rest[rest.find(line).unwrap_or_else(|| panic!("{line:?} in {rest}"))..];
        }
    }
    // A program that is solved leaves no message out either.
    let (code, _, err) = run(&["--json"], "a :- b.");
    assert!(code == 30 && err.contains("-:1:6-7: info: atom does not occur in any rule head"), "{err}");
}

#[test]
fn a_grounder_that_leaves_a_process_behind_is_not_waited_for() {
    let folder = Folder::new("lingers");
    let program = folder.file("text", "a.");
    let grounder = folder
        .file("grounder", "#!/bin/sh\necho 'x.lp:3:4-5: error: oops' >&2\nsleep 60 > /dev/null &\nexit 3\n");
    let began = Instant::now();
    let (code, out, err) = run(&[&program, "--grounder", &grounder, "--json"], "");
    let (word, messages) = code_and_messages(&out);
    assert_eq!((code, word.as_str()), (65, "grounder-failed"), "{out}");
    let want = serde_json::json!([{"Kind": "error", "File": "x.lp", "Line": 3, "Column": 4, "Text": "oops"}]);
    assert_eq!(messages, want);
    assert!(err.starts_with("x.lp:3:4-5: error: oops\n"), "{err}");
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
}

#[test]
fn each_error_has_its_code() {
    let folder = Folder::new("codes");
    let (ground, text) = (folder.file("ground", PAIR), folder.file("text", "a."));
    let steps = folder.file("steps.lp", "#script (python)\ndef main(prg): prg.configuration\n#end.");
    let broken = folder.file("broken", "asp 1 0 0\n1 0 1 x 0 0\n0\n");
    for (arguments, want) in [
        (&["--foo"][..], "usage"),
        (&[ground.as_str(), "-c", "n=1"], "usage"),
        (&[ground.as_str(), "--assume", "nobody"], "usage"),
        (&[text.as_str(), "--grounder", "a 'b"], "usage"),
        (&[broken.as_str()], "input"),
        (&["/nowhere/p.lp"], "input"),
        (&[text.as_str(), "--grounder", "/nowhere/gringo"], "no-grounder"),
        (&[text.as_str(), "--grounder", "true"], "grounder-failed"),
        (&[ground.as_str(), "--trace", "/nowhere/trace"], "write"),
        (&[ground.as_str(), "--proof", "/nowhere/proof"], "write"),
        (&[ground.as_str(), "--device", "gpu:99"], "device"),
    ] {
        let (code, out, err) = run(&[arguments, &["--json"]].concat(), "");
        assert_eq!((code, code_and_messages(&out).0.as_str()), (65, want), "{arguments:?}: {err}");
    }
    let (_, out, _) = run(&["--json", &broken], "");
    let want = serde_json::json!({"Kind": "error", "File": broken, "Line": 2});
    let (_, messages) = code_and_messages(&out);
    for key in ["Kind", "File", "Line"] {
        assert_eq!(messages[0][key], want[key], "{messages}");
    }
    assert!(messages[0]["Text"]
        .as_str()
        .is_some_and(|text| json(&out)["Error"].as_str().expect("text").ends_with(text)));
    if has_gringo() {
        let (code, out, _) = run(&["--json", &steps], "");
        assert_eq!((code, code_and_messages(&out).0.as_str()), (65, "several-steps"), "{out}");
    }
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
        (&[""], "a file: cannot be read: the name is empty; name a file"),
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

/// A Python with clingo's package, if there is one.
fn python_with_clingo() -> Option<String> {
    let python = std::env::var("YASMIN_PYTHON").unwrap_or_else(|_| "python3".into());
    let probe = Command::new(&python).args(["-c", "import clingo, sys; print(sys.executable)"]).output();
    let Some(probe) = probe.ok().filter(|probe| probe.status.success()) else {
        println!("SKIPPED: {python} has no package clingo");
        return None;
    };
    Some(String::from_utf8_lossy(&probe.stdout).trim().to_string())
}

#[test]
fn clingos_package_is_a_grounder() {
    let Some(python) = python_with_clingo() else { return };
    let folder = Folder::new("package");
    folder.file("python3", &format!("#!/bin/sh\nexec {python} \"$@\"\n"));
    // Neither gringo nor clingo is on this path.
    let run = |arguments: &[&str], text: &str| {
        let mut child = command(arguments).env("PATH", &folder.0).spawn().expect("the binary is there");
        child.stdin.take().expect("is piped").write_all(text.as_bytes()).expect("is read");
        told(child.wait_with_output().expect("it was started"))
    };
    let (code, out, err) = run(&["0", "-c", "n=2"], "1 {a(1..n)} 1.");
    assert_eq!((code, err.as_str()), (30, ""), "{out}");
    let (code, out, err) = run(&["0", "--json"], "a :- b c(");
    assert!(code == 65 && knows_nothing(&out) && err.contains("clingo of python3"), "{err}");
    let named = format!("{python} -m clingo --mode=gringo");
    let script = "#script (python)\nimport clingo\ndef two(): return clingo.Number(2)\n#end.\np(@two()).";
    assert_eq!(run(&["-V0"], script), (30, "p(2)\nSATISFIABLE\n".into(), String::new()));
    for named in [&named, &format!("{python} -m clingo")] {
        let (code, out, _) = run(&["0", "--grounder", named], "{a}.");
        assert_eq!(code, 30, "{out}");
    }
    // clingo's module would hide that it failed: its exit code is 0.
    let (code, out, err) = run(&["0", "--grounder", &named], "a :- b c(");
    assert!(code == 65 && knows_nothing(&out) && err.contains("failed (exit status: 65)"), "{err}");
}

#[test]
fn a_grounder_is_a_command_or_a_path() {
    let folder = Folder::new("a folder");
    let grounder = folder
        .file("my grounder", "#!/bin/sh\n[ \"$1\" = --x ] && n=2\nprintf \"asp 1 0 0\\n4 1 a 0\\n0\\n\"\n");
    assert_eq!(run(&["--grounder", &grounder], "a.").0, 30);
    assert_eq!(run(&["--grounder", &format!("'{grounder}' --x \"y z\"")], "a.").0, 30);
    let (code, _, err) = run(&["--grounder", "gringo 'x"], "a.");
    assert!(code == 65 && err.contains("a quote is not closed"), "{err}");
    let (code, _, err) = run(&["--grounder", "true"], "a.");
    assert!(code == 65 && err.contains("`true` wrote nothing"), "{err}");
}

#[test]
fn a_grounder_ends_with_a_killed_yasmin() {
    let folder = Folder::new("tie");
    let id = folder.path("id");
    let script = format!("#!/bin/sh\necho $$ > {id}.new; mv {id}.new {id}; exec sleep 1000\n");
    let grounder = folder.file("sleeper", &script);
    let mut child = start(&["--grounder", &grounder], b"a.");
    let wait = |is_over: &dyn Fn() -> bool| {
        let began = Instant::now();
        while !is_over() && began.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(is_over());
    };
    wait(&|| fs::exists(&id).is_ok_and(|is| is));
    let sleeper = fs::read_to_string(&id).expect("just seen").trim().to_string();
    child.kill().expect("it runs");
    child.wait().expect("it was started");
    // What nobody waits for any more is gone, or is a zombie of the system's first process.
    wait(&|| match fs::read_to_string(format!("/proc/{sleeper}/stat")) {
        Ok(about) => about.contains(") Z"),
        Err(_) => true,
    });
}

#[test]
fn a_damaged_beginning_is_told_in_one_line() {
    let folder = Folder::new("damaged");
    for (text, word) in [
        (&b"\xef\xbb\xbfasp 1 0 0\n0\n"[..], "a byte order mark"),
        (b"\xef\xbb\xbfa.", "a byte order mark"),
        (b"aspp 1 0 0\n0\n", "found `aspp`"),
        (b"Asp 1 0 0\n0\n", "found `Asp`"),
        (b"asp1 0 0\n0\n", "found `asp1`"),
        (b"asp 1 0\n", "aspif's revision"),
        (b"asp 1 0 0 foo\n0\n", "the tag `foo`"),
        (b"asp 1", "aspif's minor version"),
    ] {
        let path = folder.path("f");
        fs::write(&path, text).expect("a file");
        for (arguments, input) in [(&path[..], &b""[..]), ("-", text)] {
            let (code, _, err) = run(&[arguments], input);
            assert!(code == 65 && err.contains(word) && err.lines().count() == 1, "{text:?}: {err}");
        }
    }
}

#[test]
fn nothing_is_an_empty_program() {
    if !has_gringo() {
        return;
    }
    let folder = Folder::new("empty");
    for (arguments, input) in [(vec![], ""), (vec!["-".to_string()], " \n"), (vec![folder.file("f", "")], "")]
    {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (code, out, err) = run(&[&arguments[..], &["-V0"]].concat(), input);
        assert_eq!((code, out.as_str(), err.as_str()), (30, "\nSATISFIABLE\n", ""), "{arguments:?}");
    }
}

#[test]
fn the_grounder_prints_what_is_asked_for() {
    if !has_gringo() {
        return;
    }
    assert_eq!(run(&["--text"], "b. a :- not c. c :- not b."), (0, "b.\na.\n".into(), String::new()));
    let (code, ground, _) = run(&["--mode=gringo"], "{a}.");
    assert!(code == 0 && ground.starts_with("asp 1 0 0\n"), "{ground}");
    assert_eq!(run(&["--mode=clasp", "0"], &ground).0, 30);
    assert_eq!(run(&["--mode=clasp", "0"], "{a}.").0, 65);
    let (code, out, err) = run(&["--text"], &ground);
    assert_eq!((code, out.as_str()), (65, ""), "{err}");
    assert!(err.contains("ground already"), "{err}");
    // What `--pre` prints has the same answer sets.
    // Facts stay facts, whether anything is simplified or not.
    for arguments in [&["--pre"][..], &["--pre", "--no-simplify"]] {
        let (code, simple, _) = run(arguments, "a. b :- a. {c} :- b. :- not a.");
        assert_eq!(code, 0, "{arguments:?}");
        let (code, out, _) = run(&["0"], &simple);
        assert!(
            code == 30 && out.contains("\na b\n") && out.contains("\na b c\n"),
            "{arguments:?}: {simple}{out}"
        );
    }
    let (code, simple, _) = run(&["--pre"], "{a; b}. c :- a. :- not b. d :- d. e :- b, not d.");
    assert_eq!(code, 0);
    let (_, out, _) = run(&["0", "-V0"], &simple);
    assert_eq!(out.lines().count(), 3, "{out}");
}

#[test]
fn answers_do_not_wait_for_a_grounder_that_lingers() {
    let folder = Folder::new("lingers");
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("a command").success());
    let program = folder.file("text", "a.");
    for (end, want, word) in [("exit 0", 30, ""), ("exit 3", 75, "failed (exit status: 3)")] {
        let script = format!("#!/bin/sh\nprintf '{}'\nread x < {pipe}; {end}\n", PAIR.replace('\n', "\\n"));
        let grounder = folder.file("grounder", &script);
        let mut child = start(&["0", "--grounder", &grounder, &program], b"");
        let mut lines = BufReader::new(child.stdout.take().expect("is piped")).lines();
        let mut until = |begins: &str| lines.any(|line| line.expect("text").starts_with(begins));
        assert!(until("Answer: 2"), "{end}");
        fs::write(&pipe, "go on\n").expect("the grounder reads");
        assert!(until("Models       : 2"));
        let (code, _, err) = told(child.wait_with_output().expect("it was started"));
        assert!(
            code == want && err.contains(word) && err.is_empty() == word.is_empty(),
            "{end}: {code} {err}"
        );
    }
    // One that goes on for ever is ended.
    let script = format!("#!/bin/sh\nprintf '{}'\nsleep 1000\n", PAIR.replace('\n', "\\n"));
    let grounder = folder.file("endless", &script);
    let (code, _, err) = run(&["0", "--grounder", &grounder, &program], "");
    assert_eq!((code, err.as_str()), (30, ""));
}
