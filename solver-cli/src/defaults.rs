//! Options that hold unless something else is typed: those of the variable `YASMIN_OPTIONS`, and below them
//! those of a file.
//!
//! Main type: [`Defaults`]. Invariant: an option that is typed counts, and a default option that is the same,
//! or that excludes what is typed, is left out.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind as IoErrorKind;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use super::args::{command, ABOUT_ITSELF};
use super::words::{arg_of, spelled_out};

/// The variable.
const VARIABLE: &str = "YASMIN_OPTIONS";

/// The file, in the folder of the user's settings.
const FILE: &str = "yasmin/options";

/// Default options, the weightiest source first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defaults(Vec<Source>);

/// The options of one source.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Source {
    name: String,
    options: Vec<DefaultOption>,
}

/// An option: what is typed, in one word or two.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DefaultOption {
    /// Where the option is, as errors call that.
    place: String,
    words: Vec<String>,
}

impl Defaults {
    /// The default options of this process's user.
    ///
    /// # Errors
    /// If the file cannot be read, or something in the file or in the variable is no option.
    pub fn of_user() -> Result<Defaults, String> {
        let mut defaults = Defaults::default();
        if let Some(text) = env::var_os(VARIABLE) {
            let text = text.into_string().map_err(|_| format!("{VARIABLE}: this is no text"))?;
            defaults.add(VARIABLE, [(VARIABLE.to_string(), text.as_str())].into_iter())?;
        }
        let Some(file) = file() else { return Ok(defaults) };
        let name = file.display().to_string();
        match fs::read_to_string(&file) {
            Ok(text) => {
                let places = (1..).map(|number| format!("{name}:{number}"));
                defaults.add(&name, places.zip(text.lines()))?;
            }
            Err(error) if matches!(error.kind(), IoErrorKind::NotFound | IoErrorKind::NotADirectory) => {}
            Err(error) => return Err(format!("{name}: cannot be read: {error}")),
        }
        Ok(defaults)
    }

