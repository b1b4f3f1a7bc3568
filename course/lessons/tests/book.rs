//! The outputs and pictures that the book shows are what the lessons give today.
//!
//! `UPDATE=1 cargo test -p lessons --test book` writes them anew.

mod support;

use cuda_launch::{Device, Simulation};
use lessons::lesson::Twin;
use lessons::lessons::{twins, LESSONS};
use lessons::pictures;
use std::path::PathBuf;
use std::process::Command;
use support::{book, compare};

/// What the program `lessons` prints.
fn printed(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_lessons")).args(arguments).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn each_twin_is_told_as_the_book_says() {
    for twin in twins() {
        let said = twin.said(1);
        match twin.says {
            Some(words) => assert!(said.contains(words), "{}: {said}", twin.name),
            None => assert!(said.starts_with("nothing, but "), "{}: {said}", twin.name),
        }
        compare(&format!("outputs/broken/{}.txt", twin.name), &format!("{said}\n"));
        assert_eq!(twin.said(1), said, "{}: what ran before must not count", twin.name);
    }
}

/// A mistake that is told is told in every order of the threads, though not always in the same words.
#[test]
fn each_mistake_is_told_in_every_order() {
    for Twin { name, run, .. } in twins().filter(|twin| twin.says.is_some()) {
        for seed in 0..20 {
            let mut device = Device::simulating(Simulation { seed, ..Simulation::default() });
            assert!(run(&mut device).is_err(), "{name} with seed {seed}");
        }
    }
}

#[test]
fn the_table_of_mistakes_names_each_twin() {
    let table = std::fs::read_to_string(book().join("races/mistakes.md")).expect("the page");
    let mut named: Vec<&str> = table
        .lines()
        .filter_map(|line| line.strip_suffix("` |")?.rsplit_once('`'))
        .map(|row| row.1)
        .collect();
    let mut there: Vec<&str> = twins().map(|twin| twin.name).collect();
    named.sort();
    there.sort();
    assert_eq!(named, there);
}

#[test]
fn each_lesson_has_a_twin() {
    assert_eq!(LESSONS.len(), 18);
    assert!(LESSONS.iter().all(|lesson| !lesson.twins.is_empty()));
}

#[test]
fn the_program_prints_what_the_book_shows() {
    compare("outputs/list.txt", &printed(&["list"]));
    compare("outputs/run.txt", &printed(&["run"]));
    let on_cpu = printed(&["run", "--device", "cpu"]);
    assert!(
        on_cpu.starts_with("on cpu\n") && !on_cpu.contains("WRONG") && !on_cpu.contains("ERROR"),
        "{on_cpu}"
    );
    // What a kernel prints has the same words on both.
    let [on_simt, on_cpu] = ["simt", "cpu"].map(|device| printed(&["run", "panics", "--device", device]));
    compare("outputs/printed.txt", &on_simt);
    assert_eq!(on_cpu, on_simt.replace("on simt", "on cpu"));
}

/// Each barrier of the lesson `scan` is needed: the page on superfluous barriers leaves them out.
#[test]
fn a_barrier_that_is_left_out_is_told_as_the_book_says() {
    let file = std::env::temp_dir().join(format!("lessons-places-{}", std::process::id()));
    let run = |variable: &str, value: &str| {
        let mut lessons = Command::new(env!("CARGO_BIN_EXE_lessons"));
        let output = lessons.args(["run", "scan"]).env(variable, value).output().expect("it runs");
        String::from_utf8(output.stdout).expect("text")
    };
    run("CUDA_STD_PLACES", file.to_str().expect("a path"));
    let listed = std::fs::read_to_string(&file).expect("a list of places");
    std::fs::remove_file(&file).expect("the list is there");
    let mut places: Vec<&str> = listed.lines().collect();
    places.sort_unstable();
    compare("outputs/places.txt", &format!("{}\n", places.join("\n")));
    let page = std::fs::read_to_string(book().join("races/barriers.md")).expect("the page");
    for place in places {
        let said = run("CUDA_STD_WITHOUT", place);
        assert!(said.contains("ERROR: "), "{place}: {said}");
        if page.contains(&format!("CUDA_STD_WITHOUT={place} ")) {
            compare("outputs/without.txt", &said);
        }
    }
}

