//! Computes what can be derived if negation is ignored: the least model of a selection of bodies.
//!
//! Main function: [`derivable`]. Simplification uses it twice. Over all bodies that are not false, an atom
//! that cannot be derived is unfounded: in `p :- q. q :- p. q :- r.` with `r` false, neither `p` nor `q` can
//! be derived. Over the bodies that are true, it separates true atoms with a derivation from atoms that only
//! a constraint such as `:- not p.` makes true.
//!
//! Paper, section 1 (`T_P` and ASP computations). The computation is linear, as each body
//! literal is counted down once.

use solver_gpu::{Lit, Var};

use super::rule_kind::RuleKind;
use super::rules::{Links, Rules};
use yasmin_ground::ids::BodyId;

/// The selection of bodies and literals that derivations may use.
pub(super) trait Usable {
    /// Whether body `b` may derive something.
    fn body(&self, b: BodyId) -> bool;
    /// Whether a usable body of a rule of this kind derives the head `p`.
    fn head(&self, p: u32, kind: RuleKind) -> bool;
    /// Whether a literal counts in a sum. A positive literal counts only once it is derived.
    fn counts(&self, lit: Lit) -> bool;
}

/// The least set of atoms with two properties. The set contains the heads of each usable body whose positive
/// atoms it contains, and the atom of each sum whose bound it reaches.
pub(super) fn derivable(rules: &Rules, links: &Links, usable: impl Usable) -> Vec<bool> {
    let mut model = Model { derived: vec![false; rules.atoms as usize], found: Vec::new() };
    let derive = |model: &mut Model, b: BodyId| {
        links.heads(b).filter(|&(p, kind)| usable.head(p, kind)).for_each(|(p, _)| model.add(p));
    };

    // The bodies of constraints derive nothing, and often most bodies are such.
    let mut missing = vec![0u32; rules.bodies.len()];
    for b in rules.body_ids().filter(|&b| links.has_heads(b)) {
        missing[b.index()] = rules.positive(b).count() as u32;
        if missing[b.index()] == 0 && usable.body(b) {
            derive(&mut model, b);
        }
    }
    let mut missing_weight: Vec<i64> = Vec::with_capacity(rules.sums.len());
    for sum in &rules.sums {
        let sure = sum.lits.iter().filter(|(lit, _)| lit.is_false_sign() && usable.counts(*lit));
        missing_weight.push(sum.bound - sure.map(|(_, weight)| weight).sum::<i64>());
        if *missing_weight.last().expect("just pushed") <= 0 {
            model.add(sum.atom.0);
        }
    }
    while let Some(p) = model.found.pop() {
        for &b in links.occurs.row(Lit::t(Var(p)).index()).iter().filter(|&&b| links.has_heads(b)) {
            missing[b.index()] -= 1;
            if missing[b.index()] == 0 && usable.body(b) {
                derive(&mut model, b);
            }
        }
        for (s, weight) in links.sums_with(Lit::t(Var(p))).filter(|_| usable.counts(Lit::t(Var(p)))) {
            let before = missing_weight[s as usize];
            missing_weight[s as usize] -= weight;
            if before > 0 && before <= weight {
                model.add(rules.sums[s as usize].atom.0);
            }
        }
    }
    model.derived
}

/// The atoms that were derived so far.
struct Model {
    derived: Vec<bool>,
    /// The derived atoms whose consequences were not looked at yet.
    found: Vec<u32>,
}

impl Model {
    fn add(&mut self, p: u32) {
        if !std::mem::replace(&mut self.derived[p as usize], true) {
            self.found.push(p);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::disjunctions::LONGEST_HEAD;
    use super::super::tests::program;
    use super::*;

    struct Everything;

    impl Usable for Everything {
        fn body(&self, _: BodyId) -> bool {
            true
        }
        fn head(&self, _: u32, kind: RuleKind) -> bool {
            kind.founds()
        }
        fn counts(&self, _: Lit) -> bool {
            true
        }
    }

    #[test]
    fn loops_need_a_start() {
        let check = |text: &str, expect: &[bool]| {
            let rules = Rules::shared(&program(text), LONGEST_HEAD);
            assert_eq!(derivable(&rules, &rules.links(), Everything), expect, "{text}");
        };
        check("a :- b. b :- a.", &[false, false]);
        check("a :- b. b :- a. a :- not c.", &[true, true, false]);
        check("a. b :- a, not c. c :- b, d.", &[true, true, false, false]);
    }
}
