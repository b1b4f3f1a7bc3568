//! Several ranks write a part of a proof each, and a run that breaks claims nothing.
//!
//! Where `mpirun` is missing each test says that it was skipped. `tests/tests/ranks.rs` proves random
//! programs.
#![cfg(feature = "mpi")]

mod common;

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use yasmin_check::parts::{Merged, Named};
use yasmin_check::program::{self, Program};
use yasmin_check::proof::{Source, Step};
use yasmin_check::{Checker, Conclusion};

use common::{command, is_skipped, pigeons, rank_of};

/// Eight queens.
const QUEENS: &str = include_str!("../../../data/queens-8.aspif");

fn program(text: &str) -> Program {
    program::read("program", text.as_bytes()).expect("a program")
}

/// A folder for the files of a test, which goes with the value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("yasmin-mpi-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Folder(folder)
    }

    /// The file of a rank.
    fn part(&self, rank: u32) -> PathBuf {
        self.0.join(if rank == 0 { "proof".into() } else { format!("proof.{rank}") })
    }

    fn command(&self, ranks: u32, words: &str) -> Command {
        let mut command = command(ranks, words);
        command.arg("--proof").arg(self.part(0));
        command
    }

    fn run(&self, ranks: u32, words: &str, program: &str) -> Output {
        let mut child = self.command(ranks, words).spawn().expect("the command starts");
        child.stdin.take().expect("a pipe").write_all(program.as_bytes()).expect("it reads");
        child.wait_with_output().expect("it ends")
    }

    fn open(&self, rank: u32) -> Result<Named<'static>, String> {
        let file = File::open(self.part(rank)).map_err(|error| error.to_string())?;
        let (mut bytes, mut file) = (Vec::new(), BufReader::new(file));
        file.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        if bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            bytes = zstd::decode_all(&bytes[..]).map_err(|error| error.to_string())?;
        }
        Ok((format!("rank {rank}"), Box::new(std::io::Cursor::new(bytes))))
    }

    /// Reads the steps of all parts. Returns the ranks whose parts belong to the proof.
    fn read(
        &self,
        program: &Program,
        mut told: impl FnMut(&Step) -> Result<(), String>,
    ) -> Result<Vec<u32>, String> {
        let mut ranks = vec![0];
        let mut merged = Merged::new(program, self.open(0)?, |number| {
            ranks.push(number as u32);
            self.open(number as u32)
        });
        while let Some(step) = merged.step().map_err(|error| error.to_string())? {
            told(&step)?;
        }
        drop(merged);
        ranks.sort_unstable();
        Ok(ranks)
    }

    /// What all parts prove, and the ranks whose parts belong to the proof.
    fn conclude(&self, text: &str) -> Result<(Option<Conclusion>, Vec<u32>), String> {
        let mut checker = Checker::new(program(text));
        let told = |step: &Step| checker.step(step).map(|_| ()).map_err(|why| format!("{step}: {why}"));
        let ranks = self.read(&program(text), told)?;
        Ok((checker.conclusion(), ranks))
    }

    /// Whether the proof ends with a conclusion, and the ranks whose parts belong to the proof.
    fn claims(&self, text: &str) -> Result<(bool, Vec<u32>), String> {
        let mut claims = false;
        let ranks = self.read(&program(text), |step| {
            claims |= *step == Step::End(true);
            Ok(())
        })?;
        Ok((claims, ranks))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_parts_of_all_ranks_are_one_proof() {
    if is_skipped() {
        return;
    }
    let folder = Folder::new("parts");
    let words = [
        (2, "0 --json"),
        // Rank 1 has rank 2 join, and rank 2 has rank 3 join.
        (4, "0 --json --rank-children=1"),
        (3, "0 --json --proof-format=binary --proof-compress"),
    ];
    for (ranks, words) in words {
        let output = folder.run(ranks, words, QUEENS);
        let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
        assert_eq!((output.status.code(), &document["Models"]["Number"]), (Some(30), &92.into()), "{words}");
        let (conclusion, joined) = folder.conclude(QUEENS).unwrap_or_else(|why| panic!("{words}: {why}"));
        assert_eq!(conclusion.map(|conclusion| conclusion.answer_sets), Some(92), "{words}");
        // Those further down may come after the end.
        assert!(joined.starts_with(&[0, 1]) && joined.len() <= ranks as usize, "{words}: {joined:?}");
    }
    // One rank writes a proof of one file.
    folder.run(1, "0", QUEENS);
    let alone = std::fs::read_to_string(folder.part(0)).expect("a proof");
    assert!(!alone.contains("\ni ") && alone.ends_with("\ne 1\n"));
    assert_eq!(folder.conclude(QUEENS).expect("a proof").1, [0]);
}

#[test]
fn a_rank_that_cannot_write_its_part_ends_the_run() {
    if is_skipped() {
        return;
    }
    let folder = Folder::new("full");
    symlink("/dev/full", folder.part(1)).expect("a link");
    let full = "proof.1: No space left on device";
    for (what, named) in [(full, "rank 1 of "), ("Is a directory", "proof.1")] {
        let output = folder.run(2, "0 --json", QUEENS);
        let document: Value = serde_json::from_slice(&output.stdout).expect("a whole document");
        let told = document["Error"].as_str().unwrap_or_default();
        assert!(told.contains(what) && told.contains(named), "{document}");
        assert_eq!(document["Models"]["More"], "yes", "{document}");
        let expected = if document["Models"]["Number"] == 0 { 65 } else { 75 };
        assert_eq!(output.status.code(), Some(expected), "{document}");
        // The device has no end to read.
        let _ = std::fs::remove_file(folder.part(1));
        assert!(!matches!(folder.claims(QUEENS), Ok((true, _))), "{what}");
        let _ = std::fs::create_dir(folder.part(1));
    }
}

#[test]
fn a_run_that_breaks_claims_nothing() {
    if is_skipped() {
        return;
    }
    let folder = Folder::new("broken");
    // The time is over.
    let output = folder.run(3, "--symmetry=no --time-limit=2", &pigeons(11));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    match folder.claims(&pigeons(11)) {
        Ok(ended) => assert_eq!(ended, (false, vec![0, 1, 2])),
        // A rank that does not return in half a second is not waited for.
        Err(why) => assert!(why.contains("ends too early: copy the file again"), "{why}"),
    }
    // A rank is gone.
    let folder = Folder::new("gone");
    let mut child = folder.command(3, "--symmetry=no").spawn().expect("the command starts");
    child.stdin.take().expect("a pipe").write_all(pigeons(11).as_bytes()).expect("it reads");
    let began = Instant::now();
    let has_written = || std::fs::metadata(folder.part(2)).is_ok_and(|file| file.len() > 1 << 16);
    let pid = loop {
        if let Some(pid) = rank_of(child.id(), 2).filter(|_| has_written()) {
            break pid;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "rank 2 writes nothing");
        thread::sleep(Duration::from_millis(10));
    };
    assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().expect("kill").success());
    assert_eq!(child.wait_with_output().expect("it ends").status.code(), Some(65));
    let why = folder.claims(&pigeons(11)).expect_err("a part is cut");
    assert!(why.contains("ends too early: copy the file again"), "{why}");
}
