//! Nogoods that a search has learned about a program, for a program that has grown from it.
//!
//! Main type: [`Lemma`]. The variables of two translations have nothing in common. A lemma is therefore about
//! atoms of the program and about bodies, which are named by their literals. A literal that has no such name,
//! such as that of an auxiliary, makes a nogood no lemma.
//!
//! Invariant: whoever hands lemmas over has to know that the program that they come from excludes nothing
//! that the grown program allows.

use super::prepared::Prepared;
use super::store::Collector;
use solver_gpu::{Lit, Var};
use std::collections::HashMap;
use std::sync::Arc;

/// A literal of the solver, in terms of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    /// A literal over the program's atoms.
    Atom(Lit),
    /// The body with these literals holds, or does not.
    Body(Box<[Lit]>, bool),
}

/// A nogood of literals of which not all hold in an answer set.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lemma {
    /// The literals.
    pub lits: Vec<Named>,
    /// The LBD, in the search that has learned the nogood.
    pub lbd: u32,
}

/// The most nogoods over atoms that stand for one lemma.
const MOST_FOR_ONE: usize = 8;

impl Lemma {
    /// Nogoods over the program's atoms that say the same together: a body stands for its literals, and the
    /// complement of a body for the complement of each of them in turn. `None` if that takes too many
    /// nogoods.
    pub fn over_atoms(&self) -> Option<Vec<Vec<Lit>>> {
        let mut all: Vec<Vec<Lit>> = vec![Vec::new()];
        for name in &self.lits {
            match name {
                Named::Atom(lit) => all.iter_mut().for_each(|nogood| nogood.push(*lit)),
                Named::Body(lits, true) => all.iter_mut().for_each(|nogood| nogood.extend_from_slice(lits)),
                Named::Body(lits, false) => {
                    let each = |nogood: &Vec<Lit>| {
                        lits.iter().map(|&lit| [&nogood[..], &[!lit]].concat()).collect::<Vec<_>>()
                    };
                    all = all.iter().flat_map(each).collect();
                }
            }
            if all.len() > MOST_FOR_ONE {
                return None;
            }
        }
        all.iter_mut().for_each(|nogood| {
            nogood.sort_unstable();
            nogood.dedup();
        });
        // What has a literal and its complement is never violated.
        all.retain(|nogood| nogood.windows(2).all(|pair| pair[0].var() != pair[1].var()));
        Some(all)
    }
}

impl Prepared {
    /// For each variable the literal of the program that is equivalent to the variable's being true. Only
    /// atoms below `atoms` count.
    pub fn names(&self, atoms: u32) -> Vec<Option<Named>> {
        let mut names: Vec<Option<Named>> = vec![None; self.vars as usize];
        for (lits, of) in self.bodies.iter() {
            if lits.iter().all(|lit| lit.var().0 < atoms) {
                names[of.var().0 as usize] = Some(Named::Body(lits.into(), !of.is_false_sign()));
            }
        }
        for (p, &lit) in (0..atoms).zip(self.atom_lit.iter()).filter(|(_, lit)| !lit.is_constant()) {
            names[lit.var().0 as usize] = Some(Named::Atom(Lit::new(Var(p), !lit.is_false_sign())));
        }
        names
    }

    /// Nogoods that a search has learned, each with its LBD, in terms of a program with so many atoms. A
    /// nogood of which some literal has no name is left out.
    pub fn lemmas(&self, atoms: u32, learned: &[(u32, Vec<Lit>)]) -> Vec<Lemma> {
        let names = self.names(atoms);
        let named = |lit: &Lit| match names.get(lit.var().0 as usize)?.clone()? {
            Named::Atom(atom) => Some(Named::Atom(atom.signed_as(*lit))),
            Named::Body(lits, holds) => Some(Named::Body(lits, holds != lit.is_false_sign())),
        };
        let lemma = |(lbd, lits): &(u32, Vec<Lit>)| {
            Some(Lemma { lits: lits.iter().map(named).collect::<Option<_>>()?, lbd: *lbd })
        };
        learned.iter().filter_map(lemma).collect()
    }

    /// The nogoods of the solver that lemmas say, with their LBDs. A lemma with a literal that has no
    /// counterpart says none.
    pub fn recalled(&self, lemmas: &[Lemma]) -> Vec<(u32, Vec<Lit>)> {
        if lemmas.is_empty() || self.unsatisfiable {
            return Vec::new();
        }
        let bodies: HashMap<&[Lit], Lit> = self.bodies.iter().collect();
        let literal = |name: &Named| match name {
            Named::Atom(lit) => Some(self.literal_of(*lit)),
            Named::Body(lits, holds) => bodies.get(&lits[..]).map(|&of| if *holds { of } else { !of }),
        };
        let nogood = |lemma: &Lemma| {
            let mut lits: Vec<Lit> = lemma.lits.iter().map(literal).collect::<Option<_>>()?;
            lits.retain(|&lit| lit != Lit::TRUE);
            lits.sort_unstable();
            lits.dedup();
            // A nogood that is empty says that there is no answer set, which the search finds by itself.
            (!lits.is_empty() && !lits.contains(&Lit::FALSE)).then_some((lemma.lbd, lits))
        };
        lemmas.iter().filter_map(nogood).collect()
    }

    /// Adds nogoods.
    pub fn exclude(&mut self, further: impl Iterator<Item = Vec<Lit>>) {
        let mut nogoods = Collector::new(true);
        self.nogoods.ids().for_each(|id| nogoods.push(self.nogoods.nogood(id)));
        for mut lits in further {
            lits.retain(|&lit| lit != Lit::TRUE);
            // A nogood that is empty says that there is no answer set, which the search finds by itself.
            if !lits.is_empty() && !lits.contains(&Lit::FALSE) {
                nogoods.push(&lits);
            }
        }
        self.nogoods = Arc::new(nogoods.finish(self.vars));
    }

    /// A new auxiliary variable.
    pub fn another(&mut self) -> Var {
        self.vars += 1;
        Var(self.vars - 1)
    }
}
