//! The results of one run on their way out: printer, clock and counts, shared by the search and its watcher.
//!
//! Main type: [`Session`]. Invariant: [`Session::finish`] takes effect once; whoever comes first closes the
//! document, and what comes later is not printed.

use std::io::{self, ErrorKind};
use std::mem;
use std::time::{Duration, Instant};

use nix::time::{clock_gettime, ClockId};
use serde_json::{Map, Value};
use solver_host::input::ground::Reading;
use solver_host::output::{
    self, Answer, Failure, Phase, Phases, Printer, Proved, SearchProgress, Searchers, Stop, Summary, Times,
    Trouble,
};
use solver_host::program::Formula;
use solver_host::search::Reasoning;

use super::engine::Work;
use super::exit;
use super::hold::Hold;
use super::progress::{self, Progress};
use super::Ending;

/// What a search is for, as far as it matters for what is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purpose {
    /// How answer sets are looked at.
    pub reasoning: Reasoning,
    /// Whether an optimum is looked for.
    pub optimizes: bool,
}

/// What is known at the end of a run, besides the answer sets that were told.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How the run ended.
    pub ending: output::Ending,
    /// Whether the last answer set is known to be optimal.
    pub is_optimum_known: bool,
    /// What is proved of the optimum.
    pub lower: Vec<i128>,
    /// How many searchers there were, if there were several.
    pub searchers: Option<Searchers>,
    /// What is proved, if the proof was checked.
    pub proved: Option<Proved>,
    /// What excludes each other, if there is no answer set and that was asked for.
    pub explanation: Option<Vec<String>>,
    /// The solver's statistics, if they were asked for.
    pub statistics: Option<Map<String, Value>>,
    /// Whether the worker still runs.
    pub leaves_worker: bool,
}

impl Outcome {
    /// Of a run that ended so, of which nothing else is known.
    pub fn of(ending: output::Ending) -> Self {
        Outcome {
            ending,
            is_optimum_known: false,
            lower: Vec::new(),
            searchers: None,
            proved: None,
            explanation: None,
            statistics: None,
            leaves_worker: false,
        }
    }

    /// Of a run that was cut short under its worker, and of whose search nothing is known.
    pub fn cut_short(stop: Stop) -> Self {
        Outcome { leaves_worker: true, ..Outcome::of(output::Ending::Stopped(stop)) }
    }

    /// Of a run that failed.
    pub fn failed(failure: Failure) -> Self {
        Outcome::of(output::Ending::Failed(failure))
    }

    /// Of a run without memory, whose worker does not go on.
    pub fn out_of_memory(error: String) -> Self {
        Outcome { leaves_worker: true, ..Outcome::failed(Failure::new(Trouble::Memory, error)) }
    }
}

/// The results of one run; see the module's documentation.
pub struct Session {
    printer: Box<dyn Printer>,
    progress: Option<Progress>,
    /// How often the printer is told how far the run has come, if that is asked for, and when it is told
    /// next.
    reports: Option<(f64, f64)>,
    /// Says whether output may be held back.
    hold: Hold,
    began: Instant,
    /// When the program was read, the search started, the first and the last answer set came: seconds since
    /// `began`.
    read: Option<f64>,
    searching: Option<f64>,
    first: Option<f64>,
    last: Option<f64>,
    /// When the search was over, if something else was done after it.
    searched: Option<f64>,
    /// Whether a call comes next that is to be counted once its search starts, as the printer tells it then.
    has_next: bool,
    /// Where the time of the calls before the present one went, and of those that have ended.
    before: Times,
    call: Times,
    /// What is known so far.
    known: Summary,
    /// Whether somebody who prints by itself has found an answer set.
    has_found_beside: bool,
    /// Set once the results can no longer be written.
    broken: Option<io::Error>,
    /// The exit code and the error, once the document is closed.
    finished: Option<(i32, Option<String>)>,
}

impl Session {
    /// A run that began at `began`, whose output `hold` may hold back.
    pub fn new(printer: Box<dyn Printer>, progress: Option<Progress>, began: Instant, hold: Hold) -> Self {
        let (read, searching, first, last) = (None, None, None, None);
        let (searched, before, call, known) = (None, Times::default(), Times::default(), Summary::default());
        let (has_next, has_found_beside, broken, finished) = (false, false, None, None);
        Session {
            printer,
            progress,
            reports: None,
            hold,
            began,
            read,
            searching,
            first,
            last,
            searched,
            has_next,
            before,
            call,
            known,
            has_found_beside,
            broken,
            finished,
        }
    }

    /// The same run, whose printer is told so often how far the run has come.
    pub fn reporting(self, every: Option<Duration>) -> Self {
        let reports = every.map(|every| (every.as_secs_f64(), every.as_secs_f64()));
        Session { reports, ..self }
    }

