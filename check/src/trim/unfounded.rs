//! Why atoms are unfounded under what is assumed, for steps `u` that propagation does not prove.
//!
//! Main function: [`explain`]. The checker's own judgement is in [`crate::loops`].

use std::collections::HashSet;

use super::engine::Engine;
use crate::completion::Completion;
use crate::program::{Body, Program};
use crate::trusted::lit::{Lit, Var};

/// Marks what the atoms of a set are unfounded for. Returns whether they are. What is assumed has been propagated.
pub fn explain(
    program: &Program,
    completion: &Completion,
    has_head_cycles: bool,
    engine: &mut Engine,
    set: &[Var],
) -> bool {
    let named: HashSet<Var> = set.iter().copied().collect();
    let is_named = |lit: Lit| lit.is_positive() && named.contains(&lit.var());
    for &atom in set {
        for &number in &completion.rules_of[atom.index()] {
            let rule = &program.rules[number as usize];
            let body = completion.bodies[number as usize];
            match &rule.body {
                Body::All(lits) if lits.iter().any(|&lit| is_named(lit)) => continue,
                Body::All(_) => {}
                sum => {
                    let values = engine.values();
                    if !sum.holds(|lit| !values.is_false(lit) && !is_named(lit)) {
                        let Body::Sum(_, terms) = sum else { continue };
                        for &(lit, _) in terms {
                            if engine.values().is_false(lit) && !is_named(lit) {
                                engine.need(!lit);
                            }
                        }
                        continue;
                    }
                }
            }
            if engine.values().is_false(body) {
                engine.need(!body);
                continue;
            }
            let others = rule.heads.iter().map(|&head| Lit::new(head, true)).filter(|_| !rule.is_choice);
            let outside: Vec<Lit> = others.clone().filter(|&head| !is_named(head)).collect();
            let others: Vec<Lit> = others.filter(|head| head.var() != atom).collect();
            let is_enough = has_head_cycles || others.len() == outside.len();
            if !is_impossible(engine, body, &outside) && (is_enough || !is_impossible(engine, body, &others))
            {
                return false;
            }
        }
    }
    true
}

/// Whether propagation finds a conflict if the body holds and the heads do not.
fn is_impossible(engine: &mut Engine, body: Lit, heads: &[Lit]) -> bool {
    let before = engine.length();
    let is_conflict = engine.refutes([body].into_iter().chain(heads.iter().map(|&head| !head)));
    engine.undo_to(before);
    is_conflict
}
