//! Reads theory atoms as difference constraints, as clingo-dl 1.5 does.
//!
//! Main function: [`Program::read_differences`]. An atom in a head means: if it holds, so does the
//! constraint. An atom in a body holds if and only if the constraint does. The grounder has one atom for both
//! where both are there, and the atom of the body becomes a new one here. A program of clingo-dl has the
//! names `__diff_h` and `__diff_b` for the two.

use std::collections::{HashMap, HashSet};

use solver_gpu::{Lit, Var};

use super::data::{Head, Program};
use super::differences::{Differences, Edge, TheoryError, ZERO};
use super::linear::linear;
use super::theory::{Theory, TheoryAtom};

/// What an atom says if it is false.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// Nothing, as in heads.
    OneWay,
    /// The contrary, as in bodies.
    BothWays,
}

/// The operator of a constraint.
#[derive(Clone, Copy)]
enum Relation {
    AtMost,
    AtLeast,
    Equal,
    Unequal,
}

impl Program {
    /// Whether an integer variable is minimized.
    pub fn minimizes_variable(&self) -> bool {
        self.differences.as_ref().is_some_and(|differences| differences.minimized.is_some())
    }

    /// Reads all theory atoms as difference constraints. A program without theory atoms stays as it is.
    ///
    /// # Errors
    /// If an atom is no difference constraint, or the numbers are too large.
    pub fn read_differences(&mut self) -> Result<(), TheoryError> {
        if self.theory.atoms.is_empty() {
            return Ok(());
        }
        for atom in &self.theory.atoms {
            if !matches!(self.theory.name_of(atom), "diff" | "__diff_h" | "__diff_b") {
                return Err(TheoryError::Unknown(self.theory.text_of(atom)));
            }
        }
        let theory = self.theory.clone();
        let (meanings, copies) = self.meanings();
        let mut reader = Reader {
            program: self,
            edges: Vec::new(),
            nodes: HashMap::new(),
            names: Vec::new(),
            open: Vec::new(),
        };
        for (lit, meaning, at) in meanings {
            reader.atom(&theory, &theory.atoms[at], lit, meaning)?;
        }
        let Reader { edges, names, open, .. } = reader;
        self.differences = Some(Differences::of(edges, names)?);
        self.number_after_atoms(&[copies, open].concat());
        Ok(())
    }

    /// Numbers atoms after the largest number of the file, before the atoms of a graph.
    fn number_after_atoms(&mut self, atoms: &[Var]) {
        let (last, added) = (self.largest_number, atoms.len() as u32);
        self.numbers.resize(self.atoms as usize, 0);
        self.numbers.iter_mut().filter(|number| **number > last).for_each(|number| *number += added);
        for (number, atom) in (last + 1..).zip(atoms) {
            self.numbers[atom.0 as usize] = number;
        }
        self.largest_number += added;
    }

    /// Looks for answer sets with lower and lower values of a variable, once the constraints were read.
    ///
    /// # Errors
    /// If there is no such variable.
    pub fn minimize_variable(&mut self, name: &str) -> Result<(), TheoryError> {
        let wrong = || TheoryError::NoVariable(name.into());
        let mut differences = self.differences.take().ok_or_else(wrong)?;
        let variable = differences.names.iter().position(|known| known == name).ok_or_else(wrong)? as u32;
        let fact = self.hidden();
        self.push(Head::Atom(fact), &[]);
        differences.minimize(variable, Lit::t(fact));
        self.differences = Some(differences);
        Ok(())
    }

    /// The literals of the atoms, with what they mean. Where a head and a body have the same atom, the body
    /// gets another one; these come, too, in the order of the theory atoms.
    fn meanings(&mut self) -> (Vec<(Lit, Meaning, usize)>, Vec<Var>) {
        let mut in_head: HashSet<Var> =
            self.disjunctions.iter().flat_map(|rule| rule.heads.clone()).collect();
        in_head.extend(self.heads.iter().filter_map(|head| match head {
            Head::Atom(atom) => Some(*atom),
            _ => None,
        }));
        let in_body = self.rename_in_bodies(&in_head);
        let mut new: HashSet<Var> = in_body.values().copied().collect();
        let (mut meanings, mut copies) = (Vec::new(), Vec::new());
        for at in 0..self.theory.atoms.len() {
            let TheoryAtom { atom, ref name, .. } = self.theory.atoms[at];
            let name = self.theory.symbol(*name).to_string();
            match atom {
                None => {
                    let fact = self.hidden();
                    self.push(Head::Atom(fact), &[]);
                    meanings.push((Lit::t(fact), Meaning::OneWay, at));
                }
                Some(atom) if name == "__diff_h" => meanings.push((Lit::t(atom), Meaning::OneWay, at)),
                Some(atom) if name == "__diff_b" => meanings.push((Lit::t(atom), Meaning::BothWays, at)),
                Some(atom) if in_head.contains(&atom) => {
                    meanings.push((Lit::t(atom), Meaning::OneWay, at));
                    if let Some(&other) = in_body.get(&atom) {
                        copies.extend(new.take(&other));
                        meanings.push((Lit::t(other), Meaning::BothWays, at));
                    }
                }
                Some(atom) => meanings.push((Lit::t(atom), Meaning::BothWays, at)),
            }
        }
        (meanings, copies)
    }

