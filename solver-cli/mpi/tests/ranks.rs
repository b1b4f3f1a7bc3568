//! Several ranks on this machine find what one process finds, and end in order when one of them is gone.
//!
//! Where `mpirun` is missing each test says that it was skipped. `scripts/cluster.py` and `yasmin-conformance
//! --claims --command` do the same for longer.
#![cfg(feature = "mpi")]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use common::{command, command_at, is_skipped, pigeons, rank_of};

/// Eight queens.
const QUEENS: &str = include_str!("../../../data/queens-8.aspif");

fn run(ranks: u32, words: &str, program: &str) -> Output {
    let mut child = command(ranks, words).spawn().expect("the command starts");
    let written = child.stdin.take().expect("a pipe").write_all(program.as_bytes());
    // A command that is refused may end before it reads.
    assert!(written.map_or_else(|error| error.kind() == ErrorKind::BrokenPipe, |()| true), "it reads");
    child.wait_with_output().expect("it ends")
}

/// The document of a run, and its exit code.
fn document(ranks: u32, words: &str, program: &str) -> (Value, i32) {
    let output = run(ranks, words, program);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let document = serde_json::from_slice(&output.stdout);
    (
        document.unwrap_or_else(|error| panic!("{error}: {output:?}, {told}")),
        output.status.code().unwrap_or(-1),
    )
}

/// The answer sets of a document, each as its sorted atoms.
fn answer_sets(document: &Value) -> Vec<Vec<String>> {
    let witnesses = document["Call"][0]["Witnesses"].as_array().cloned().unwrap_or_default();
    let atoms = |witness: &Value| {
        let mut atoms: Vec<String> = witness["Value"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|atom| atom.as_str().unwrap_or_default().to_string())
            .collect();
        atoms.sort();
        atoms
    };
    witnesses.iter().map(atoms).collect()
}

#[test]
fn ranks_count_answer_sets_that_nobody_wants_to_see() {
    if is_skipped() {
        return;
    }
    for ranks in [2, 4] {
        let (document, code) = document(ranks, "0 --json --quiet=2 --stats=2 --rank-children=1", QUEENS);
        assert_eq!((code, &document["Result"]), (30, &"SATISFIABLE".into()), "{ranks} ranks");
        assert_eq!((&document["Models"]["Number"], &document["Models"]["More"]), (&92.into(), &"no".into()));
        let rows = document["Stats"]["Yasmin"]["swarm"]["classes"].as_array().cloned().unwrap_or_default();
        let in_rows: u64 = rows.iter().filter_map(|row| row["answer_sets"].as_u64()).sum();
        assert!(rows.is_empty() || in_rows == 92, "{in_rows}: {rows:?}");
    }
}

#[test]
fn each_answer_set_comes_once_from_any_number_of_ranks() {
    if is_skipped() {
        return;
    }
    let (alone, _) = document(1, "0 --json", QUEENS);
    let all: BTreeSet<_> = answer_sets(&alone).into_iter().collect();
    assert_eq!(all.len(), 92);
    for (ranks, children) in [(2, 8), (4, 2), (4, 1)] {
        let words = format!("0 --json --stats=2 --rank-children={children}");
        let (document, code) = document(ranks, &words, QUEENS);
        let found = answer_sets(&document);
        assert_eq!(code, 30, "{ranks} ranks");
        assert_eq!(document["Result"], "SATISFIABLE");
        assert_eq!((&document["Models"]["Number"], &document["Models"]["More"]), (&92.into(), &"no".into()));
        assert_eq!(found.len(), 92, "{ranks} ranks, {children} children");
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), all, "{ranks} ranks, {children} children");
        let rows = document["Stats"]["Yasmin"]["swarm"]["classes"].as_array().cloned().unwrap_or_default();
        let is_rank = |row: &&Value| row["device"].as_str().is_some_and(|name| name.starts_with("rank "));
        // Those further down may come after the end.
        let named = rows.iter().filter(is_rank).count() as u32;
        assert!((children.min(ranks - 1)..ranks).contains(&named), "{ranks} ranks: {rows:?}");
        assert_eq!(document["Threads"], 1 + named, "{ranks} ranks: {rows:?}");
    }
}

