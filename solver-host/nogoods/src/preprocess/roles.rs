//! Finds what variables are needed for besides nogoods.
//!
//! Main type: [`Roles`]. A variable that *stays* is not replaced by another one, and keeps its number (with a
//! unit nogood) if its value is known. These are atoms on loops, which the foundedness check tells apart, and
//! atoms of heuristic directives, whose sign counts. A variable of sums keeps its number as well if its value is
//! known. Another literal may stand for it, but not for two variables of one sum: a sum counts no variable twice.
//! Of a body that the foundedness check reads only the value counts, so another literal may stand for
//! the body. A *needed* variable may not be resolved away. These are all of the above, program atoms, and the
//! variables of candidates.

use solver_gpu::{Lit, Var};

use super::known::Known;
use crate::prepared::Prepared;
use crate::rows::Csr;
use yasmin_ground::program::Program;

pub(super) struct Roles {
    /// How many variables, the first ones, are program atoms.
    pub atom_vars: u32,
    /// Whether each variable stays.
    pub stays: Vec<bool>,
    /// Whether each variable is that of a body that the foundedness check reads.
    pub founds: Vec<bool>,
    /// The sums in which each variable occurs, as an item or as the condition.
    pub sums: Csr<u32>,
}

impl Roles {
    /// If the search is to be proved, variables of sums, atoms with costs and those of conditions stay as well: a checker
    /// does not know that two of them are one.
    pub fn of(prepared: &Prepared, program: &Program, is_proved: bool) -> Roles {
        let mut roles = Roles {
            atom_vars: prepared.atom_vars,
            stays: vec![false; prepared.vars as usize],
            founds: vec![false; prepared.vars as usize],
            sums: Csr::from_pairs(prepared.vars as usize, occurrences(prepared)),
        };
        let advised = program.heuristics.iter().map(|h| prepared.literal_of(Lit::t(h.atom)));
        advised.for_each(|lit| mark(&mut roles.stays, lit));
        if is_proved {
            occurrences(prepared).for_each(|(v, _)| roles.stays[v] = true);
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
        occurrences(prepared).for_each(|(v, _)| mark(&mut needed, known.resolve(Lit::t(Var(v as u32)))));
        for body in prepared.foundedness.iter().flat_map(|check| &check.body) {
            mark(&mut needed, known.resolve(*body));
        }
        needed
    }
}

/// Each variable of a sum, with the number of the sum.
fn occurrences(prepared: &Prepared) -> impl Iterator<Item = (usize, u32)> + Clone + '_ {
    let sums = &prepared.sums;
    (0..sums.len())
        .flat_map(|s| {
            let items = sums.start[s] as usize..sums.start[s + 1] as usize;
            sums.lits[items].iter().chain([&sums.condition[s]]).map(move |&lit| (lit, s as u32))
        })
        .filter(|(lit, _)| !lit.is_constant())
        .map(|(lit, s)| (lit.var().0 as usize, s))
}

fn mark(marks: &mut [bool], lit: Lit) {
    if !lit.is_constant() {
        marks[lit.var().0 as usize] = true;
    }
}