    /// Gives those atoms of `&diff` that heads have another name in bodies. Returns the new atoms by the old
    /// ones.
    fn rename_in_bodies(&mut self, in_head: &HashSet<Var>) -> HashMap<Var, Var> {
        let is_diff = |atom: &&TheoryAtom| self.theory.name_of(atom) == "diff";
        let atoms = self.theory.atoms.iter().filter(is_diff).filter_map(|atom| atom.atom);
        let shared: HashSet<Var> = atoms.filter(|atom| in_head.contains(atom)).collect();
        let (mut renamed, mut end) = (HashMap::new(), self.atoms);
        let mut other_of = |atom: Var| {
            shared.contains(&atom).then(|| {
                *renamed.entry(atom).or_insert_with(|| {
                    end += 1;
                    Var(end - 1)
                })
            })
        };
        let sums = self.sums.iter_mut().flat_map(|sum| &mut sum.lits).map(|(lit, _)| lit);
        let costs = self.minimize.iter_mut().flat_map(|level| &mut level.lits).map(|(lit, _)| lit);
        let outputs = self.outputs.iter_mut().flat_map(|output| &mut output.condition);
        for lit in self.body_lits.iter_mut().chain(sums).chain(costs).chain(outputs) {
            if let Some(other) = other_of(lit.var()) {
                *lit = Lit::new(other, !lit.is_false_sign());
            }
        }
        // The rule that lets an atom be true or false is there for the sake of bodies.
        let mut is_open = HashSet::new();
        for head in &mut self.heads {
            if let Head::Choice(atom) = *head {
                if let Some(other) = other_of(atom) {
                    *head = Head::Choice(other);
                    is_open.insert(other);
                }
            }
        }
        // A directive means the atom of the body, if there is one.
        for lit in self.heuristics.iter_mut().flat_map(|directive| &mut directive.condition) {
            if let Some(&other) = renamed.get(&lit.var()) {
                *lit = Lit::new(other, !lit.is_false_sign());
            }
        }
        self.atoms = end;
        let closed: Vec<Var> = renamed.values().filter(|&other| !is_open.contains(other)).copied().collect();
        closed.into_iter().for_each(|other| self.push(Head::Choice(other), &[]));
        renamed
    }
}

/// Reads the atoms of a program.
struct Reader<'p> {
    program: &'p mut Program,
    edges: Vec<Edge>,
    /// The node of each variable.
    nodes: HashMap<String, u32>,
    names: Vec<String>,
    /// The atoms of sides of `=` and `!=`.
    open: Vec<Var>,
}