#[test]
fn goals_are_those_of_one_process() {
    if is_skipped() {
        return;
    }
    // `{a;b;c}. :- not a, not b. #minimize{1:a;1:b}.` in aspif.
    let costs =
        "asp 1 0 0\n1 1 3 1 2 3 0 0\n1 0 0 0 2 -1 -2\n2 0 2 1 1 2 1\n4 1 a 1 1\n4 1 b 1 2\n4 1 c 1 3\n0\n";
    for words in
        ["--opt-mode=optN 0", "--brave", "--cautious --opt-mode=ignore", "--opt-mode=enum,1 0", "-q -n 0"]
    {
        let words = format!("--json {words}");
        let [(one, code), (three, code_of_three)] = [1, 3].map(|ranks| document(ranks, &words, costs));
        let end = |document: &Value| {
            (
                document["Result"].clone(),
                document["Models"]["Optimum"].clone(),
                document["Models"]["Costs"].clone(),
            )
        };
        assert_eq!((end(&three), code_of_three), (end(&one), code), "{words}");
        let last = |document: &Value| answer_sets(document).pop();
        if words.contains("brave") || words.contains("cautious") {
            assert_eq!(last(&three), last(&one), "{words}");
        }
    }
    let none = "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 0 0 1 1\n1 0 0 0 2 -1 2\n1 0 0 0 2 -1 -2\n0\n";
    let (refuted, code) = document(3, "--json 0", none);
    assert_eq!((&refuted["Result"], code), (&"UNSATISFIABLE".into(), 20));
}

/// The rows of `--stats=2`, one for each rank's searchers, are all that was done.
#[test]
fn the_rows_of_all_ranks_sum_up_to_the_totals() {
    if is_skipped() {
        return;
    }
    let costs = "asp 1 0 0\n1 1 9 1 2 3 4 5 6 7 8 9 0 0\n1 0 0 0 2 -1 -2\n1 0 0 0 2 -3 -4\n\
                 2 0 9 1 3 2 5 3 2 4 7 5 1 6 3 7 6 8 2 9 4\n0\n";
    let symmetric = pigeons(11);
    // In the last case all ranks begin anew after so many conflicts.
    for (words, program, expected) in [
        ("0 --symmetry=no", QUEENS, 30),
        ("0 -q --symmetry=no", QUEENS, 30),
        ("0 --opt-mode=optN --symmetry=no", costs, 30),
        ("--symmetry-after=5000", &symmetric, 20),
    ] {
        for (ranks, children) in [(3, 8), (4, 1)] {
            let words = format!("{words} --json --stats=2 --rank-children={children}");
            let (document, code) = document(ranks, &words, program);
            assert_eq!(code, expected, "{document}");
            let ours = &document["Stats"]["Yasmin"];
            let has_begun_anew = ours["preprocess"]["symmetry_nogoods"].as_u64() > Some(0);
            assert_eq!(has_begun_anew, expected == 20, "{words}: {document}");
            let rows = ours["swarm"]["classes"].as_array().cloned().unwrap_or_default();
            let sum = |name: &str| rows.iter().filter_map(|row| row[name].as_u64()).sum::<u64>();
            let core = &document["Stats"]["Core"];
            let more = &document["Stats"]["Lemma"];
            let told = |of: &Value, name: &str| of[name].as_u64();
            assert_eq!(told(&ours["swarm"], "searchers"), Some(sum("searchers")), "{words}: {document}");
            for name in ["decisions", "conflicts", "restarts", "learned", "deleted"] {
                let all = told(ours, name).or_else(|| told(core, name)).or_else(|| told(more, name));
                assert_eq!(all, Some(sum(name)), "{words}, {name}: {document}");
            }
        }
    }
}

