//! Translates disjunctive rules to normal rules, as far as that is possible.
//!
//! Main type: [`Shifted`]. `a | b :- B.` is *shifted* to `a :- B, not b. b :- B, not a.` The shifted program
//! has the same answer sets unless two heads of a rule are on one positive loop (a head cycle; Ben-Eliyahu
//! and Dechter 1994). For example, `a | b. a :- b. b :- a.` has the answer set `{a, b}`, and its shifted form
//! has none.
//!
//! The completion of the shifted form is right in any case: in an answer set each true atom has a rule whose
//! body holds and whose other heads are false. But more can found an atom: `a | b` can found both atoms at
//! once. A component with head cycles therefore has rules that only support and rules that only found (see
//! [`RuleKind`]). These rules admit too many models, so the search checks each model for smaller ones
//! (`search/minimality.rs`).
//!
//! A shifted rule has all other heads in its body, so `n` heads become `n (n - 1)` literals. Long heads
//! therefore get auxiliary atoms (see [`HeadTree`]).

use solver_gpu::{Lit, Var};

use super::components::components;
use super::head_tree::{none_of, HeadTree, Others};
use super::rows::Csr;
use super::rule_kind::RuleKind;
use std::cell::RefCell;
use yasmin_ground::program::Program;

/// The most atoms of a head that is shifted without auxiliary atoms, unless something else is asked for.
pub const LONGEST_HEAD: u32 = 16;

/// The components of the positive dependency graph, which decide how disjunctions are shifted.
pub struct Shifted {
    /// The component of each atom.
    pub component: Vec<u32>,
    /// Whether each component has a head cycle.
    pub has_cycle: Vec<bool>,
}

impl Shifted {
    /// Finds the components and the head cycles of a program.
    pub fn new(program: &Program) -> Shifted {
        let positive = |body: &[Lit]| -> Vec<u32> {
            body.iter().filter(|lit| !lit.is_false_sign()).map(|lit| lit.var().0).collect()
        };
        let mut edges: Vec<(usize, u32)> = Vec::new();
        for r in program.rule_ids() {
            if let Some(head) = program.head(r).atom() {
                edges.extend(positive(program.body(r)).into_iter().map(|q| (head.0 as usize, q)));
            }
        }
        for rule in &program.disjunctions {
            let body = positive(program.body_lits_of(rule.body));
            for head in &rule.heads {
                edges.extend(body.iter().map(|&q| (head.0 as usize, q)));
            }
        }
        for sum in &program.sums {
            let lits: Vec<Lit> = sum.lits.iter().map(|&(lit, _)| lit).collect();
            edges.extend(positive(&lits).into_iter().map(|q| (sum.atom.0 as usize, q)));
        }
        let (component, count) = components(&Csr::from_pairs(program.atoms as usize, edges.into_iter()));
        let mut has_cycle = vec![false; count as usize];
        for rule in &program.disjunctions {
            let mut of: Vec<(u32, Var)> =
                rule.heads.iter().map(|&head| (component[head.0 as usize], head)).collect();
            of.sort_unstable();
            of.dedup();
            of.windows(2)
                .filter(|pair| pair[0].0 == pair[1].0)
                .for_each(|p| has_cycle[p[0].0 as usize] = true);
        }
        Shifted { component, has_cycle }
    }

    /// Calls `add` with each rule that the disjunctions are shifted to: its head, its kind and its body.
    /// Heads of more than `longest` atoms get auxiliary atoms, numbered after the program's atoms. Returns
    /// how many atoms there are then.
    pub(super) fn each_rule(
        &self,
        program: &Program,
        longest: u32,
        add: &mut dyn FnMut(Var, RuleKind, &[Lit]),
    ) -> u32 {
        let (mut body, mut atoms) = (Vec::new(), program.atoms);
        for rule in &program.disjunctions {
            let mut heads = rule.heads.clone();
            heads.sort_unstable();
            heads.dedup();
            if heads.len() > longest as usize {
                self.each_rule_of_long(program.body_lits_of(rule.body), heads, longest, &mut atoms, add);
                continue;
            }
            for &head in &heads {
                let own = self.component[head.0 as usize];
                let mut shift = |kind: RuleKind, is_shifted: &dyn Fn(Var) -> bool| {
                    body.clear();
                    body.extend_from_slice(program.body_lits_of(rule.body));
                    body.extend(heads.iter().filter(|&&q| q != head && is_shifted(q)).map(|&q| Lit::f(q)));
                    add(head, kind, &body);
                };
                let beside = heads.iter().any(|&q| q != head && self.component[q.0 as usize] == own);
                if beside {
                    shift(RuleKind::Support, &|_| true);
                    shift(RuleKind::Founding, &|q| self.component[q.0 as usize] != own);
                } else {
                    shift(RuleKind::Normal, &|_| true);
                }
            }
        }
        atoms
    }

    /// Shifts one rule with a long head. `atoms` is the number of atoms so far, with auxiliary ones.
    fn each_rule_of_long(
        &self,
        body: &[Lit],
        mut heads: Vec<Var>,
        longest: u32,
        atoms: &mut u32,
        add: &mut dyn FnMut(Var, RuleKind, &[Lit]),
    ) {
        let component = |head: &Var| self.component[head.0 as usize];
        heads.sort_by_key(component);
        // The rules of the auxiliary atoms do not wait for those of the head's atoms, so both share `add`.
        let add = RefCell::new(add);
        let mut define = |of: &[Var]| {
            let some = Var(*atoms);
            *atoms += 1;
            of.iter().for_each(|&atom| add.borrow_mut()(some, RuleKind::Normal, &[Lit::t(atom)]));
            some
        };
        let shifted = |others: &[Var]| [body, &none_of(others).collect::<Vec<_>>()].concat();
        let groups = heads.chunk_by(|a, b| component(a) == component(b));
        HeadTree::visit(groups, longest as usize, &mut define, &mut |others: Others| {
            let mut add = add.borrow_mut();
            match others.of_other_groups {
                Some(of_other_groups) => {
                    add(others.head, RuleKind::Support, &shifted(others.all));
                    add(others.head, RuleKind::Founding, &shifted(of_other_groups));
                }
                None => add(others.head, RuleKind::Normal, &shifted(others.all)),
            }
        });
    }
}
