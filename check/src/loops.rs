//! Loop nogoods: whether atoms are unfounded under what is assumed.
//!
//! Main function: [`Loops::founded`]. A set of atoms is unfounded if no rule with a head in the set supports
//! it. A rule is no support if its body is false, if its body does not hold without atoms of the set, or if a
//! head outside the set is true (Leone, Rullo and Scarcello 1997; Alviano and others for sums). Which of
//! these is the case may be open. So a rule is no support either if propagation finds a conflict from its
//! body and the complements of its heads outside the set.

use std::collections::HashSet;

use crate::completion::Completion;
use crate::components::Components;
use crate::program::{Program, Rule};
use crate::propagate::Engine;
use crate::trusted::lit::{Lit, Var};
use crate::trusted::Cause;

/// What is known of the program's loops.
#[derive(Debug)]
pub struct Loops {
    /// Whether a disjunctive rule has two heads in one component.
    pub has_head_cycles: bool,
}

impl Loops {
    /// Looks at a program with these components.
    pub fn new(program: &Program, components: &Components) -> Loops {
        let has_head_cycle = |rule: &Rule| {
            let mut seen = HashSet::new();
            !rule.is_choice && !rule.heads.iter().all(|&head| seen.insert(components.of(head)))
        };
        Loops { has_head_cycles: program.rules.iter().any(has_head_cycle) }
    }

    /// An atom of the set that a rule from outside may found, if there is one. Unless it `propagates`, the
    /// function looks at nothing but what holds; otherwise what is assumed has been propagated.
    pub fn founded(
        &self,
        program: &Program,
        completion: &Completion,
        engine: &mut Engine,
        set: &[Var],
        propagates: bool,
    ) -> Option<Var> {
        let named: HashSet<Var> = set.iter().copied().collect();
        let is_named = |lit: Lit| lit.is_positive() && named.contains(&lit.var());
        for &atom in set {
            for &number in &completion.rules_of[atom.index()] {
                let rule = &program.rules[number as usize];
                let body = completion.bodies[number as usize];
                let values = engine.values();
                let may_hold = rule.body.holds(|lit| !values.is_false(lit) && !is_named(lit));
                if !may_hold || values.is_false(body) {
                    engine.record(|record, known| {
                        let mut lits =
                            if known.values.is_false(body) { vec![body] } else { rule.body.lits() };
                        lits.retain(|&lit| known.values.is_false(lit) && !is_named(lit));
                        record.explain(known, Cause::Assumed, lits.into_iter());
                    });
                    continue;
                }
                if !propagates {
                    return Some(atom);
                }
                let others = rule.heads.iter().map(|&head| Lit::new(head, true)).filter(|_| !rule.is_choice);
                let outside: Vec<Lit> = others.clone().filter(|&head| !is_named(head)).collect();
                if is_impossible(engine, body, &outside) {
                    continue;
                }
                // Without head cycles a rule founds a head only if all its other heads are false, those of
                // the set too.
                let others: Vec<Lit> = others.filter(|head| head.var() != atom).collect();
                if self.has_head_cycles
                    || others.len() == outside.len()
                    || !is_impossible(engine, body, &others)
                {
                    return Some(atom);
                }
            }
        }
        None
    }
}

/// Whether propagation finds a conflict if the body holds and the heads do not.
fn is_impossible(engine: &mut Engine, body: Lit, heads: &[Lit]) -> bool {
    let before = engine.values().trail().len();
    let is_conflict = engine.assume(body).is_err()
        || heads.iter().any(|&head| engine.assume(!head).is_err())
        || engine.propagate().is_err();
    if is_conflict {
        engine.explain(&[&[body], &heads.iter().map(|&head| !head).collect::<Vec<Lit>>()[..]].concat());
    }
    engine.undo_to(before);
    is_conflict
}
