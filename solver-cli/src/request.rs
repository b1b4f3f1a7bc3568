//! From what was typed to what is asked for: [`request`].

use std::ffi::OsString;

use clap::builder::PossibleValuesParser;
use clap::CommandFactory;
use solver_host::output::{self, printer, Format, Style, Summary};
use solver_host::search::Options;

use super::clingo::rows::negated;
use super::written::Written;
use super::{args, validated, Ending};

/// What is asked for by the given arguments, the program's name first. Nothing is opened or started.
///
/// # Errors
/// [`Ending::Help`] or [`Ending::Usage`].
pub fn request(arguments: impl IntoIterator<Item = OsString>) -> Result<validated::Request, Ending> {
    let words: Vec<OsString> = spelled_out(arguments).collect();
    let ending = |told: clap::Error| {
        let text = told.render().to_string();
        match told.use_stderr() {
            false => Ending::Help(text),
            true => Ending::Usage { document: document_of(&words, &text), text },
        }
    };
    let (typed, accepted) = args::parse(words.clone()).map_err(ending)?;
    match about_itself(&typed) {
        Some(text) => Err(Ending::Help(text)),
        None => validated::Request::new(typed, accepted).map_err(ending),
    }
}

/// The document that says what is wrong with a command line that asks for JSON; empty if none is asked for.
fn document_of(words: &[OsString], wrong: &str) -> String {
    let asks = |format: &str, one: &[&str]| {
        let follows = |pair: &[OsString]| pair[0] == "--outf" && pair[1] == format;
        words.iter().any(|word| one.iter().any(|known| word == known)) || words.windows(2).any(follows)
    };
    let format = match () {
        () if asks("2", &["--json", "--outf=2"]) => Format::Json,
        () if asks("", &["--json-lines"]) => Format::JsonLines,
        () => return String::new(),
    };
    let first = wrong.lines().next().unwrap_or_default();
    let error = first.strip_prefix("error: ").unwrap_or(first);
    let written = Written::default();
    let mut inputs = args::files(words);
    if inputs.is_empty() {
        inputs.push("stdin".into());
    }
    let _ = printer(Style::new(format), &inputs, written.clone())
        .finish(&Summary { ending: output::Ending::failed(error), ..Summary::default() });
    String::from_utf8_lossy(&written.bytes()).into_owned()
}

/// The page that shows a trace, as it is built from `view/`.
const VIEW_PAGE: &str = include_str!("../../view/yasmin-view.html");

/// What the command says of itself, if that was asked for: a schema, the page that shows a trace, a shell's
/// completions, the manual page.
fn about_itself(typed: &args::Args) -> Option<String> {
    let mut text = Vec::new();
    if let Some(of) = typed.schema {
        return Some(match of {
            args::SchemaOf::Document => solver_host::output::SCHEMA.into(),
            args::SchemaOf::Lines => solver_host::output::schema_of_lines(),
        });
    } else if typed.clingo.print_portfolio {
        return Some(format!(
            "# what each searcher of yasmin --portfolio=many changes\n{}",
            Options::portfolio()
        ));
    } else if typed.trace_schema {
        return Some(solver_host::search::TRACE_SCHEMA.into());
    } else if typed.view_page {
        return Some(VIEW_PAGE.into());
    } else if let Some(shell) = typed.completions {
        clap_complete::generate(shell, &mut with_values(args::Args::command()), "yasmin", &mut text);
    } else if typed.man {
        clap_mangen::Man::new(args::Args::command()).render(&mut text).expect("a vector takes everything");
    } else {
        return None;
    }
    Some(String::from_utf8(text).expect("it is text"))
}

