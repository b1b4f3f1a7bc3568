//! What rank 0 tells the launcher: each call of a [`Printer`], on a line of its own.
//!
//! Main types: [`Told`], the printer of rank 0 that writes such lines, and [`Heard`], which prints what the
//! lines say. The launcher prints answer sets as they come. If rank 0 is gone before the end, the launcher
//! knows what was found, and closes the document itself.
//!
//! Invariant: only rank 0's search can say that all was searched. What closes the document in that case comes
//! as text from rank 0, and what [`Heard`] says by itself is that the run was cut short.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use solver_host::output::{
    printer, Answer, Ending, Format, Level, Phase, Phases, Printer, Progress, SearchProgress, Stop, Style,
    Summary, Times, Trouble,
};
use solver_host::program::Formula;
use solver_host::search::{Consequences, Reasoning};
use yasmin_cli::written::Written;

/// What each line begins with. Any other line is not rank 0's.
pub const MARK: &str = "yasmin-mpi-call ";

/// Once so many bytes wait, they go out, also if more is at hand.
const MOST: usize = 1 << 15;

/// A call of a printer.
#[derive(Debug, Serialize, Deserialize)]
enum Call {
    /// Whether the formula is pseudo-Boolean.
    Formula(bool),
    Begin,
    Device(String),
    Start(f64, f64, f64),
    Answer {
        atoms: Vec<String>,
        costs: Vec<i128>,
        /// How many consequences are known and how many are open.
        consequences: Option<(u64, u64)>,
        is_optimal: bool,
        is_next_at_hand: bool,
        seconds: f64,
    },
    Bound(Vec<i128>, Vec<i128>, f64),
    /// The parts of a [`Progress`]: flattened as there, costs of 128 bits could not be read again.
    Progress {
        phase: Phase,
        bytes: Option<u64>,
        search: Option<SearchProgress>,
        seconds: f64,
    },
    Finish {
        /// What closes the document.
        closing: String,
        code: i32,
        /// Whether a signal has ended the search.
        is_interrupted: bool,
    },
}

/// The document of a run that has ended before anything was printed; empty if the format is none of JSON.
pub fn closed(style: Style, inputs: &[String], summary: &Summary) -> String {
    if !matches!(style.format, Format::Json | Format::JsonLines) {
        return String::new();
    }
    let sink = Written::default();
    // Memory takes everything.
    let _ = printer(style, inputs, sink.clone()).finish(summary);
    String::from_utf8_lossy(&sink.bytes()).into_owned()
}

/// Tells the launcher that no further replies to questions come, and the exit code.
///
/// # Errors
/// If it cannot be told.
pub fn end_of_replies(mut to: impl Write, code: i32) -> io::Result<()> {
    let call = Call::Finish { closing: String::new(), code, is_interrupted: false };
    writeln!(to, "{MARK}{}", serde_json::to_string(&call).map_err(io::Error::other)?)?;
    to.flush()
}

/// The printer of rank 0.
pub struct Told<W> {
    to: W,
    waiting: Vec<u8>,
    /// Prints the same, to know what closes the document.
    shadow: Box<dyn Printer>,
    sink: Written,
    shows_atoms: bool,
}

impl<W: Write + Send> Told<W> {
    /// A printer of that style that tells a launcher by `to`.
    pub fn new(style: Style, inputs: &[String], to: W) -> Told<W> {
        let sink = Written::default();
        let shows_atoms = style.quiet.models != Level::None;
        Told { to, waiting: Vec::new(), shadow: printer(style, inputs, sink.clone()), sink, shows_atoms }
    }

    fn tell(&mut self, call: &Call, waits: bool) -> io::Result<()> {
        self.waiting.extend_from_slice(MARK.as_bytes());
        serde_json::to_writer(&mut self.waiting, call).map_err(io::Error::other)?;
        self.waiting.push(b'\n');
        if waits && self.waiting.len() < MOST {
            return Ok(());
        }
        let written = self.to.write_all(&self.waiting);
        self.waiting.clear();
        written.and_then(|()| self.to.flush())
    }
}

impl<W: Write + Send> Printer for Told<W> {
    fn formula(&mut self, formula: Formula) {
        self.shadow.formula(formula);
        // If this cannot be told, neither can what follows.
        let _ = self.tell(&Call::Formula(formula == Formula::PseudoBoolean), false);
    }

    fn begin(&mut self) -> io::Result<()> {
        self.shadow.begin()?;
        self.tell(&Call::Begin, false)
    }

    fn device(&mut self, name: &str) -> io::Result<()> {
        self.shadow.device(name)?;
        self.tell(&Call::Device(name.into()), false)
    }

    fn start(&mut self, phases: &Phases) -> io::Result<()> {
        self.shadow.start(phases)?;
        self.tell(&Call::Start(phases.since_start, phases.reading, phases.preparing), false)
    }