    /// How many answer sets were found.
    pub fn models(&self) -> u64 {
        self.known.models
    }

    /// How many of them were known to be optimal.
    pub fn optimal(&self) -> u64 {
        self.known.optimal
    }

    /// Whether results go nowhere any more, so that it makes no sense to look for others.
    pub fn is_over(&self) -> bool {
        self.finished.is_some() || self.broken.is_some()
    }

    /// How often somebody looks at how the run goes, if anybody does.
    pub fn looks_every(&self) -> Option<Duration> {
        let reports = self.reports.map(|(every, _)| Duration::from_secs_f64(every));
        self.progress.as_ref().map(|_| progress::EVERY).into_iter().chain(reports).min()
    }

    /// Says that the run begins, on a formula or another program.
    pub fn begin(&mut self, formula: Option<Formula>) {
        if let Some(formula) = formula {
            self.printer.formula(formula);
        }
        self.print(|printer| printer.begin());
    }

    /// Says what the search will run on.
    pub fn device(&mut self, name: &str) {
        self.print(|printer| printer.device(name));
    }

    /// Says something on standard error that is no error.
    pub fn warn(&mut self, tell: &dyn Fn(&str), text: &str) {
        match &self.progress {
            _ if self.finished.is_some() => {}
            Some(progress) => progress.besides(|| tell(text)),
            None => tell(text),
        }
    }

    /// The program was read.
    pub fn read(&mut self) {
        self.read = Some(self.seconds());
    }

    /// The search starts.
    pub fn start(&mut self, purpose: Purpose) {
        if !self.is_over() {
            let now = self.seconds();
            self.searching = Some(now);
            self.known.before.calls += u64::from(mem::take(&mut self.has_next));
            (self.known.reasoning, self.known.optimizes) = (purpose.reasoning, purpose.optimizes);
            let reading = self.read.unwrap_or(now);
            self.print(|printer| {
                printer.start(&Phases { since_start: now, reading, preparing: now - reading })
            });
        }
    }

    /// Says that the search is over, and that something else takes time now.
    pub fn searched(&mut self) {
        self.searched = Some(self.seconds());
    }

    /// The search of a step is over, and another step may come.
    pub fn end_call(&mut self, outcome: &Outcome) {
        self.searched();
        let summary = self.summary(outcome.clone());
        self.call = summary.times;
        self.hold.set(false);
        self.print(|printer| printer.end_call(&summary));
    }

    /// Another step begins, whose search is going to start.
    pub fn next_call(&mut self) {
        self.before = self.call;
        (self.read, self.searching, self.first, self.last, self.searched) = (None, None, None, None, None);
        let before = output::Before { calls: self.known.before.calls, models: self.known.all_models() };
        self.known = Summary { before, ..Summary::default() };
        self.has_next = true;
    }

    /// Prints an answer set.
    pub fn answer(&mut self, answer: &Answer) {
        if !self.is_over() {
            let now = self.seconds();
            self.first.get_or_insert(now);
            self.last = Some(now);
            let known = &mut self.known;
            known.models += 1;
            known.optimal += answer.is_optimal as u64;
            known.is_last_optimal = answer.is_optimal;
            known.costs = answer.costs.to_vec();
            known.consequences = answer.consequences;
            self.hold.set(answer.is_next_at_hand);
            self.print(|printer| printer.answer(answer, now));
        }
    }

    /// No answer set costs less than `lower`. Says so if that is more than what was said before and the best
    /// answer set costs more. What is told first goes without saying.
    pub fn bound(&mut self, lower: Vec<i128>) {
        if lower <= self.known.lower {
            return;
        }
        if !self.known.lower.is_empty() && lower != self.known.costs {
            let costs = self.known.costs.clone();
            let now = self.seconds();
            self.print(|printer| printer.bound(&lower, &costs, now));
        }
        self.known.lower = lower;
    }

    /// Counts answer sets that nobody looks at.
    pub fn counted(&mut self, more: u64) {
        if !self.is_over() {
            let now = self.seconds();
            self.first.get_or_insert(now);
            self.last = Some(now);
            self.known.models += more;
        }
    }

    /// Tells somebody who looks how far the search has come.
    pub fn progress(&mut self, work: Work, lower: &[i128]) {
        if let Some(progress) = self.progress.as_mut().filter(|_| self.finished.is_none()) {
            progress.show(&progress::searching(work, self.known.models, &self.known.costs, lower));
        }
        let Work { conflicts, decisions, restarts } = work;
        let (models, costs, lower) = (self.known.models, self.known.costs.clone(), lower.to_vec());
        let search = Some(SearchProgress { conflicts, decisions, restarts, models, costs, lower });
        self.report(output::Progress { phase: Phase::Searching, bytes: None, search });
    }