/// The command with the values that a shell may offer, of options whose values clap does not know.
fn with_values(command: clap::Command) -> clap::Command {
    const VALUES: &[(&str, &[&str])] = &[
        ("opt_mode", &["opt", "enum", "optN", "ignore"]),
        ("project", &["auto", "show", "project", "no"]),
        ("output", &["intermediate", "text", "reify", "smodels"]),
        ("configuration", &["auto", "frumpy", "jumpy", "tweety", "handy", "crafty", "trendy", "many"]),
        ("opt_strategy", &["auto", "turns", "bb", "bb,hier", "bb,inc", "bb,dec", "usc"]),
        ("restarts", &["none", "luby,100", "geometric,100,1.5", "quality,50,0.8"]),
        ("preprocess", &["all", "none", "failed", "equivalent", "subsumed", "eliminate"]),
        ("dom_mod", &["level", "pos", "true", "neg", "false", "init", "factor", "no"]),
        ("deletion", &["no", "basic"]),
        ("quiet", &["0", "1", "2"]),
        ("stats", &["0", "1", "2"]),
        ("verbose", &["0", "1", "2", "3"]),
        ("outf", &["0", "1", "2", "3"]),
        ("parallel_mode", &["auto"]),
        ("gpu_searchers", &["auto"]),
        ("save_progress", &["auto", "no"]),
    ];
    VALUES.iter().fold(command, |command, &(name, values)| {
        command.mut_arg(name, |arg| arg.value_parser(PossibleValuesParser::new(values)))
    })
}

/// The words as clap reads them: `-q1` as `--quiet=1`, and so for each option with a level that may be left out, as clap
/// would take `-q1` for `-q -1`; and clasp's `--no-restarts` as `--restarts=no`.
fn spelled_out(arguments: impl IntoIterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    let mut only_files = false;
    arguments.into_iter().map(move |argument| {
        only_files |= argument == "--";
        let name = match argument.as_encoded_bytes() {
            _ if only_files => None,
            b"--help=1" => return "-h".into(),
            b"--help=2" | b"--help=3" => return "--help".into(),
            [b'-', b'q', b'0'..=b'9', ..] => Some("--quiet="),
            [b'-', b's', b'0'..=b'9', ..] => Some("--stats="),
            [b'-', b'V', b'0'..=b'9', ..] => Some("--verbose="),
            _ => None,
        };
        match (name, argument.to_str()) {
            (Some(name), Some(typed)) => format!("{name}{}", &typed[2..]).into(),
            (None, Some(typed)) if !only_files => match negated(typed) {
                Some(word) => word.into(),
                None => argument,
            },
            _ => argument,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_completions_offer_is_one() {
        for arg in with_values(args::Args::command()).get_arguments() {
            let Some(long) = arg.get_long() else { continue };
            let is_asked = ["completions", "schema", "help", "version", "proof-format"].contains(&long);
            for value in
                arg.get_possible_values().iter().filter(|_| !is_asked && arg.get_action().takes_values())
            {
                let line = format!("yasmin --{long}={}", value.get_name());
                let asked = request(line.split(' ').map(OsString::from));
                assert!(asked.is_ok(), "{line}: {asked:?}");
            }
        }
    }

    #[test]
    fn the_short_help_is_short() {
        let Err(Ending::Help(short)) = request(["yasmin", "-h"].map(OsString::from)) else {
            panic!("no help")
        };
        let Err(Ending::Help(long)) = request(["yasmin", "--help"].map(OsString::from)) else {
            panic!("no help")
        };
        assert!(short.lines().count() <= 90, "{} lines:\n{short}", short.lines().count());
        assert!(short.contains("--opt-mode") && !short.contains("--rephase"), "{short}");
        assert!(long.contains("--rephase") && long.lines().all(|line| line.len() <= 100), "{long}");
    }

    #[test]
    fn levels_may_follow_at_once() {
        let line = "yasmin -q1,0 -V2 -q -s2 -n1 -e brave --no-restarts --no-sign-fix -- -q1 --no-restarts";
        let apart = spelled_out(line.split(' ').map(OsString::from));
        let want =
            "yasmin --quiet=1,0 --verbose=2 -q --stats=2 -n1 -e brave --restarts=no --no-sign-fix -- -q1 \
                    --no-restarts";
        assert!(apart.eq(want.split(' ').map(OsString::from)));
    }
}
