//! The program as it is called: with solvers that are scripts, and once with the real ones if they are there.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_yasmin-bench");
const SATISFIABLE: &str =
    r#"echo '{"Result": "SATISFIABLE", "Models": {"Number": 1, "More": "yes"}}'; exit 10"#;
const UNSATISFIABLE: &str =
    r#"echo '{"Result": "UNSATISFIABLE", "Models": {"Number": 0, "More": "no"}}'; exit 20"#;

/// A folder of one test, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("yasmin-bench-{test}-{}", std::process::id()));
        fs::create_dir_all(folder.join("ground")).expect("a folder");
        Folder(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// A solver that tells its version, and else does this.
    fn solver(&self, name: &str, script: &str) {
        let version = format!(r#"[ "$1" = --version ] && echo "{name} 1" && exit"#);
        fs::write(self.path(name), format!("#!/bin/sh\n{version}\n{script}\n")).expect("written");
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).expect("permitted");
    }

    /// A suite of two instances, ground already, for both solvers.
    fn suite(&self) {
        let suite = r#"{"time_limit": 60, "repetitions": 1,
            "configurations": [{"name": "ours", "solver": "yasmin"}, {"name": "theirs", "solver": "clasp", "reference": true}],
            "instances": [{"name": "a", "family": "f"}, {"name": "b", "family": "f"}]}"#;
        fs::write(self.path("suite.json"), suite).expect("written");
        for name in ["a", "b"] {
            fs::write(self.path("ground").join(name).with_extension("aspif"), "asp 1 0 0\n0\n")
                .expect("written");
        }
    }

    fn run(&self, more: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.current_dir(&self.0).arg("run").args(["--suite=suite.json", "--ground=ground", "--out=out"]);
        command.args(["--yasmin=./yasmin", "--clasp=./clasp"]).args(more);
        command
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays is no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Exit code, and what was told on standard error.
fn ended(output: Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn call(mut command: Command) -> (Option<i32>, String) {
    ended(command.output().expect("the program runs"))
}

#[test]
fn solvers_that_agree() {
    let folder = Folder::new("agree");
    folder.suite();
    folder.solver("yasmin", SATISFIABLE);
    folder.solver("clasp", SATISFIABLE);
    let (code, told) = call(folder.run(&[]));
    assert_eq!(code, Some(0), "{told}");
    let report = folder.text("out/report.md");
    assert!(report.contains("agree in all runs") && report.contains("| a | f | 1 found |"), "{report}");
    assert!(folder.text("out/times.svg").starts_with("<svg"));
    let results: serde_json::Value = serde_json::from_str(&folder.text("out/results.json")).expect("JSON");
    assert_eq!((&results["complete"], results["runs"].as_array().map(Vec::len)), (&true.into(), Some(4)));
}

#[test]
fn a_wrong_verdict_is_an_error() {
    let folder = Folder::new("wrong");
    folder.suite();
    folder.solver("yasmin", &format!("case \"$*\" in *b.aspif*) {UNSATISFIABLE};; esac\n{SATISFIABLE}"));
    folder.solver("clasp", SATISFIABLE);
    let (code, told) = call(folder.run(&[]));
    assert_eq!(code, Some(1), "{told}");
    let want = "DIFFERENT: b: ours (repetition 1) says 0 answer sets, theirs (repetition 1) says";
    assert!(told.contains(want), "{told}");
    assert!(folder.text("out/report.md").contains("- b: ours (repetition 1) says 0"));
    let mut report = Command::new(PROGRAM);
    report.current_dir(&folder.0).args(["report", "out/results.json", "--out=again"]);
    assert_eq!(call(report).0, Some(1), "so it is when it is looked at later");
    assert_eq!(folder.text("again/report.md"), folder.text("out/report.md"));
}

#[test]
fn a_solver_that_crashes_is_an_error() {
    let folder = Folder::new("crash");
    folder.suite();
    folder.solver("yasmin", "echo it hurts >&2; kill -SEGV $$");
    folder.solver("clasp", SATISFIABLE);
    let (code, told) = call(folder.run(&["--only=a"]));
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("a: ours (repetition 1) failed") && told.contains("it hurts"), "{told}");
}

#[test]
fn without_clasp_there_is_a_note() {
    let folder = Folder::new("alone");
    folder.suite();
    folder.solver("yasmin", SATISFIABLE);
    let (code, told) = call(folder.run(&[]));
    assert_eq!(code, Some(0), "{told}");
    assert!(folder.text("out/report.md").contains("clasp is left out"));
}

/// With more searchers a count goes on as far as it gets until the limit, and the report compares how far that is.
#[test]
fn counts_that_are_cut_off_and_searchers_are_compared() {
    let folder = Folder::new("rates");
    let configuration = |name: &str, solver: &str, searchers: usize| {
        format!(
            r#"{{"name": "{name}", "solver": "{solver}", "options": ["-t{searchers}"], "searchers": {searchers}}}"#
        )
    };
    let all = [("ours-1", "yasmin", 1), ("ours-4", "yasmin", 4), ("theirs-4", "clasp", 4)];
    let all = all.map(|(name, solver, searchers)| configuration(name, solver, searchers)).join(", ");
    let suite = format!(
        r#"{{"time_limit": 60, "repetitions": 1, "configurations": [{all}],
            "instances": [{{"name": "a", "family": "f", "models": 0}}]}}"#
    );
    fs::write(folder.path("suite.json"), suite).expect("written");
    fs::write(folder.path("ground/a.aspif"), "asp 1 0 0\n0\n").expect("written");
    let says = |models: &str| {
        format!(
            r#"echo "{{\"Result\": \"SATISFIABLE\", \"TIME LIMIT\": 1, \"Models\": {{\"Number\": {models}, \"More\": \"yes\"}},
                \"Time\": {{\"Total\": 2.5, \"Solve\": 2.0, \"Model\": 0.0}}}}"; exit 11"#
        )
    };
    folder.solver("yasmin", &format!("case \"$*\" in *-t4*) {};; esac\n{}", says("600"), says("200")));
    folder.solver("clasp", &says("150"));
    let (code, told) = call(folder.run(&[]));
    assert_eq!(code, Some(0), "{told}");
    let report = folder.text("out/report.md");
    for row in ["| a | f | 100 | 300 | 75.0 |", "| instance | ours-4 over ours-1 |", "| a | 3.00 |"] {
        assert!(report.contains(row), "{row}: {report}");
    }
    assert!(folder.text("out/scaling.svg").contains("yasmin over 1 searcher(s)"));
}

