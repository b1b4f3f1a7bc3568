//! Clauses on their way into the formula or the proof, with the variables of DIMACS.
//!
//! Main type: [`Writer`].

use std::collections::HashMap;
use std::io::{self, Write};

use super::chains::{Chains, Id};
use crate::checker::Refusal;
use crate::trusted::lit::{Lit, Var};
use crate::trusted::Handle;

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
    #[error("{0} cannot be written as clauses; leave out --cnf and --lrat")]
    Beyond(String),
}

impl From<Refusal> for Unwritten {
    fn from(why: Refusal) -> Unwritten {
        Unwritten::Refused(why)
    }
}

/// See the module's documentation.
pub struct Writer<'a> {
    lrat: &'a mut dyn Write,
    /// The clauses of the formula, and how many there are.
    formula: Vec<u8>,
    count: Id,
    /// The number of the last clause of the proof.
    last_id: Id,
    chains: Chains,
    /// The variables of the chains, from 1: that of each variable of DIMACS which some clause has, and
    /// back. A program may call an atom 2^31 - 1.
    kept: HashMap<u32, Var>,
    named: Vec<Dimacs>,
    /// The clauses of definitions that were written last, and the last variable before these.
    recent: Vec<Handle>,
    last_old: Dimacs,
    is_refuted: bool,
    /// Whether a clause did not follow.
    is_beyond: bool,
    /// The variable of DIMACS of each variable of the checker that was named.
    number: HashMap<Var, Dimacs>,
    /// The last variable of DIMACS.
    last: Dimacs,
    /// The first error of writing.
    failed: Option<io::Error>,
}

impl<'a> Writer<'a> {
    /// Writes the proof to `lrat`. `numbers` are the variables that have numbers already, up to `last`.
    pub fn new(lrat: &'a mut dyn Write, number: HashMap<Var, Dimacs>, last: Dimacs) -> Writer<'a> {
        Writer {
            lrat,
            formula: Vec::new(),
            count: 0,
            last_id: 0,
            chains: Chains::default(),
            kept: HashMap::new(),
            named: vec![0],
            recent: Vec::new(),
            last_old: last,
            is_refuted: false,
            is_beyond: false,
            number,
            last,
            failed: None,
        }
    }

    /// The proof begins. Up to so many clauses of the formula are still to come.
    pub fn begin_proof(&mut self, later: u64) {
        self.last_id = self.count + later;
        self.settle();
    }

    /// New variables are defined from here on.
    pub fn begin_step(&mut self) {
        self.last_old = self.last;
        self.recent.clear();
    }

    /// Whether all clauses of the proof followed so far.
    ///
    /// # Errors
    /// If they did not.
    pub fn is_right(&self) -> Result<(), Unwritten> {
        match self.is_beyond {
            false => Ok(()),
            true => Err(Unwritten::Beyond(
                "a nogood that does not follow from the clauses by unit propagation".into(),
            )),
        }
    }

    /// Writes the formula. `comments` come before it, a line each.
    ///
    /// # Errors
    /// If the formula or the proof cannot be written.
    pub fn finish(self, to: &mut dyn Write, comments: impl Iterator<Item = String>) -> io::Result<()> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        self.lrat.flush()?;
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

    /// Adds a clause of the formula.
    pub fn assume(&mut self, clause: &[Dimacs]) -> Handle {
        self.count += 1;
        let _ = write_list(&mut self.formula, clause);
        self.formula.push(b'\n');
        let nogood = self.nogood(clause);
        let handle = self.chains.add(nogood, self.count);
        if self.last_id > 0 {
            self.settle();
        }
        handle
    }

    /// Adds a clause that follows, by these reasons if it can be, or defines its first variable.
    pub fn derive(&mut self, clause: &[Dimacs], reasons: &[Handle]) -> Handle {
        if self.is_refuted {
            return Handle::NOWHERE;
        }
        let nogood = self.nogood(clause);
        match self.chains.follows(&nogood, reasons) {
            Some(chain) => self.lemma(clause, &[(0, chain)]),
            // Whatever else has the variable is as new as this.
            None if clause.first().is_some_and(|lit| lit.abs() > self.last_old) => {
                let opposed = self.recent.iter().filter(|&&other| self.chains.opposes(&nogood, other));
                let mut chains = Vec::new();
                for other in opposed.copied().collect::<Vec<Handle>>() {
                    match self.chains.resolves(&nogood, other) {
                        Some(chain) => chains.push((self.chains.id(other), chain)),
                        None => self.is_beyond = true,
                    }
                }
                self.lemma(clause, &chains);
            }
            None => self.is_beyond = true,
        }
        let handle = self.chains.add(nogood, self.last_id);
        self.recent.push(handle);
        self.settle();
        handle
    }

    /// Adds a clause somewhere.
    pub fn clause(&mut self, place: Place, clause: &[Dimacs]) -> Handle {
        match place {
            Place::Proof => self.derive(clause, &[]),
            Place::Formula => self.assume(clause),
        }
    }

    /// Removes a clause.
    pub fn remove(&mut self, handle: Handle) {
        let removed = if self.is_refuted { None } else { self.chains.remove(handle) };
        if let Some(id) = removed {
            let written = writeln!(self.lrat, "{} d {id} 0", self.last_id);
            self.note(written);
        }
    }

    /// Writes what holds without assumptions.
    fn settle(&mut self) {
        let Writer { lrat, chains, named, last_id, is_refuted, failed, .. } = self;
        if *is_refuted {
            return;
        }
        chains.settle(|lit, chain| {
            *is_refuted = lit.is_none();
            *last_id += 1;
            let lit = lit.map(|lit| named[lit.var().index()] * if lit.is_positive() { 1 } else { -1 });
            if let Err(error) = write_lemma(*lrat, *last_id, lit.as_slice(), &[(0, chain.to_vec())]) {
                failed.get_or_insert(error);
            }
            *last_id
        });
    }

    /// The nogood that says what a clause says, in the variables of the chains.
    fn nogood(&mut self, clause: &[Dimacs]) -> Vec<Lit> {
        let Writer { kept, named, .. } = self;
        let mut var = |number: Dimacs| {
            *kept.entry(number.unsigned_abs()).or_insert_with(|| {
                named.push(number.abs());
                Var(named.len() as u32 - 1)
            })
        };
        clause.iter().map(|&lit| Lit::new(var(lit), lit < 0)).collect()
    }

    /// Writes a clause that follows from others. The numbers before chains are those of clauses with which it
    /// resolves.
    fn lemma(&mut self, clause: &[Dimacs], chains: &[(Id, Vec<Id>)]) {
        self.last_id += 1;
        let written = write_lemma(self.lrat, self.last_id, clause, chains);
        self.note(written);
    }

    fn note(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failed.get_or_insert(error);
        }
    }
}

fn write_lemma(to: &mut dyn Write, id: Id, clause: &[Dimacs], chains: &[(Id, Vec<Id>)]) -> io::Result<()> {
    write!(to, "{id} ")?;
    write_list(to, clause)?;
    for (other, chain) in chains {
        if *other > 0 {
            write!(to, " -{other}")?;
        }
        chain.iter().try_for_each(|id| write!(to, " {id}"))?;
    }
    to.write_all(b" 0\n")
}

fn write_list(to: &mut dyn Write, clause: &[Dimacs]) -> io::Result<()> {
    clause.iter().try_for_each(|lit| write!(to, "{lit} "))?;
    to.write_all(b"0")
}
