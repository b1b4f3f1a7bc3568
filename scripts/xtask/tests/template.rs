//! A crate is made from the template outside the tree, and does what its README says. And its test finds a
//! race.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const XTASK: &str = env!("CARGO_BIN_EXE_xtask");

fn xtask(arguments: &[&str]) -> Output {
    Command::new(XTASK).args(arguments).output().expect("it runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Runs cargo in a crate, without the network. The builds lie beside those of the tests, for the next time.
fn cargo(folder: &Path, arguments: &[&str]) -> Output {
    cargo_aloud(folder, &[arguments, &["--quiet"]].concat())
}

/// The same, with the warnings of build scripts, which `--quiet` leaves out.
fn cargo_aloud(folder: &Path, arguments: &[&str]) -> Output {
    let builds = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("template");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(folder).args(arguments).arg("--offline");
    cargo.env("CARGO_TARGET_DIR", builds);
    cargo.output().expect("cargo runs")
}

#[test]
#[ignore = "builds for itself: scripts/test.sh --all"]
fn builds_for_itself_a_new_crate_works_and_its_test_finds_a_race() {
    let outside = tempfile::tempdir().expect("a folder");
    let folder = outside.path().join("first-kernels");
    let made = xtask(&["new", folder.to_str().expect("a path")]);
    assert!(made.status.success(), "{}", text(&made));

    let run = cargo(&folder, &["run"]);
    assert!(run.status.success() && text(&run).contains(": 0 2 4 ... 1998\n"), "{}", text(&run));
    let test = cargo(&folder, &["test"]);
    assert!(test.status.success() && text(&test).contains("1 passed"), "{}", text(&test));

    // The book's first mistake: too short a step.
    let kernel = folder.join("src/lib.rs");
    let source = std::fs::read_to_string(&kernel).expect("the kernel");
    let wrong = source.replace("thread::block_dim_x() * thread::grid_dim_x()", "thread::block_dim_x()");
    assert_ne!(source, wrong);
    std::fs::write(&kernel, wrong).expect("the kernel");
    let test = cargo(&folder, &["test"]);
    let said = text(&test);
    assert!(!test.status.success() && said.contains("data race on data["), "{said}");
    assert!(said.contains("src/lib.rs:") && said.contains("nothing orders the two"), "{said}");
}

/// What the compiler refuses is told by the compiler: with the file and the line, and not by a build script
/// that panics.
#[test]
#[ignore = "builds for itself: scripts/test.sh --all"]
fn builds_for_itself_a_compile_error_is_the_compilers() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("does-not-compile");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("the folder of the last time goes");
    }
    let made = xtask(&["new", folder.to_str().expect("a path")]);
    assert!(made.status.success(), "{}", text(&made));
    let kernel = folder.join("src/lib.rs");
    let source = std::fs::read_to_string(&kernel).expect("the kernel");
    for (wrong, says) in [
        ("let x: u32 = ;", "error: expected expression, found `;`"),
        ("let _x: u32 = true;", "error[E0308]: mismatched types"),
        // This compiles for the host.
        ("let _x = std::vec::Vec::<u32>::new();", "the kernels do not compile"),
    ] {
        let line = source.lines().position(|line| line.contains("let threads")).expect("a line") + 1;
        let with = source.replacen("    let threads", &format!("    {wrong} let threads"), 1);
        std::fs::write(&kernel, with).expect("the kernel");
        let build = cargo(&folder, &["build"]);
        let said = text(&build);
        assert!(!build.status.success() && !said.contains("custom build command"), "{said}");
        assert!(said.contains(says) && said.contains(&format!("src/lib.rs:{line}:")), "{said}");
    }
}

