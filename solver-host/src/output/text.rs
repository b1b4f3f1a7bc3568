//! Results as clasp 3.3 prints them: the Answer lines, the verdict, and the aligned block below it. The
//! competition's format is the same with other words, and all that is not of the competition behind a `%`.
//!
//! Main type: [`Text`]. Invariant: an answer set is written and flushed whole, so that a reader of a pipe
//! sees it when it is found, and its atoms are on one line, which is there even when it is empty.

use std::io::{self, BufWriter, Write};

use super::dimacs::write_values;
use super::quiet::{Filter, Level, Quiet, Witness};
use super::{
    statistics, Answer, AtomText, Format, Phases, Printer, Proved, Searchers, Stop, Style, Summary, Verdict,
    SOLVER,
};
use crate::program::Formula;
use crate::text;

/// What differs between clasp's own text and the competition's.
struct Words {
    /// Before whatever is not asked for by the competition.
    comment: &'static str,
    /// Before the atoms, and behind each.
    atoms: (&'static str, &'static str),
    costs: &'static str,
    /// How wide the names of the block at the end are.
    width: usize,
    /// Before the verdict.
    verdict: &'static str,
}

const CLASP: Words = Words { comment: "", atoms: ("", ""), costs: "Optimization: ", width: 13, verdict: "" };
const COMPETITION: Words =
    Words { comment: "% ", atoms: ("ANSWER\n", "."), costs: "COST ", width: 15, verdict: "" };
/// The words of solvers of formulas.
const FORMULA: Words = Words { comment: "c ", atoms: ("", ""), costs: "o ", width: 15, verdict: "s " };

/// Prints text; see the module's documentation.
pub struct Text<W: Write> {
    out: BufWriter<W>,
    style: Style,
    words: &'static Words,
    inputs: Vec<String>,
    filter: Filter,
    started: bool,
    /// Whether the present call was ended.
    is_ended: bool,
    formula: Option<Formula>,
    /// The line of atoms of the last answer set, whose memory is used again.
    line: String,
}

impl<W: Write> Text<W> {
    /// Prints to `stream` the results of a program read from `inputs`.
    pub fn new(style: Style, inputs: &[String], stream: W) -> Self {
        let words = if style.format == Format::Competition { &COMPETITION } else { &CLASP };
        let (out, filter) = (BufWriter::new(stream), Filter::new(style.quiet));
        Text {
            out,
            style,
            words,
            inputs: inputs.to_vec(),
            filter,
            started: false,
            is_ended: false,
            formula: None,
            line: String::new(),
        }
    }

    /// A line that is no result, if what is printed is that verbose.
    fn comment(&mut self, verbosity: u8, line: &str) -> io::Result<()> {
        match self.style.verbosity >= verbosity {
            true => self.out.write_all(&text::to_bytes(&format!("{}{line}\n", self.words.comment))),
            false => Ok(()),
        }
    }