/// `--stats=2` tells what has passed through each rank, and how fast.
#[test]
fn each_rank_has_its_bytes_in_the_statistics() {
    if is_skipped() {
        return;
    }
    let (document, _) = document(3, "0 --json --stats=2 --symmetry=no --rank-children=1", QUEENS);
    let swarm = &document["Stats"]["Yasmin"]["swarm"];
    let rows = swarm["classes"].as_array().cloned().unwrap_or_default();
    let is_rank = |row: &&Value| row["device"].as_str().is_some_and(|name| name.starts_with("rank 1"));
    let ranks: Vec<&Value> = std::iter::once(swarm).chain(rows.iter().filter(is_rank)).collect();
    assert_eq!(ranks.len(), 2, "{document}");
    for of in ranks {
        for name in ["bytes_in", "bytes_out"] {
            let number = |name: &str| of[name].as_f64().unwrap_or_else(|| panic!("{name}: {document}"));
            let (bytes, a_second) = (number(name), number(&format!("{name}_per_second")));
            assert!(bytes > 0.0 && a_second > 0.0 && bytes / a_second < 600.0, "{name}: {document}");
        }
    }
}

/// What each rank says of itself at the end.
#[test]
fn each_rank_reports_what_has_passed() {
    if is_skipped() {
        return;
    }
    let output = run(4, "0 --json --rank-report --rank-children=1", QUEENS);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let numbers = |line: &str| -> Vec<f64> {
        let words = line.split(|c: char| !c.is_ascii_digit() && c != '.');
        words.filter_map(|word| word.parse().ok()).collect()
    };
    let mut reports: Vec<Vec<f64>> =
        told.lines().filter(|line| line.starts_with("yasmin-mpi: rank ")).map(numbers).collect();
    reports.sort_by(|a, b| a[0].total_cmp(&b[0]));
    assert_eq!(reports.iter().map(|report| report[0]).collect::<Vec<_>>(), [0.0, 1.0, 2.0, 3.0], "{told}");
    for report in &reports {
        let [_, read, read_a_second, written, written_a_second, all, start] = report[..7] else {
            panic!("{told}")
        };
        assert!(read > 0.0 && written > 0.0 && start > 0.0 && all >= start, "{told}");
        for (bytes, a_second) in [(read, read_a_second), (written, written_a_second)] {
            // Seconds are told to the millisecond.
            let (most, least) = (bytes / (all - start - 0.0011).max(1e-6), bytes / (all - start + 0.0011));
            assert!((least - 1.0..=most + 1.0).contains(&a_second), "{told}");
        }
    }
    // All that goes from one rank to another is told by both, but for what nobody has read at the end.
    let (read, written): (f64, f64) =
        (reports.iter().map(|r| r[1]).sum(), reports.iter().map(|r| r[3]).sum());
    assert!(read <= written && read > 0.9 * written, "{told}");
}

/// As `yasmin` does, the launcher says so when results cannot be written, and all ranks end.
#[test]
fn a_full_disk_is_told() {
    if is_skipped() {
        return;
    }
    for words in ["0", "0 --json", "0 --json-lines", "-q --outf=0"] {
        let full = std::fs::File::create("/dev/full").expect("there is such a device");
        let mut child = command(3, words).stdout(full).spawn().expect("the command starts");
        child.stdin.take().expect("a pipe").write_all(QUEENS.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let why = "yasmin-mpi: error: cannot write to standard output: No space left on device (os error 28)";
        assert_eq!(output.status.code(), Some(65), "{words}: {told}");
        assert_eq!(told.lines().filter(|line| *line == why).count(), 1, "{words}: {told}");
    }
}

#[test]
fn what_cannot_be_combined_is_refused_by_name() {
    for (words, named) in [
        ("--proof -", "--proof -"),
        ("--check=proof", "--check=proof"),
        ("--trace /dev/null", "--trace"),
        ("--lemma-out /dev/null", "--lemma-out"),
        ("--enum-mode=domRec --heuristic=Domain --dom-mod=5,16", "--enum-mode=domRec"),
        ("--engine=host", "--engine host"),
        ("--device=gpu", "--device gpu"),
    ] {
        let output = run(2, &format!("{words} --json"), QUEENS);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(65), "{told}");
        assert!(told.contains(named) && told.contains("several ranks"), "{told}");
        let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
        assert!(document["Error"].as_str().is_some_and(|error| error.contains(named)), "{document}");
    }
}

