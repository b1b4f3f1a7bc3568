//! Whether a model is an answer set: whether no true atoms can be taken away from the model of the reduct.
//!
//! Main type: [`Minimality`]. If atoms can be taken away from a model of the reduct, then atoms of one strongly connected
//! component alone can (Koch, Leone and Pfeifer, "Enhancing disjunctive logic programming systems by SAT checkers",
//! 2003). So each component with a cycle is searched by itself, with unit propagation and chronological backtracking. (An
//! atom of a component without cycles only needs a support.) Without disjunctions between atoms of the component the
//! nogoods are Horn: propagation alone derives one founded atom after the other, and nothing is searched.

use crate::components::Components;
use crate::program::{Body, Program};
use crate::propagate::Engine;
use crate::trusted::definitions::Definitions;
use crate::trusted::lit::{Lit, Var};
use crate::trusted::{Goal, Values};

/// A component with cycles.
#[derive(Debug, Default)]
struct Part {
    /// The atoms, in order.
    members: Vec<Var>,
    /// The rules with a head in the component.
    rules: Vec<u32>,
}

/// The components with cycles.
#[derive(Debug)]
pub struct Minimality {
    parts: Vec<Part>,
}

impl Minimality {
    /// Those of the components of a program that have cycles.
    pub fn new(program: &Program, components: &Components) -> Minimality {
        let mut parts: Vec<Part> = Vec::new();
        parts.resize_with(components.len(), Part::default);
        for var in (1..program.variables).map(Var) {
            parts[components.of(var)].members.push(var);
        }
        for (rule, number) in program.rules.iter().zip(0..) {
            for &head in &rule.heads {
                let rules = &mut parts[components.of(head)].rules;
                if rules.last() != Some(&number) {
                    rules.push(number);
                }
            }
        }
        let mut place = 0..;
        parts.retain(|_| place.next().is_some_and(|component| components.is_cyclic(component)));
        Minimality { parts }
    }

    /// An atom that can be taken away, perhaps with others, if there is one. All variables of the program have a value,
    /// every rule is satisfied, and every true atom has a support.
    pub fn removable(&self, program: &Program, values: &Values) -> Option<Var> {
        self.parts.iter().find_map(|part| part.removable(program, values))
    }
}

impl Part {
    fn removable(&self, program: &Program, values: &Values) -> Option<Var> {
        let is_true = |var: Var| values.is_true(Lit::new(var, true));
        // The atoms in question. A variable of the search says that the atom stays.
        let members: Vec<Var> = self.members.iter().copied().filter(|&var| is_true(var)).collect();
        let stays = |var: Var| {
            let place = members.binary_search(&var).ok()?;
            Some(Lit::new(Var(place as u32 + 1), true))
        };
        let mut search = Engine::new(members.len() as u32 + 1, Goal::default());
        let mut definitions = Definitions::default();
        for &number in &self.rules {
            let rule = &program.rules[number as usize];
            // What is left of a rule: literals that are not in question have their values.
            let body: Vec<Lit> = match &rule.body {
                Body::All(lits) if lits.iter().all(|&lit| values.is_true(lit)) => {
                    let positive = lits.iter().filter(|lit| lit.is_positive());
                    positive.filter_map(|lit| stays(lit.var())).collect()
                }
                Body::All(_) => continue,
                Body::Sum(bound, terms) => {
                    let mut bound = i128::from(*bound);
                    let mut rest = Vec::new();
                    for &(lit, weight) in terms.iter().filter(|(lit, _)| values.is_true(*lit)) {
                        match stays(lit.var()) {
                            Some(stays) => rest.push((stays, i128::from(weight))),
                            None => bound -= i128::from(weight),
                        }
                    }
                    vec![definitions.sum(&mut search, bound, rest)]
                }
            };
            let heads: Vec<Var> = rule.heads.iter().copied().filter(|&head| is_true(head)).collect();
            // Each head of a choice that is true is the head of a rule.
            for heads in heads.chunks(if rule.is_choice { 1 } else { heads.len().max(1) }) {
                // A head that is not in question stays, and satisfies the rule.
                if let Some(heads) = heads.iter().map(|&head| stays(head)).collect::<Option<Vec<Lit>>>() {
                    let not_heads = heads.into_iter().map(|head| !head);
                    search.add_permanent(not_heads.chain(body.iter().copied()).collect());
                }
            }
        }
        let all: Vec<Lit> = (1..=members.len() as u32).map(|var| Lit::new(Var(var), true)).collect();
        search.add_permanent(all.clone());
        search.settle();
        members.get(removed(&mut search, &all)?).copied()
    }
}

/// Searches for an assignment that violates no nogood. Returns the place of a false literal of `lits`.
fn removed(search: &mut Engine, lits: &[Lit]) -> Option<usize> {
    if search.is_refuted() {
        return None;
    }
    // For each assumption the place of its literal, and how many literals held before it.
    let mut assumed: Vec<(usize, usize)> = Vec::new();
    let mut from = 0;
    loop {
        let values = search.values();
        let Some(at) = (from..lits.len()).find(|&at| values.is_open(lits[at])) else {
            return lits.iter().position(|&lit| search.values().is_false(lit));
        };
        assumed.push((at, values.trail().len()));
        let mut result = search.assume(!lits[at]).and_then(|()| search.propagate());
        while result.is_err() {
            let (at, length) = assumed.pop()?;
            search.undo_to(length);
            result = search.assume(lits[at]).and_then(|()| search.propagate());
            from = at;
        }
    }
}