    /// The first lines, unless they are there.
    fn heading(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.started, true) {
            return Ok(());
        }
        let first = shortened(self.inputs.first().map_or("stdin", String::as_str));
        let more = if self.inputs.len() > 1 { " ..." } else { "" };
        self.comment(1, SOLVER)?;
        self.comment(1, &format!("Reading from {first}{more}"))
    }

    fn witness(&mut self, witness: &Witness) -> io::Result<()> {
        match self.style.verbosity {
            // As clasp: the number belongs to the atoms.
            _ if witness.atoms.is_none() => {}
            0 | 1 => self.comment(1, &format!("Answer: {}", witness.number))?,
            _ => self.comment(2, &format!("Answer: {} (Time: {:.3}s)", witness.number, witness.seconds))?,
        }
        let (begin, end) = self.words.atoms;
        if let Some((literals, formula)) = witness.atoms.as_ref().zip(self.formula) {
            write_values(&mut self.out, literals, formula)?;
        } else if let Some(atoms) = &witness.atoms {
            self.out.write_all(begin.as_bytes())?;
            let AtomText { separator, around } = &self.style.atoms;
            let between = separator.as_deref().unwrap_or(" ");
            let (before, after) = around.as_ref().map_or(("", end), |(before, after)| (before, after));
            // Formatting would take longer than finding the answer set, and so would a call for each part.
            self.line.clear();
            for (i, atom) in atoms.iter().enumerate() {
                if i > 0 {
                    self.line.push_str(between);
                }
                self.line.push_str(before);
                self.line.push_str(atom);
                self.line.push_str(after);
            }
            self.line.push('\n');
            self.out.write_all(&text::to_bytes(&self.line))?;
        }
        if let Some(known) = witness.consequences {
            self.comment(0, &format!("Consequences: [{};{}]", known.known, known.known + known.open))?;
        }
        if let Some(costs) = witness.costs {
            writeln!(self.out, "{}{}", self.words.costs, spaced(costs))?;
        }
        self.out.flush()
    }

    fn verdict(&mut self, verdict: Verdict) -> io::Result<()> {
        let words = match (self.style.format, verdict) {
            (Format::Competition, Verdict::Satisfiable) => return Ok(()),
            (Format::Competition, Verdict::Unsatisfiable) => "INCONSISTENT",
            (Format::Competition, Verdict::OptimumFound) => "OPTIMUM",
            _ => verdict.words(),
        };
        writeln!(self.out, "{}{words}", self.words.verdict)
    }

    /// A line of the block at the end.
    fn row(&mut self, name: &str, value: impl std::fmt::Display) -> io::Result<()> {
        let row = format!("{}{name:<width$}: {value}\n", self.words.comment, width = self.words.width);
        self.out.write_all(&text::to_bytes(&row))
    }

    /// The verdict and the block below it; the number of calls only `with_calls`.
    fn summary(&mut self, summary: &Summary, with_calls: bool) -> io::Result<()> {
        self.verdict(summary.verdict())?;
        if self.style.verbosity == 0 && summary.statistics.is_none() {
            // Nobody who asks for one of these wants silence.
            self.explanation(summary)?;
            return self.proved(summary);
        }
        let more = if summary.ending.is_all_searched() { "" } else { "+" };
        self.comment(0, "")?;
        match summary.ending.stop() {
            Some(Stop::TimeLimit) => self.row("TIME LIMIT", 1)?,
            Some(Stop::Interrupted) => self.row("INTERRUPTED", 1)?,
            _ => {}
        }
        let models = if with_calls { summary.all_models() } else { summary.models };
        self.row("Models", format_args!("{models}{more}"))?;
        let consequences = summary.consequences();
        if let Some((name, _)) = consequences {
            self.row(&format!("  {name}"), if summary.ending.is_all_searched() { "yes" } else { "unknown" })?;
        }
        if summary.models > 0 && !summary.costs.is_empty() {
            self.row("  Optimum", if summary.is_optimum_known() { "yes" } else { "unknown" })?;
            if summary.optimizes {
                if summary.optimal() > 1 {
                    self.row("  Optimal", summary.optimal())?;
                }
                self.row("Optimization", spaced(&summary.costs))?;
            }
        }
        if let Some((_, known)) = consequences {
            self.row("Consequences", format_args!("{}{more}", known.known))?;
        }
        if !summary.lower().is_empty() {
            self.row("Bounds", bounds(summary.lower(), &summary.costs))?;
        }
        self.explanation(summary)?;
        if with_calls {
            self.row("Calls", summary.before.calls + 1)?;
        }
        let times = &summary.times;
        self.row(
            "Time",
            format_args!(
                "{:.3}s (Solving: {:.2}s 1st Model: {:.2}s Unsat: {:.2}s)",
                times.total, times.solve, times.first_model, times.unsat
            ),
        )?;
        self.row("CPU Time", format_args!("{:.3}s", times.cpu))?;
        match summary.searchers {
            Some(Searchers { searchers, winner: Some(winner) }) => {
                self.row("Threads", format_args!("{searchers:<8} (Winner: {winner})"))?;
            }
            Some(Searchers { searchers, winner: None }) => self.row("Threads", searchers)?,
            None => {}
        }
        self.proved(summary)
    }

    fn explanation(&mut self, summary: &Summary) -> io::Result<()> {
        match summary.explanation.as_deref() {
            Some([]) => self.row("Explanation", "none of what could be left out is needed"),
            Some(needed) => self.row("Explanation", needed.join(", ")),
            None => Ok(()),
        }
    }

    fn proved(&mut self, summary: &Summary) -> io::Result<()> {
        match &summary.proved {
            Some(Proved { proved, seconds }) => self.row("Proved", format_args!("{proved} ({seconds:.3}s)")),
            None => Ok(()),
        }
    }
}