/// The checker reads what all ranks have written, once that is whole, and its verdict is that of the run.
#[test]
fn the_proof_of_all_ranks_is_checked() {
    if is_skipped() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("yasmin-ranks-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let [yasmin, checker, file] = ["yasmin-mpi", "yasmin-check", "proof"].map(|name| folder.join(name));
    fs::copy(env!("CARGO_BIN_EXE_yasmin-mpi"), &yasmin).expect("a copy");
    // A script that stands in for the checker keeps what it reads.
    for (verdict, code) in [("accepted", 30), ("refused", 65)] {
        let document = format!(r#"{{"Verdict":"{verdict}","Proved":"this and that","Reason":"so"}}"#);
        let kept = folder.display();
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && exit\ncat \"$1\" >'{kept}/read.aspif'\n\
             for part in '' .1 .2; do cp \"$2$part\" \"{kept}/read$part\"; done\necho '{document}'\n"
        );
        fs::write(&checker, script).expect("a script");
        fs::set_permissions(&checker, fs::Permissions::from_mode(0o755)).expect("it is ours");
        let words = format!("0 --json --check=all --proof {}", file.display());
        let mut child = command_at(&yasmin, 3, &words).spawn().expect("the command starts");
        child.stdin.take().expect("a pipe").write_all(QUEENS.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
        assert_eq!(output.status.code(), Some(code), "{document}");
        let (told, error) = (&document["Proof"]["Proved"], document["Error"].as_str().unwrap_or_default());
        assert_eq!(told == "this and that", verdict == "accepted", "{document}");
        assert_eq!(error.contains("the proof is refused: so"), verdict == "refused", "{document}");
        let read = |name: &str| fs::read_to_string(folder.join(name)).expect("it was read");
        assert_eq!(read("read.aspif"), QUEENS);
        assert!(read("read").ends_with("e 1\n"));
        assert!(["read.1", "read.2"].iter().all(|part| read(part).ends_with("y\n")));
    }
    fs::remove_dir_all(&folder).expect("it is there");
}

#[test]
fn without_mpirun_the_document_says_so() {
    let output = Command::new(env!("CARGO_BIN_EXE_yasmin-mpi"))
        .args(["--mpirun", "/nonexistent/mpirun", "--json"])
        .stdin(Stdio::null())
        .output()
        .expect("the command starts");
    assert_eq!(output.status.code(), Some(65));
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert!(document["Error"].as_str().is_some_and(|error| error.contains("--mpirun")), "{document}");
}

#[test]
fn a_rank_that_is_gone_ends_the_run_with_an_error() {
    if is_skipped() {
        return;
    }
    for victim in 0..3 {
        let mut child = command(3, "--json --symmetry=no").spawn().expect("the command starts");
        child.stdin.take().expect("a pipe").write_all(pigeons(11).as_bytes()).expect("it reads");
        let began = Instant::now();
        let pid = loop {
            if let Some(pid) =
                rank_of(child.id(), victim).filter(|_| began.elapsed() > Duration::from_secs(1))
            {
                break pid;
            }
            assert!(began.elapsed() < Duration::from_secs(20), "rank {victim} does not start");
            thread::sleep(Duration::from_millis(10));
        };
        assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().expect("kill").success());
        let killed = Instant::now();
        let output = child.wait_with_output().expect("it ends");
        // 2 s, and what a machine adds that many other processes load.
        assert!(killed.elapsed() < Duration::from_secs(8), "{:?}", killed.elapsed());
        let document: Value = serde_json::from_slice(&output.stdout).expect("a whole document");
        assert_eq!((&document["Result"], &document["Models"]["More"]), (&"UNKNOWN".into(), &"yes".into()));
        assert!(document["Error"].as_str().is_some_and(|error| error.contains("gone")), "{document}");
        assert_eq!(output.status.code(), Some(65));
    }
}

/// A rank that is stopped before it has connected does not stop the others for longer than the time-out.
#[test]
fn a_rank_that_is_stopped_while_it_connects_ends_the_run() {
    if is_skipped() {
        return;
    }
    // The rank stops itself before MPI starts. All other ranks wait for it.
    let stops = format!(
        "[ \"$OMPI_COMM_WORLD_RANK\" = VICTIM ] && kill -STOP $$; exec {} \"$@\"",
        env!("CARGO_BIN_EXE_yasmin-mpi")
    );
    let script = std::env::temp_dir().join(format!("yasmin-mpi-stops-{}", std::process::id()));
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/queens-8.aspif");
    for victim in [0, 2] {
        let mut command = Command::new("mpirun");
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        std::fs::write(&script, stops.replace("VICTIM", &victim.to_string())).expect("room");
        command.args(["--oversubscribe", "-n", "3", "sh"]).arg(&script);
        command.args([file, "0", "--json", "--rank-timeout=3", "-t1"]);
        let began = Instant::now();
        let output = command.stdin(Stdio::null()).output().expect("mpirun starts");
        let took = began.elapsed();
        // At least 10 s, 0.5 s more if rank 0 is stopped, what mpirun takes to end all ranks, and a
        // loaded machine.
        assert!(took > Duration::from_secs(10) && took < Duration::from_secs(60), "rank {victim}: {took:?}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("has not connected within 10 s"), "rank {victim}: {told}");
        assert_eq!(output.status.code(), Some(65), "rank {victim}: {told}");
        if victim > 0 {
            let document: Value = serde_json::from_slice(&output.stdout).expect("rank 0 says so");
            assert!(document["Error"].as_str().is_some_and(|why| why.contains("connected")), "{document}");
        }
    }
    std::fs::remove_file(&script).expect("it is there");
}

/// After a signal rank 0 ends the search in order, and nobody waits for mpirun, which would take 2 s.
#[test]
fn a_signal_ends_all_ranks_in_order() {
    if is_skipped() {
        return;
    }
    for _ in 0..3 {
        let mut child = command(3, "0 --json --stats=2 --symmetry=no").spawn().expect("the command starts");
        child.stdin.take().expect("a pipe").write_all(pigeons(11).as_bytes()).expect("it reads");
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(2) || rank_of(child.id(), 0).is_none() {
            assert!(began.elapsed() < Duration::from_secs(20), "rank 0 does not start");
            thread::sleep(Duration::from_millis(10));
        }
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill").success());
        let output = child.wait_with_output().expect("it ends");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let document: Value = serde_json::from_slice(&output.stdout).expect("a whole document");
        assert_eq!((&document["Result"], &document["Models"]["More"]), (&"UNKNOWN".into(), &"yes".into()));
        // What mpirun ends by itself has no statistics of other ranks.
        let ours = &document["Stats"]["Yasmin"]["swarm"];
        assert_eq!((&ours["searchers"], output.status.code()), (&3.into(), Some(1)), "{document} {told}");
        assert!(document.get("Error").is_none() && told.is_empty(), "{document} {told}");
    }
}

/// Open MPI 4.1 may hang when a rank dies while it connects to `mpirun`. The launcher does not wait for that.
#[test]
fn an_mpirun_that_hangs_after_its_ranks_is_not_waited_for() {
    if is_skipped() {
        return;
    }
    // The one rank waits for somebody who writes into the program, is killed, and nobody says so.
    let program = std::env::temp_dir().join(format!("yasmin-mpi-waits-{}", std::process::id()));
    nix::unistd::mkfifo(&program, nix::sys::stat::Mode::S_IRWXU).expect("a pipe with a name");
    let hangs = "sh -c 'export OMPI_COMM_WORLD_RANK=0; \"$@\" & sleep 3; kill -9 $!; exec sleep 60' sh";
    let mut command = Command::new(env!("CARGO_BIN_EXE_yasmin-mpi"));
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.args(["--mpirun", hangs, "--json"]).arg(&program);
    let began = Instant::now();
    let output = command.stdin(Stdio::null()).output().expect("the command starts");
    let took = began.elapsed();
    std::fs::remove_file(&program).expect("it is there");
    // 3 s, twice the launcher's patience of 1.5 s, and what a loaded machine adds.
    assert!(took < Duration::from_secs(40), "{took:?}");
    assert_eq!(output.status.code(), Some(65), "{output:?}");
    let document: Value = serde_json::from_slice(&output.stdout).expect("a whole document");
    assert!(document["Error"].as_str().is_some_and(|error| error.contains("gone")), "{document}");
}

/// Without a launcher `mpirun` would pass standard input on, and it may lose that.
#[test]
fn without_a_launcher_standard_input_is_refused() {
    if is_skipped() {
        return;
    }
    let mut command = Command::new("mpirun");
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.args(["--oversubscribe", "-n", "2", env!("CARGO_BIN_EXE_yasmin-mpi"), "--json"]);
    let refused = command.stdin(Stdio::null()).output().expect("mpirun starts");
    let document: Value = serde_json::from_slice(&refused.stdout).expect("one document, by rank 0 alone");
    assert!(document["Error"].as_str().is_some_and(|error| error.contains("standard input")), "{document}");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/queens-8.aspif");
    let found = command.args([file, "0", "--device=cpu", "-t1"]).output().expect("mpirun starts");
    let document: Value = serde_json::from_slice(&found.stdout).expect("one document, by rank 0 alone");
    assert_eq!((&document["Models"]["Number"], found.status.code()), (&92.into(), Some(30)));
}

/// All questions about a queen's place have answers, whoever gives them, and each line has one reply.
#[test]
fn ranks_share_questions() {
    if is_skipped() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (program, questions) = (folder.path().join("queens.aspif"), folder.path().join("questions"));
    let place = |at: u32| format!("queen({},{})", at / 8 + 1, at % 8 + 1);
    let mut lines: String =
        (0..64).map(|at| format!("{{\"assumptions\": [\"{}\"], \"models\": 0}}\n", place(at))).collect();
    lines += "queen(9,9)\nqueen(1,1), queen(2,2)\n{\"constraints\": [\"not queen(1,1)\"], \"models\": 0}\n";
    lines += "{\"rules\": [\"queen(1,1) :- not safe. {safe}\", \":- safe\"], \"models\": 0}\n";
    lines += "{\"project\": [\"queen(1,1)\"], \"models\": 0}\n";
    std::fs::write(&questions, &lines).expect("a file");
    std::fs::write(&program, QUEENS).expect("a file");
    let asked = format!("--questions={}", questions.display());
    for ranks in [1, 2, 4] {
        // The program, or the questions, come from standard input.
        let named = format!("{} --questions=-", program.display());
        for (words, input) in [(asked.as_str(), QUEENS), (named.as_str(), lines.as_str())] {
            let output = run(ranks, &format!("{words} --rank-children=2"), input);
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            let out = String::from_utf8(output.stdout).expect("text");
            assert_eq!(output.status.code(), Some(75), "{out} {told}");
            let read =
                |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {out}"));
            let mut replies: Vec<Value> = out.lines().map(read).collect();
            replies.sort_by_key(|reply| reply["Line"].as_u64());
            let numbers: Vec<u64> = replies.iter().filter_map(|reply| reply["Line"].as_u64()).collect();
            assert_eq!(numbers, (1..=69).collect::<Vec<u64>>(), "{out}");
            let models = |reply: &Value| reply["Models"]["Number"].as_u64().unwrap_or(0);
            assert_eq!(replies[..64].iter().map(models).sum::<u64>(), 8 * 92, "{out}");
            assert_eq!(replies[64]["ErrorCode"], "input", "{out}");
            assert_eq!(replies[65]["Core"].as_array().map(Vec::len), Some(2), "{out}");
            assert_eq!(replies[66..].iter().map(models).collect::<Vec<u64>>(), [4, 4, 2], "{out}");
        }
    }
}
