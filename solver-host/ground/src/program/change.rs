//! Changes to a program that was read: assumptions, default directives, hidden names, and atoms for long conditions.
//!
//! Main functions: [`Program::assume`], [`Program::modify_domain`], [`Program::hide_auxiliary`],
//! [`Program::shorten_directives`] and [`Program::shorten_conditions`].

use std::mem::replace;

use solver_gpu::{Lit, Var};

use super::data::{Head, Heuristic, Modifier, Program};

/// What the domain heuristic does to atoms that no directive of the program is about, as clasp's `--dom-mod`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DomainModification {
    /// What is changed.
    pub modifier: Modifier,
    /// The level, sign, factor or initial score.
    pub bias: i32,
    /// Whether atoms in heads of disjunctions are meant.
    pub disjunctive: bool,
    /// Whether atoms in minimize statements are meant.
    pub minimized: bool,
    /// Whether atoms that are printed are meant. If none of the three is set, all atoms are meant.
    pub shown: bool,
}

impl DomainModification {
    /// Why domain recording refuses a modification that picks more than atoms.
    pub const PICKS_MORE: &str = "--enum-mode=domRec: --dom-mod picks a literal `not ATOM` or a condition of \
                                  several literals, which is no domain atom: pick atoms by #heuristic directives";
}

/// The program prints nothing under this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the program prints nothing under the name `{0}`")]
pub struct UnknownName(pub String);

impl Program {
    /// Demands that the name is printed in every answer set, or in none.
    ///
    /// # Errors
    /// If the program prints nothing under the name.
    pub fn assume(&mut self, name: &str, is_printed: bool) -> Result<(), UnknownName> {
        if let Some(negated) = self.negations.iter().position(|negation| negation == name) {
            let name = self.outputs[negated].name.clone();
            return self.assume(&name, !is_printed);
        }
        let conditions: Vec<Vec<Lit>> =
            self.outputs.iter().filter(|o| o.name == name).map(|o| o.condition.clone()).collect();
        if conditions.is_empty() {
            return Err(UnknownName(name.to_string()));
        }
        match (is_printed, &conditions[..]) {
            (false, _) => conditions.into_iter().for_each(|condition| self.exclude(condition)),
            (true, [condition]) => condition.iter().for_each(|&lit| self.exclude(vec![!lit])),
            (true, _) => {
                // Not all of the conditions are false. A long one gets an atom that stands for it.
                let stand_for = |condition: &Vec<Lit>| match condition[..] {
                    [lit] => lit,
                    _ => {
                        let printed = self.hidden();
                        self.push(Head::Atom(printed), condition);
                        Lit::t(printed)
                    }
                };
                let nogood = conditions.iter().map(stand_for).map(|lit| !lit).collect();
                self.exclude(nogood);
            }
        }
        Ok(())
    }

    /// Assumes that not all of the literals hold.
    fn exclude(&mut self, nogood: Vec<Lit>) {
        self.push(Head::Constraint, &nogood);
        self.assumed.push(nogood);
    }

    /// Numbers all atoms as [`Program::to_aspif`] does, as if they had been read.
    pub fn number_by_place(&mut self) {
        self.numbers = (1..=self.atoms).collect();
        self.largest_number = self.atoms;
    }

    /// Adds a heuristic directive for each atom that is meant and that no directive is about.
    pub fn modify_domain(&mut self, how: &DomainModification) {
        let is_picked = how.disjunctive || how.minimized || how.shown;
        let mut meant = vec![!is_picked; self.atoms as usize];
        let mut pick = |atom: Var| meant[atom.0 as usize] = true;
        if how.disjunctive {
            self.disjunctions.iter().flat_map(|rule| &rule.heads).for_each(|&atom| pick(atom));
        }
        if how.minimized {
            self.minimize.iter().flat_map(|level| &level.lits).for_each(|(lit, _)| pick(lit.var()));
        }
        if how.shown {
            self.outputs.iter().flat_map(|output| &output.condition).for_each(|lit| pick(lit.var()));
        }
        for directive in &self.heuristics {
            meant[directive.atom.0 as usize] = false;
        }
        let &DomainModification { modifier, bias, .. } = how;
        let atoms = (0..self.atoms).filter(|&atom| meant[atom as usize]).map(Var);
        let directive = |atom| Heuristic { atom, modifier, bias, priority: 0, condition: Vec::new() };
        self.heuristics.extend(atoms.map(directive));
    }

    /// Whether a modification picks atoms for the sake of something else: a negative literal that is shown
    /// or minimized, or a shown conjunction.
    pub fn picks_more_than_atoms(&self, how: &DomainModification) -> bool {
        let is_atom = |condition: &[Lit]| {
            matches!(condition, [] | [_]) && condition.iter().all(|lit| !lit.is_false_sign())
        };
        let mut costs = self.minimize.iter().flat_map(|level| &level.lits);
        how.shown && self.outputs.iter().any(|output| !is_atom(&output.condition))
            || how.minimized && costs.any(|(lit, _)| lit.is_false_sign())
    }

    /// Prints no name that begins with an underscore.
    pub fn hide_auxiliary(&mut self) {
        self.outputs.retain(|output| !output.name.starts_with('_'));
    }

    /// Whether a condition of a heuristic directive has several literals.
    pub fn has_long_directives(&self) -> bool {
        self.heuristics.iter().any(|directive| directive.condition.len() > 1)
    }

    /// Whether a condition of an output has several literals.
    pub fn has_long_conditions(&self) -> bool {
        self.outputs.iter().any(|output| output.condition.len() > 1)
    }

    /// Gives an atom of its own to each condition of a heuristic directive that has several literals.
    pub fn shorten_directives(&mut self) {
        for i in 0..self.heuristics.len() {
            if self.heuristics[i].condition.len() > 1 {
                let atom = self.hidden();
                let condition = replace(&mut self.heuristics[i].condition, vec![Lit::t(atom)]);
                self.push(Head::Atom(atom), &condition);
            }
        }
    }

    /// Gives an atom of its own to each condition of an output that has several literals.
    pub fn shorten_conditions(&mut self) {
        for i in 0..self.outputs.len() {
            if self.outputs[i].condition.len() > 1 {
                let atom = self.hidden();
                let condition = replace(&mut self.outputs[i].condition, vec![Lit::t(atom)]);
                self.push(Head::Atom(atom), &condition);
            }
        }
    }
}