/// A crate whose kernels can panic builds, without kernels for a GPU. The book shows what the build says.
#[test]
#[ignore = "builds for itself: scripts/test.sh --all"]
fn builds_for_itself_kernels_that_can_panic_are_named_with_function_and_line() {
    // The same folder each time: what was compiled of `core` for it is found again.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("can-panic");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("the folder of the last time goes");
    }
    let made = xtask(&["new", folder.to_str().expect("a path")]);
    assert!(made.status.success(), "{}", text(&made));
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let kernels = repository.join("course/lessons/src/broken/panics.rs");
    std::fs::copy(kernels, folder.join("src/lib.rs")).expect("the kernels");
    let build = cargo_aloud(&folder, &["build", "--lib"]);
    let said = text(&build);
    assert!(build.status.success(), "{said}");
    if said.contains("no Rust with the sources") {
        eprintln!("SKIPPED: {said}");
        return;
    }
    let told = said.lines().filter_map(|line| line.split_once("can-panic@0.1.0: "));
    let told: String = told.map(|(_, what)| format!("{what}\n")).collect();
    let page = repository.join("course/book/src/outputs/panics.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&page, &told).expect("the file can be written");
    }
    assert_eq!(std::fs::read_to_string(page).expect("the file"), told, "UPDATE=1 cargo test -p xtask");
    for words in [
        "src/lib.rs:16:30: kernel element_after: the divisor of % may be 0",
        "src/lib.rs:33:5: function count_of, kernel count_four_bits: an index may be past the end",
        "kernel one_less: unwrap or expect may find nothing",
    ] {
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn what_cannot_be_made_is_refused() {
    for (folder, word) in [("/tmp", "exists already"), ("/nowhere/1st", "`1st` is no crate's name")] {
        let refused = xtask(&["new", folder]);
        assert_eq!(refused.status.code(), Some(1), "{folder}");
        assert!(text(&refused).contains(word), "{folder}: {}", text(&refused));
    }
}

#[test]
fn an_exercise_is_solved_or_not() {
    let solved = xtask(&["exercise", "1", "--solution"]);
    let right = text(&solved).contains("the solution of exercise 1 is right");
    assert!(solved.status.success() && right, "{}", text(&solved));
    let none = xtask(&["exercise", "99"]);
    assert!(
        none.status.code() == Some(1) && text(&none).contains("there is no exercise 99"),
        "{}",
        text(&none)
    );
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What `cargo xtask exercise N` says if the exercise's file is this, and exercises 2 and 11 do not compile.
fn tested(number: u32, source: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |number, text: &str| {
        let file = folder.path().join(format!("exercise_{number}.rs"));
        std::fs::write(file, text).expect("an exercise");
    };
    [2, 11].into_iter().for_each(|broken| write(broken, "pub fn ("));
    write(number, source);
    let mut xtask = Command::new(XTASK);
    xtask.args(["exercise", &number.to_string()]).env("EXERCISES", folder.path());
    // There is one program for all exercises: two tests at once would run each other's.
    static ONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _one = ONE.lock();
    xtask.output().expect("it runs")
}

fn read(file: &str) -> String {
    std::fs::read_to_string(repository().join("course/exercises").join(file)).expect("an exercise")
}

/// A mistake is the compiler's or the simulation's to tell, in the exercise that is tested and in no other.
#[test]
fn an_exercise_works_whatever_the_state_of_the_others() {
    for (number, source, says) in [
        (3, read("src/exercise_3.rs"), "x.read(i) + left"),
        (3, "fn (".into(), "exercise_3.rs:1:"),
        // A GPU has no memory to hand out, and nowhere to print.
        (1, read("solutions/exercise_1.rs").replace("let n =", "let _ = vec![0];\n let n ="), "macro `vec`"),
        (1, read("solutions/exercise_1.rs").replace("let n =", "println!();\n let n ="), "macro `println`"),
    ] {
        let tested = tested(number, &source);
        let said = text(&tested);
        let line = source.lines().position(|line| line.contains(says)).unwrap_or(0) + 1;
        let is_told = said.contains(says) || said.contains(&format!("exercise_{number}.rs:{line}:"));
        assert!(!tested.status.success() && is_told && !said.contains("exercise_2.rs"), "{said}");
        assert!(said.contains(&format!("exercise {number} is not solved")), "{said}");
    }
}

/// The thread is named, whether its loop accesses memory or not.
#[test]
fn a_loop_that_does_not_end_is_told() {
    let solution = read("solutions/exercise_1.rs");
    let forgets = solution.replace("i += thread", "let _ = thread");
    let idle =
        solution.replace("let n =", "while core::hint::black_box(thread::thread_idx_x()) == 5 {} let n =");
    for (source, says) in [(forgets, "exercise_1.rs:"), (idle, "block 0, thread 5: ")] {
        let tested = tested(1, &source);
        let said = text(&tested);
        let is_told = said.contains("does not come to an end") && said.contains(says);
        assert!(!tested.status.success() && is_told, "{said}");
    }
}

/// What is right on the host is compiled for a GPU.
#[test]
#[ignore = "builds for itself: scripts/test.sh --all"]
fn builds_for_itself_an_exercise_that_can_panic_is_not_solved() {
    let solution = read("solutions/exercise_4.rs");
    let right = tested(4, &solution);
    let said = text(&right);
    assert!(right.status.success() && said.contains("exercise 4 is solved"), "{said}");
    if said.contains("no Rust with the sources") {
        eprintln!("SKIPPED: {said}");
        return;
    }
    let (before, rest) = solution.split_once("    let mut i").expect("a loop");
    let panics = tested(4, &format!("{before}assert!(n < 5000);\n    let mut i{rest}"));
    let said = text(&panics);
    assert!(!panics.status.success() && said.contains("not fit for a GPU: kernels can panic"), "{said}");
    assert!(said.contains("exercise_4.rs:") && said.contains("panic! or an assertion"), "{said}");
}

#[test]
fn hints_are_given_one_by_one() {
    let hint = |arguments: &[&str]| xtask(&[&["hint"], arguments].concat());
    let first = hint(&["1"]);
    assert!(
        first.status.success() && text(&first).contains("more: cargo xtask hint 1 2"),
        "{}",
        text(&first)
    );
    let second = hint(&["1", "2"]);
    assert!(second.status.success() && text(&second).starts_with("hint 2 of 3: "), "{}", text(&second));
    for (arguments, says) in
        [(&["1", "9"][..], "no hint 9"), (&["1", "0"], "no hint 0"), (&["99"], "no exercise 99")]
    {
        let none = hint(arguments);
        assert!(none.status.code() == Some(1) && text(&none).contains(says), "{}", text(&none));
    }
    let watched = xtask(&["watch", "99"]);
    assert!(
        watched.status.code() == Some(1) && text(&watched).contains("no exercise 99"),
        "{}",
        text(&watched)
    );
}

/// The versions that a lock file names.
fn versions(lock: &str) -> Vec<(String, String)> {
    let value = |line: &str| line.split('"').nth(1).map(str::to_string);
    let mut lines = lock.lines();
    let mut versions = Vec::new();
    while let Some(line) = lines.next() {
        if line == "[[package]]" {
            let (name, version) = (lines.next().and_then(value), lines.next().and_then(value));
            versions.push((name.expect("a name"), version.expect("a version")));
        }
    }
    versions
}

/// What the repository's builds have downloaded is enough for the template.
#[test]
fn the_template_names_the_versions_of_the_repository() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |file: &str| versions(&std::fs::read_to_string(repository.join(file)).expect("a lock file"));
    let (ours, template) = (read("Cargo.lock"), read("course/template/Cargo.lock"));
    assert!(template.len() > 10);
    for package in template.into_iter().filter(|(name, _)| name != "my-kernels") {
        assert!(
            ours.contains(&package),
            "{package:?}: remove course/template/Cargo.lock, copy Cargo.lock, build there"
        );
    }
}