#[test]
fn transposes_cost_what_the_book_shows() {
    let file = std::env::temp_dir().join(format!("lessons-costs-{}", std::process::id()));
    let mut lessons = Command::new(env!("CARGO_BIN_EXE_lessons"));
    let output = lessons.args(["run", "transpose"]).env("CUDA_STD_COSTS", &file).output().expect("it runs");
    assert!(output.status.success());
    let tables = std::fs::read_to_string(&file).expect("tables");
    std::fs::remove_file(&file).expect("the file is there");
    let tables: Vec<&str> = tables.split_inclusive("kernel ").skip(1).collect();
    assert_eq!(tables.len(), 3);
    for table in tables {
        let table = format!("kernel {}", table.trim_end_matches("kernel "));
        let name = table.split([' ', ',']).nth(1).expect("a name");
        compare(&format!("outputs/costs/{name}.txt"), &table);
    }
}

/// `scripts/nsight.py` compares what a profiler counts with what the simulated GPU counts. The profiler here
/// is a script that writes two launches and runs the lesson on the simulated GPU.
#[cfg(unix)]
#[test]
fn counters_are_compared_with_costs() {
    use std::os::unix::fs::PermissionsExt;
    let folder = std::env::temp_dir().join(format!("lessons-nsight-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let ncu = folder.join("ncu");
    std::fs::write(&ncu, include_str!("support/ncu.sh")).expect("a script");
    std::fs::set_permissions(&ncu, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scripts/nsight.py");
    let mut python = Command::new(std::env::var("YASMIN_PYTHON").unwrap_or("python3".into()));
    let output = python.arg(script).arg(env!("CARGO_BIN_EXE_lessons")).arg("--ncu").arg(&ncu).output();
    let output = output.expect("Python 3 is there");
    std::fs::remove_dir_all(&folder).expect("the folder is there");
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{table}{}", String::from_utf8_lossy(&output.stderr));
    for row in [
        "transpose_rows global reads, sectors 394 394 equal",
        "transpose_rows global writes, sectors 3150 3151 differs by +1",
        "transpose_rows accesses by a part of a warp 2; branches that part a warp 7",
        "1 of 2 rows are equal",
    ] {
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(table.lines().any(|line| words(line).contains(row)), "{row}: {table}");
    }
}

#[test]
fn programs_have_the_answer_sets_that_the_book_shows() {
    let mut programs: Vec<PathBuf> = std::fs::read_dir(book().join("programs"))
        .expect("programs")
        .map(|entry| entry.expect("a file").path())
        .collect();
    programs.sort();
    assert_eq!(programs.len(), 5);
    for program in programs {
        let name = program.file_stem().and_then(|name| name.to_str()).expect("a name");
        let on = |device: &str| printed(&["solve", program.to_str().expect("a path"), "--device", device]);
        compare(&format!("outputs/solve/{name}.txt"), &on("simt"));
        assert_eq!(on("cpu"), on("simt"), "{name}");
    }
}

/// On a GPU each lesson is compared with the simulated one. Without a GPU the program says so.
#[test]
fn a_missing_gpu_is_told() {
    let lessons = |arguments: &[&str]| Command::new(env!("CARGO_BIN_EXE_lessons")).args(arguments).output();
    let output = lessons(&["run", "--device", "gpu"]).expect("it runs");
    let (printed, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    match output.status.code() {
        Some(0) => assert_eq!(printed.matches("equal to simt").count(), LESSONS.len(), "{printed}"),
        code => assert!(code == Some(3) && said.starts_with("lessons: error: no GPU: "), "{printed}{said}"),
    }
}

#[test]
fn the_program_says_what_is_wrong() {
    for (arguments, code, word) in [
        (&["run", "nothing"][..], 2, "there is no lesson `nothing`"),
        (&["broken", "nothing"], 2, "there is no twin `nothing`"),
        (&["time", "--elements", "0"], 2, "0 is not in"),
        (&["solve", "/nowhere"], 2, "/nowhere: No such file"),
        (&["solve", "Cargo.toml"], 2, "Cargo.toml: "),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_lessons")).args(arguments).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains(word), "{arguments:?}: {said}");
    }
}

#[test]
fn the_pictures_are_those_of_today() {
    for (name, picture) in pictures::all() {
        compare(&format!("pictures/{name}.svg"), &picture);
    }
}
