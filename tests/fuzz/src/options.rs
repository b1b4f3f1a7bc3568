//! Command lines: the words of a text, parsed and validated as the command does before it starts to work.
//!
//! Main function: [`command_line`].

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;

use clap::CommandFactory;
use serde_json::Value;
use yasmin_cli::{args::Args, clingo::rows::ROWS, request, Ending};

use crate::{measured, Came, Verdict};

/// The most bytes that a command line takes: clap's table of options, the text of the help, and what was typed.
const MOST_BYTES: usize = 16 << 20;

/// Parses the words of `text`, the program's name not among them. A line is either a request or ends with help or one
/// usage error, and the same line ends the same way each time.
///
/// # Errors
/// What is wrong.
pub fn command_line(text: &[u8]) -> Verdict {
    let words: Vec<&OsStr> =
        text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).map(OsStr::from_bytes).collect();
    let parse = || request(["yasmin".into()].into_iter().chain(words.iter().map(|word| word.into())));
    let (parsed, bytes) = measured(parse);
    if bytes > MOST_BYTES + 64 * text.len() {
        return Err(format!("a line of {} bytes takes {bytes} bytes of memory", text.len()));
    }
    match (&parsed, &parse()) {
        (Ok(one), Ok(other)) => {
            if format!("{one:?}") != format!("{other:?}") {
                return Err(format!("parsed twice: {one:?} and {other:?}"));
            }
            if one.files.is_empty() || one.files.len() != one.input_names.len().max(1) {
                return Err("a request without an input".into());
            }
            // They must come to an end for each kind of program.
            let _ = [false, true].map(|minimizes| (one.limit(minimizes), one.optimizes(minimizes)));
            Ok(Came::Accepted)
        }
        (Err(Ending::Help(one)), Err(Ending::Help(other))) if !one.is_empty() && one == other => {
            Ok(Came::Refused)
        }
        (Err(Ending::Usage { text, document }), Err(Ending::Usage { text: again, .. })) if text == again => {
            match text.strip_prefix("error: ").map(str::trim_start) {
                Some(what) if !what.is_empty() => {}
                _ => return Err(format!("an error that does not say what is wrong: {text:?}")),
            }
            says_so(document)
        }
        (one, other) => Err(format!("parsed twice: {one:?} and {other:?}")),
    }
}

/// A document for a line that is wrong is empty, or JSON that says what is wrong.
fn says_so(document: &str) -> Verdict {
    let says = |line: &str| {
        let object: Value = serde_json::from_str(line).unwrap_or_default();
        object["Result"] == "UNKNOWN" && object["Error"].as_str().is_some_and(|what| !what.is_empty())
    };
    match document.is_empty() || says(document) {
        true => Ok(Came::Refused),
        false => Err(format!("a document that does not say what is wrong: {document:?}")),
    }
}

/// The options with their values, as they are typed: what [`crate::mutate`] puts into command lines.
pub fn words() -> &'static [&'static str] {
    static WORDS: OnceLock<Vec<&'static str>> = OnceLock::new();
    WORDS.get_or_init(|| {
        let mut words: Vec<String> =
            ["-", "--", "=", ",", "-n", "0", "no", "auto", "\""].map(Into::into).into();
        for option in Args::command().get_arguments() {
            let long = option.get_long().map(|long| format!("--{long}"));
            let values = option.get_possible_values();
            words.extend(option.get_short().map(|short| format!("-{short}")));
            for value in &values {
                words.extend(long.iter().map(|long| format!("{long}={}", value.get_name())));
            }
            words.extend(long.iter().map(|long| format!("{long}=")));
            words.extend(long);
        }
        for row in ROWS {
            words.extend(["--", "--no-"].map(|hyphens| format!("{hyphens}{}", row.name)));
            words.extend(row.short.map(|short| format!("-{short}")));
            words.push(format!("--{}=", row.name));
        }
        words.into_iter().map(|word| &*word.leak()).collect()
    })
}
