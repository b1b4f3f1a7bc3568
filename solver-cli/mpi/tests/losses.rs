//! With an MPI that lets other ranks live, these search what a lost rank had, and find everything.
//!
//! The tests take Open MPI 5, which `scripts/setup.sh --tests` installs as a Python package, and say that
//! they were skipped where it is missing. `scripts/cluster.py --losses` does the same for longer.
#![cfg(feature = "mpi")]

mod common;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use serde_json::Value;

use common::{command, is_skipped, pigeons, rank_of};

/// The folder that has Open MPI 5, if one is there.
fn folder() -> Option<PathBuf> {
    let python = PathBuf::from(std::env::var_os("YASMIN_PYTHON")?);
    let folder = python.parent()?.parent()?.to_path_buf();
    folder.join("lib/libmpi.so.40").exists().then_some(folder)
}

/// The command, with ranks that go on without one of them. Nothing if the MPI for that is missing.
fn that_goes_on(ranks: u32, words: &str) -> Option<Command> {
    if is_skipped() {
        return None;
    }
    let Some(folder) = folder() else {
        eprintln!("SKIPPED: no Open MPI 5 with the Python of YASMIN_PYTHON (scripts/setup.sh --tests)");
        return None;
    };
    let mpirun = format!("{} --oversubscribe --with-ft ulfm", folder.join("bin/mpirun").display());
    let mut command = command(ranks, words);
    // The last one counts.
    command.args(["--mpirun", &mpirun]).env("LD_LIBRARY_PATH", folder.join("lib"));
    Some(command)
}

/// A command that runs, and what it prints.
struct Run {
    child: Child,
    lines: Vec<String>,
    out: BufReader<std::process::ChildStdout>,
}

impl Run {
    /// Starts the command, and waits for a line that begins so.
    fn until(mut command: Command, program: &str, line: &str) -> Run {
        let mut child = command.spawn().expect("the command starts");
        child.stdin.take().expect("a pipe").write_all(program.as_bytes()).expect("it reads");
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut run = Run { child, lines: Vec::new(), out };
        while !run.lines.last().is_some_and(|last| last.starts_with(line)) {
            let mut next = String::new();
            let bytes = run.out.read_line(&mut next).expect("text");
            let told = if bytes == 0 { run.told() } else { String::new() };
            assert!(bytes > 0, "{:?} {told}", run.lines);
            run.lines.push(next);
        }
        run
    }

    /// Sends a rank a signal.
    fn hit(&self, rank: u32, signal: Signal) -> Pid {
        let pid = rank_of(self.child.id(), rank).expect("the rank is there");
        let pid = Pid::from_raw(pid as i32);
        kill(pid, signal).expect("the rank is there");
        pid
    }

    fn told(&mut self) -> String {
        let mut told = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut told).expect("text");
        told
    }

    /// All that is printed, what is told, and the exit code.
    fn end(mut self) -> (String, String, i32) {
        let mut out = self.lines.concat();
        self.out.read_to_string(&mut out).expect("text");
        let told = self.told();
        let code = self.child.wait().expect("it ends").code();
        (out, told, code.unwrap_or(-1))
    }
}

/// Many answer sets: of `choices` atoms an even number holds among the first three.
fn choices(choices: u32) -> String {
    let mut program = String::from("asp 1 0 0\n");
    for atom in 1..=choices {
        let name = format!("a{atom}");
        program += &format!("1 1 1 {atom} 0 0\n4 {} {name} 1 {atom}\n", name.len());
    }
    for odd in [[1, 2, 3], [1, -2, -3], [-1, 2, -3], [-1, -2, 3]] {
        program += &format!("1 0 0 0 3 {} {} {}\n", odd[0], odd[1], odd[2]);
    }
    program + "0\n"
}

#[test]
fn a_refutation_does_without_lost_ranks() {
    // A rank whose parent is gone ends, and tells nothing of its own children any more.
    let chain = "--rank-children=1";
    for (victims, named, words) in [
        (&[1][..], &[1][..], ""),
        (&[3, 1], &[3, 1], ""),
        (&[1, 2, 3], &[1, 2, 3], ""),
        (&[2], &[2], chain),
        (&[3, 1], &[1], chain),
    ] {
        let Some(command) = that_goes_on(4, &format!("{words} --symmetry=no")) else { return };
        let run = Run::until(command, &pigeons(10), "Solving...");
        for &victim in victims {
            run.hit(victim, Signal::SIGKILL);
        }
        let (out, told, code) = run.end();
        assert!(code == 20 && out.contains("\nUNSATISFIABLE\n"), "{code}: {out}{told}");
        for victim in named {
            let line = format!("yasmin-mpi: rank {victim} is gone; the other ranks search its part");
            assert_eq!(told.lines().filter(|told| *told == line).count(), 1, "{told}");
        }
    }
}

#[test]
fn no_answer_set_is_lost_or_comes_twice() {
    for victim in 1..4 {
        let Some(command) = that_goes_on(4, "0 --json-lines --stats=2") else { return };
        let run = Run::until(command, &choices(15), "{");
        run.hit(victim, Signal::SIGKILL);
        let (out, told, code) = run.end();
        assert_eq!(code, 30, "{told}");
        let lines: Vec<Value> =
            out.lines().map(|line| serde_json::from_str(line).expect("a document")).collect();
        let (end, answers) = lines.split_last().expect("the end of the document");
        let distinct: BTreeSet<String> = answers.iter().map(|answer| answer["Value"].to_string()).collect();
        assert_eq!((answers.len(), distinct.len()), (1 << 14, 1 << 14), "{told}");
        assert_eq!((&end["Models"]["Number"], &end["Models"]["More"]), (&(1 << 14).into(), &"no".into()));
    }
}

#[test]
fn a_rank_that_is_silent_is_done_without() {
    let Some(command) = that_goes_on(3, "--symmetry=no --rank-timeout=2") else { return };
    let run = Run::until(command, &pigeons(10), "Solving...");
    let stopped = run.hit(2, Signal::SIGSTOP);
    let (out, told, code) = run.end();
    assert!(code == 20 && out.contains("\nUNSATISFIABLE\n"), "{code}: {out}{told}");
    assert!(told.contains("yasmin-mpi: rank 2 has said nothing for 2 s"), "{told}");
    let until = Instant::now() + Duration::from_secs(3);
    while kill(stopped, None).is_ok() && Instant::now() < until {
        thread::sleep(Duration::from_millis(10));
    }
    assert!(kill(stopped, None).is_err(), "the stopped rank is ended");
}

/// The search is that of rank 0, and a proof has parts of all ranks.
#[test]
fn what_cannot_be_done_without_ends_the_run() {
    let proof = std::env::temp_dir().join(format!("yasmin-losses-{}", std::process::id()));
    let with_proof = format!("--symmetry=no --proof {}", proof.display());
    for (victim, words) in [(0, "--symmetry=no"), (1, &with_proof)] {
        let Some(command) = that_goes_on(3, words) else { return };
        let run = Run::until(command, &pigeons(10), "Solving...");
        run.hit(victim, Signal::SIGKILL);
        let (out, told, code) = run.end();
        assert!(code == 65 && out.contains("\nUNKNOWN\n") && told.contains("gone"), "{code}: {out}{told}");
    }
    for part in 0..3 {
        let name = if part == 0 { proof.clone() } else { proof.with_extension(part.to_string()) };
        // A rank that is gone may have left none.
        let _ = std::fs::remove_file(name);
    }
}
