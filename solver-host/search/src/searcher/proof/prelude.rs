//! What a proof says before the search: what the solver's variables stand for, and what the translation
//! found.
//!
//! Main function: [`write()`]. The numbers of atoms are those of the file. All other variables get the
//! numbers after the largest one.

use super::format::{failed, Steps};
use crate::SolveError;
use solver_gpu::{Lit, Var};
use std::collections::HashSet;
use std::io;
use yasmin_ground::program::Program;
use yasmin_nogoods::{Meaning, Step};

/// Why a proof cannot be written that has too many variables.
const TOO_MANY: &str = "the proof has more than 2^31 variables";

/// The proof's literals.
pub struct Numbers {
    /// For each variable of the translation's steps the literal that stands for it in the proof.
    of_step: Vec<i32>,
    /// For each variable of the solver the same.
    of_solver: Vec<i32>,
    /// For each variable of the solver whether it is an atom that has rules in the file.
    is_atom: Vec<bool>,
    /// For each atom of the program whether it has rules in the file, or is an atom of a graph.
    is_numbered: Vec<bool>,
    /// The largest number that the file gives to an atom.
    largest: i32,
    /// The number of the last variable that the proof has introduced.
    last: i32,
}

impl Numbers {
    /// The proof's literal for a literal of the solver.
    pub fn of_solver(&self, lit: Lit) -> i32 {
        signed(self.of_solver[lit.var().0 as usize], lit)
    }

    /// The proof's literal for a literal over the program's atoms.
    pub fn of_step(&self, lit: Lit) -> i32 {
        signed(self.of_step[lit.var().0 as usize], lit)
    }

    /// The number of a new variable of the proof.
    ///
    /// # Errors
    /// If there are too many variables.
    pub fn introduce(&mut self) -> io::Result<i32> {
        let new = self.last.checked_add(1).ok_or_else(|| io::Error::other(TOO_MANY))?;
        self.last = new;
        Ok(new)
    }

    /// A literal of the solver, whose variable was added to the search, stands for a variable of the proof.
    pub fn stand_for(&mut self, lit: Lit, var: i32) {
        let added = lit.var().0 as usize;
        if self.of_solver.len() <= added {
            self.of_solver.resize(added + 1, 0);
            self.is_atom.resize(added + 1, false);
        }
        self.of_solver[added] = signed(var, lit);
    }

    /// The number of a variable of the solver, if it is an atom that has rules.
    pub fn atom_of_solver(&self, var: Var) -> Option<i32> {
        self.is_atom[var.0 as usize].then(|| self.of_solver[var.0 as usize])
    }

    /// The number of an atom of the program, if the atom has rules.
    pub fn of_program(&self, atom: Var) -> Option<i32> {
        self.is_numbered[atom.0 as usize].then(|| self.of_step[atom.0 as usize])
    }

    /// The number of an atom that the file names.
    pub fn in_file(&self, atom: Var) -> Option<i32> {
        self.of_program(atom).filter(|&number| number <= self.largest)
    }
}

fn signed(number: i32, lit: Lit) -> i32 {
    if lit.is_false_sign() {
        -number
    } else {
        number
    }
}

/// Writes definitions, and what the translation found.
///
/// # Errors
/// If the proof cannot be written, or has too many variables.
pub fn write(program: &Program, meaning: &Meaning, steps: &mut Steps) -> Result<Numbers, SolveError> {
    let atoms = 0..program.atoms;
    let is_numbered: Vec<bool> = atoms.clone().map(|p| program.number(Var(p)).is_some()).collect();
    let largest_of_all = program.numbers.iter().copied().max().unwrap_or(0);
    if largest_of_all as u64 + meaning.vars() as u64 + 1 >= i32::MAX as u64 {
        return Err(SolveError::Proof(TOO_MANY.into()));
    }
    let mut next = largest_of_all as i32;
    let mut of_step: Vec<i32> = atoms
        .map(|p| match program.number(Var(p)) {
            Some(number) => number as i32,
            None => {
                next += 1;
                next
            }
        })
        .collect();
    define_hidden(program, &of_step, steps).map_err(failed)?;
    for nogood in &program.assumed {
        let number = |&lit: &Lit| signed(of_step[lit.var().0 as usize], lit);
        steps.assume(nogood.iter().map(number)).map_err(failed)?;
    }
    let unnumbered = (program.atoms..meaning.vars()).map(|_| {
        next += 1;
        next
    });
    of_step.extend(unnumbered);
    for (step, lits) in meaning.steps() {
        write_step(step, lits, &mut of_step, &is_numbered, steps).map_err(failed)?;
    }
    let of_solver = meaning.variables().iter().map(|var| of_step[var.0 as usize]).collect();
    let is_atom =
        meaning.variables().iter().map(|var| is_numbered.get(var.0 as usize) == Some(&true)).collect();
    Ok(Numbers {
        of_step,
        of_solver,
        is_atom,
        is_numbered,
        largest: program.largest_number as i32,
        last: next,
    })
}

fn write_step(
    step: Step,
    lits: &[Lit],
    of_step: &mut [i32],
    is_numbered: &[bool],
    steps: &mut Steps,
) -> io::Result<()> {
    let number = |lit: Lit| signed(of_step[lit.var().0 as usize], lit);
    match step {
        Step::All(var) => steps.define(of_step[var.0 as usize], lits.iter().map(|&lit| number(lit))),
        Step::Any(var) => {
            let none = of_step[var.0 as usize];
            steps.define(none, lits.iter().map(|&lit| -number(lit)))?;
            of_step[var.0 as usize] = -none;
            Ok(())
        }
        Step::Count(var, bound) => {
            steps.sum(of_step[var.0 as usize], bound, lits.iter().map(|&lit| (1, number(lit))))
        }
        Step::Nogood => steps.nogood(lits.iter().map(|&lit| number(lit))).map(|_| ()),
        Step::Unfounded => {
            let with_rules = lits.iter().filter(|lit| is_numbered.get(lit.var().0 as usize) == Some(&true));
            let set: Vec<i32> = with_rules.map(|&lit| number(lit)).collect();
            match set.is_empty() {
                true => Ok(()),
                false => steps.unfounded([].into_iter(), set.into_iter()).map(|_| ()),
            }
        }
    }
}

/// Defines the atoms that the file does not name: those of sums, and those that stand for conditions.
fn define_hidden(program: &Program, of_step: &[i32], steps: &mut Steps) -> io::Result<()> {
    let number = |lit: Lit| signed(of_step[lit.var().0 as usize], lit);
    let mut is_sum = HashSet::new();
    for sum in &program.sums {
        is_sum.insert(sum.atom);
        // The file may have a rule for it.
        if program.number(sum.atom).is_some() {
            continue;
        }
        let items: Vec<(i64, i32)> =
            sum.lits.iter().filter(|(_, w)| *w > 0).map(|&(lit, w)| (w, number(lit))).collect();
        steps.sum(of_step[sum.atom.0 as usize], sum.bound, items.into_iter())?;
    }
    for r in program.rule_ids() {
        let head = program.head(r).atom().filter(|&p| program.number(p).is_none() && !is_sum.contains(&p));
        if let Some(head) = head {
            steps.define(of_step[head.0 as usize], program.body(r).iter().map(|&lit| number(lit)))?;
        }
    }
    Ok(())
}
