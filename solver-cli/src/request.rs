//! From what was typed to what is asked for: [`request`].

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap::CommandFactory;
use data_encoding::BASE64;
use flate2::{write::GzEncoder, Compression};
use solver_host::output::{self, printer, Format, Style, Summary, Trouble};
use solver_host::search::Options;
use solver_host::text;

use super::defaults::Defaults;
use super::words::spelled_out;
use super::written::Written;
use super::{args, validated, Ending};

/// What is asked for by the given arguments, the program's name first. Nothing is started, and nothing is
/// opened but the trace for `--view-page`.
///
/// # Errors
/// [`Ending::Help`] or [`Ending::Usage`].
pub fn request(arguments: impl IntoIterator<Item = OsString>) -> Result<validated::Request, Ending> {
    let words: Vec<OsString> = spelled_out(arguments).collect();
    asked(words)
}

/// The same, with the user's default options.
///
/// # Errors
/// As [`request`], also if something is wrong with the default options.
pub fn request_of_user(arguments: impl IntoIterator<Item = OsString>) -> Result<validated::Request, Ending> {
    let typed: Vec<OsString> = spelled_out(arguments).collect();
    // What is wrong with these words is told without a word on default options.
    match args::command().try_get_matches_from(&typed) {
        Ok(matches) if !matches.get_flag("no_defaults") => {}
        _ => return asked(typed),
    }
    let wrong = |text: String| Ending::Usage { document: document_of(&typed, &text), text };
    let defaults = Defaults::of_user().map_err(|error| wrong(format!("error: {error}\n")))?;
    let Some(from) = defaults.names() else { return asked(typed) };
    let all = defaults.below(typed.clone()).map_err(|told| wrong(told.render().to_string()))?;
    let with_note = |ending| match ending {
        Ending::Usage { text, document } => {
            let note = format!("note: default options are from {from}; --no-defaults leaves them out");
            Ending::Usage { text: format!("{}\n\n{note}\n", text.trim_end()), document }
        }
        other => other,
    };
    let request = asked(all).map_err(with_note)?;
    Ok(validated::Request { defaults_from: Some(from), ..request })
}

fn asked(words: Vec<OsString>) -> Result<validated::Request, Ending> {
    let ending = |told: clap::Error| {
        let text = told.render().to_string();
        match told.use_stderr() {
            false => Ending::Help(text),
            true => Ending::Usage { document: document_of(&words, &text), text },
        }
    };
    let (typed, accepted) = args::parse(words.clone()).map_err(ending)?;
    match about_itself(&typed).transpose() {
        Some(Ok(text)) => Err(Ending::Help(text)),
        Some(Err(why)) => {
            let text = format!("error: {why}\n");
            Err(Ending::Usage { document: document_of(&words, &text), text })
        }
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
        .finish(&Summary { ending: output::Ending::failed(Trouble::Usage, error), ..Summary::default() });
    String::from_utf8_lossy(&written.bytes()).into_owned()
}

/// The page that shows a trace, as it is built from `solver-cli/view/`.
const VIEW_PAGE: &str = include_str!("../view/yasmin-view.html");

/// The page with a trace inside, which it shows when it opens, as the page saves itself
/// (`solver-cli/view/src/save.ts`).
fn view_page_with(trace: &Path) -> io::Result<String> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    io::copy(&mut File::open(trace)?, &mut packed)?;
    let packed = BASE64.encode(&packed.finish()?);
    let name = trace.file_name().unwrap_or_default().to_string_lossy();
    let name = name.replace('&', "&amp;").replace('"', "&quot;");
    let inside = format!(
        "<body><script type=\"application/gzip\" id=\"trace-inside\" data-name=\"{name}\">{packed}</script>"
    );
    Ok(VIEW_PAGE.replacen("<body>", &inside, 1))
}

/// What the command says of itself, if that was asked for: a schema, the page that shows a trace, a shell's
/// completions, the manual page.
///
/// # Errors
/// If the trace for the page cannot be read.
fn about_itself(typed: &args::Args) -> Result<Option<String>, String> {
    let mut text = Vec::new();
    if let Some(of) = typed.schema {
        return Ok(Some(match of {
            args::SchemaOf::Document => solver_host::output::SCHEMA.into(),
            args::SchemaOf::Lines => solver_host::output::schema_of_lines(),
            args::SchemaOf::Questions => solver_host::output::schema_of_replies(),
        }));
    } else if typed.clingo.print_portfolio {
        return Ok(Some(format!(
            "# what each searcher of yasmin --portfolio=many changes\n{}",
            Options::portfolio()
        )));
    } else if typed.trace_schema {
        return Ok(Some(solver_host::search::TRACE_SCHEMA.into()));
    } else if typed.view_page {
        let Some(trace) = typed.trace.clone().map(validated::real) else { return Ok(Some(VIEW_PAGE.into())) };
        let cannot = |why| {
            format!(
                "{}: the trace cannot be read: {why}; first write it, without --view-page",
                text::of_os(&trace)
            )
        };
        return view_page_with(&trace).map(Some).map_err(cannot);
    } else if let Some(shell) = typed.completions {
        clap_complete::generate(shell, &mut with_values(args::Args::command()), "yasmin", &mut text);
    } else if typed.man {
        clap_mangen::Man::new(args::Args::command()).render(&mut text).expect("a vector takes everything");
    } else {
        return Ok(None);
    }
    Ok(Some(String::from_utf8(text).expect("it is text")))
}

/// The command with the values that a shell may offer, of options whose values clap does not know.
fn with_values(command: clap::Command) -> clap::Command {
    const VALUES: &[(&str, &[&str])] = &[
        ("opt_mode", &["opt", "enum", "optN", "ignore"]),
        ("project", &["auto", "show", "project", "no"]),
        ("output", &["intermediate", "text", "reify", "smodels"]),
        ("configuration", &["auto", "frumpy", "jumpy", "tweety", "handy", "crafty", "trendy", "many"]),
        ("opt_strategy", &["auto", "turns", "bb", "bb,hier", "bb,inc", "bb,dec", "usc"]),
        ("restarts", &["auto", "none", "luby,100", "geometric,100,1.5", "quality,50,0.8"]),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_completions_offer_is_one() {
        for arg in with_values(args::Args::command()).get_arguments() {
            let Some(long) = arg.get_long() else { continue };
            let is_asked =
                ["completions", "schema", "help", "version", "proof-format", "lemma-out-dom"].contains(&long);
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
}
