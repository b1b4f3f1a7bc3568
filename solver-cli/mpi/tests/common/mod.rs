//! Ranks that tests start, and a program that keeps them busy.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::path::Path;
use std::process::{Command, Stdio};

/// The command, with so many ranks of one searcher each.
pub fn command(ranks: u32, words: &str) -> Command {
    command_at(Path::new(env!("CARGO_BIN_EXE_yasmin-mpi")), ranks, words)
}

/// The same, of a copy of the command.
pub fn command_at(path: &Path, ranks: u32, words: &str) -> Command {
    let mut command = Command::new(path);
    // Tests may run as root, and with more ranks than there are cores.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.args(["--mpirun", "mpirun --oversubscribe", "--ranks", &ranks.to_string(), "-t1"]);
    command.args(["--rank-wait", "--join-after=0"]).args(words.split_whitespace());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Whether there is no Open MPI here.
pub fn is_skipped() -> bool {
    let is_missing = Command::new("mpirun").arg("--version").output().is_err();
    if is_missing {
        eprintln!("SKIPPED: no mpirun (Debian: apt-get install openmpi-bin)");
    }
    is_missing
}

/// The processes that are a rank with this number of the launcher with this number.
pub fn rank_of(launcher: u32, rank: u32) -> Option<u32> {
    let wanted = format!("OMPI_COMM_WORLD_RANK={rank}");
    let entries = std::fs::read_dir("/proc").ok()?;
    let mut pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let parent = |pid: u32| -> Option<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    };
    let is_wanted = |pid: &u32| {
        let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let is_rank = environ.split(|&byte| byte == 0).any(|word| word == wanted.as_bytes());
        is_rank && parent(*pid).and_then(parent) == Some(launcher)
    };
    pids.find(is_wanted)
}

/// Pigeons and one hole less. Eleven of them take some seconds.
pub fn pigeons(birds: usize) -> String {
    let mut pigeons = String::from("asp 1 0 0\n");
    let holes = birds - 1;
    let in_hole = |bird: usize, hole: usize| 1 + bird * holes + hole;
    for bird in 0..birds {
        let atoms: Vec<String> = (0..holes).map(|hole| in_hole(bird, hole).to_string()).collect();
        pigeons += &format!("1 1 {holes} {} 0 0\n", atoms.join(" "));
        pigeons += &format!("1 0 0 0 {holes} -{}\n", atoms.join(" -"));
        for (other, hole) in (0..bird).flat_map(|other| (0..holes).map(move |hole| (other, hole))) {
            pigeons += &format!("1 0 0 0 2 {} {}\n", in_hole(bird, hole), in_hole(other, hole));
        }
    }
    pigeons + "0\n"
}
