//! Files of configurations, as clasp reads them for `--configuration=FILE`.
//!
//! Main function: [`first`]. A file has a line `NAME[(PRESET)]: OPTIONS` for each configuration, and clasp
//! gives one to each of its threads. Only the first one is followed here.
//!
//! Invariant: an option that is typed counts, and not the file's.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

use super::super::words::arg_of;

/// The first configuration of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct First {
    /// The preset that the configuration begins with.
    pub preset: Option<String>,
    /// The options, as they are typed: each one's words.
    pub options: Vec<Vec<String>>,
    /// How many further configurations the file has.
    pub others: usize,
}

/// Reads the text of a file.
///
/// # Errors
/// If the text has no configuration, or one that is not as clasp has it. The error begins with the line's
/// number.
pub fn first(text: &str) -> Result<First, String> {
    let mut found: Option<First> = None;
    for (number, line) in lines(text) {
        let wrong = |what: &str| format!("{number}: {what}");
        let (name, options) = line
            .split_once(':')
            .ok_or_else(|| wrong("expected `NAME: OPTIONS` or `NAME(PRESET): OPTIONS`"))?;
        if let Some(first) = &mut found {
            first.others += 1;
            continue;
        }
        let preset = match name.trim().split_once('(') {
            None => None,
            Some((_, preset)) => {
                Some(preset.trim().strip_suffix(')').ok_or_else(|| wrong("`)` is missing"))?.to_string())
            }
        };
        let words = shlex::split(options).ok_or_else(|| wrong("a quote is not closed"))?;
        let mut options: Vec<Vec<String>> = Vec::new();
        for word in words {
            if word.starts_with("--") {
                options.push(vec![word]);
            } else if let Some(option) =
                options.last_mut().filter(|option| option.len() == 1 && !option[0].contains('='))
            {
                option.push(word);
            } else {
                return Err(wrong(&format!("expected an option such as --restarts=L,60, found `{word}`")));
            }
        }
        let is_no = |option: &&Vec<String>| {
            ["--configuration", "--tester"].iter().any(|no| option[0].starts_with(no))
        };
        if let Some(option) = options.iter().find(is_no) {
            return Err(wrong(&format!("{} may not be in a configuration", option[0])));
        }
        found = Some(First { preset, options, others: 0 });
    }
    found.ok_or_else(|| "1: no configuration is here".into())
}

/// The lines that are neither empty nor comments, with their numbers; a backslash at a line's end joins the
/// next one.
fn lines(text: &str) -> Vec<(usize, String)> {
    let mut joined: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        let (line, more) = line.strip_suffix('\\').map_or((line, false), |line| (line, true));
        match joined.last_mut().filter(|_| goes_on) {
            Some((_, text)) => *text = format!("{text} {line}"),
            None if line.is_empty() || line.starts_with('#') => continue,
            None => joined.push((number, line.to_string())),
        }
        goes_on = more;
    }
    joined
}

impl First {
    /// The words of the options that `command` knows and that were not typed.
    pub fn words<'a>(&'a self, command: &Command, typed: &ArgMatches) -> impl Iterator<Item = &'a String> {
        let is_typed = |option: &&Vec<String>| {
            let arg = arg_of(command, &option[0]);
            arg.is_some_and(|arg| typed.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine))
        };
        let kept: Vec<&Vec<String>> = self.options.iter().filter(|option| !is_typed(option)).collect();
        kept.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_configuration_counts() {
        let text = concat!(
            "# a comment\n\n[solver.0](tweety): --restarts=L,60 \\\n  --no-deletion --heuristic Vsids\n",
            "other: --seed=2\n"
        );
        let read = first(text).expect("good");
        assert_eq!((read.preset.as_deref(), read.others), (Some("tweety"), 1));
        let words: Vec<String> = read.options.iter().map(|option| option.join(" ")).collect();
        assert_eq!(words, ["--restarts=L,60", "--no-deletion", "--heuristic Vsids"]);
        assert_eq!(first("a:").map(|read| (read.preset, read.options.len())), Ok((None, 0)));
    }

    #[test]
    fn what_is_wrong_is_told_by_line() {
        for (text, begins) in [
            ("", "1: no configuration"),
            ("# x\nfoo", "2: expected `NAME: OPTIONS`"),
            ("a(jumpy: --x", "1: `)` is missing"),
            ("a: x", "1: expected an option"),
            ("a: --seed=1 2", "1: expected an option"),
            ("a: --seed '1", "1: a quote"),
            ("a: --configuration=jumpy", "1: --configuration=jumpy may not be"),
        ] {
            let error = first(text).expect_err(text);
            assert!(error.starts_with(begins), "{text}: {error}");
        }
    }
}