#[test]
fn results_are_resumed_or_replaced_only_if_that_is_said() {
    let folder = Folder::new("resume");
    folder.suite();
    folder.solver("yasmin", SATISFIABLE);
    folder.solver("clasp", SATISFIABLE);
    assert_eq!(call(folder.run(&[])).0, Some(0));
    let (code, told) = call(folder.run(&[]));
    assert_eq!((code, told.trim_end().lines().count()), (Some(65), 1), "{told}");
    assert!(told.contains("--resume") && told.contains("--replace"), "{told}");
    let (code, told) = call(folder.run(&["--resume", "--repetitions=3"]));
    assert_eq!(code, Some(0));
    assert!(told.contains("5/12 a ours") && told.contains("12/12 b theirs"), "{told}");
    let (code, told) = call(folder.run(&["--resume", "--time-limit=5"]));
    assert!(code == Some(65) && told.contains("the time limit"), "{told}");
    assert_eq!(call(folder.run(&["--replace", "--time-limit=5"])).0, Some(0));
}

#[test]
fn a_run_that_is_cut_short_keeps_what_it_has() {
    let folder = Folder::new("cut");
    folder.suite();
    folder
        .solver("yasmin", &format!("case \"$*\" in *b.aspif*) echo > begun; sleep 60;; esac\n{SATISFIABLE}"));
    folder.solver("clasp", SATISFIABLE);
    let child: Child = folder.run(&[]).stderr(Stdio::piped()).spawn().expect("the program runs");
    let began = Instant::now();
    while !folder.path("begun").exists() {
        assert!(began.elapsed() < Duration::from_secs(50), "the second instance is not begun");
        sleep(Duration::from_millis(20));
    }
    // SAFETY: no memory is passed, and the child is not waited for yet, so that the number is its own.
    assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) }, 0);
    let (code, told) = ended(child.wait_with_output().expect("it ends"));
    assert_eq!(code, Some(130), "{told}");
    assert!(began.elapsed() < Duration::from_secs(55), "the solver was not ended");
    assert!(folder.text("out/report.md").contains("Incomplete: 2 of 4 runs were made"));
    folder.solver("yasmin", SATISFIABLE);
    let (code, told) = call(folder.run(&["--resume"]));
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("3/4 b ours") && !told.contains(" a "), "{told}");
}

