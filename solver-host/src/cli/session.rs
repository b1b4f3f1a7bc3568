//! The results of one run on their way out: printer, clock and counts, shared by the search and its watcher.
//!
//! Main type: [`Session`]. Invariant: [`Session::finish`] takes effect once; whoever comes first closes the document,
//! and what comes later is not printed.

use std::io::{self, ErrorKind};
use std::time::Instant;

use nix::time::{clock_gettime, ClockId};
use serde_json::{Map, Value};
use solver_host::output::{Printer, Stop, Summary, Times};

use super::exit;
use super::Ending;

/// The results of one run; see the module's documentation.
pub struct Session {
    printer: Box<dyn Printer>,
    began: Instant,
    /// When the search started, the first and the last answer set came: seconds since `began`.
    searching: Option<f64>,
    first: Option<f64>,
    last: Option<f64>,
    models: u64,
    /// Set once the results can no longer be written.
    broken: Option<io::Error>,
    finished: bool,
}

impl Session {
    /// A run that began at `began`.
    pub fn new(printer: Box<dyn Printer>, began: Instant) -> Self {
        let (searching, first, last) = (None, None, None);
        Session { printer, began, searching, first, last, models: 0, broken: None, finished: false }
    }

    /// How many answer sets were printed.
    pub fn models(&self) -> u64 {
        self.models
    }

    /// Whether results go nowhere any more, so that it makes no sense to look for others.
    pub fn is_over(&self) -> bool {
        self.finished || self.broken.is_some()
    }

    /// The program was read; the search starts.
    pub fn start(&mut self) {
        if !self.is_over() {
            let now = self.seconds();
            self.searching = Some(now);
            let written = self.printer.start(now);
            self.note(written);
        }
    }

    /// Prints an answer set.
    pub fn answer(&mut self, atoms: &[&str]) {
        if !self.is_over() {
            let now = self.seconds();
            self.models += 1;
            self.first.get_or_insert(now);
            self.last = Some(now);
            let written = self.printer.answer(atoms, now);
            self.note(written);
        }
    }

    /// Ends the run, prints what is known at the end, and says how it went.
    ///
    /// An error before the search started leaves standard output empty: there is no result to speak of.
    pub fn finish(
        &mut self,
        exhausted: bool,
        stopped: Option<Stop>,
        error: Option<String>,
        statistics: Option<Map<String, Value>>,
    ) -> Ending {
        let mut summary = Summary {
            models: self.models,
            exhausted,
            stopped,
            error,
            times: self.times(exhausted),
            statistics,
        };
        let silent = summary.error.is_some() && self.searching.is_none();
        if !self.is_over() && !silent {
            let written = self.printer.finish(&summary);
            self.note(written);
        }
        self.finished = true;
        match self.broken.take() {
            // The reader has gone away, as `head` does: it has what it wanted.
            Some(gone) if gone.kind() == ErrorKind::BrokenPipe => {}
            Some(broken) => summary.error = Some(format!("cannot write to standard output: {broken}")),
            None => {}
        }
        Ending::Done { code: exit::code(&summary), error: summary.error }
    }

    fn note(&mut self, written: io::Result<()>) {
        if let Err(broken) = written {
            self.broken = Some(broken);
        }
    }

    fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    fn times(&self, exhausted: bool) -> Times {
        let total = self.seconds();
        let start = self.searching.unwrap_or(total);
        let cpu = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID);
        Times {
            total,
            solve: total - start,
            first_model: self.first.map_or(0.0, |first| first - start),
            unsat: if exhausted { total - self.last.unwrap_or(start) } else { 0.0 },
            cpu: cpu.map_or(0.0, |cpu| cpu.tv_sec() as f64 + cpu.tv_nsec() as f64 * 1e-9),
        }
    }
}
