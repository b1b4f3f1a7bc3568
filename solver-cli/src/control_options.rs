//! What a command line says to a control that a program asks, such as that of the Python package.
//!
//! Main type: [`ControlOptions`]. The words are read as the command reads them, by the same table. They can
//! be changed one by one later, by the names that clingo's configuration has.
//!
//! Invariant: an option that a control cannot follow is refused by its name, unless the command ignores it.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use solver_host::output::{Format, Level};
use solver_host::search::Options;

use super::args;
use super::clingo::rows::{part, Effect, Row, ROWS};
use super::validated::Request;
use super::words::spelled_out;

/// What a control follows, besides how to search and what only clingo and clasp have, by the names of fields
/// of [`args::Args`] and [`Clingo`](super::clingo::Clingo).
const FOLLOWED: &[&str] = &[
    "files",
    "constants",
    "models",
    "opt_mode",
    "enum_mode",
    "brave",
    "cautious",
    "project",
    "configuration",
    "dom_mod",
    "deletion",
    "solve_limit",
    "opt_stop",
];

/// What clingo's configuration has for an option that nobody has set and that has no default here.
const UNSET: &[(&str, &str)] = &[
    ("models", "-1"),
    ("solve_limit", "umax,umax"),
    ("opt_stop", "no"),
    ("dom_mod", "no"),
    ("deletion", "basic"),
    ("configuration", "auto"),
];

/// For whom options are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// A control, which is given its program by its methods.
    Control,
    /// A command that reads files and prints, and has a control for all else.
    Command,
}

impl Reader {
    /// Whether somebody follows the option with this name of clap's.
    fn follows(self, id: &str) -> bool {
        let more: &[&str] = match self {
            // A control counts anyway.
            Reader::Control => &["stats"],
            Reader::Command => &["outf", "quiet", "time_limit"],
        };
        FOLLOWED.contains(&id)
            || more.contains(&id)
            || Options::default().by_name().contains_key(&id.replace('_', "-"))
            || ROWS.iter().any(|row| {
                let is_named = row.name == id || id.strip_prefix("no-") == Some(row.name);
                is_named && !matches!(row.effect, Effect::Same(_))
            })
    }
}

/// The options of a control.
#[derive(Clone, Debug)]
pub struct ControlOptions {
    reader: Reader,
    /// What was said, each option with clap's name for it and as it is typed.
    said: Vec<(String, String)>,
    request: Request,
}

impl ControlOptions {
    /// Reads arguments.
    ///
    /// # Errors
    /// A sentence that names the option that is wrong or refused.
    pub fn read(
        arguments: impl IntoIterator<Item = OsString>,
        reader: Reader,
    ) -> Result<ControlOptions, String> {
        let command = args::command();
        let matches = args::matches(spelled_out(std::iter::once("yasmin".into()).chain(arguments)));
        let said = said(&command, &matches.map_err(|wrong| sentence(&wrong))?);
        ControlOptions::of(said, reader)
    }

    fn of(said: Vec<(String, String)>, reader: Reader) -> Result<ControlOptions, String> {
        if let Some((_, word)) = said.iter().find(|(id, _)| !reader.follows(id)) {
            let name = word.split('=').next().unwrap_or_default();
            return Err(format!("{name} is an option of the command `yasmin` alone"));
        }
        let words = ["yasmin"].into_iter().chain(said.iter().map(|(_, word)| word.as_str()));
        let request = args::parse(words.map(OsString::from))
            .and_then(|(typed, accepted)| Request::new(typed, accepted))
            .map_err(|wrong| sentence(&wrong))?;
        if let (Reader::Control, Some((_, file))) = (reader, said.iter().find(|(id, _)| id == "files")) {
            return Err(format!("`{file}` is not an option; a control is given files by `load`"));
        }
        if request.proof.is_some() {
            return Err("--check=proof is for the command `yasmin` alone".into());
        }
        if request.style.format == Format::Competition {
            return Err("--outf takes 0, 2 or 3 here".into());
        }
        Ok(ControlOptions { reader, said, request })
    }

    /// What the options mean.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The number of the format that a command prints.
    pub fn outf(&self) -> u8 {
        match self.request.style.format {
            Format::Text | Format::Competition => 0,
            Format::Json | Format::JsonLines => 2,
            Format::None => 3,
        }
    }

