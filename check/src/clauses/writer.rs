//! Clauses on their way into the formula or the proof, with the variables of DIMACS.
//!
//! Main type: [`Writer`].

use std::collections::HashMap;
use std::io::{self, Write};

use crate::checker::Refusal;
use crate::trusted::lit::{Lit, Var};

/// A literal of DIMACS: a number that is not 0.
pub type Dimacs = i32;

/// Where a clause belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It is part of the formula.
    Formula,
    /// It follows from the clauses before.
    Proof,
}

/// Why a step is not written.
#[derive(Debug, thiserror::Error)]
pub enum Unwritten {
    /// The checker refuses it.
    #[error("{0}")]
    Refused(Refusal),
    /// Clauses cannot say it, what is no fault of the proof.
    #[error("{0} cannot be written as clauses; leave out --cnf and --drat")]
    Beyond(String),
}

impl From<Refusal> for Unwritten {
    fn from(why: Refusal) -> Unwritten {
        Unwritten::Refused(why)
    }
}

/// See the module's documentation.
pub struct Writer<'a> {
    drat: &'a mut dyn Write,
    /// The clauses of the formula, and how many there are.
    formula: Vec<u8>,
    count: u64,
    /// The variable of DIMACS of each variable of the checker that was named.
    number: HashMap<Var, Dimacs>,
    /// The last variable of DIMACS.
    last: Dimacs,
    /// The first error of writing.
    failed: Option<io::Error>,
}

impl<'a> Writer<'a> {
    /// Writes the proof to `drat`. `numbers` are the variables that have numbers already, up to `last`.
    pub fn new(drat: &'a mut dyn Write, number: HashMap<Var, Dimacs>, last: Dimacs) -> Writer<'a> {
        Writer { drat, formula: Vec::new(), count: 0, number, last, failed: None }
    }

    /// Writes the formula. `comments` come before it, a line each.
    ///
    /// # Errors
    /// If the formula or the proof cannot be written.
    pub fn finish(self, to: &mut dyn Write, comments: impl Iterator<Item = String>) -> io::Result<()> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        self.drat.flush()?;
        comments.into_iter().try_for_each(|comment| writeln!(to, "c {comment}"))?;
        writeln!(to, "p cnf {} {}", self.last, self.count)?;
        to.write_all(&self.formula)?;
        to.flush()
    }

    /// The clause that says what a nogood says.
    pub fn negated(&mut self, nogood: &[Lit]) -> Vec<Dimacs> {
        nogood.iter().map(|&lit| -self.lit(lit)).collect()
    }

    /// The literal of DIMACS for a literal of the checker.
    pub fn lit(&mut self, lit: Lit) -> Dimacs {
        let known = self.number.get(&lit.var()).copied();
        let number = known.unwrap_or_else(|| {
            let number = self.fresh();
            self.number.insert(lit.var(), number);
            number
        });
        if lit.is_positive() {
            number
        } else {
            -number
        }
    }

    /// A new variable.
    pub fn fresh(&mut self) -> Dimacs {
        match self.last.checked_add(1) {
            Some(next) => self.last = next,
            None => drop(self.failed.get_or_insert(io::Error::other("there are more than 2^31 variables"))),
        }
        self.last
    }

    /// Adds a clause.
    pub fn clause(&mut self, place: Place, clause: &[Dimacs]) {
        match place {
            Place::Proof => self.line("", clause),
            Place::Formula => {
                self.count += 1;
                let _ = write_line(&mut self.formula, "", clause);
            }
        }
    }

    /// Writes a line of the proof.
    pub fn line(&mut self, before: &str, clause: &[Dimacs]) {
        if let Err(error) = write_line(self.drat, before, clause) {
            self.failed.get_or_insert(error);
        }
    }
}

fn write_line(to: &mut dyn Write, before: &str, clause: &[Dimacs]) -> io::Result<()> {
    to.write_all(before.as_bytes())?;
    clause.iter().try_for_each(|lit| write!(to, "{lit} "))?;
    to.write_all(b"0\n")
}