    /// Adds a source of these lines, each with its place, below all others.
    fn add<'a>(&mut self, name: &str, lines: impl Iterator<Item = (String, &'a str)>) -> Result<(), String> {
        let mut options: Vec<DefaultOption> = Vec::new();
        for (place, line) in lines.filter(|(_, line)| !line.trim_start().starts_with('#')) {
            let words = shlex::split(line).ok_or_else(|| format!("{place}: a quote is not closed"))?;
            let mut may_take = false;
            for word in words {
                if word.starts_with('-') && word != "-" {
                    may_take = !word.contains('=');
                    options.push(DefaultOption { place: place.clone(), words: vec![word] });
                } else if let Some(option) = options.last_mut().filter(|_| std::mem::take(&mut may_take)) {
                    option.words.push(word);
                } else {
                    return Err(format!(
                        "{place}: expected an option such as --restarts=none, found `{word}`"
                    ));
                }
            }
        }
        if !options.is_empty() {
            self.0.push(Source { name: name.into(), options });
        }
        Ok(())
    }

    /// Where the options are from; none if there are no options.
    pub fn names(&self) -> Option<String> {
        let names: Vec<&str> = self.0.iter().map(|source| source.name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// The words that were typed, the program's name first, with the default options that hold as well.
    ///
    /// # Errors
    /// If something typed is wrong, or something in the defaults, whose place the error names.
    pub fn below(&self, typed: Vec<OsString>) -> Result<Vec<OsString>, clap::Error> {
        let mut command = command();
        command.build();
        self.0.iter().try_fold(typed, |words, source| {
            let matches = command.clone().try_get_matches_from(&words)?;
            let mut kept: Vec<OsString> = Vec::new();
            for option in &source.options {
                if option.holds(&command, &matches)? {
                    kept.extend(spelled_out(option.words.iter().map(OsString::from)));
                }
            }
            let (program, rest) = words.split_at(words.len().min(1));
            Ok(program.iter().chain(&kept).chain(rest).cloned().collect())
        })
    }
}

/// The file of default options, whether it is there or not; none if the user has no folder.
fn file() -> Option<PathBuf> {
    let folder = |name: &str| env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let settings = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
    Some(settings?.join(FILE))
}

impl DefaultOption {
    /// Whether nothing typed is the same option or excludes the option.
    fn holds(&self, command: &Command, typed: &ArgMatches) -> Result<bool, clap::Error> {
        let wrong = |kind, what: &str| clap::Error::raw(kind, format!("{}: {what}\n", self.place));
        let spelled: Vec<OsString> = spelled_out(self.words.iter().map(OsString::from)).collect();
        let name = spelled[0].to_string_lossy();
        let Some(arg) = arg_of(command, &name) else {
            return Err(wrong(ErrorKind::UnknownArgument, &format!("there is no option `{name}`")));
        };
        let words = std::iter::once(OsString::from("yasmin")).chain(spelled.iter().cloned());
        match command.clone().try_get_matches_from(words) {
            Err(told) if matches!(told.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
                return Err(wrong(ErrorKind::ArgumentConflict, &format!("`{name}` solves nothing")));
            }
            // Another option may be there as well.
            Err(told) if told.kind() == ErrorKind::MissingRequiredArgument => {}
            Err(told) => {
                let what = told.to_string();
                let first = what.lines().next().unwrap_or_default();
                return Err(wrong(told.kind(), first.trim_start_matches("error: ")));
            }
            Ok(alone) if alone.get_many::<String>("files").is_some() => {
                let what = format!("`{name}` takes no such value, or the value has to follow a `=`");
                return Err(wrong(ErrorKind::ArgumentConflict, &what));
            }
            Ok(_) if ABOUT_ITSELF.contains(&arg.get_id().as_str()) => {
                return Err(wrong(ErrorKind::ArgumentConflict, &format!("`{name}` solves nothing")));
            }
            Ok(_) => {}
        }
        let is_typed =
            |arg: &Arg| typed.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
        let excludes = |one: &Arg, other: &Arg| {
            command.get_arg_conflicts_with(one).iter().any(|arg| arg.get_id() == other.get_id())
        };
        let mut all = command.get_arguments().filter(|other| is_typed(other));
        let is_number = |word: &String| word.parse::<u64>().is_ok();
        let has_number = typed.get_many::<String>("files").into_iter().flatten().any(is_number);
        let is_same = is_typed(arg) || (arg.get_id() == "models" && has_number);
        let is_excluded = all.any(|other| excludes(arg, other) || excludes(other, arg));
        Ok(!is_same && !is_excluded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sources of these texts.
    fn of(texts: &[&str]) -> Result<Defaults, String> {
        let mut defaults = Defaults::default();
        for (number, text) in texts.iter().enumerate() {
            let lines = (1..).map(|line| format!("f{number}:{line}")).zip(text.lines());
            defaults.add(&format!("f{number}"), lines)?;
        }
        Ok(defaults)
    }

    fn below(texts: &[&str], line: &str) -> Result<String, String> {
        let words = line.split_whitespace().map(OsString::from).collect();
        let words = of(texts)?.below(words).map_err(|error| error.to_string())?;
        Ok(words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn what_is_typed_comes_first_and_then_source_by_source() {
        let texts = ["--seed=3 --stats", "# no\n\n--seed=4\n  --restarts none\n-q1\n"];
        for (line, want) in [
            ("yasmin f", "yasmin --restarts none --quiet=1 --seed=3 --stats f"),
            ("yasmin --seed=5 f -s2", "yasmin --restarts none --quiet=1 --seed=5 f -s2"),
            ("yasmin -q0 -r F,9 --stats", "yasmin --seed=3 -q0 -r F,9 --stats"),
        ] {
            let spelled: Vec<_> = spelled_out(line.split(' ').map(OsString::from)).collect();
            let typed: Vec<_> = spelled.iter().map(|word| word.to_string_lossy()).collect();
            let want: Vec<_> = spelled_out(want.split(' ').map(OsString::from)).collect();
            let want: Vec<_> = want.iter().map(|word| word.to_string_lossy()).collect();
            assert_eq!(below(&texts, &typed.join(" ")), Ok(want.join(" ")), "{line}");
        }
        assert_eq!(of(&texts).expect("good").names(), Some("f0, f1".into()));
        assert_eq!(of(&["# nothing", ""]).expect("good").names(), None);
    }

    #[test]
    fn what_excludes_something_typed_is_left_out() {
        for (text, line, want) in [
            ("--json", "yasmin --outf=0 f", "yasmin --outf=0 f"),
            ("--outf=2", "yasmin --json-lines f", "yasmin --json-lines f"),
            ("-n 0", "yasmin f 5", "yasmin f 5"),
            ("-n 0", "yasmin f", "yasmin -n 0 f"),
            ("--brave", "yasmin --enum-mode=cautious", "yasmin --enum-mode=cautious"),
            ("--progress", "yasmin --json-lines", "yasmin --progress --json-lines"),
            ("--no-restarts", "yasmin --restarts=F,8", "yasmin --restarts=F,8"),
        ] {
            assert_eq!(below(&[text], line), Ok(want.into()), "{text}: {line}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_by_place() {
        for (text, begins) in [
            ("# x\nf.lp", "f0:2: expected an option such as"),
            ("--seed=1 2", "f0:1: expected an option such as"),
            ("\n\n--seed '1", "f0:3: a quote is not closed"),
            ("--sed=1", "f0:1: there is no option `--sed"),
            ("--seed=x", "f0:1: invalid value 'x'"),
            ("--help", "f0:1: `--help` solves nothing"),
            ("--man", "f0:1: `--man` solves nothing"),
            ("--stats 2", "f0:1: `--stats` takes no such value"),
        ] {
            let error = below(&[text], "yasmin").expect_err(text);
            assert!(error.trim_start_matches("error: ").starts_with(begins), "{text}: {error}");
        }
        assert!(below(&["--seed=1"], "yasmin --foo").is_err());
    }
}
