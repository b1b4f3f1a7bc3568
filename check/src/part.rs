//! One thread's part of a check.

use std::io::{self, BufWriter, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use yasmin_check::clauses::{Clauses, Unwritten};
use yasmin_check::program::Program;
use yasmin_check::proof::{ProofError, Source};
use yasmin_check::{Checker, Share};

use crate::args::Args;
use crate::files::{unreadable, Trimmed, Written};
use crate::report::{Outcome, Report};

/// What a thread checks.
pub struct Part<'a> {
    pub args: &'a Args,
    /// The name of the proof.
    pub proof: &'a str,
    pub share: Share,
    /// How many clauses the steps add to the formula, if that is written.
    pub later: u64,
    /// The number of the first step that a part has refused; the others need not go further.
    pub first_refused: &'a AtomicU64,
}

impl Part<'_> {
    /// Checks one step after the other. The verdict is only from here. Returns nothing if another part has refused a step
    /// before.
    pub fn run(
        &self,
        program: Program,
        from: &mut dyn Source,
        to: Option<&mut Trimmed<'_>>,
    ) -> Option<Report> {
        let mut report = Report::default();
        match self.check(program, from, to, &mut report) {
            Ok(outcome) => report.outcome = outcome?,
            Err(reason) => report.outcome = Outcome::Error { reason },
        }
        if matches!(report.outcome, Outcome::Refused { .. } | Outcome::Error { .. }) {
            self.first_refused.fetch_min(report.steps, Ordering::Relaxed);
        }
        Some(report)
    }

    fn check(
        &self,
        program: Program,
        from: &mut dyn Source,
        mut to: Option<&mut Trimmed<'_>>,
        report: &mut Report,
    ) -> Result<Option<Outcome>, String> {
        let args = self.args;
        // One part tells of answer sets.
        let tells = args.answers && self.share.number == 0;
        let files = args.cnf.as_ref().zip(args.lrat.as_ref());
        let mut written = files.map(|(cnf, lrat)| Written::create(cnf, lrat)).transpose()?;
        let mut checker =
            if written.is_some() { Checker::logging(program) } else { Checker::sharing(program, self.share) };
        let mut clauses = match &mut written {
            Some(written) => Some(
                Clauses::new(&mut checker, &mut written.lrat, self.later).map_err(|why| why.to_string())?,
            ),
            None => None,
        };
        let mut out = tells.then(|| BufWriter::new(io::stdout().lock()));
        loop {
            let step = from.step();
            let number = report.steps + 1;
            if number > self.first_refused.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let left = if args.backward || args.trim.is_some() { " of those left" } else { "" };
            let named = || {
                let of = from.file().map_or(String::new(), |file| format!(" of {file}"));
                format!("step {number}{left} ({}{of})", from.place())
            };
            let refused = |why: String| {
                let reason = format!("{} is refused: {why}", named());
                let (place, file) = (from.place(), from.file().map(String::from));
                Ok(Some(Outcome::Refused { reason, place, file }))
            };
            let step = match step {
                Ok(Some(step)) => step,
                Ok(None) => break,
                Err(ProofError::Unreadable(error)) => return Err(unreadable(self.proof, &error)),
                Err(ProofError::Parts(why)) => return Err(why),
                Err(error) => return refused(error.to_string()),
            };
            report.steps = number;
            let checked = match &mut clauses {
                Some(clauses) => clauses.step(&mut checker, &step),
                None => checker.step(&step).map_err(Unwritten::from),
            };
            match (checked, &mut out) {
                (Ok(true), Some(_)) if args.json => {
                    let shown = checker.shown().map(String::from).collect();
                    report.answer_sets.get_or_insert_default().push(shown);
                }
                (Ok(true), Some(out)) => {
                    // A reader that has gone away is noticed at the end.
                    let _ = writeln!(out, "{}", checker.shown().collect::<Vec<_>>().join(" "));
                }
                (Ok(_), _) => {}
                (Err(Unwritten::Refused(why)), _) => return refused(format!("{why}: {step}")),
                (Err(beyond), _) => return Err(format!("{}: {beyond}", named())),
            }
            if let Some(to) = &mut to {
                to.write(Some(&step))?;
            }
        }
        if let Some(to) = to {
            to.write(None)?;
        }
        report.propagated = checker.propagated();
        let (conclusion, calls) = (checker.conclusion(), checker.conclusions_of_calls().to_vec());
        if conclusion.is_none() && calls.is_empty() {
            return Ok(Some(Outcome::Unfinished));
        }
        let proved: Vec<String> = conclusion.iter().chain(&calls).map(ToString::to_string).collect();
        let proved = proved.join("\n");
        if let Some(clauses) = clauses {
            let mut formula = Vec::new();
            let done = clauses.finish(&mut formula, checker.names());
            written.map_or(Ok(()), |written| done.and_then(|()| written.keep(&formula))).map_err(|error| {
                format!("the clauses cannot be written: {error}; --cnf and --lrat want files that can be written")
            })?;
        }
        Ok(Some(Outcome::Accepted { proved, conclusion, calls }))
    }
}
