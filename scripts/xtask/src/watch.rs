//! `cargo xtask watch`: tests an exercise whenever a file of the exercises is saved, and goes on to the next
//! one when the exercise is solved.
//!
//! Main function: [`watch`]. Invariant: only a change of a file begins a test. A compiler that reads the
//! files, and an editor that looks at them, change nothing.

use exercises::list::EXERCISES;
use notify_debouncer_mini::{new_debouncer, notify::RecursiveMode, DebounceEventResult};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::BufRead;
use std::path::Path;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::time::{Duration, SystemTime};

/// How long files must be quiet before a test begins: an editor may write a file in several steps.
const QUIET: Duration = Duration::from_millis(200);

/// What somebody did.
#[derive(Debug, PartialEq, Eq)]
enum Event {
    /// A file of the exercises was saved.
    Saved,
    /// A line was typed.
    Typed(String),
    /// Files cannot be watched any more.
    Failed(String),
}

/// Watches from exercise `first` on. Returns what there is to say at the end.
///
/// # Errors
/// If there is no such exercise, or files cannot be watched.
pub fn watch(first: u32) -> Result<String, String> {
    super::exercise(first)?;
    let (sender, events) = channel();
    let _watcher = watcher(&super::exercises(), sender.clone())?;
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(Event::Typed(line)).is_err() {
                break;
            }
        }
    });
    follow(first, &events, &mut test, &mut |text| println!("{text}"))
}

/// The exercises in a folder: the length of each file, and when it was last written.
fn files(folder: &Path) -> BTreeMap<OsString, (u64, Option<SystemTime>)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    // An editor may keep files of its own beside them.
    let entries = entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "rs"));
    let known = entries.filter_map(|entry| Some((entry.file_name(), entry.metadata().ok()?)));
    known.map(|(name, file)| (name, (file.len(), file.modified().ok()))).collect()
}

/// Sends an event for each burst of changes in a folder, as long as the result lives.
fn watcher(folder: &Path, sender: Sender<Event>) -> Result<impl Sized, String> {
    let failed = |error: notify_debouncer_mini::notify::Error| format!("{}: {error}", folder.display());
    let (of, mut before) = (folder.to_path_buf(), files(folder));
    let told = move |result: DebounceEventResult| {
        let now = files(&of);
        let event = match result {
            // To open a file is an event, too.
            Ok(_) if now == before => return,
            Ok(_) => Event::Saved,
            Err(error) => Event::Failed(error.to_string()),
        };
        before = now;
        // Nobody listens any more after the end.
        let _ = sender.send(event);
    };
    let mut watcher = new_debouncer(QUIET, told).map_err(failed)?;
    watcher.watcher().watch(folder, RecursiveMode::NonRecursive).map_err(failed)?;
    Ok(watcher)
}

/// Whether the exercise is solved. What there is to say is printed.
fn test(number: u32) -> bool {
    let outcome = super::solved(number);
    println!("{}", outcome.as_ref().unwrap_or_else(|why| why));
    outcome.is_ok()
}

/// Tests exercise after exercise until all are solved, or until somebody types `q`.
fn follow(
    first: u32,
    events: &Receiver<Event>,
    test: &mut dyn FnMut(u32) -> bool,
    say: &mut dyn FnMut(&str),
) -> Result<String, String> {
    let (mut number, mut hints, mut is_due) = (first, 0, true);
    while let Ok(exercise) = super::exercise(number) {
        if std::mem::take(&mut is_due) {
            say(&format!("\nexercise {number} of {}: {}", EXERCISES.len(), exercise.title));
            if test(number) {
                (number, hints, is_due) = (number + 1, 0, true);
                continue;
            }
            say(&format!(
                "change course/exercises/src/exercise_{number}.rs; h: a hint, n: the next exercise, q: the end"
            ));
        }
        match events.recv() {
            Ok(Event::Saved) => is_due = true,
            Ok(Event::Typed(line)) => match line.trim() {
                "h" => {
                    hints = exercise.hints.len().min(hints + 1);
                    say(&super::hint(number, hints)?);
                }
                "n" => (number, hints, is_due) = (number + 1, 0, true),
                "q" => return Ok(format!("next time: cargo xtask watch {number}")),
                _ => say("h: a hint, n: the next exercise, q: the end"),
            },
            Ok(Event::Failed(why)) => return Err(why),
            Err(_) => return Err("files are not watched any more".into()),
        }
    }
    Ok("this was the last exercise".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said and tested when these events happen, and exercises from `solved` on are not solved.
    fn told(first: u32, events: &[&str], solved: u32) -> (String, Vec<u32>) {
        let (sender, receiver) = channel();
        for &event in events {
            let event = if event == "saved" { Event::Saved } else { Event::Typed(event.into()) };
            sender.send(event).expect("a listener");
        }
        let (mut tested, mut said) = (Vec::new(), String::new());
        let mut test = |number| {
            tested.push(number);
            number < solved
        };
        let end = follow(first, &receiver, &mut test, &mut |text| said += &format!("{text}\n"));
        said += &end.expect("no error");
        (said, tested)
    }

    #[test]
    fn a_solved_exercise_leads_to_the_next_one() {
        let (said, tested) = told(1, &["q"], 3);
        assert_eq!(tested, [1, 2, 3]);
        assert!(said.contains("exercise 3 of 21: ") && said.ends_with("cargo xtask watch 3"), "{said}");
        let (said, tested) = told(20, &[], 99);
        assert_eq!((said.lines().last(), tested), (Some("this was the last exercise"), vec![20, 21]));
    }

    #[test]
    fn saving_tests_again_and_letters_do_what_they_say() {
        let (said, tested) = told(4, &["saved", "h", " h ", "what?", "n", "q"], 1);
        assert_eq!(tested, [4, 4, 5]);
        let lines = ["hint 1 of ", "hint 2 of ", "h: a hint, n: the next", "exercise 5 of "];
        assert!(lines.iter().all(|line| said.contains(line)), "{said}");
    }

    #[test]
    fn hints_end_with_the_last_one() {
        let typed = ["h"; 9].into_iter().chain(["q"]).collect::<Vec<_>>();
        let (said, _) = told(1, &typed, 1);
        let last = EXERCISES[0].hints.len();
        assert!(said.contains(&format!("hint {last} of {last}: ")), "{said}");
    }

    #[test]
    fn a_saved_file_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (sender, events) = channel();
        let _watcher = watcher(folder.path(), sender).expect("a watcher");
        let file = folder.path().join("exercise_1.rs");
        std::fs::write(&file, "// changed").expect("a file");
        assert_eq!(events.recv_timeout(Duration::from_secs(60)), Ok(Event::Saved));
        // Whoever compiles the file reads it. That would test for ever.
        std::fs::read(&file).expect("the file");
        assert!(events.recv_timeout(10 * QUIET).is_err(), "nobody has saved");
        std::fs::write(&file, "// changed once more").expect("a file");
        assert_eq!(events.recv_timeout(Duration::from_secs(60)), Ok(Event::Saved));
        let none = watcher(Path::new("/nowhere"), channel().0).err().expect("no folder");
        assert!(none.starts_with("/nowhere: "), "{none}");
    }
}
