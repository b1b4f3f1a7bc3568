//! What holds in all, in some and in no answer sets: `--facets`.

use std::error::Error;
use std::io::Write;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use library::{Cancel, Facets, Holds, Literal};
use serde_json::json;
use solver_host::output::Format;

use super::args::FacetsAs;
use super::exit::{self, Known};
use super::questions::Asked;
use super::standard_output::{self, StandardOutput};
use super::validated::Request;
use super::Ending;

/// How often it is asked whether it is time to stop.
const ASKED: Duration = Duration::from_millis(20);

/// Finds out what is asked for, and prints it.
///
/// # Errors
/// If the search fails, or what is found cannot be written.
pub fn tell_facets(
    asked: Asked,
    counts: FacetsAs,
    request: &Request,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Ending, Box<dyn Error>> {
    let Asked { mut control, shown, names } = asked;
    let is_shown = |(name, _): &(String, Literal)| request.shows_auxiliary || !name.starts_with('_');
    let question = names.question.clone();
    let (names, literals): (Vec<String>, Vec<Literal>) = shown.into_iter().filter(is_shown).unzip();
    let cancel = Cancel::new();
    let question = question.cancelled_by(&cancel);
    let (found, counted, is_cut) = thread::scope(|scope| {
        let (ended, ends) = mpsc::channel::<()>();
        let searching = scope.spawn(move || -> Result<_, library::Error> {
            let _ended = ended;
            let found = control.facets(&literals, &question)?;
            let counts = counts == FacetsAs::Counts && matches!(found, Facets::Each(_));
            let counted = if counts { control.facet_counts(&literals, &question)? } else { None };
            let is_cut = counts && counted.is_none();
            Ok((found, counted, is_cut))
        });
        while ends.recv_timeout(ASKED) == Err(RecvTimeoutError::Timeout) {
            if is_stopped() {
                cancel.cancel();
            }
        }
        searching.join().map_err(|_| "internal error: the search for facets has failed")
    })??;
    let (result, code, each) = match found {
        // What is known is told without the numbers.
        Facets::Each(each) if is_cut => ("SATISFIABLE", exit::SATISFIABLE | exit::INTERRUPTED, each),
        Facets::Each(each) => ("SATISFIABLE", exit::SATISFIABLE | exit::EXHAUSTED, each),
        Facets::Unsatisfiable => ("UNSATISFIABLE", exit::EXHAUSTED, Vec::new()),
        Facets::Stopped => ("UNKNOWN", exit::INTERRUPTED, Vec::new()),
    };
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let (mut text, mut told) = (String::new(), Vec::new());
    for (at, (holds, name)) in each.into_iter().zip(&names).enumerate() {
        let word = word(holds);
        let mut facet = json!({ "Name": name, "Holds": word });
        match &counted {
            Some((counts, all)) => {
                text += &format!("{word:<9}  {name:<longest$}  {} of {all}\n", counts[at]);
                (facet["With"], facet["Without"]) = (counts[at].into(), (all - counts[at]).into());
            }
            None => text += &format!("{word:<9}  {name}\n"),
        }
        told.push(facet);
    }
    let text = match request.style.format {
        Format::None => String::new(),
        Format::Json | Format::JsonLines => format!("{}\n", json!({ "Result": result, "Facets": told })),
        Format::Text | Format::Competition => format!("{text}{result}\n"),
    };
    let mut out = StandardOutput::default();
    standard_output::told(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
        .map_err(Known::not_printed)?;
    Ok(Ending::Done { code, error: None, leaves_worker: false })
}

fn word(holds: Holds) -> &'static str {
    match holds {
        Holds::Always => "always",
        Holds::Sometimes => "sometimes",
        Holds::Never => "never",
    }
}