    /// Tells somebody who looks how far a run has come that prints by itself.
    pub fn progress_beside(&mut self, what: impl FnOnce() -> String) {
        if let Some(progress) = &mut self.progress {
            progress.show(&what());
        }
    }

    /// Lets a run print by itself.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.progress {
            Some(progress) => progress.aside(print),
            None => print(),
        }
    }

    /// Notes for the exit code that a run that prints by itself has found an answer set.
    pub fn found_beside(&mut self) {
        self.has_found_beside = true;
    }

    /// Takes the line away of a run that prints by itself.
    pub fn end_progress(&self) {
        if let Some(progress) = &self.progress {
            progress.end();
        }
    }

    /// Tells the printer how far the run has come, if it is time to.
    fn report(&mut self, told: output::Progress) {
        let now = self.seconds();
        if let Some((every, next)) = &mut self.reports {
            if now >= *next {
                *next = now + *every;
                self.print(|printer| printer.progress(&told, now));
            }
        }
    }

    /// Tells somebody who looks how far the run has come before the search.
    pub fn progress_before_search(&mut self, reading: Reading) {
        let Some(what) = self.before_search(reading) else { return };
        if let Some(progress) = &mut self.progress {
            progress.show(&what);
        }
        let phase = match self.read {
            Some(_) => Phase::Preparing,
            None if reading.is_grounding => Phase::Grounding,
            None => Phase::Reading,
        };
        let bytes = self.read.is_none().then_some(reading.bytes);
        self.report(output::Progress { phase, bytes, search: None });
    }

    /// What is done before the search; none once that has begun or the run is over.
    pub fn before_search(&self, reading: Reading) -> Option<String> {
        let is_before = self.finished.is_none() && self.searching.is_none();
        is_before.then(|| match self.read {
            None => progress::reading(reading),
            Some(_) => "preparing".into(),
        })
    }

    /// Ends the run, prints what is known at the end, and says how it went.
    ///
    /// After an error as well: tools that read the results find a document that says that nothing is known.
    pub fn finish(&mut self, outcome: Outcome) -> Ending {
        let leaves_worker = outcome.leaves_worker;
        if let Some((code, error)) = self.finished.clone() {
            return Ending::Done { code, error, leaves_worker };
        }
        if let Some(progress) = &self.progress {
            progress.end();
        }
        let mut summary = self.summary(outcome);
        if !self.is_over() {
            self.hold.set(false);
            let written = self.printer.finish(&summary);
            self.note(written);
        }
        match self.broken.take() {
            // The reader has gone away, as `head` does: it has what it wanted.
            Some(gone) if gone.kind() == ErrorKind::BrokenPipe => {}
            Some(broken) => {
                let what = format!("cannot write to standard output: {broken}");
                summary.ending = output::Ending::failed(Trouble::Write, what);
            }
            None => {}
        }
        let error = summary.ending.failure().map(|failure| failure.error.clone());
        let code = exit::code(&summary) | if self.has_found_beside { exit::SATISFIABLE } else { 0 };
        self.finished = Some((code, error.clone()));
        Ending::Done { code, error, leaves_worker }
    }

    /// What is known once the search has ended so.
    fn summary(&self, outcome: Outcome) -> Summary {
        Summary {
            times: self.times(outcome.ending.is_all_searched()),
            ending: outcome.ending,
            is_last_optimal: self.known.is_last_optimal || outcome.is_optimum_known,
            lower: if outcome.lower.is_empty() { self.known.lower.clone() } else { outcome.lower },
            searchers: outcome.searchers,
            proved: outcome.proved,
            explanation: outcome.explanation,
            statistics: outcome.statistics,
            ..self.known.clone()
        }
    }

    /// Prints something, unless results go nowhere any more.
    fn print(&mut self, print: impl FnOnce(&mut dyn Printer) -> io::Result<()>) {
        if !self.is_over() {
            let printer = self.printer.as_mut();
            let written = match &self.progress {
                Some(progress) => progress.aside(|| print(printer)),
                None => print(printer),
            };
            self.note(written);
        }
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
        let (total, before) = (self.seconds(), &self.before);
        let end = self.searched.unwrap_or(total);
        let start = self.searching.unwrap_or(total);
        let cpu = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID);
        Times {
            total,
            solve: before.solve + end - start,
            first_model: before.first_model + self.first.map_or(0.0, |first| first - start),
            unsat: before.unsat + if exhausted { end - self.last.unwrap_or(start) } else { 0.0 },
            cpu: cpu.map_or(0.0, |cpu| cpu.tv_sec() as f64 + cpu.tv_nsec() as f64 * 1e-9),
        }
    }
}
