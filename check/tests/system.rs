//! What the system refuses: memory, and streams that are closed. Each ends with one line and a code of its
//! own.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output};

const PROGRAM: &str = "asp 1 0 0\n1 1 1 1 0 0\n4 1 a 1 1\n0\n";
const PROOF: &str = "p yasmin 1\nq 1 0\na 0\na 1 0\nn 0\ne 1\n";

const LINE: &str = "yasmin-check: out of memory: the check needs more than this process may have\n";

/// A folder with a program and a proof, which goes with the value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("yasmin-check-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("program"), PROGRAM).expect("it can be written");
        std::fs::write(folder.join("proof"), PROOF).expect("it can be written");
        Folder(folder)
    }

    /// Writes a compressed file: `first`, and then `chunk` so many times.
    fn compress(&self, name: &str, first: &[u8], chunk: &[u8], times: usize) {
        let file = File::create(self.0.join(name)).expect("it can be written");
        let mut to = zstd::Encoder::new(file, 1).expect("memory");
        to.write_all(first).expect("it can be written");
        let many = chunk.repeat(1 << 10);
        (0..times >> 10).for_each(|_| to.write_all(&many).expect("it can be written"));
        to.finish().expect("it can be written");
    }

    /// Runs the command by a shell, which does something before.
    fn run(&self, shell: &str, words: &str) -> Output {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{shell} \"$@\""), "sh", env!("CARGO_BIN_EXE_yasmin-check")]);
        command.args(words.split(' ')).current_dir(&self.0).output().expect("there is a shell")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_check_without_memory_ends_in_order() {
    let folder = Folder::new("memory");
    let within = "ulimit -v 100000; exec";
    let fits = folder.run(within, "program proof");
    assert_eq!(text(&fits.stdout), "ACCEPTED\nthe program has 2 answer sets, and no other\n");
    // Steps of more numbers than there is memory for, from small files.
    folder.compress("text", b"p yasmin 1\nn", b" 1", 24 << 20);
    let length = [0x80, 0x80, 0x80, 0x80, 0x10];
    folder.compress("binary", &[b"yasmin01\0n", &length[..]].concat(), &[2], 24 << 20);
    std::fs::write(folder.0.join("part"), "p yasmin 1\ni 0 2 7\nq 1 0\nj 1\nt 2\ne 0\n").expect("room");
    folder.compress("part.1", b"p yasmin 1\ni 1 2 7\nt 1\nn", b" 1", 24 << 20);
    File::create(folder.0.join("large")).and_then(|file| file.set_len(1 << 30)).expect("a file with a hole");
    // The window of a compressed file alone may be too large.
    let file = File::create(folder.0.join("window")).expect("it can be written");
    let mut to = zstd::Encoder::new(file, 1).expect("memory");
    to.window_log(27).expect("a window of 128 MiB");
    to.write_all(PROOF.as_bytes()).and_then(|()| to.finish()).expect("it can be written");
    assert!(std::fs::metadata(folder.0.join("text")).expect("it is there").len() < 1 << 20);
    for words in [
        "program text",
        "program binary",
        "program part",
        "program window",
        "large proof",
        "program text --backward",
        "program text --trim left",
        "program text --cnf left --lrat left.lrat",
        "program text --threads 3",
    ] {
        for option in ["", " --json"] {
            let output = folder.run(within, &format!("{words}{option}"));
            assert_eq!((output.status.code(), text(&output.stderr)), (Some(33), LINE.into()), "{words}");
            if option.is_empty() {
                assert_eq!(text(&output.stdout), "", "{words}");
            } else {
                let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
                assert_eq!(document["Verdict"], "error", "{words}");
            }
            assert!(!folder.0.join("left").exists() && !folder.0.join("left.lrat").exists(), "{words}");
        }
    }
}

#[test]
fn threads_that_find_no_room_are_an_error() {
    let folder = Folder::new("threads");
    let output = folder.run("ulimit -v 100000; exec", "program proof --threads 500");
    let told = text(&output.stderr);
    // Memory ends where a thread starts, or in one that has started.
    let is_said = match output.status.code() {
        Some(33) => told == LINE,
        Some(65) => told.contains("a thread cannot be started: ") && told.contains("--threads 500"),
        _ => false,
    };
    assert!(is_said && told.lines().count() == 1, "{:?} {told}", output.status);
}

#[test]
fn a_closed_stream_is_an_error() {
    let folder = Folder::new("closed");
    let ends = |output: Output, why: &str| {
        let told = text(&output.stderr);
        assert_eq!((output.status.code(), &told[..]), (Some(65), &format!("yasmin-check: {why}\n")[..]));
    };
    let no_output = "standard output is closed: send it to /dev/null if only the exit code is wanted";
    for words in ["program proof", "program proof --json", "--help", "--version", "--man"] {
        ends(folder.run(">&- exec", words), no_output);
        ends(folder.run("1</dev/null exec", words), no_output);
    }
    let no_input = "standard input is closed: name a file instead of `-`";
    ends(folder.run("<&- exec", "program -"), no_input);
    ends(folder.run("<&- exec", "- proof"), no_input);
    assert_eq!(folder.run("<&- >/dev/null exec", "program proof").status.code(), Some(0));
    assert_eq!(folder.run("2>&- exec", "program proof").status.code(), Some(0));
}