impl<W: Write + Send> Printer for Text<W> {
    fn formula(&mut self, formula: Formula) {
        // The competitions' text is the only one.
        (self.formula, self.words, self.style.format) = (Some(formula), &FORMULA, Format::Text);
        if formula == Formula::PseudoBoolean && self.style.has_default_quiet {
            self.style.quiet = Quiet { models: Level::Last, ..Quiet::default_of(Format::Text) };
            self.filter = Filter::new(self.style.quiet);
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        self.heading()?;
        self.out.flush()
    }

    fn device(&mut self, name: &str) -> io::Result<()> {
        self.comment(2, &format!("{:<13}: {name}", "Device"))?;
        self.out.flush()
    }

    fn start(&mut self, phases: &Phases) -> io::Result<()> {
        self.is_ended = false;
        self.heading()?;
        self.comment(2, &format!("{:<13}: {:.3}s", "Reading", phases.reading))?;
        self.comment(2, &format!("{:<13}: {:.3}s", "Preprocessing", phases.preparing))?;
        if self.style.quiet.calls != Level::None {
            self.comment(1, LINE)?;
        }
        self.comment(1, "Solving...")?;
        self.out.flush()
    }

    fn answer(&mut self, answer: &Answer, seconds: f64) -> io::Result<()> {
        match self.filter.now(answer, seconds) {
            Some(witness) => self.witness(&witness),
            None => Ok(()),
        }
    }

    fn bound(&mut self, lower: &[i128], costs: &[i128], _seconds: f64) -> io::Result<()> {
        self.comment(1, &format!("{:12}: {}", "Progression", progression(lower, costs)))?;
        self.out.flush()
    }

    fn end_call(&mut self, summary: &Summary) -> io::Result<()> {
        self.is_ended = true;
        let has_call = self.style.quiet.calls != Level::None;
        self.comment(2 - has_call as u8, LINE)?;
        let mut filter = std::mem::replace(&mut self.filter, Filter::new(self.style.quiet));
        filter.last(summary, |witness| Some(self.witness(witness))).unwrap_or(Ok(()))?;
        if has_call {
            self.summary(summary, false)?;
        }
        self.out.flush()
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        self.heading()?;
        if !self.is_ended {
            self.end_call(summary)?;
        }
        if self.style.quiet.calls != Level::None {
            self.comment(1, ACCUMULATION)?;
        }
        self.summary(summary, true)?;
        if let Some(values) = &summary.statistics {
            self.comment(0, "")?;
            for line in statistics::lines(values) {
                self.comment(0, &line)?;
            }
        }
        self.out.flush()
    }
}

const LINE: &str =
    "------------------------------------------------------------------------------------------|";
const ACCUMULATION: &str =
    "====================================== Accumulation ======================================|";

/// The name of an input, or the end of a long one, as clasp does it.
fn shortened(name: &str) -> String {
    match name.char_indices().rev().nth(37) {
        Some((at, _)) if name.chars().count() >= 40 => format!("...{}", &name[at..]),
        _ => name.to_string(),
    }
}

fn spaced(costs: &[i128]) -> String {
    costs.iter().map(i128::to_string).collect::<Vec<_>>().join(" ")
}

/// What clasp says of bounds while it searches: the costs of higher priorities, of which it is known that
/// they are optimal, then both bounds of the next priority and how far apart they are, as a part of the lower
/// one.
fn progression(lower: &[i128], costs: &[i128]) -> String {
    let level = lower.iter().zip(costs).take_while(|(low, cost)| low == cost).count();
    let higher: String = costs[..level].iter().map(|cost| format!("{cost} ")).collect();
    match (lower.get(level), costs.get(level)) {
        (Some(low), None) => format!("[{low};inf]"),
        (Some(&low), Some(&up)) if low != 0 => {
            let error = (up as f64 - low as f64) / low.unsigned_abs() as f64;
            format!("{higher}[{low};{up}] (Error: {})", six_digits(error))
        }
        (Some(low), Some(up)) => format!("{higher}[{low};{up}]"),
        (None, _) => higher.trim_end().into(),
    }
}

/// A positive number with six digits at most, as C's `%g` writes those that are neither large nor small.
fn six_digits(number: f64) -> String {
    let decimals = (5.0 - number.log10().floor()).clamp(0.0, 12.0) as usize;
    let digits = format!("{number:.decimals$}");
    if decimals > 0 {
        digits.trim_end_matches('0').trim_end_matches('.').into()
    } else {
        digits
    }
}

/// Each priority as one number where the bounds meet, else as both of them.
fn bounds(lower: &[i128], upper: &[i128]) -> String {
    let one = |i: usize| match (lower.get(i), upper.get(i)) {
        (Some(low), None) => format!("[{low};*]"),
        (Some(low), Some(up)) if low != up => format!("[{low};{up}]"),
        (_, Some(up)) => up.to_string(),
        (None, None) => unreachable!("i is below one of the lengths"),
    };
    (0..lower.len().max(upper.len())).map(one).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::summary::all_searched;
    use crate::output::Ending;
    use crate::output::Times;
    use crate::search::{Consequences, Reasoning};

    #[test]
    fn bounds_are_told_as_clasp_tells_them() {
        for (lower, costs, want) in [
            (vec![13], vec![], "[13;inf]"),
            (vec![13, 0], vec![49, 560], "[13;49] (Error: 2.76923)"),
            (vec![48, 0], vec![49, 560], "[48;49] (Error: 0.0208333)"),
            (vec![49, 10], vec![49, 560], "49 [10;560] (Error: 55)"),
            (vec![-2], vec![0], "[-2;0] (Error: 1)"),
            (vec![0], vec![3], "[0;3]"),
            (vec![1], vec![2_000_000_001], "[1;2000000001] (Error: 2000000000)"),
        ] {
            assert_eq!(progression(&lower, &costs), want);
        }
    }

    /// What a run of `steps` on a program read from `f.aspif` prints.
    fn printed(
        style: Style,
        inputs: &[&str],
        steps: impl Fn(&mut Text<&mut Vec<u8>>) -> io::Result<()>,
    ) -> String {
        let inputs: Vec<String> = inputs.iter().map(|s| s.to_string()).collect();
        let mut bytes = Vec::new();
        steps(&mut Text::new(style, &inputs, &mut bytes)).expect("a vector takes everything");
        String::from_utf8(bytes).expect("text")
    }

    fn text() -> Style {
        Style::new(Format::Text)
    }

    const TIMES: &str =
        "Calls        : 1\nTime         : 0.000s (Solving: 0.00s 1st Model: 0.00s Unsat: 0.00s)\n\
         CPU Time     : 0.000s\n";

    #[test]
    fn prints_what_clasp_prints() {
        let got = printed(text(), &["f.aspif"], |text| {
            text.start(&Phases::default())?;
            text.answer(&Answer::default(), 0.0)?;
            text.answer(&Answer { atoms: &|| vec!["a", "f(1,\"x y\")"], ..Answer::default() }, 0.0)?;
            let times = Times { total: 1.2345, solve: 1.0, first_model: 0.5, unsat: 0.25, cpu: 2.0 };
            text.finish(&Summary {
                models: 2,
                ending: Ending::AllSearched(all_searched()),
                times,
                ..Summary::default()
            })
        });
        let want = format!(
            "{SOLVER}\nReading from f.aspif\nSolving...\nAnswer: 1\n\nAnswer: 2\na f(1,\"x y\")\nSATISFIABLE\n\n\
             Models       : 2\n\
             Calls        : 1\n\
             Time         : 1.234s (Solving: 1.00s 1st Model: 0.50s Unsat: 0.25s)\n\
             CPU Time     : 2.000s\n"
        );
        assert_eq!(got, want);
    }

    #[test]
    fn a_run_cut_short_while_reading_still_has_a_verdict() {
        let got = printed(text(), &[], |text| {
            text.finish(&Summary { ending: Ending::Stopped(Stop::TimeLimit), ..Summary::default() })
        });
        let start = format!("{SOLVER}\nReading from stdin\nUNKNOWN\n\nTIME LIMIT   : 1\nModels       : 0+\n");
        assert!(got.starts_with(&start), "{got}");
    }

    #[test]
    fn the_first_lines_come_before_anything_is_read() {
        let style = Style { verbosity: 2, ..text() };
        let head = format!("{SOLVER}\nReading from f\n");
        assert_eq!(printed(text(), &["f"], |text| text.begin()), head);
        let begin = |text: &mut Text<&mut Vec<u8>>| {
            text.begin()?;
            text.device("cpu")
        };
        assert_eq!(printed(text(), &["f"], begin), head);
        assert_eq!(printed(style.clone(), &["f"], begin), format!("{head}Device       : cpu\n"));
        let all = printed(style, &["f"], |text| {
            begin(text)?;
            text.start(&Phases::default())
        });
        let want = "Reading      : 0.000s\nPreprocessing: 0.000s\nSolving...\n";
        assert_eq!(all, format!("{head}Device       : cpu\n{want}"));
    }

    /// Two answer sets, the second better, then two that are known to be optimal.
    fn optimum(text: &mut Text<&mut Vec<u8>>) -> io::Result<()> {
        let answer = |atoms, costs, is_optimal| Answer { atoms, costs, is_optimal, ..Answer::default() };
        text.start(&Phases::default())?;
        text.answer(&answer(&|| vec!["a", "b"], &[1, 3], false), 0.0)?;
        text.answer(&answer(&|| vec!["a"], &[1, 2], false), 0.0)?;
        text.answer(&answer(&|| vec!["a"], &[1, 2], true), 0.0)?;
        text.answer(&answer(&|| vec!["b"], &[1, 2], true), 0.0)?;
        text.finish(&Summary {
            models: 4,
            optimal: 2,
            ending: Ending::AllSearched(all_searched()),
            optimizes: true,
            is_last_optimal: true,
            costs: vec![1, 2],
            ..Summary::default()
        })
    }

    #[test]
    fn an_optimum_is_told_as_clasp_does() {
        let got = printed(text(), &["f", "g"], optimum);
        let want = format!(
            "{SOLVER}\nReading from f ...\nSolving...\nAnswer: 1\na b\nOptimization: 1 3\nAnswer: 2\na\n\
             Optimization: 1 2\nAnswer: 1\na\nOptimization: 1 2\nAnswer: 2\nb\nOptimization: 1 2\nOPTIMUM FOUND\n\n\
             Models       : 4\n  Optimum    : yes\n  Optimal    : 2\nOptimization : 1 2\n{TIMES}"
        );
        assert_eq!(got, want);
        let terse = printed(Style { verbosity: 0, ..text() }, &["f"], optimum);
        assert_eq!(
            terse,
            "a b\nOptimization: 1 3\na\nOptimization: 1 2\na\nOptimization: 1 2\nb\n\
             Optimization: 1 2\nOPTIMUM FOUND\n"
        );
    }

    #[test]
    fn the_competition_has_its_own_words() {
        let got = printed(Style::new(Format::Competition), &["f"], optimum);
        let want = format!(
            "% {SOLVER}\n% Reading from f\n% Solving...\n% Answer: 1\nANSWER\na.\nCOST 1 2\n% Answer: 2\nANSWER\nb.\n\
             COST 1 2\nOPTIMUM\n% \n% Models         : 4\n%   Optimum      : yes\n%   Optimal      : 2\n\
             % Optimization   : 1 2\n% Calls          : 1\n"
        );
        assert!(got.starts_with(&want), "{got}");
        let none = printed(Style::new(Format::Competition), &["f"], |text| {
            text.finish(&Summary { ending: Ending::AllSearched(all_searched()), ..Summary::default() })
        });
        assert!(none.contains("\nINCONSISTENT\n% \n"), "{none}");
    }

    #[test]
    fn consequences_are_told_as_clasp_does() {
        let style = Style { quiet: Quiet { calls: Level::All, ..text().quiet }, ..text() };
        let got = printed(style, &["f"], |text| {
            text.start(&Phases::default())?;
            let consequences = Some(Consequences { known: 3, open: 2 });
            text.answer(&Answer { atoms: &|| vec!["a"], consequences, ..Answer::default() }, 0.0)?;
            let reasoning = Reasoning::Brave;
            text.finish(&Summary { models: 1, reasoning, consequences, ..Summary::default() })
        });
        let end = "SATISFIABLE\n\nModels       : 1+\n  Brave      : unknown\nConsequences : 3+\n";
        let want = format!(
            "{SOLVER}\nReading from f\n{LINE}\nSolving...\nAnswer: 1\na\nConsequences: [3;5]\n{LINE}\n{end}\
             {times}{ACCUMULATION}\n{end}{TIMES}",
            times = &TIMES["Calls        : 1\n".len()..]
        );
        assert_eq!(got, want);
    }

    #[test]
    fn bounds_are_told_while_they_differ() {
        assert_eq!(bounds(&[1, 2, 3], &[1, 5]), "1 [2;5] [3;*]");
        assert_eq!(bounds(&[2], &[]), "[2;*]");
        assert_eq!(bounds(&[2], &[4, 7]), "[2;4] 7");
    }

    #[test]
    fn the_end_of_a_long_name_is_enough() {
        let long = "0123456789".repeat(4);
        assert_eq!(shortened(&long), format!("...{}", &long[2..]));
        assert_eq!(shortened(&long[1..]), long[1..]);
    }
}
