//! The `yasmin-mpi` command: the one place that prints failures and ends the process.

use std::io::Write;

use solver_host::output::{self, Summary};
use yasmin_cli::validated::Request;
use yasmin_cli::{exit, memory, request, run_in, Ending, Surroundings};
use yasmin_mpi::calls::closed;
use yasmin_mpi::launcher::{is_rank, launch};
use yasmin_mpi::rank::{self, Rank};
use yasmin_mpi::typed::{Typed, HELP};

#[global_allocator]
static MEMORY: memory::Watched = memory::Watched;

fn main() {
    memory::begin(|ending| end(say(ending)));
    let words: Vec<_> = std::env::args_os().collect();
    let typed = match Typed::of(words.clone()) {
        Ok(typed) => typed,
        Err(wrong) => {
            complain(&format!("error: {wrong}; see yasmin-mpi --help\n"));
            std::process::exit(exit::ERROR)
        }
    };
    let asked = request(typed.rest.clone()).map_err(|ending| match ending {
        Ending::Help(text) if text.contains("--opt-mode") => Ending::Help(format!("{HELP}{text}")),
        ending => ending,
    });
    let is_launched = !is_rank() || typed.launcher.is_some();
    let asked = asked.and_then(|request| match rank::refusal(&request, is_launched) {
        Some(why) => Err(refused(&request, &why)),
        None => Ok(request),
    });
    if !is_rank() {
        let code = match asked {
            // A program that is only printed needs one process.
            Ok(request) if !rank::searches(&request) => {
                say(run_in(request, Surroundings { tell, printer: None, company: None }))
            }
            Ok(request) => say(launch(&typed, &request, &words)),
            Err(ending) => say(ending),
        };
        std::process::exit(code)
    }
    let rank = match Rank::start(rank::GOODBYE) {
        Ok(rank) => rank,
        Err(why) => {
            complain(&format!("error: {why}\n"));
            std::process::exit(exit::ERROR)
        }
    };
    let mut searched = rank.search(&typed, asked, tell, rank::command(&typed, tell));
    let code = searched.ending.take().map_or(0, say);
    // The launcher has heard the exit code.
    rank.exit(searched, if typed.launcher.is_some() { 0 } else { code })
}

/// What is said of a run that is not possible with several ranks.
fn refused(request: &Request, why: &str) -> Ending {
    let summary =
        Summary { ending: output::Ending::failed(output::Trouble::Usage, why), ..Summary::default() };
    let document = closed(request.style.clone(), &request.input_names, &summary);
    Ending::Usage { text: format!("error: {why}\n"), document }
}

/// Says how a run has ended. Returns the exit code.
fn say(ending: Ending) -> i32 {
    match ending {
        Ending::Help(text) => {
            // A reader that has gone away has read enough.
            let _ = std::io::stdout().write_all(text.as_bytes());
            0
        }
        Ending::Usage { text, document } => {
            let _ = std::io::stdout().write_all(document.as_bytes());
            complain(&text);
            exit::ERROR
        }
        Ending::Done { code, error, .. } => {
            if let Some(error) = error {
                complain(&format!("error: {error}\n"));
            }
            code
        }
    }
}

/// Ends the process when there is no memory left.
fn end(code: i32) -> ! {
    // SAFETY: it ends the process, whatever state that is in. The other ranks are ended by what has started
    // them.
    unsafe { nix::libc::_exit(code) }
}

/// Prints on standard error, which may be closed.
fn complain(text: &str) {
    let _ = write!(std::io::stderr(), "yasmin-mpi: {text}");
}

/// Prints a line to standard error that is no failure.
fn tell(line: &str) {
    // A reader that has gone away misses nothing that counts.
    let _ = writeln!(std::io::stderr(), "{line}");
}