    /// Which answer sets a command prints: 0: all, 1: the last, 2: none.
    pub fn quiet(&self) -> u8 {
        match self.request.style.quiet.models {
            Level::All => 0,
            Level::Last => 1,
            Level::None => 2,
        }
    }

    /// The names of a part of clingo's configuration, as [`part`] has it.
    pub fn keys(of: &str) -> Option<Vec<String>> {
        Some(part(of)?.iter().map(key).collect())
    }

    /// What the option of a name does. `None` if the part of clingo's configuration has no such option.
    pub fn description(of: &str, name: &str) -> Option<String> {
        let row = row(of, name)?;
        let help = || Some(arg(&args::command(), row)?.get_help()?.to_string());
        Some(match row.effect {
            Effect::Same("") => help().unwrap_or_default(),
            Effect::Same(differs) => format!("{} ({differs})", help().unwrap_or_default()),
            Effect::Grounder => "the grounder's".into(),
            Effect::Ignored(why) => format!("ignored: {why}"),
            Effect::Refused(why) => format!("refused: {why}"),
        })
    }

    /// The value of the option of a name, as it is typed. `None` if there is no such option; `Some(None)` if it
    /// was not set and has no value then.
    pub fn get(&self, of: &str, name: &str) -> Option<Option<String>> {
        let row = row(of, name)?;
        let command = args::command();
        let arg = arg(&command, row)?;
        let id = arg.get_id().as_str();
        let is_flag = !arg.get_action().takes_values();
        if let Some((_, word)) = self.said.iter().rev().find(|(known, _)| known == id) {
            let value = word.split_once('=').map(|(_, value)| value.to_string());
            return Some(value.or(is_flag.then(|| "1".into())));
        }
        let default = || Some(arg.get_default_values().first()?.to_string_lossy().into_owned());
        let unset = || UNSET.iter().find(|(known, _)| *known == id).map(|(_, value)| (*value).to_string());
        Some(unset().or_else(|| is_flag.then(|| "0".into())).or_else(default))
    }

    /// The same options with another value of one of them; `None` for the one that it has if nobody sets it.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the name, the value or all of them together.
    pub fn with(&self, of: &str, name: &str, value: Option<&str>) -> Result<ControlOptions, String> {
        let command = args::command();
        let arg = row(of, name).and_then(|row| arg(&command, row));
        let arg = arg.ok_or_else(|| format!("there is no option {name}"))?;
        let (id, long) = (arg.get_id().as_str(), arg.get_long().unwrap_or_default());
        let mut said = self.said.clone();
        said.retain(|(known, _)| known != id && known.strip_prefix("no-") != Some(id));
        match value {
            None => {}
            Some(value) if arg.get_action().takes_values() => {
                let matches = args::matches(["yasmin".into(), format!("--{long}={value}").into()]);
                said.extend(self::said(&command, &matches.map_err(|wrong| sentence(&wrong))?));
            }
            Some("1" | "yes" | "on" | "true") => said.push((id.into(), format!("--{long}"))),
            Some("0" | "no" | "off" | "false") => {}
            Some(other) => return Err(format!("--{long} is 1 or 0, and not `{other}`")),
        }
        ControlOptions::of(said, self.reader)
    }
}

/// The name in clingo's configuration.
fn key(row: &Row) -> String {
    row.name.replace('-', "_")
}

fn row(of: &str, name: &str) -> Option<&'static Row> {
    part(of)?.iter().find(|row| key(row) == name)
}

fn arg<'a>(command: &'a Command, row: &Row) -> Option<&'a Arg> {
    command.get_arguments().find(|arg| arg.get_long() == Some(row.name))
}

