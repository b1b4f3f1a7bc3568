//! A proof as SAT solvers write theirs: the program's completion as clauses (DIMACS), and clauses that
//! follow, each with those that it follows from (LRAT; Cruz-Filipe et al. 2017).
//!
//! Main type: [`Clauses`]. It goes along with a checker, and writes what the checker has accepted. Whoever
//! checks the result with a SAT proof checker need not trust the checker's propagation, but has to trust the
//! completion. Every answer set is a model of the completion. So if there is no further model, there is no
//! further answer set, whether or not the program is tight. Sums are written as decision diagrams
//! (`sums.rs`). What does not follow by unit propagation over clauses is refused. The reasons that a proof
//! names are looked at first.

mod chains;
mod sums;
mod writer;

use std::collections::HashMap;
use std::io::{self, Write};

use crate::checker::{Checker, Refusal};
use crate::proof::Step;
use crate::propagate::Logged;
use crate::serials::Serials;
use crate::trusted::lit::{normalised, Lit, Var};
use crate::trusted::Handle;
pub use writer::Unwritten;
use writer::{Dimacs, Place, Writer};

/// See the module's documentation.
pub struct Clauses<'a> {
    to: Writer<'a>,
    /// The clauses of the nogoods.
    clauses: Serials,
    /// The serial numbers of reasons of the next step.
    because: Vec<i64>,
}

impl<'a> Clauses<'a> {
    /// Begins with the completion, which the checker has logged ([`Checker::logging`]). The proof has at most
    /// `later` steps `a` and `h`.
    ///
    /// # Errors
    /// If a sum is too large.
    pub fn new(checker: &mut Checker, lrat: &'a mut dyn Write, later: u64) -> Result<Clauses<'a>, Unwritten> {
        let program = checker.program();
        let of_graph = program.last_atom + 1..=program.last_number;
        let of_graph = of_graph.filter_map(|number| Some((program.lit(i64::from(number))?.var(), number)));
        let named = program.atoms.iter().copied().chain(of_graph);
        let number: HashMap<Var, Dimacs> = named.map(|(var, number)| (var, number as Dimacs)).collect();
        let to = Writer::new(lrat, number, program.last_number as Dimacs);
        let mut this = Clauses { to, clauses: Serials::default(), because: Vec::new() };
        let always = this.to.lit(Lit::TRUE);
        this.to.clause(Place::Formula, &[always]);
        this.take_log(checker, Place::Formula)?;
        this.to.begin_proof(later);
        Ok(this)
    }

    /// Lets the checker check a step, and writes what the step adds. Returns what [`Checker::step`] does.
    ///
    /// # Errors
    /// If the step is refused, or cannot be written as clauses.
    pub fn step(&mut self, checker: &mut Checker, step: &Step) -> Result<bool, Unwritten> {
        let beyond = |what: &str| Err(Unwritten::Beyond(what.into()));
        match step {
            Step::Question { kind: 1..=3, bounds } if bounds.is_empty() && checker.question().is_none() => {}
            Step::Question { .. } => {
                return beyond("bounds, consequences, an optimum, or several questions");
            }
            Step::Call(_) | Step::Finished { .. } => return beyond("calls"),
            Step::Cycle(_) => return beyond("cycles of difference constraints"),
            _ => {}
        }
        let is_answer = checker.step(step)?;
        self.to.begin_step();
        let because = std::mem::take(&mut self.because);
        match step {
            Step::Because(serials) => self.because.clone_from(serials),
            Step::Nogood(lits) => self.nogood(checker, lits, &because)?,
            Step::Loop { lits, atoms } if atoms.iter().any(|atom| lits.contains(atom)) => {
                self.nogood(checker, lits, &[])?;
            }
            Step::Loop { lits, atoms } => {
                atoms
                    .iter()
                    .try_for_each(|&atom| self.nogood(checker, &[&lits[..], &[atom]].concat(), &[]))?;
            }
            Step::Deletion(serial) => {
                if let Some(clause) = self.clauses.take(*serial) {
                    self.to.remove(clause);
                }
            }
            Step::End(true) => drop(self.to.derive(&[], &[])),
            Step::Assumption(_) => self.take_log(checker, Place::Formula)?,
            _ => self.take_log(checker, Place::Proof)?,
        }
        self.to.is_right()?;
        Ok(is_answer)
    }

    /// Writes the formula. `names` are comments that say what variables are.
    ///
    /// # Errors
    /// If the formula or the proof cannot be written.
    pub fn finish(self, to: &mut dyn Write, names: impl Iterator<Item = String>) -> io::Result<()> {
        let about = [
            "The completion of a ground program, whose atoms keep their numbers. Other variables",
            "stand for bodies, supports, conditions of outputs, and parts of sums. After the completion come",
            "what the proof assumes and its answer sets.",
        ];
        self.to.finish(to, about.map(String::from).into_iter().chain(names))
    }

    /// Writes what the checker has logged.
    fn take_log(&mut self, checker: &mut Checker, place: Place) -> Result<(), Unwritten> {
        let mut definitions: Vec<Vec<Lit>> = Vec::new();
        for logged in checker.take_log() {
            match logged {
                Logged::Nogood(lits) => definitions.push(lits),
                Logged::Sum { var, bound, terms } => sums::write(&mut self.to, place, var, bound, terms)?,
                Logged::Answer { mut apart, nogood } => {
                    // The formula says that the answer set is known. What the checker leaves out follows.
                    // What is shown or projected to may have a literal twice.
                    apart.sort_unstable();
                    apart.dedup();
                    let clause = self.to.negated(&apart);
                    self.to.assume(&clause);
                    let clause = self.to.negated(&nogood);
                    let handle = self.to.derive(&clause, &[]);
                    self.clauses.push(handle);
                }
            }
        }
        // A definition's variable is the newest one. The clause with the variable itself comes first, and the
        // variable first in each clause, so that each has the property RAT.
        definitions
            .sort_by_key(|lits| lits.iter().max_by_key(|lit| lit.var()).is_some_and(|lit| lit.is_positive()));
        for mut lits in definitions {
            lits.sort_by_key(|lit| std::cmp::Reverse(lit.var()));
            let clause = self.to.negated(&lits);
            self.to.clause(place, &clause);
        }
        Ok(())
    }

    fn nogood(&mut self, checker: &Checker, numbers: &[i64], because: &[i64]) -> Result<(), Refusal> {
        let handle = match normalised(checker.lits(numbers)?) {
            None => Handle::NOWHERE,
            Some(lits) => {
                let reasons: Vec<Handle> =
                    because.iter().filter_map(|&serial| self.clauses.get(serial)).collect();
                let clause = self.to.negated(&lits);
                self.to.derive(&clause, &reasons)
            }
        };
        self.clauses.push(handle);
        Ok(())
    }
}