    fn answer(&mut self, answer: &Answer, seconds: f64) -> io::Result<()> {
        self.shadow.answer(answer, seconds)?;
        self.sink.bytes();
        let atoms = match self.shows_atoms {
            true => (answer.atoms)().into_iter().map(str::to_string).collect(),
            false => Vec::new(),
        };
        let call = Call::Answer {
            atoms,
            costs: answer.costs.to_vec(),
            consequences: answer.consequences.map(|of| (of.known, of.open)),
            is_optimal: answer.is_optimal,
            is_next_at_hand: answer.is_next_at_hand,
            seconds,
        };
        self.tell(&call, answer.is_next_at_hand)
    }

    fn bound(&mut self, lower: &[i128], costs: &[i128], seconds: f64) -> io::Result<()> {
        self.shadow.bound(lower, costs, seconds)?;
        self.tell(&Call::Bound(lower.to_vec(), costs.to_vec(), seconds), false)
    }

    fn progress(&mut self, progress: &Progress, seconds: f64) -> io::Result<()> {
        self.shadow.progress(progress, seconds)?;
        let Progress { phase, bytes, search } = progress.clone();
        self.tell(&Call::Progress { phase, bytes, search, seconds }, false)
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        self.sink.bytes();
        self.shadow.finish(summary)?;
        let closing = String::from_utf8_lossy(&self.sink.bytes()).into_owned();
        let is_interrupted = summary.ending.stop() == Some(Stop::Interrupted);
        self.tell(&Call::Finish { closing, code: yasmin_cli::exit::code(summary), is_interrupted }, false)
    }
}

/// How rank 0 says that the search has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    closing: String,
    /// The exit code.
    pub code: i32,
    /// Whether a signal has ended the search.
    pub is_interrupted: bool,
}

/// How a run has ended of whose end rank 0 has said nothing, or nothing that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cut {
    /// A signal has ended it.
    Interrupted,
    /// It has failed, for this reason.
    Failed(String),
}

/// Prints what rank 0 says.
pub struct Heard<W> {
    to: W,
    printer: Box<dyn Printer>,
    sink: Written,
    known: Summary,
    /// How the search has ended, if rank 0 has said so.
    pub said: Option<Said>,
    /// Whether all other lines are what rank 0 prints, as replies to questions are.
    pub passes: bool,
}

impl<W: Write> Heard<W> {
    /// Prints in that style to `to`.
    pub fn new(style: Style, inputs: &[String], reasoning: Reasoning, to: W) -> Heard<W> {
        let sink = Written::default();
        let known = Summary { reasoning, ..Summary::default() };
        Heard { to, printer: printer(style, inputs, sink.clone()), sink, known, said: None, passes: false }
    }

    /// Hears a line, without its end. Returns false if the line is not rank 0's.
    ///
    /// # Errors
    /// If it cannot be printed.
    pub fn hear(&mut self, line: &str) -> io::Result<bool> {
        let Some(call) = line.strip_prefix(MARK).and_then(|call| serde_json::from_str(call).ok()) else {
            if self.passes {
                writeln!(self.to, "{line}").and_then(|()| self.to.flush())?;
            }
            return Ok(self.passes);
        };
        let mut waits = false;
        match call {
            Call::Formula(true) => self.printer.formula(Formula::PseudoBoolean),
            Call::Formula(false) => self.printer.formula(Formula::Clauses),
            Call::Begin => self.printer.begin()?,
            Call::Device(name) => self.printer.device(&name)?,
            Call::Start(since_start, reading, preparing) => {
                self.printer.start(&Phases { since_start, reading, preparing })?
            }
            Call::Answer { atoms, costs, consequences, is_optimal, is_next_at_hand, seconds } => {
                waits = is_next_at_hand;
                let consequences = consequences.map(|(known, open)| Consequences { known, open });
                let known = &mut self.known;
                known.models += 1;
                known.optimal += is_optimal as u64;
                known.is_last_optimal = is_optimal;
                known.consequences = consequences;
                known.optimizes = !costs.is_empty();
                let atoms = || atoms.iter().map(String::as_str).collect();
                let answer =
                    Answer { atoms: &atoms, costs: &costs, consequences, is_optimal, is_next_at_hand };
                self.printer.answer(&answer, seconds)?;
                known.costs = costs;
            }
            Call::Bound(lower, costs, seconds) => self.printer.bound(&lower, &costs, seconds)?,
            Call::Progress { phase, bytes, search, seconds } => {
                self.printer.progress(&Progress { phase, bytes, search }, seconds)?
            }
            Call::Finish { closing, code, is_interrupted } => {
                self.said = Some(Said { closing, code, is_interrupted });
            }
        }
        self.pass(waits)?;
        Ok(true)
    }

