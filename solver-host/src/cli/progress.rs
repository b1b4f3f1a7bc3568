//! A line on standard error that tells how a long search goes.
//!
//! Main type: [`Progress`]. Invariant: nothing is written unless standard error is a terminal, and nothing of the line is left
//! there when something else is printed.

use std::io::{stderr, stdout, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

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
}

impl Progress {
    /// A line for a run that began at `began`, if standard error is a terminal.
    pub fn new(began: Instant) -> Option<Self> {
        stderr().is_terminal().then(|| {
            let style =
                ProgressStyle::with_template("{spinner} {msg}").unwrap_or(ProgressStyle::default_spinner());
            let bar = ProgressBar::new_spinner().with_style(style);
            Progress { bar, began, shown: false, shared: stdout().is_terminal() }
        })
    }

    /// Tells how far the search has come.
    pub fn show(&mut self, work: Work, models: u64, costs: &[i64]) {
        let elapsed = self.began.elapsed();
        if elapsed >= FIRST {
            self.shown = true;
            self.bar.set_message(line(elapsed, work, models, costs));
            self.bar.tick();
        }
    }

    /// Takes the line away while something is printed.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match self.shown && self.shared {
            true => self.bar.suspend(print),
            false => print(),
        }
    }

    /// Takes the line away for good.
    pub fn end(&self) {
        if self.shown {
            self.bar.finish_and_clear();
        }
    }
}

fn line(elapsed: Duration, work: Work, models: u64, costs: &[i64]) -> String {
    let Work { conflicts, decisions, .. } = work;
    let best = match costs {
        [] => String::new(),
        _ => format!(", best {}", costs.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")),
    };
    let seconds = elapsed.as_secs();
    format!("{seconds} s: {conflicts} conflicts, {decisions} decisions, {models} answer sets{best}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_what_is_known() {
        let work = Work { conflicts: 12, decisions: 345, restarts: 6 };
        let told = line(Duration::from_millis(2900), work, 2, &[1, -4]);
        assert_eq!(told, "2 s: 12 conflicts, 345 decisions, 2 answer sets, best 1 -4");
        assert_eq!(line(FIRST, Work::default(), 0, &[]), "1 s: 0 conflicts, 0 decisions, 0 answer sets");
    }
}