/// What was typed, each option with clap's name for it and as a word by itself.
fn said(command: &Command, matches: &ArgMatches) -> Vec<(String, String)> {
    let mut said = Vec::new();
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        if matches.try_contains_id(id).is_err() || matches.value_source(id) != Some(ValueSource::CommandLine)
        {
            continue;
        }
        let long = arg.get_long().unwrap_or_default();
        let values = matches.get_raw(id).into_iter().flatten().map(|value| value.to_string_lossy());
        match id {
            "brave" | "cautious" => said.push(("enum_mode".into(), format!("--enum-mode={id}"))),
            "files" => said.extend(values.map(|word| match word.parse::<u64>() {
                Ok(models) => ("models".into(), format!("--models={models}")),
                Err(_) => (id.into(), word.into_owned()),
            })),
            _ if !arg.get_action().takes_values() => said.push((id.into(), format!("--{long}"))),
            _ => said.extend(values.map(|value| match value.is_empty() {
                true => (id.into(), format!("--{long}")),
                false => (id.into(), format!("--{long}={value}")),
            })),
        }
    }
    said
}

/// What clap says of wrong words, as a sentence without the advice that follows.
fn sentence(wrong: &clap::Error) -> String {
    if !wrong.use_stderr() {
        return "--help and --version are options of the command `yasmin` alone".into();
    }
    let text = wrong.to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = first.trim_start_matches("error: ").split_whitespace().collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<ControlOptions, String> {
        ControlOptions::read(line.split_whitespace().map(OsString::from), Reader::Control)
    }

    #[test]
    fn words_mean_what_they_mean_to_the_command() {
        let line = "0 -t4,split --project=auto,3 -e domRec --heuristic=Domain --dom-mod=5,16 -c n=1 -Wnone \
                    --seed=-1 --opt-mode=enum,-3 -t1";
        // One option, or one of them: the last is one too many.
        assert!(read(line).is_err());
        let line = line.trim_end_matches(" -t1").replace("-t4,split", "-t1,split");
        let mine = read(&line).expect("a valid line");
        let words = format!("yasmin {line}");
        let theirs = crate::request(words.split_whitespace().map(OsString::from)).expect("a valid line");
        let mine = mine.request();
        assert_eq!((mine.models, mine.options), (theirs.models, theirs.options));
        assert_eq!((&mine.goal, mine.domain, mine.records_domain), (&theirs.goal, theirs.domain, true));
        assert_eq!(mine.grounding.constants, theirs.grounding.constants);
        assert_eq!(mine.grounding.arguments, theirs.grounding.arguments);
    }

    #[test]
    fn what_only_a_command_can_do_is_refused_by_name() {
        for (line, names) in [
            ("--outf=2", "--outf "),
            ("--json", "--json "),
            ("--supp-models", "--supp-models "),
            ("--proof=f", "--proof "),
            ("--assume a", "--assume "),
            ("--time-limit=3", "--time-limit "),
            ("f.lp", "`f.lp`"),
            ("--no-ufs-check", "--no-ufs-check "),
            ("--help", "--help "),
            ("--version", "--version "),
            ("--no-such-thing", "--no-such-thing"),
            ("1 2", "--models"),
        ] {
            let refused = read(line).expect_err(line);
            assert!(refused.contains(names) && !refused.contains('\n'), "{line}: {refused}");
        }
    }

    #[test]
    fn what_was_set_can_be_set_again() {
        let all = read("0 --brave --no-restart-on-model --stats").expect("a valid line");
        assert_eq!(all.get("solve", "models"), Some(Some("0".into())));
        assert_eq!(all.get("solve", "enum_mode"), Some(Some("brave".into())));
        assert_eq!(all.get("solve", "nothing"), None);
        for of in ["", "asp", "solve", "solver"] {
            for name in ControlOptions::keys(of).expect("a part") {
                let value = all.get(of, &name).expect("an option");
                let same =
                    all.with(of, &name, value.as_deref()).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
                assert_eq!(same.request().options, all.request().options, "{name}");
                assert!(ControlOptions::description(of, &name).is_some(), "{name}");
            }
        }
        let changed =
            all.with("solve", "models", Some("7")).and_then(|all| all.with("solve", "enum_mode", None));
        let changed = changed.expect("valid values");
        assert_eq!(
            (changed.request().models, changed.get("solve", "enum_mode")),
            (Some(7), Some(Some("auto".into())))
        );
        let crafty = all.with("", "configuration", Some("crafty")).expect("a preset");
        assert_ne!(crafty.request().options.restarts, all.request().options.restarts);
        for (of, name, value) in [("solve", "models", "x"), ("asp", "supp_models", "1"), ("", "foo", "1")] {
            assert!(all.with(of, name, Some(value)).is_err(), "{name}");
        }
    }
}