    /// Prints the end as rank 0 has said it, or that the run has ended in this way. Returns the exit code.
    ///
    /// # Errors
    /// If it cannot be printed.
    pub fn finish(&mut self, ending: Option<Cut>, seconds: f64) -> io::Result<i32> {
        match (&self.said, ending) {
            (Some(said), None) => {
                let (closing, code) = (said.closing.clone(), said.code);
                self.sink.write_all(closing.as_bytes())?;
                self.pass(false)?;
                Ok(code)
            }
            (_, ending) => {
                let silent = || Cut::Failed("rank 0 has not said how the search has ended".into());
                self.known.ending = match ending.unwrap_or_else(silent) {
                    Cut::Failed(error) => Ending::failed(Trouble::Cluster, error),
                    Cut::Interrupted => Ending::Stopped(Stop::Interrupted),
                };
                self.known.times = Times { total: seconds, ..Times::default() };
                self.printer.finish(&self.known)?;
                self.pass(false)?;
                Ok(yasmin_cli::exit::code(&self.known))
            }
        }
    }

    fn pass(&mut self, waits: bool) -> io::Result<()> {
        let waiting = self.sink.waiting();
        if waits && waiting < MOST {
            return Ok(());
        }
        self.to.write_all(&self.sink.bytes())?;
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prints some answer sets in a format, and ends, by calls or at once.
    fn prints(printer: &mut dyn Printer, costs: &[i128]) {
        printer.begin().expect("room");
        printer.device("cpu").expect("room");
        printer.start(&Phases { since_start: 0.5, reading: 0.25, preparing: 0.25 }).expect("room");
        for i in 0..3 {
            let answer = Answer {
                atoms: &|| vec!["p(\"\u{e4}\")", "q"],
                costs,
                is_next_at_hand: i == 0,
                ..Answer::default()
            };
            printer.answer(&answer, 1.5).expect("room");
        }
        printer.bound(&[1], &[4], 1.75).expect("room");
        let counts = SearchProgress {
            conflicts: 1,
            decisions: 2,
            restarts: 3,
            models: 3,
            costs: vec![4],
            lower: vec![1],
        };
        let progress = Progress { phase: Phase::Searching, bytes: None, search: Some(counts) };
        printer.progress(&progress, 1.875).expect("room");
    }

    #[test]
    fn what_is_heard_is_what_is_printed() {
        for format in [Format::Text, Format::Competition, Format::Json, Format::JsonLines, Format::None] {
            for quiet in [Level::All, Level::Last, Level::None] {
                let mut style = Style::new(format);
                style.quiet.models = quiet;
                let inputs = ["f.lp".to_string()];
                let direct = Written::default();
                let mut one = printer(style.clone(), &inputs, direct.clone());
                let lines = Written::default();
                let mut told = Told::new(style.clone(), &inputs, lines.clone());
                let summary = Summary { models: 3, costs: vec![4], ..Summary::default() };
                for printer in [&mut *one, &mut told] {
                    prints(printer, &[4]);
                    printer.finish(&summary).expect("room");
                }
                let mut printed = Vec::new();
                let mut heard = Heard::new(style, &inputs, Reasoning::Enumerate, &mut printed);
                let lines = String::from_utf8(lines.bytes()).expect("text");
                assert!(lines.lines().all(|line| heard.hear(line).expect("room")), "{lines}");
                assert!(!heard.hear("something else").expect("room"));
                assert_eq!(heard.said.as_ref().map(|said| said.is_interrupted), Some(false));
                assert_eq!(heard.finish(None, 2.0).expect("room"), 10);
                assert_eq!(String::from_utf8(printed), String::from_utf8(direct.bytes()), "{format:?}");
            }
        }
    }

    #[test]
    fn without_an_end_the_run_has_failed() {
        for format in [Format::Text, Format::Json, Format::JsonLines] {
            let (style, inputs) = (Style::new(format), ["f.lp".to_string()]);
            let lines = Written::default();
            prints(&mut Told::new(style.clone(), &inputs, lines.clone()), &[]);
            let mut printed = Vec::new();
            let mut heard = Heard::new(style, &inputs, Reasoning::Enumerate, &mut printed);
            let lines = String::from_utf8(lines.bytes()).expect("text");
            assert!(lines.lines().all(|line| heard.hear(line).expect("room")));
            assert_eq!(heard.finish(Some(Cut::Failed("rank 0 is gone".into())), 2.0).expect("room"), 75);
            let text = String::from_utf8(printed).expect("text");
            let has = |what: &str| text.contains(what);
            assert!(
                has("SATISFIABLE")
                    && !has("UNSATISFIABLE")
                    && (has("Number\": 3") || has(" 3+") || has(":3")),
                "{text}"
            );
            if format == Format::Json {
                let document: serde_json::Value = serde_json::from_str(&text).expect("a whole document");
                assert_eq!(document["Error"], "rank 0 is gone");
                assert_eq!(document["Models"]["More"], "yes");
            }
        }
    }
}
