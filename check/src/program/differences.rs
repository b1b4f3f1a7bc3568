//! From theory atoms to difference constraints and rules: see "Difference constraints" in `docs/proof.md`.
//!
//! Main function: [`Builder::translate_differences`].

use std::collections::{BTreeSet, HashMap, HashSet};

use super::builder::Builder;
use super::data::Body;
use super::error::Wrong;
use super::theory::{Atom, End, Relation};
use crate::numbers::MAX_NUMBER;
use crate::trusted::differences::Difference;
use crate::trusted::lit::{Lit, Var};

/// What the numbers of all constraints may add up to, without their signs.
const MOST: u128 = 1 << 59;

const TOO_LARGE: Wrong =
    ("the numbers of the difference constraints add up to more than 2^59", "use smaller numbers");

impl Builder {
    /// Lets those theory atoms be true or false that are in no head, and of which nothing is said as
    /// externals.
    pub fn open_theory(&mut self) {
        let mut open: BTreeSet<Var> = self.theory.atoms.iter().filter_map(|atom| atom.atom).collect();
        open.retain(|atom| !self.is_external(*atom));
        for head in self.program.rules.iter().flat_map(|rule| &rule.heads) {
            open.remove(head);
        }
        open.into_iter().for_each(|atom| self.rule(true, vec![atom], Body::All(Vec::new())));
    }

    /// Adds the atoms, rules and constraints that theory atoms stand for.
    ///
    /// # Errors
    /// If there are too many atoms, or the numbers are too large.
    pub fn translate_differences(&mut self) -> Result<(), Wrong> {
        let rules = self.program.rules.iter().filter(|rule| !rule.is_choice);
        let heads: HashSet<Var> = rules.flat_map(|rule| rule.heads.iter().copied()).collect();
        let copies = self.copy_in_bodies(&heads)?;
        for stated in std::mem::take(&mut self.theory.atoms) {
            let lit = stated.atom.map_or(Lit::TRUE, |atom| Lit::new(atom, true));
            let is_of_head = stated.atom.is_none_or(|atom| heads.contains(&atom));
            if stated.is_of_head.unwrap_or(is_of_head) {
                self.constrain(lit, stated, false)?;
                if let Some(&copy) = stated.atom.as_ref().and_then(|atom| copies.get(atom)) {
                    self.constrain(Lit::new(copy, true), stated, true)?;
                }
            } else {
                self.constrain(lit, stated, true)?;
            }
        }
        let total: u128 =
            self.program.differences.iter().map(|edge| u128::from(edge.most.unsigned_abs())).sum();
        if total > MOST {
            return Err(TOO_LARGE);
        }
        // Here 0 is a variable like others, the last one.
        let zero = self.theory.variables();
        for edge in &mut self.program.differences {
            (edge.from, edge.to) = (edge.from.min(zero), edge.to.min(zero));
        }
        Ok(())
    }

    /// Gives atoms `&diff` of heads another atom in bodies. Returns the new atoms by the old ones.
    fn copy_in_bodies(&mut self, heads: &HashSet<Var>) -> Result<HashMap<Var, Var>, Wrong> {
        let mut seen = HashSet::new();
        for rule in &self.program.rules {
            seen.extend(rule.body.lits().into_iter().map(Lit::var));
            seen.extend(rule.heads.iter().filter(|_| rule.is_choice));
        }
        let costs = self.costs.values().flatten().map(|(lit, _)| lit);
        let outputs = self.program.outputs.iter().flat_map(|output| &output.condition);
        let edges = self.edges.iter().flat_map(|(.., condition)| condition);
        seen.extend(costs.chain(outputs).chain(edges).map(|lit| lit.var()));
        let mut copies = HashMap::new();
        for at in 0..self.theory.atoms.len() {
            let Atom { atom, is_of_head, .. } = self.theory.atoms[at];
            let shared =
                atom.filter(|atom| is_of_head.is_none() && heads.contains(atom) && seen.contains(atom));
            if let Some(atom) = shared.filter(|atom| !copies.contains_key(atom)) {
                copies.insert(atom, self.fresh()?);
            }
        }
        let copy = |lit: &mut Lit| {
            if let Some(&other) = copies.get(&lit.var()) {
                *lit = Lit::new(other, lit.is_positive());
            }
        };
        let mut closed: BTreeSet<Var> = copies.values().copied().collect();
        for rule in &mut self.program.rules {
            match &mut rule.body {
                Body::All(lits) => {
                    lits.iter_mut().for_each(copy);
                    lits.sort_unstable();
                }
                Body::Sum(_, terms) => terms.iter_mut().for_each(|(lit, _)| copy(lit)),
            }
            // The rule that lets an atom be true or false is there for the sake of bodies.
            for head in rule.heads.iter_mut().filter(|_| rule.is_choice) {
                if let Some(&other) = copies.get(head) {
                    closed.remove(&other);
                    *head = other;
                }
            }
        }
        self.costs.values_mut().flatten().for_each(|(lit, _)| copy(lit));
        self.program.outputs.iter_mut().flat_map(|output| &mut output.condition).for_each(copy);
        self.edges.iter_mut().flat_map(|(.., condition)| condition).for_each(copy);
        closed.into_iter().for_each(|other| self.rule(true, vec![other], Body::All(Vec::new())));
        Ok(copies)
    }

