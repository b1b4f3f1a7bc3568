//! Finds what variables are needed for besides nogoods.
//!
//! Main type: [`Roles`]. A variable that *stays* is not replaced by another one, and keeps its number (with a
//! unit nogood) if its value is known. These are atoms on loops, which the foundedness check tells apart;
//! literals of sums, in which no variable may occur twice; and atoms of heuristic directives, whose sign
//! counts. Of a body that the foundedness check reads only the value counts, so another literal may stand for
//! the body. A *needed* variable may not be resolved away. These are all of the above, program atoms, and the
//! variables of candidates.

use solver_gpu::{Lit, Var};

use super::known::Known;
use crate::nogoods::prepared::Prepared;
use crate::program::Program;

pub(super) struct Roles {
    /// How many variables, the first ones, are program atoms.
    pub atom_vars: u32,
    /// Whether each variable stays.
    pub stays: Vec<bool>,
    /// Whether each variable is that of a body that the foundedness check reads.
    pub founds: Vec<bool>,
}

impl Roles {
    /// If the search is to be proved, atoms with costs and those of conditions stay as well: a checker does not know that
    /// two of them are one.
    pub fn of(prepared: &Prepared, program: &Program, is_proved: bool) -> Roles {
        let mut roles = Roles {
            atom_vars: prepared.atom_vars,
            stays: vec![false; prepared.vars as usize],
            founds: vec![false; prepared.vars as usize],
        };
        let sums = &prepared.sums;
        sums.lits.iter().chain(&sums.condition).for_each(|&lit| mark(&mut roles.stays, lit));
        let advised = program.heuristics.iter().map(|h| prepared.literal_of(Lit::t(h.atom)));
        advised.for_each(|lit| mark(&mut roles.stays, lit));
        if is_proved {
            let costs = program.minimize.iter().flat_map(|level| level.lits.iter().map(|&(lit, _)| lit));
            let shown = program.outputs.iter().flat_map(|output| output.condition.iter().copied());
            costs.chain(shown).for_each(|lit| mark(&mut roles.stays, prepared.literal_of(lit)));
        }
        if let Some(check) = &prepared.foundedness {
            check.atoms.iter().for_each(|&p| mark(&mut roles.stays, Lit::t(Var(p))));
            for sum in &check.sums {
                mark(&mut roles.stays, Lit::t(Var(sum.atom)));
                sum.lits.iter().for_each(|&(lit, _)| mark(&mut roles.stays, lit));
            }
            check.body.iter().for_each(|&lit| mark(&mut roles.founds, lit));
        }
        roles
    }

    /// Whether each variable is needed, so that it may not be resolved away.
    pub fn needed(&self, prepared: &Prepared, known: &Known) -> Vec<bool> {
        let mut needed = self.stays.clone();
        needed[..prepared.atom_vars as usize].fill(true);
        for c in &prepared.candidates {
            // A candidate whose head or body has a value is no candidate any more.
            if known.is_open(Lit::t(c.head)) && known.is_open(c.body) {
                mark(&mut needed, known.resolve(c.positive));
                mark(&mut needed, known.resolve(c.body));
            }
        }
        for body in prepared.foundedness.iter().flat_map(|check| &check.body) {
            mark(&mut needed, known.resolve(*body));
        }
        needed
    }
}

fn mark(marks: &mut [bool], lit: Lit) {
    if !lit.is_constant() {
        marks[lit.var().0 as usize] = true;
    }
}
