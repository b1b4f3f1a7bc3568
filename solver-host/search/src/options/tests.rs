//! The rows of the options, as the command line has them.

use super::{Learning, Options, Restarts, SaveProgress};
use clap::{Args, Command, FromArgMatches};
use serde_json::Value;
use yasmin_device::DeviceKind;

/// A command that has the options of a search and nothing else.
fn command() -> Command {
    Options::augment_args(Command::new("options"))
}

/// What is asked for by these words.
fn typed(words: &[&str]) -> Result<Options, clap::Error> {
    let words = std::iter::once("options").chain(words.iter().copied());
    Options::from_arg_matches(&command().try_get_matches_from(words)?)
}

#[test]
fn the_rows_are_consistent() {
    command().debug_assert();
    for row in command().get_arguments() {
        assert!(row.get_help().is_some() && row.get_help_heading().is_some(), "{row}");
    }
}

#[test]
fn each_default_is_the_librarys() {
    assert_eq!(typed(&[]).expect("nothing is wrong"), Options::default());
    let command = command();
    // A flag cannot be given its default; that nothing typed is the default was just seen.
    let rows: Vec<_> = command.get_arguments().filter(|row| row.get_action().takes_values()).collect();
    assert!(rows.len() > 10);
    for row in rows {
        let [default] = row.get_default_values() else { panic!("{row} has not one default") };
        let default = default.to_str().expect("ASCII");
        let word = format!("--{}={default}", row.get_long().expect("a long name"));
        let same = typed(&[&word]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(same, Options::default(), "{word}");
    }
}

#[test]
fn each_name_in_the_help_parses_to_another_choice() {
    let command = command();
    let mut rows = 0;
    for row in command.get_arguments().filter(|row| row.get_action().takes_values()) {
        let long = format!("--{}", row.get_long().expect("a long name"));
        let names = row.get_possible_values();
        rows += !names.is_empty() as usize;
        let mut choices: Vec<Options> = Vec::new();
        for name in &names {
            assert!(name.get_help().is_some(), "{long} {}", name.get_name());
            let choice = typed(&[&long, name.get_name()]).unwrap_or_else(|error| panic!("{error}"));
            assert!(!choices.contains(&choice), "{long} {}", name.get_name());
            choices.push(choice);
        }
    }
    assert!(rows >= 7);
}

#[test]
fn a_row_refuses_what_is_out_of_its_range() {
    for words in [
        ["--conflicts", "65"],
        ["--keep-learned", "0"],
        ["--threads-per-block", "48"],
        ["--restarts", "luby,0"],
        ["--preprocess", "sat"],
        ["--device", "gpu:"],
        ["--learning", "FWD"],
    ] {
        assert!(typed(&words).is_err(), "{words:?}");
    }
    assert!(!typed(&["--no-simplify"]).expect("a flag").simplify);
    let far = |word: &str| typed(&[word]).expect("a number, a word or nothing").save_progress;
    let lines = ["--save-progress", "--save-progress=no", "--save-progress=7", "--save-progress=auto"];
    assert_eq!(lines.map(|line| far(line).levels(160)), [1, 0, 7, 160]);
    assert!(typed(&["--save-progress=-1"]).is_err());
    assert!(typed(&["--heuristic", "Activity"]).is_ok());
}

#[test]
fn options_by_name_can_be_typed_again() {
    let some = Options {
        learning: Learning::Both,
        restarts: Restarts::Luby(7),
        simplify: false,
        simt_check: false,
        simt_schedules: 3,
        sign_fix: true,
        save_progress: SaveProgress::Levels(0),
        preprocess: "failed,eliminate".parse().expect("steps"),
        device: DeviceKind::Gpu(2),
        seed: u64::MAX,
        ..Options::default()
    };
    for options in [Options::default(), some] {
        let mut words = Vec::new();
        for (name, value) in options.by_name() {
            match value {
                Value::Bool(is_on) => {
                    let is_on_at_first = ["simplify", "simt-check"].contains(&name.as_str());
                    let flag = if is_on_at_first { format!("--no-{name}") } else { format!("--{name}") };
                    let differs = is_on != is_on_at_first;
                    words.extend(differs.then_some(flag));
                }
                Value::String(text) => words.push(format!("--{name}={text}")),
                number => words.push(format!("--{name}={number}")),
            }
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(typed(&words).expect("each is an option"), options, "{words:?}");
    }
}