impl Reader<'_> {
    /// Reads an atom, which is that literal.
    fn atom(
        &mut self,
        theory: &Theory,
        atom: &TheoryAtom,
        lit: Lit,
        meaning: Meaning,
    ) -> Result<(), TheoryError> {
        let wrong = |what| TheoryError::NoDifference { atom: theory.text_of(atom), what };
        let (Some((operator, right)), [element]) = (atom.guard, &atom.elements[..]) else {
            return Err(wrong("it has the form `&diff{u - v} <= k`"));
        };
        let element = &theory.elements[element.index()];
        let ([left], []) = (&element.terms[..], &element.condition[..]) else {
            return Err(wrong("it has one element, without a condition"));
        };
        let mut node = |name: String| {
            let next = self.names.len() as u32;
            *self.nodes.entry(name).or_insert_with_key(|name| {
                self.names.push(name.clone());
                next
            })
        };
        // In this order variables are printed.
        let right = linear(theory, right, &mut node).map_err(wrong)?;
        let left = linear(theory, *left, &mut node).map_err(wrong)?;
        let most = right.constant.checked_sub(left.constant).ok_or(TheoryError::TooLarge)?;
        let mut sum: Vec<(i64, u32)> = Vec::new();
        let negated = right.terms.into_iter().map(|(factor, node)| (factor.checked_neg(), node));
        for (factor, node) in negated.chain(left.terms.into_iter().map(|(factor, node)| (Some(factor), node)))
        {
            let factor = factor.ok_or(TheoryError::TooLarge)?;
            match sum.iter_mut().find(|(_, of)| *of == node) {
                Some((known, _)) => *known = known.checked_add(factor).ok_or(TheoryError::TooLarge)?,
                None => sum.push((factor, node)),
            }
        }
        sum.retain(|&(factor, _)| factor != 0);
        let ends = match sum[..] {
            [] => [ZERO, ZERO],
            [(1, from)] => [from, ZERO],
            [(-1, to)] => [ZERO, to],
            [(1, from), (-1, to)] | [(-1, to), (1, from)] => [from, to],
            _ => return Err(wrong("it is about more than the difference of two variables")),
        };
        let (relation, shift) = match theory.symbol(operator) {
            "<=" => (Relation::AtMost, 0),
            "<" => (Relation::AtMost, -1),
            ">=" => (Relation::AtLeast, 0),
            ">" => (Relation::AtLeast, 1),
            "=" => (Relation::Equal, 0),
            "!=" => (Relation::Unequal, 0),
            _ => return Err(wrong("its operator is none of <=, <, >=, >, = and !=")),
        };
        self.constrain(lit, ends, relation, moved(most, shift)?, meaning)
    }

    /// Adds the edges of a constraint: the difference of the ends in a relation to a number.
    fn constrain(
        &mut self,
        lit: Lit,
        ends: [u32; 2],
        relation: Relation,
        number: i64,
        meaning: Meaning,
    ) -> Result<(), TheoryError> {
        use Meaning::{BothWays, OneWay};
        use Relation::{AtLeast, AtMost, Equal, Unequal};
        let [from, to] = ends;
        match (relation, meaning) {
            (AtMost, _) => {
                self.edge(lit, from, to, number);
                if meaning == BothWays {
                    self.constrain(!lit, ends, AtLeast, moved(number, 1)?, OneWay)?;
                }
                Ok(())
            }
            (AtLeast, _) => {
                let number = number.checked_neg().ok_or(TheoryError::TooLarge)?;
                self.constrain(lit, [to, from], AtMost, number, meaning)
            }
            (Equal, OneWay) => {
                self.constrain(lit, ends, AtMost, number, OneWay)?;
                self.constrain(lit, ends, AtLeast, number, OneWay)
            }
            (Equal, BothWays) => {
                let [below, above] = [self.open(), self.open()];
                self.exclude(&[lit, !below]);
                self.exclude(&[lit, !above]);
                self.exclude(&[below, above, !lit]);
                self.constrain(below, ends, AtMost, number, BothWays)?;
                self.constrain(above, ends, AtLeast, number, BothWays)
            }
            (Unequal, OneWay) => {
                let [below, above] = [self.open(), self.open()];
                self.exclude(&[!below, !above, lit]);
                self.exclude(&[below, above]);
                self.exclude(&[below, !lit]);
                self.exclude(&[above, !lit]);
                self.constrain(below, ends, AtMost, moved(number, -1)?, OneWay)?;
                self.constrain(above, ends, AtLeast, moved(number, 1)?, OneWay)
            }
            (Unequal, BothWays) => self.constrain(!lit, ends, Equal, number, BothWays),
        }
    }

    fn edge(&mut self, lit: Lit, from: u32, to: u32, most: i64) {
        match (from, to) {
            (ZERO, ZERO) if most < 0 => self.exclude(&[lit]),
            (ZERO, ZERO) => {}
            _ => self.edges.push(Edge { lit, from, to, most }),
        }
    }

    /// A literal of an atom that may be true or false.
    fn open(&mut self) -> Lit {
        let atom = self.program.hidden();
        self.program.push(Head::Choice(atom), &[]);
        self.open.push(atom);
        Lit::t(atom)
    }

    fn exclude(&mut self, nogood: &[Lit]) {
        self.program.push(Head::Constraint, nogood);
    }
}

fn moved(number: i64, by: i64) -> Result<i64, TheoryError> {
    number.checked_add(by).ok_or(TheoryError::TooLarge)
}

#[cfg(test)]
mod tests;
