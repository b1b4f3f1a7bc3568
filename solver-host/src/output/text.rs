//! Results as clasp 3.3 prints them: the Answer lines, the verdict, and the aligned block below it.
//!
//! Main type: [`Text`]. Invariant: an answer set is written and flushed whole, so that a reader of a pipe sees it
//! when it is found, and its atoms are on one line, which is there even when it is empty.

use std::io::{self, BufWriter, Write};

use super::{statistics, Printer, Stop, Summary, SOLVER};

/// Prints text; see the module's documentation.
pub struct Text<W: Write> {
    out: BufWriter<W>,
    inputs: Vec<String>,
    answers: u64,
    started: bool,
}

impl<W: Write> Text<W> {
    /// Prints to `stream` the results of a program read from `inputs`.
    pub fn new(inputs: &[String], stream: W) -> Self {
        Text { out: BufWriter::new(stream), inputs: inputs.to_vec(), answers: 0, started: false }
    }

    fn heading(&mut self) -> io::Result<()> {
        self.started = true;
        let first = self.inputs.first().map_or("stdin", String::as_str);
        let more = if self.inputs.len() > 1 { " ..." } else { "" };
        writeln!(self.out, "{SOLVER}\nReading from {first}{more}")
    }
}

impl<W: Write + Send> Printer for Text<W> {
    fn start(&mut self, _seconds: f64) -> io::Result<()> {
        self.heading()?;
        writeln!(self.out, "Solving...")?;
        self.out.flush()
    }

    fn answer(&mut self, atoms: &[&str], _seconds: f64) -> io::Result<()> {
        self.answers += 1;
        writeln!(self.out, "Answer: {}", self.answers)?;
        let mut separator = "";
        for atom in atoms {
            write!(self.out, "{separator}{atom}")?;
            separator = " ";
        }
        writeln!(self.out)?;
        self.out.flush()
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        if !self.started {
            self.heading()?;
        }
        let times = &summary.times;
        let more = if summary.exhausted { "" } else { "+" };
        writeln!(self.out, "{}\n", summary.verdict().word())?;
        match summary.stopped {
            Some(Stop::TimeLimit) => writeln!(self.out, "TIME LIMIT   : 1")?,
            Some(Stop::Interrupted) => writeln!(self.out, "INTERRUPTED  : 1")?,
            None => {}
        }
        writeln!(self.out, "Models       : {}{more}", summary.models)?;
        writeln!(self.out, "Calls        : 1")?;
        writeln!(
            self.out,
            "Time         : {:.3}s (Solving: {:.2}s 1st Model: {:.2}s Unsat: {:.2}s)",
            times.total, times.solve, times.first_model, times.unsat
        )?;
        writeln!(self.out, "CPU Time     : {:.3}s", times.cpu)?;
        if let Some(values) = &summary.statistics {
            writeln!(self.out)?;
            for line in statistics::lines(values) {
                writeln!(self.out, "{line}")?;
            }
        }
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Times;

    /// What a run of `steps` on a program read from `f.aspif` prints.
    fn printed(inputs: &[&str], steps: impl Fn(&mut Text<&mut Vec<u8>>) -> io::Result<()>) -> String {
        let inputs: Vec<String> = inputs.iter().map(|s| s.to_string()).collect();
        let mut bytes = Vec::new();
        steps(&mut Text::new(&inputs, &mut bytes)).expect("a vector takes everything");
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn prints_what_clasp_prints() {
        let got = printed(&["f.aspif"], |text| {
            text.start(0.0)?;
            text.answer(&[], 0.0)?;
            text.answer(&["a", "f(1,\"x y\")"], 0.0)?;
            let times = Times { total: 1.2345, solve: 1.0, first_model: 0.5, unsat: 0.25, cpu: 2.0 };
            text.finish(&Summary { models: 2, exhausted: true, times, ..Summary::default() })
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
        let got = printed(&[], |text| {
            text.finish(&Summary { stopped: Some(Stop::TimeLimit), ..Summary::default() })
        });
        let start = format!("{SOLVER}\nReading from stdin\nUNKNOWN\n\nTIME LIMIT   : 1\nModels       : 0+\n");
        assert!(got.starts_with(&start), "{got}");
    }
}
