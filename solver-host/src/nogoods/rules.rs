//! The rules of a program with their bodies as sorted sets: what both translations start from.
//!
//! Main functions: [`Rules::as_written`] (a body a rule) and [`Rules::shared`] (equal bodies once, pointless rules
//! gone). Invariant: every body is sorted by literal and has no literal twice, so that `Tp` and `Fp` are neighbours.

use solver_gpu::{Lit, Var};

use super::rows::{LitRows, UniqueRows};
use super::Csr;
use crate::program::Program;

/// Rules and constraints over numbered bodies.
pub(super) struct Rules {
    /// How many atoms there are.
    pub atoms: u32,
    /// All bodies.
    pub bodies: LitRows,
    /// Head of each rule with a head.
    pub head: Vec<Var>,
    /// The number of its body.
    pub body: Vec<u32>,
    /// The numbers of the constraints' bodies.
    pub constraints: Vec<u32>,
}

/// [`Rules`] seen from the other sides.
pub(super) struct Links {
    /// For each literal the bodies it stands in.
    pub occurs: Csr,
    /// For each body the atoms it supports.
    pub heads: Csr,
    /// For each atom the bodies that support it.
    pub bodies_of: Csr,
}

impl Rules {
    /// All rules in the order of the program, each with a body of its own.
    pub fn as_written(program: &Program) -> Rules {
        let mut rules = Rules::empty(program);
        let mut set = Vec::new();
        for r in 0..program.rules() {
            load_set(&mut set, program.body(r));
            let body = rules.bodies.len() as u32;
            rules.bodies.push(&set);
            rules.add(program.heads[r].atom(), body);
        }
        rules
    }

    /// The rules without those that say nothing, equal bodies shared, equal rules once:
    ///
    /// - `p :- q, not q.` and `:- q, not q.` never apply;
    /// - `p :- p, q.` holds always and supports nothing that is not there already;
    /// - `p :- not p, q.` can only forbid: it is the constraint `:- not p, q.`
    pub fn shared(program: &Program) -> Rules {
        let mut rules = Rules::empty(program);
        let mut bodies = UniqueRows::new();
        let mut set = Vec::new();
        for r in 0..program.rules() {
            load_set(&mut set, program.body(r));
            if is_tautological(&set) {
                continue;
            }
            let head = match program.heads[r].atom() {
                Some(p) if set.binary_search(&Lit::t(p)).is_ok() => continue,
                Some(p) if set.binary_search(&Lit::f(p)).is_ok() => None,
                head => head,
            };
            let body = bodies.intern(&set);
            rules.add(head, body);
        }
        rules.bodies = bodies.rows;
        rules.remove_equal_rules();
        rules
    }

    fn empty(program: &Program) -> Rules {
        let atoms = program.atoms;
        Rules { atoms, bodies: LitRows::new(), head: Vec::new(), body: Vec::new(), constraints: Vec::new() }
    }

    fn add(&mut self, head: Option<Var>, body: u32) {
        match head {
            Some(head) => {
                self.head.push(head);
                self.body.push(body);
            }
            None => self.constraints.push(body),
        }
    }

    fn remove_equal_rules(&mut self) {
        let rules_of = Csr::from_pairs(self.atoms as usize, self.rules().map(|(r, p, _)| (p as usize, r)));
        let mut last_head = vec![u32::MAX; self.bodies.len()];
        let mut keep = vec![true; self.head.len()];
        for p in 0..self.atoms {
            for &r in rules_of.row(p as usize) {
                let last = &mut last_head[self.body[r as usize] as usize];
                keep[r as usize] = *last != p;
                *last = p;
            }
        }
        let mut kept = keep.iter();
        self.head.retain(|_| *kept.next().unwrap());
        let mut kept = keep.iter();
        self.body.retain(|_| *kept.next().unwrap());
        self.constraints.sort_unstable();
        self.constraints.dedup();
    }

    /// `(rule, head, body)` of each rule with a head.
    pub fn rules(&self) -> impl Iterator<Item = (u32, u32, u32)> + Clone + '_ {
        (0..self.head.len()).map(|r| (r as u32, self.head[r].0, self.body[r]))
    }

    /// The atoms of the positive part of body `b`.
    pub fn positive(&self, b: u32) -> impl Iterator<Item = u32> + Clone + '_ {
        self.bodies.row(b as usize).iter().filter(|l| !l.is_false_sign()).map(|l| l.var().0)
    }

    /// The other directions.
    pub fn links(&self) -> Links {
        let bodies = &self.bodies;
        let occurrences =
            (0..bodies.len()).flat_map(|b| bodies.row(b).iter().map(move |l| (l.index(), b as u32)));
        Links {
            occurs: Csr::from_pairs(2 * self.atoms as usize, occurrences),
            heads: Csr::from_pairs(bodies.len(), self.rules().map(|(_, p, b)| (b as usize, p))),
            bodies_of: Csr::from_pairs(self.atoms as usize, self.rules().map(|(_, p, b)| (p as usize, b))),
        }
    }
}

fn load_set(set: &mut Vec<Lit>, lits: &[Lit]) {
    set.clear();
    set.extend_from_slice(lits);
    set.sort_unstable();
    set.dedup();
}

/// Whether a sorted set has a variable with both signs, so that it can never hold.
pub(super) fn is_tautological(sorted: &[Lit]) -> bool {
    sorted.windows(2).any(|pair| pair[0] == !pair[1])
}

#[cfg(test)]
mod tests {
    use super::super::tests::program;
    use super::*;

    #[test]
    fn pointless_rules_go() {
        let check = |text: &str, heads: usize, constraints: usize, bodies: usize| {
            let rules = Rules::shared(&program(text));
            assert_eq!(
                (rules.head.len(), rules.constraints.len(), rules.bodies.len()),
                (heads, constraints, bodies)
            );
        };
        check("p :- p. p :- p, not q.", 0, 0, 0);
        check("p :- q, not q. :- q, not q.", 0, 0, 0);
        check("p :- not p, q. :- not p, q.", 0, 1, 1);
        check("p :- a, not b, a. p :- not b, a. q :- a, not b.", 2, 0, 1);
        check("p. q. p.", 2, 0, 1);
        assert_eq!(Rules::as_written(&program("p :- p, p. p :- not p. :- p.")).bodies.lits.len(), 3);
    }
}