#[test]
fn what_is_wrong_is_said_in_one_line() {
    let folder = Folder::new("bad");
    folder.suite();
    folder.solver("yasmin", SATISFIABLE);
    let bench = |typed: &[&str]| {
        let mut command = Command::new(PROGRAM);
        command.current_dir(&folder.0).args(typed);
        command
    };
    let write = |name: &str, text: &str| fs::write(folder.path(name), text).expect("written");
    write("broken.json", "{\"time_limit\": 5,\n \"instancs\": []}");
    write("empty.json", "{\"time_limit\": 5, \"configurations\": [], \"instances\": []}");
    let made = r#"{"name": "m", "family": "sat", "source": {"generate": {"family": "sat", "size": 9}}}"#;
    let ours = r#"[{"name": "ours", "solver": "yasmin"}]"#;
    write("made.json", &format!(r#"{{"time_limit": 5, "configurations": {ours}, "instances": [{made}]}}"#));
    let none = made
        .replace("\"m\"", "\"n\"")
        .replace(r#", "source": {"generate": {"family": "sat", "size": 9}}"#, "");
    write("none.json", &format!(r#"{{"time_limit": 5, "configurations": {ours}, "instances": [{none}]}}"#));
    write("results.json", "[]");
    for (command, want) in [
        (bench(&["run", "--suite=gone.json", "--out=o"]), "gone.json: No such file"),
        (bench(&["run", "--suite=broken.json", "--out=o"]), "broken.json: unknown field `instancs`"),
        (bench(&["run", "--suite=broken.json", "--out=o"]), "at line 2"),
        (bench(&["run", "--suite=empty.json", "--out=o"]), "there is no instance: list one"),
        (bench(&["run", "--suite=made.json", "--out=o", "--gringo=./no-gringo"]), "install gringo"),
        (
            bench(&["run", "--suite=none.json", "--out=o", "--yasmin=./yasmin"]),
            "no ground program o/ground/n.aspif",
        ),
        (
            bench(&["run", "--suite=suite.json", "--ground=ground", "--out=o", "--yasmin=./gone"]),
            "./gone cannot be run",
        ),
        (bench(&["run", "--suite=suite.json", "--out=o", "--only=c"]), "no instance or family `c`"),
        (bench(&["run", "--suite=suite.json", "--out=suite.json"]), "suite.json/ground"),
        (bench(&["report", "results.json", "--out=o"]), "results.json: "),
        (bench(&["generate", "--family=sat", "--size=1"]), "sizes from 4"),
    ] {
        let (code, told) = call(command);
        let errors: Vec<&str> = told.lines().filter(|line| !line.starts_with("grounding ")).collect();
        assert_eq!((code, errors.len()), (Some(65), 1), "{want}: {told}");
        assert!(errors[0].starts_with("yasmin-bench: error: ") && errors[0].contains(want), "{want}: {told}");
    }
    assert_eq!(call(bench(&["run", "--out=o", "--time-limit=0"])).0, Some(2));
}

/// What is called so in the path, or beside the program.
fn found(name: &str) -> Option<PathBuf> {
    let beside = Path::new(PROGRAM).with_file_name(name);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&folders).map(|folder| folder.join(name));
    Some(beside).filter(|path| path.is_file()).or_else(|| places.find(|path| path.is_file()))
}

/// One instance of each family, as in `data/bench/smoke.json`, which takes some seconds. yasmin is the one that was built
/// last; with `--workspace` that is now.
#[test]
fn the_smoke_suite_agrees() {
    if let Some(missing) = ["yasmin", "gringo", "clasp"].into_iter().find(|name| found(name).is_none()) {
        eprintln!("SKIPPED: {missing} is not there");
        return;
    }
    let folder = Folder::new("smoke");
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/bench/smoke.json");
    let mut command = Command::new(PROGRAM);
    command.current_dir(&folder.0).arg("run").arg("--suite").arg(suite);
    // In a build without optimization, the comparison of learning would take a minute.
    command.args(["--out=out", "--device=cpu", "--configurations=yasmin,clasp-1,clasp-all"]);
    let (code, told) = call(command);
    assert_eq!(code, Some(0), "{told}");
    let plots = [
        "times.svg",
        "cactus.svg",
        "scatter.svg",
        "propagations.svg",
        "decisions.svg",
        "learned.svg",
        "length.svg",
    ];
    for plot in plots {
        assert!(folder.text(&format!("out/{plot}")).ends_with("</svg>\n"), "{plot}");
    }
    let report = folder.text("out/report.md");
    assert!(report.contains("| queens-6 | queens | 4 in all |"), "{report}");
}