    /// Adds what a literal says of a difference: if the literal holds, and, if it says something `both_ways`,
    /// the contrary if the literal does not hold.
    fn constrain(&mut self, lit: Lit, stated: Atom, both_ways: bool) -> Result<(), Wrong> {
        let Atom { ends: [from, to], relation, number, .. } = stated;
        match (relation, both_ways) {
            (Relation::AtMost, _) => self.at_most(lit, [from, to], number, both_ways),
            (Relation::Equal, false) => {
                self.at_most(lit, [from, to], number, false)?;
                self.at_least(lit, [from, to], number, false)
            }
            (Relation::Unequal, false) => {
                let [below, above] = [self.open()?, self.open()?];
                self.exclude(&[!below, !above, lit]);
                self.exclude(&[below, above]);
                self.exclude(&[below, !lit]);
                self.exclude(&[above, !lit]);
                self.at_most(below, [from, to], moved(number, -1)?, false)?;
                self.at_least(above, [from, to], moved(number, 1)?, false)
            }
            (Relation::Equal | Relation::Unequal, true) => {
                let equal = if relation == Relation::Equal { lit } else { !lit };
                let [below, above] = [self.open()?, self.open()?];
                self.exclude(&[equal, !below]);
                self.exclude(&[equal, !above]);
                self.exclude(&[below, above, !equal]);
                self.at_most(below, [from, to], number, true)?;
                self.at_least(above, [from, to], number, true)
            }
        }
    }

    fn at_most(&mut self, lit: Lit, ends: [End; 2], most: i64, both_ways: bool) -> Result<(), Wrong> {
        let [from, to] = ends;
        match (from, to) {
            (None, None) if most < 0 => self.exclude(&[lit]),
            (None, None) => {}
            _ => {
                let [from, to] = [from, to].map(|end| end.unwrap_or(u32::MAX));
                self.program.differences.push(Difference { lit, from, to, most });
            }
        }
        match both_ways {
            true => self.at_least(!lit, ends, moved(most, 1)?, false),
            false => Ok(()),
        }
    }

    fn at_least(&mut self, lit: Lit, [from, to]: [End; 2], least: i64, both_ways: bool) -> Result<(), Wrong> {
        self.at_most(lit, [to, from], least.checked_neg().ok_or(TOO_LARGE)?, both_ways)
    }

    /// A new atom.
    fn fresh(&mut self) -> Result<Var, Wrong> {
        let number = self.program.last_atom + 1;
        let too_many = ("the difference constraints need too many atoms", "use smaller numbers for atoms");
        (number <= MAX_NUMBER).then(|| self.atom(number)).ok_or(too_many)
    }

    /// A new atom that may be true or false.
    fn open(&mut self) -> Result<Lit, Wrong> {
        let atom = self.fresh()?;
        self.rule(true, vec![atom], Body::All(Vec::new()));
        Ok(Lit::new(atom, true))
    }

    fn exclude(&mut self, nogood: &[Lit]) {
        self.rule(false, Vec::new(), Body::All(nogood.to_vec()));
    }
}

fn moved(number: i64, by: i64) -> Result<i64, Wrong> {
    number.checked_add(by).ok_or(TOO_LARGE)
}
