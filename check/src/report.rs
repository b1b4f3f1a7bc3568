//! How a check has ended, as it is printed, and its exit code.

use std::io::{self, Write};

use serde::Serialize;
use yasmin_check::proof::Place;
use yasmin_check::Conclusion;

/// The exit code if a file cannot be read, or for bad usage.
pub const ERROR: u8 = 65;

/// How a check has ended.
#[derive(Debug, Default, Serialize)]
#[serde(tag = "Verdict", rename_all = "lowercase", rename_all_fields = "PascalCase")]
pub enum Outcome {
    /// The proof is accepted.
    Accepted {
        /// What it proves, in words.
        proved: String,
        /// The same, of a proof of one question.
        #[serde(skip_serializing_if = "Option::is_none")]
        conclusion: Option<Conclusion>,
        /// What each call has concluded, in a proof of several calls.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        calls: Vec<Conclusion>,
    },
    /// Every step is accepted, but there is no conclusion.
    #[default]
    Unfinished,
    /// A step is refused, or cannot be read.
    Refused {
        /// The reason, and the step.
        reason: String,
        /// Where the step is.
        #[serde(flatten)]
        place: Place,
        /// In which file the step is, if the proof has several.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<String>,
    },
    /// A file cannot be read.
    Error {
        /// Why not.
        reason: String,
    },
}

/// What is told of a check. As JSON it is the document that is printed.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Report {
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// What the answer sets show, if that is wanted in JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_sets: Option<Vec<Vec<String>>>,
    /// How many steps were read.
    pub steps: u64,
    /// How many of them did not follow by nogoods that the proof names, and were propagated.
    pub propagated: u64,
    /// How long it took.
    pub seconds: f64,
}

impl Report {
    /// A step cannot be accepted.
    pub fn refused(place: Place, reason: String) -> Report {
        Report { outcome: Outcome::Refused { place, reason, file: None }, ..Report::default() }
    }

    /// The report of all parts together: that of the part that has refused a step first, if one has.
    pub fn first(parts: impl Iterator<Item = Report>) -> Report {
        let is_fine = |part: &Report| matches!(part.outcome, Outcome::Accepted { .. } | Outcome::Unfinished);
        let mut propagated = 0;
        let parts = parts.inspect(|part| propagated += part.propagated);
        let first = parts.min_by_key(|part| (part.steps, is_fine(part))).unwrap_or_default();
        Report { propagated, ..first }
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        match self.outcome {
            Outcome::Accepted { .. } => 0,
            Outcome::Unfinished => 1,
            Outcome::Refused { .. } => 10,
            Outcome::Error { .. } => ERROR,
        }
    }

    /// Prints the report to standard output, and what went wrong to standard error.
    pub fn print(&self, is_json: bool) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match &self.outcome {
            _ if is_json => writeln!(out, "{}", serde_json::to_string(self)?)?,
            Outcome::Accepted { proved, .. } => {
                writeln!(out, "ACCEPTED\n{proved}")?;
                if self.propagated > 0 {
                    writeln!(out, "{} of {} steps were propagated", self.propagated, self.steps)?;
                }
            }
            Outcome::Unfinished => {
                writeln!(out, "UNFINISHED\nevery step is accepted, but the proof ends without a conclusion")?;
            }
            Outcome::Refused { .. } => writeln!(out, "REFUSED")?,
            Outcome::Error { .. } => {}
        }
        out.flush()?;
        if let Outcome::Refused { reason, .. } | Outcome::Error { reason } = &self.outcome {
            let _ = writeln!(io::stderr(), "yasmin-check: {reason}");
        }
        Ok(())
    }
}
