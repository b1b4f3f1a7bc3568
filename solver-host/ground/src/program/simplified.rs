//! A program without what is known of its atoms, for those who want to look at it.
//!
//! Main function: [`Program::simplified`]. Invariant: an atom that is true in every answer set is a fact only if it
//! follows from facts. Another such atom keeps its rules, because something has to found it.

use std::collections::HashSet;

use solver_gpu::{Lit, Var};

use super::data::{Head, Output, Program};

impl Program {
    /// A program with the same answer sets, without rules that never apply and without literals that always hold.
    /// `known` says of an atom whether the atom is true in every answer set, or in none. Weight constraints stay as
    /// they are.
    pub fn simplified(&self, known: impl Fn(Var) -> Option<bool>) -> Program {
        let mut simple = Program {
            atoms: self.atoms,
            body_start: vec![0],
            sums: self.sums.clone(),
            minimize: self.minimize.clone(),
            projection: self.projection.clone(),
            heuristics: self.heuristics.clone(),
            theory: self.theory.clone(),
            ..Program::default()
        };
        let sums: HashSet<Var> = self.sums.iter().map(|sum| sum.atom).collect();
        // What reads the program lets atoms of these be true without a rule.
        let of_theory = self.theory.atoms.iter().filter_map(|atom| atom.atom);
        let stated: HashSet<Var> = sums.iter().copied().chain(of_theory).collect();
        let facts = self.facts(&known);
        // The literals that are left of a conjunction; none if the conjunction cannot hold.
        let left = |lits: &[Lit]| -> Option<Vec<Lit>> {
            let holds = |lit: Lit| known(lit.var()).map(|value| value != lit.is_false_sign());
            let stays = |lit: Lit| match lit.is_false_sign() {
                true => holds(lit) != Some(true) || sums.contains(&lit.var()),
                false => !facts[lit.var().0 as usize],
            };
            lits.iter()
                .all(|&lit| holds(lit) != Some(false))
                .then(|| lits.iter().copied().filter(|&lit| stays(lit)).collect())
        };
        for atom in (0..self.atoms).map(Var) {
            match known(atom) {
                // Nothing need be known of facts if nothing was simplified.
                Some(true) | None if facts[atom.0 as usize] => simple.push(Head::Atom(atom), &[]),
                Some(true) => simple.push(Head::Constraint, &[Lit::f(atom)]),
                // Other atoms that are false are in no head.
                Some(false) if stated.contains(&atom) => simple.push(Head::Constraint, &[Lit::t(atom)]),
                _ => {}
            }
        }
        for r in self.rule_ids() {
            let Some(body) = left(self.body(r)) else { continue };
            let head = self.head(r).atom();
            match (self.head(r), head.and_then(&known)) {
                _ if head.is_some_and(|atom| facts[atom.0 as usize]) => {}
                (Head::Choice(_), Some(false)) => {}
                (Head::Atom(_), Some(false)) => simple.push(Head::Constraint, &body),
                (head, _) => simple.push(head, &body),
            }
        }
        for rule in &self.disjunctions {
            let Some(body) = left(self.body_lits_of(rule.body)) else { continue };
            if rule.heads.iter().any(|head| facts[head.0 as usize]) {
                continue;
            }
            let heads: Vec<Var> = rule.heads.iter().copied().filter(|&p| known(p) != Some(false)).collect();
            match heads[..] {
                [] => simple.push(Head::Constraint, &body),
                [head] => simple.push(Head::Atom(head), &body),
                _ => simple.push_disjunction(heads, &body),
            }
        }
        for output in &self.outputs {
            if let Some(condition) = left(&output.condition) {
                simple.outputs.push(Output { name: output.name.clone(), condition });
            }
        }
        simple
    }

    /// The atoms that follow from facts, once negative literals that always hold are left out (Dowling, Gallier
    /// 1984).
    fn facts(&self, known: impl Fn(Var) -> Option<bool>) -> Vec<bool> {
        let mut facts = vec![false; self.atoms as usize];
        let mut waits: Vec<Vec<usize>> = vec![Vec::new(); self.atoms as usize];
        let mut missing = Vec::new();
        let mut found = Vec::new();
        for (index, r) in self.rule_ids().enumerate() {
            let body = self.body(r);
            let positive: HashSet<Var> =
                body.iter().filter(|lit| !lit.is_false_sign()).map(|lit| lit.var()).collect();
            let applies = body.iter().all(|lit| !lit.is_false_sign() || known(lit.var()) == Some(false));
            missing.push(positive.len());
            let Head::Atom(head) = self.head(r) else { continue };
            if applies {
                positive.iter().for_each(|atom| waits[atom.0 as usize].push(index));
                if positive.is_empty() {
                    found.push(head);
                }
            }
        }
        while let Some(atom) = found.pop() {
            if !std::mem::replace(&mut facts[atom.0 as usize], true) {
                for &rule in &waits[atom.0 as usize] {
                    missing[rule] -= 1;
                    if missing[rule] == 0 {
                        found.extend(self.heads[rule].atom());
                    }
                }
            }
        }
        facts
    }
}
