//! Grounders that are shell scripts: what is read, refused, kept, and left behind.

use super::*;
use std::fs;
use std::time::{Duration, Instant};

/// Reads the program in these files, and waits for the grounder's end.
fn read_sources(files: &[PathBuf], grounding: &Grounding, guard: &Guard) -> Result<Program, ReadError> {
    let program = read_inputs(Inputs::open(files)?, grounding, guard)?;
    guard.conclude(None)?;
    Ok(program)
}

/// A folder of its own with files of these names, texts and modes; it is removed at the end.
struct Folder(PathBuf);

/// Writes a script that can be run, by another process: while a test beside this one starts a process, that has a copy of whatever file
/// is open here, and a file that is open to be written cannot be run.
fn write_script(file: &Path, text: &str) {
    let mut shell = Command::new("sh");
    shell.args(["-c", "printf %s \"$1\" > \"$0\" && chmod 755 \"$0\""]).arg(file).arg(text);
    assert!(shell.status().expect("a shell").success());
}

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("yasmin-ground-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        for (name, text) in files {
            let file = path.join(name);
            if text.starts_with("#!") {
                write_script(&file, text);
            } else {
                fs::write(&file, text).expect("a file");
            }
        }
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Reads files of the folder with its file `grounder` as the grounder.
    fn read(&self, files: &[&str], keep: bool) -> Result<Program, ReadError> {
        let files: Vec<PathBuf> = files.iter().map(|name| self.path(name)).collect();
        let grounding = Grounding {
            arguments: Vec::new(),
            grounder: Some(self.path("grounder").display().to_string()),
            constants: Vec::new(),
            keep: keep.then(|| self.path("kept")),
            ..Grounding::default()
        };
        let guard = Guard::default();
        let program = read_sources(&files, &grounding, &guard);
        assert!(guard.lock().child.is_none() && guard.lock().partial.is_none(), "something is left");
        program
    }

    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(&self.0).expect("a folder");
        let mut names: Vec<String> =
            names.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort_unstable();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const FACT: &str = "asp 1 0 0\n1 0 1 1 0 0\n4 1 a 0\n0\n";
const GROUNDER: &str = "#!/bin/sh\nprintf 'asp 1 0 0\\n1 0 1 1 0 0\\n4 1 a 0\\n0\\n'\n";

#[test]
fn a_logic_program_is_grounded_and_kept() {
    let folder = Folder::new(&[("p", "a."), ("grounder", GROUNDER)]);
    assert_eq!(folder.read(&["p"], true).expect("a program").rules(), 1);
    assert_eq!(fs::read_to_string(folder.path("kept")).expect("text"), FACT);
    assert_eq!(folder.names(), ["grounder", "kept", "p"]);
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let folder = Folder::new(&[("p", "a."), ("g", FACT), ("h", FACT), ("grounder", GROUNDER)]);
    assert!(folder.read(&["g"], false).is_ok());
    for (files, keep, word) in [
        (&["g", "h"][..], false, "a second ground program"),
        (&["g", "p"], false, "is ground, and another is not"),
        (&["p", "g"], false, "is ground, and another is not"),
        (&["g"], true, "--keep-ground means nothing"),
        (&["nowhere"], false, "cannot be read"),
        (&["."], false, "cannot be read"),
    ] {
        let error = folder.read(files, keep).expect_err("does not fit together").to_string();
        assert!(error.contains(word), "{files:?}: {error}");
    }
}

#[test]
fn a_grounder_that_fails_leaves_nothing() {
    for (end, status) in [("exit 7", "exit status: 7"), ("kill -9 $$", "signal: 9")] {
        let grounder = format!("{GROUNDER}{end}\n");
        let folder = Folder::new(&[("p", "a."), ("grounder", &grounder)]);
        let error = folder.read(&["p"], true).expect_err("it fails");
        assert!(error.to_string().contains(status), "{error}");
        assert_eq!(folder.names(), ["grounder", "p"]);
    }
}

#[test]
fn what_cannot_be_solved_is_kept_all_the_same() {
    let folder =
        Folder::new(&[("p", "a."), ("grounder", "#!/bin/sh\nprintf 'asp 1 0 0\\nbad\\nworse\\n'\n")]);
    let error = folder.read(&["p"], true).expect_err("is no program");
    assert!(matches!(error, ReadError::Input(_)), "{error}");
    assert_eq!(fs::read_to_string(folder.path("kept")).expect("text"), "asp 1 0 0\nbad\nworse\n");
}

#[test]
fn a_grounder_that_goes_on_after_an_error_is_ended() {
    let endless = "#!/bin/sh\nprintf 'asp 1 0 0\\nbad\\n'\nsleep 1000\n";
    let folder = Folder::new(&[("p", "a."), ("grounder", endless)]);
    let began = Instant::now();
    assert!(matches!(folder.read(&["p"], false), Err(ReadError::Input(_))));
    assert!(began.elapsed() < Duration::from_secs(100));
}

#[test]
fn a_whole_program_is_read_before_the_grounder_ends() {
    let lingering = |end: &str| format!("{GROUNDER}read x < $0.pipe; {end}\n");
    for (end, word) in [
        ("exit 0", ""),
        ("exit 3", "failed (exit status: 3)"),
        ("echo; echo 0", "wrote more after the end"),
        ("echo; echo", ""),
    ] {
        let folder = Folder::new(&[("p", "a."), ("grounder", &lingering(end))]);
        let made = Command::new("mkfifo").arg(folder.path("grounder.pipe")).status();
        assert!(made.expect("a command").success());
        let grounding = Grounding {
            grounder: Some(folder.path("grounder").display().to_string()),
            ..Grounding::default()
        };
        let (guard, inputs) = (Guard::default(), Inputs::open(&[folder.path("p")]).expect("is there"));
        assert_eq!(read_inputs(inputs, &grounding, &guard).expect("is whole").rules(), 1);
        assert!(!guard.conclude(Some(Duration::ZERO)).expect("has not failed yet"));
        fs::write(folder.path("grounder.pipe"), "go on\n").expect("somebody reads");
        let told = guard.conclude(None).map_or_else(|error| error.to_string(), |_| String::new());
        assert!(told.contains(word) && told.is_empty() == word.is_empty(), "{end}: {told}");
        assert!(guard.lock().child.is_none() && guard.conclude(None).expect("is over"));
    }
}

#[test]
fn the_guard_ends_the_grounder() {
    let folder = Folder::new(&[("p", "a."), ("grounder", "#!/bin/sh\nprintf 'asp 1 0 0\\n'\nsleep 1000\n")]);
    let guard = Guard::default();
    let theirs = guard.clone();
    let ender = thread::spawn(move || {
        while theirs.lock().child.is_none() {
            thread::sleep(Duration::from_millis(1));
        }
        theirs.stop();
    });
    let grounding = Grounding {
        grounder: Some(folder.path("grounder").display().to_string()),
        keep: Some(folder.path("kept")),
        ..Grounding::default()
    };
    assert!(read_sources(&[folder.path("p")], &grounding, &guard).is_err());
    ender.join().expect("no panic");
    assert_eq!(folder.names(), ["grounder", "p"]);
    let again = read_sources(&[folder.path("p")], &grounding, &guard);
    assert!(matches!(again, Err(ReadError::Stopped)));
    assert_eq!(folder.names(), ["grounder", "p"]);
}
