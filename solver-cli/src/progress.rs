//! A line on standard error that tells how a long run goes.
//!
//! Main type: [`Progress`]. Invariants: nothing is written unless standard error is a terminal, and nothing of the line is left
//! there when something else is printed. The line has a row of the terminal to itself: if results stop in the middle of a
//! line, it begins a new one.

use std::io::{self, stderr, stdout, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use solver_host::input::ground::Reading;

use super::engine::Work;

/// How long a run goes on before the line appears.
const FIRST: Duration = Duration::from_secs(1);
/// How often it changes.
pub const EVERY: Duration = Duration::from_millis(200);

/// The line.
pub struct Progress {
    bar: ProgressBar,
    began: Instant,
    shown: bool,
    /// Whether results are printed to a terminal as well, and so to the same one.
    shared: bool,
    /// Whether the results that were printed end in the middle of a line.
    is_in_line: InLine,
}

/// Whether what was printed ends in the middle of a line.
#[derive(Clone, Default)]
pub struct InLine(Arc<AtomicBool>);

impl InLine {
    /// `stream`, whose lines this then knows of.
    pub fn of<W: Write>(&self, stream: W) -> Lines<W> {
        Lines { stream, is_in_line: self.clone() }
    }
}

/// A stream of which an [`InLine`] knows where it is.
pub struct Lines<W> {
    stream: W,
    is_in_line: InLine,
}

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.stream.write(bytes)?;
        if let Some(last) = bytes[..written].last() {
            // Relaxed: who prints and who tells hold the session's lock.
            self.is_in_line.0.store(*last != b'\n', Ordering::Relaxed);
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Progress {
    /// A line for a run that began at `began`, if standard error is a terminal. Results are where `is_in_line` says.
    pub fn new(began: Instant, is_in_line: InLine) -> Option<Self> {
        stderr().is_terminal().then(|| {
            let style =
                ProgressStyle::with_template("{spinner} {msg}").unwrap_or(ProgressStyle::default_spinner());
            let bar = ProgressBar::new_spinner().with_style(style);
            Progress { bar, began, shown: false, shared: stdout().is_terminal(), is_in_line }
        })
    }

    /// Tells how far the run has come.
    pub fn show(&mut self, what: &str) {
        let elapsed = self.began.elapsed();
        if elapsed >= FIRST {
            if !self.shown {
                self.end_line();
            }
            self.shown = true;
            self.bar.set_message(format!("{} s: {what}", elapsed.as_secs()));
            self.bar.tick();
        }
    }

    /// Takes the line away while results are printed.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        if !(self.shown && self.shared) {
            return print();
        }
        self.bar.suspend(|| {
            let printed = print();
            self.end_line();
            printed
        })
    }

    /// Takes the line away while something else is printed to standard error.
    pub fn besides(&self, print: impl FnOnce()) {
        match self.shown {
            true => self.bar.suspend(print),
            false => {
                self.end_line();
                print()
            }
        }
    }

    /// Goes to the next row if the results that were printed end in the middle of a line.
    fn end_line(&self) {
        if self.shared && self.is_in_line.0.swap(false, Ordering::Relaxed) {
            // Without a terminal there is nothing to tell.
            let _ = stderr().write_all(b"\n");
        }
    }

    /// Takes the line away for good.
    pub fn end(&self) {
        if self.shown {
            self.bar.finish_and_clear();
        }
    }
}

/// How far a search has come.
pub fn searching(work: Work, models: u64, costs: &[i128], lower: &[i128]) -> String {
    let Work { conflicts, decisions, .. } = work;
    let told = |what: &str, numbers: &[i128]| match numbers {
        [] => String::new(),
        _ => format!(", {what} {}", numbers.iter().map(i128::to_string).collect::<Vec<_>>().join(" ")),
    };
    let bounds = told("best", costs) + &told("at least", lower);
    format!("{conflicts} conflicts, {decisions} decisions, {models} answer sets{bounds}")
}

/// How far grounding and reading have come.
pub fn reading(reading: Reading) -> String {
    let what = if reading.is_grounding { "grounding" } else { "reading" };
    format!("{what}, {:.1} MB read", reading.bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_what_is_known() {
        let work = Work { conflicts: 12, decisions: 345, restarts: 6 };
        assert_eq!(
            searching(work, 2, &[1, -4], &[]),
            "12 conflicts, 345 decisions, 2 answer sets, best 1 -4"
        );
        let both = "12 conflicts, 345 decisions, 2 answer sets, best 1 -4, at least 0 -9";
        assert_eq!(searching(work, 2, &[1, -4], &[0, -9]), both);
        assert_eq!(searching(Work::default(), 0, &[], &[]), "0 conflicts, 0 decisions, 0 answer sets");
        let read = Reading { bytes: 1_250_000, is_grounding: true, grounding: None };
        assert_eq!(reading(read), "grounding, 1.2 MB read");
        assert_eq!(reading(Reading::default()), "reading, 0.0 MB read");
    }

    #[test]
    fn where_results_end_is_known() {
        let is_in_line = InLine::default();
        let mut lines = is_in_line.of(Vec::new());
        let mut ends_in_line = |text: &str| {
            lines.write_all(text.as_bytes()).expect("a vector takes everything");
            is_in_line.0.load(Ordering::Relaxed)
        };
        assert_eq!(
            ["", "a", "\n", "b\nc", "", "\n\n"].map(&mut ends_in_line),
            [false, true, false, true, true, false]
        );
    }
}
