//! The `yasmin-mpi` command.

use std::io::Write;
use std::time::Duration;

use solver_host::output::{self, Printer, Style, Summary};
use yasmin_cli::last_words::{self, end_at_once, tell};
use yasmin_cli::standard_output::StandardOutput;
use yasmin_cli::validated::Request;
use yasmin_cli::{exit, memory, request, run_in, Ending, Surroundings};
use yasmin_mpi::calls::{closed, Told};
use yasmin_mpi::launcher::{is_rank, launch, number_of_rank, to_launcher};
use yasmin_mpi::rank::{self, Rank};
use yasmin_mpi::typed::{Typed, HELP};
use yasmin_mpi::watch::Watch;

/// How long ranks wait at least for all to connect: not all of them start at the same time.
const CONNECTS: Duration = Duration::from_secs(10);

/// How much longer than rank 0 other ranks wait for all to connect.
const LATER: Duration = Duration::from_millis(500);

/// The name of the command.
const PROGRAM: &str = "yasmin-mpi";

#[global_allocator]
static MEMORY: memory::Watched = memory::Watched;

fn main() {
    // The other ranks are ended by what has started them.
    memory::begin(|ending| end_at_once(say(ending)));
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
    let refusal = |request: &Request| match rank::refusal(request, is_launched) {
        // The checker reads the parts of all ranks, once they are whole.
        None if request.checks_proof() && request.proof_option() != "--proof" => Some(
            "--check=proof is not possible with several ranks alone: name a file with --proof, as each rank \
             writes one"
                .to_string(),
        ),
        why => why,
    };
    let asked = asked.and_then(|request| match refusal(&request) {
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
    let unconnected = Unconnected::of(&typed, &asked);
    let watch = Watch::begin(unconnected.waits(), move || end_at_once(unconnected.say()));
    let started = watch.map_err(|error| format!("cannot start a thread: {error}"));
    let rank = match started.and_then(|watch| Rank::start(rank::GOODBYE, Some(watch))) {
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

/// What this rank says if the ranks do not connect in time.
struct Unconnected {
    is_first: bool,
    timeout: Duration,
    /// The style of the document and the names of the inputs, if there is a document.
    printed: Option<(Style, Vec<String>)>,
    launcher: Option<String>,
}

impl Unconnected {
    fn of(typed: &Typed, asked: &Result<Request, Ending>) -> Unconnected {
        let request = asked.as_ref().ok();
        Unconnected {
            is_first: number_of_rank().is_some_and(|number| number == "0"),
            timeout: typed.timeout.max(CONNECTS),
            printed: request.map(|request| (request.style.clone(), request.input_names.clone())),
            launcher: typed.launcher.clone(),
        }
    }

    /// How long this rank waits: rank 0 has the first word.
    fn waits(&self) -> Duration {
        self.timeout + if self.is_first { Duration::ZERO } else { LATER }
    }

    /// Says so. Returns the exit code.
    fn say(self) -> i32 {
        let timeout = self.timeout.as_secs_f64();
        let why =
            format!("a rank has not connected within {timeout} s; --rank-timeout says how long ranks wait");
        complain(&format!("error: {why}\n"));
        let Some((style, inputs)) = self.printed.filter(|_| self.is_first) else { return exit::ERROR };
        let ending = output::Ending::failed(output::Trouble::Cluster, why);
        let summary = Summary { ending, ..Summary::default() };
        // Whoever reads the document may be gone, and standard error has the reason as well.
        let _ = match self.launcher.map(|path| to_launcher(&path, false, false)) {
            Some(Ok(to)) => Told::new(style, &inputs, to).finish(&summary),
            Some(Err(_)) => Ok(()),
            None => output::printer(style, &inputs, StandardOutput::default())
                .finish(&summary)
                .and_then(|()| std::io::stdout().flush()),
        };
        exit::ERROR
    }
}

/// Says how a run has ended. Returns the exit code.
fn say(ending: Ending) -> i32 {
    last_words::say(PROGRAM, ending)
}

/// Prints on standard error.
fn complain(text: &str) {
    last_words::complain(PROGRAM, text);
}
