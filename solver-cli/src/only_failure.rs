//! The document of a run that prints a program: nothing, unless the run fails.
//!
//! Main type: [`OnlyFailure`].

use std::io;

use solver_host::output::{printer, Answer, Format, Phases, Printer, Style, Summary};

/// Prints what a printer of JSON prints at the end of a run that failed, and nothing else.
pub struct OnlyFailure(Box<dyn Printer>);

impl OnlyFailure {
    /// A printer of the given style, for a program read from `inputs`. Text says nothing: the error is told on
    /// standard error.
    pub fn new<W: io::Write + Send + 'static>(style: Style, inputs: &[String], stream: W) -> Self {
        let format = match style.format {
            Format::Json | Format::JsonLines => style.format,
            Format::Text | Format::Competition | Format::None => Format::None,
        };
        OnlyFailure(printer(Style { format, ..style }, inputs, stream))
    }
}

impl Printer for OnlyFailure {
    fn start(&mut self, _phases: &Phases) -> io::Result<()> {
        Ok(())
    }

    fn answer(&mut self, _answer: &Answer, _seconds: f64) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        match summary.ending.failure() {
            Some(_) => self.0.finish(summary),
            None => Ok(()),
        }
    }
}
