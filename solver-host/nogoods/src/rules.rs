//! The rules of a program with their bodies as sorted sets, from which both translations start.
//!
//! Main functions: [`Rules::as_written`], in which each rule has a body of its own, and [`Rules::shared`], in
//! which equal bodies are shared and pointless rules are gone. Invariant: every body is sorted by literal and
//! has no literal twice, so that `Tp` and `Fp` are neighbours. Sums are in their normal form.

use solver_gpu::{Lit, Var};

use super::disjunctions::Shifted;
use super::lit_set::{is_tautological, load_set};
use super::meaning::{Meaning, Step};
use super::rows::{Csr, LitRows};
use super::rule_kind::RuleKind;
use super::sums::{self, Sum};
use yasmin_ground::ids::{BodyId, RuleId};
use yasmin_ground::program::{Head, Program};

/// A rule with a head, as [`Rules::rules`] lists it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// The rule's number.
    pub id: RuleId,
    /// The head's atom.
    pub head: u32,
    /// The rule's body.
    pub body: BodyId,
    /// What the rule says of its head.
    pub kind: RuleKind,
}

/// Rules and constraints over numbered bodies.
pub(super) struct Rules {
    /// How many atoms there are.
    pub atoms: u32,
    /// How many of the atoms, the first ones, are the program's. The others are auxiliary atoms of long
    /// disjunctive heads. These are not on positive loops, and not the atoms of sums.
    pub program_atoms: u32,
    /// All bodies: row `b` is the body with number `b`.
    pub bodies: LitRows,
    /// The head of each rule with a head.
    pub head: Vec<Var>,
    /// What each rule with a head says of its head.
    pub kind: Vec<RuleKind>,
    /// The body of each rule with a head.
    pub body: Vec<BodyId>,
    /// The bodies of the constraints.
    pub constraints: Vec<BodyId>,
    /// The weight constraints. Their atoms are in no head.
    pub sums: Vec<Sum>,
    /// For each atom the sum that defines the atom, or [`NO_SUM`]. Empty if there are no sums.
    sum_of: Vec<u32>,
}

const NO_SUM: u32 = u32::MAX;

/// Where in [`Rules`] literals, bodies and head atoms occur.
pub(super) struct Links {
    /// For each literal the bodies that contain the literal.
    pub occurs: Csr<BodyId>,
    /// For each literal its occurrences in sums, as indices of `sum_items`.
    sum_occurs: Csr,
    /// The number of the sum and the weight, for each literal of each sum.
    sum_items: Vec<(u32, i64)>,
    /// For each body the head atoms of its rules. Each is packed with the rule's [`RuleKind`].
    heads: Csr,
    /// For each atom the rules that support the atom.
    pub rules_of: Csr<RuleId>,
}

/// How many low bits of an item of [`Links::heads`] are the atom's. There are fewer than 2^30 atoms (see
/// `limits`).
const ATOM_BITS: u32 = 30;

impl Links {
    /// The head atoms of the rules with body `b`, each with the kind of its rule.
    pub fn heads(&self, b: BodyId) -> impl Iterator<Item = (u32, RuleKind)> + '_ {
        const KINDS: [RuleKind; 4] =
            [RuleKind::Normal, RuleKind::Choice, RuleKind::Support, RuleKind::Founding];
        let atom = (1 << ATOM_BITS) - 1;
        self.heads.row(b.index()).iter().map(move |&item| (item & atom, KINDS[(item >> ATOM_BITS) as usize]))
    }

    /// Whether a rule with a head has body `b`.
    pub fn has_heads(&self, b: BodyId) -> bool {
        !self.heads.row(b.index()).is_empty()
    }

    /// The numbers of the sums that contain `lit`, each with the literal's weight.
    pub fn sums_with(&self, lit: Lit) -> impl Iterator<Item = (u32, i64)> + '_ {
        self.sum_occurs.row(lit.index()).iter().map(|&item| self.sum_items[item as usize])
    }
}

impl Rules {
    /// All rules in the order of the program, each with a body of its own.
    /// Disjunctive heads of more than `longest_head` atoms get auxiliary atoms.
    pub fn as_written(program: &Program, longest_head: u32) -> Rules {
        let mut rules = Rules::empty(program.atoms);
        let mut set = Vec::new();
        let atoms = each_rule(program, longest_head, |head, body| {
            load_set(&mut set, body);
            let body = BodyId::new(rules.bodies.len());
            rules.bodies.push(&set);
            rules.add(head, body);
        });
        rules.atoms = atoms;
        rules.add_sums(program);
        rules
    }

    /// The rules without pointless ones, with equal bodies shared and equal rules once.
    ///
    /// - `p :- q, not q.` and `:- q, not q.` never apply.
    /// - `p :- p, q.` always holds and supports nothing new.
    /// - `p :- not p, q.` can only forbid: it is the constraint `:- not p, q.`
    ///
    /// Disjunctive heads of more than `longest_head` atoms get auxiliary atoms.
    pub fn shared(program: &Program, longest_head: u32) -> Rules {
        let mut rules = Rules::empty(program.atoms);
        let mut bodies = LitRows::with_room(program.bodies(), program.body_lits.len());
        let mut set = Vec::new();
        let atoms = each_rule(program, longest_head, |head, body| {
            load_set(&mut set, body);
            if is_tautological(&set) {
                return;
            }
            let head = match head {
                Some((p, _)) if set.binary_search(&Lit::t(p)).is_ok() => return,
                Some((p, kind)) if set.binary_search(&Lit::f(p)).is_ok() => match kind.forces() {
                    true => None,
                    false => return,
                },
                head => head,
            };
            // A choice over one body is many rules in a row, which share the body.
            if bodies.last() != Some(&set) {
                bodies.push(&set);
            }
            rules.add(head, BodyId::new(bodies.len() - 1));
        });
        if let Some(number) = bodies.unify() {
            rules.body.iter_mut().chain(&mut rules.constraints).for_each(|b| *b = BodyId(number[b.index()]));
        }
        (rules.bodies, rules.atoms) = (bodies, atoms);
        rules.add_sums(program);
        rules.remove_equal_rules();
        rules
    }

    fn empty(atoms: u32) -> Rules {
        Rules {
            atoms,
            program_atoms: atoms,
            bodies: LitRows::new(),
            head: Vec::new(),
            kind: Vec::new(),
            body: Vec::new(),
            constraints: Vec::new(),
            sums: Vec::new(),
            sum_of: Vec::new(),
        }
    }

    fn add(&mut self, head: Option<(Var, RuleKind)>, body: BodyId) {
        match head {
            Some((head, kind)) => {
                self.head.push(head);
                self.kind.push(kind);
                self.body.push(body);
            }
            None => self.constraints.push(body),
        }
    }

    /// Adds the sums. Sums that are conjunctions or disjunctions become rules.
    fn add_sums(&mut self, program: &Program) {
        for sum in &program.sums {
            match sums::normal_form(sum) {
                sums::Form::Never => {}
                sums::Form::All(lits) => self.add_body(sum.atom, &lits),
                sums::Form::Any(lits) => lits.iter().for_each(|&lit| self.add_body(sum.atom, &[lit])),
                sums::Form::Sum(sum) => self.sums.push(sum),
            }
        }
        if !self.sums.is_empty() {
            self.sum_of = vec![NO_SUM; self.atoms as usize];
            self.sums.iter().enumerate().for_each(|(i, sum)| self.sum_of[sum.atom.0 as usize] = i as u32);
        }
    }

    /// Adds a rule with a new body, unless the body never holds.
    fn add_body(&mut self, head: Var, body: &[Lit]) {
        let mut set = Vec::new();
        load_set(&mut set, body);
        if is_tautological(&set) {
            return;
        }
        self.add(Some((head, RuleKind::Normal)), BodyId::new(self.bodies.len()));
        self.bodies.push(&set);
    }

    fn remove_equal_rules(&mut self) {
        let rules_of =
            Csr::from_pairs(self.atoms as usize, self.rules().map(|rule| (rule.head as usize, rule.id)));
        // For each body the atom, plus 1, whose rule with that body was seen last, and that rule.
        let mut last = vec![(0, RuleId(0)); self.bodies.len()];
        let mut keep = vec![true; self.head.len()];
        for p in 0..self.atoms {
            for &r in rules_of.row(p as usize) {
                let last = &mut last[self.body[r.index()].index()];
                if last.0 == p + 1 {
                    let first = last.1.index();
                    self.kind[first] = self.kind[first].joined(self.kind[r.index()]);
                    keep[r.index()] = false;
                } else {
                    *last = (p + 1, r);
                }
            }
        }
        let mut kept = keep.iter();
        self.head.retain(|_| *kept.next().unwrap());
        let mut kept = keep.iter();
        self.kind.retain(|_| *kept.next().unwrap());
        let mut kept = keep.iter();
        self.body.retain(|_| *kept.next().unwrap());
        // Sorting by counting is linear, and there may be millions of constraints.
        let mut is_constraint = vec![false; self.bodies.len()];
        self.constraints.iter().for_each(|&b| is_constraint[b.index()] = true);
        self.constraints.clear();
        self.constraints.extend((0..).zip(is_constraint).filter(|(_, is)| *is).map(|(b, _)| BodyId(b)));
    }

    /// Tells what the auxiliary atoms of long heads stand for.
    pub fn explain_long_heads(&self, meaning: &mut Meaning) {
        if !meaning.is_wanted() || self.atoms == self.program_atoms {
            return;
        }
        meaning.fresh(self.atoms - self.program_atoms);
        let mut lits = vec![Vec::new(); (self.atoms - self.program_atoms) as usize];
        for rule in self.rules().filter(|rule| rule.head >= self.program_atoms) {
            lits[(rule.head - self.program_atoms) as usize].extend_from_slice(self.body_lits(rule.body));
        }
        for (atom, lits) in (self.program_atoms..).map(Var).zip(lits) {
            meaning.define_any(atom, lits);
        }
    }

    /// Tells that the bodies of constraints are false, where other rules have them too: such a constraint may have been a
    /// rule `a | b :- not a.`
    pub fn explain_constraints(&self, links: &Links, meaning: &mut Meaning) {
        if meaning.is_wanted() {
            for &body in self.constraints.iter().filter(|&&body| links.has_heads(body)) {
                let body = meaning.define(self.body_lits(body));
                meaning.step(Step::Nogood, &[Lit::t(body)]);
            }
        }
    }

    /// All body numbers, in order.
    pub fn body_ids(&self) -> impl Iterator<Item = BodyId> + Clone {
        (0..self.bodies.len()).map(BodyId::new)
    }

    /// The literals of body `b`.
    pub fn body_lits(&self, b: BodyId) -> &[Lit] {
        self.bodies.row(b.index())
    }

    /// All rules with a head, in order.
    pub fn rules(&self) -> impl Iterator<Item = Rule> + Clone + '_ {
        (0..self.head.len()).map(|r| Rule {
            id: RuleId::new(r),
            head: self.head[r].0,
            body: self.body[r],
            kind: self.kind[r],
        })
    }

    /// The number of the sum that defines atom `p`.
    pub fn number_of_sum(&self, p: u32) -> Option<u32> {
        self.sum_of.get(p as usize).copied().filter(|&s| s != NO_SUM)
    }

    /// The sum that defines atom `p`.
    pub fn sum_of(&self, p: u32) -> Option<&Sum> {
        self.number_of_sum(p).map(|s| &self.sums[s as usize])
    }

    /// The bodies that support atom `p`.
    pub fn bodies_of<'a>(&'a self, links: &'a Links, p: u32) -> impl Iterator<Item = BodyId> + 'a {
        links.rules_of.row(p as usize).iter().map(|&r| self.body[r.index()])
    }

    /// The atoms of the positive part of body `b`.
    pub fn positive(&self, b: BodyId) -> impl Iterator<Item = u32> + Clone + '_ {
        self.body_lits(b).iter().filter(|l| !l.is_false_sign()).map(|l| l.var().0)
    }

    /// The same rules, found by literals, bodies and head atoms.
    pub fn links(&self) -> Links {
        let (bodies, atoms) = (&self.bodies, self.atoms as usize);
        let occurrences =
            (0..bodies.len()).flat_map(|b| bodies.row(b).iter().map(move |l| (l.index(), BodyId::new(b))));
        let sum_lits = self.sums.iter().flat_map(|sum| sum.lits.iter());
        let sum_occurrences = sum_lits.enumerate().map(|(item, &(l, _))| (l.index(), item as u32));
        let sums = self.sums.iter().enumerate();
        let sum_items = sums.flat_map(|(i, sum)| sum.lits.iter().map(move |&(_, weight)| (i as u32, weight)));
        let heads = self.rules().map(|r| (r.body.index(), r.head | (r.kind as u32) << ATOM_BITS));
        let supports = self.rules().filter(|r| r.kind.supports()).map(|r| (r.head as usize, r.id));
        Links {
            occurs: Csr::from_pairs(2 * atoms, occurrences),
            sum_occurs: match self.sums.is_empty() {
                true => Csr { start: vec![0; 2 * atoms + 1], items: Vec::new() },
                false => Csr::from_pairs(2 * atoms, sum_occurrences),
            },
            sum_items: sum_items.collect(),
            heads: Csr::from_pairs(bodies.len(), heads),
            rules_of: Csr::from_pairs(atoms, supports),
        }
    }
}

/// Calls `add` with the head and the body of each rule of the program. Disjunctions are shifted, those of more
/// than `longest_head` atoms with auxiliary atoms. Returns how many atoms there are with these.
fn each_rule(
    program: &Program,
    longest_head: u32,
    mut add: impl FnMut(Option<(Var, RuleKind)>, &[Lit]),
) -> u32 {
    for r in program.rule_ids() {
        let head = match program.head(r) {
            Head::Constraint => None,
            Head::Atom(p) => Some((p, RuleKind::Normal)),
            Head::Choice(p) => Some((p, RuleKind::Choice)),
        };
        add(head, program.body(r));
    }
    if program.disjunctions.is_empty() {
        return program.atoms;
    }
    let mut add = |p, kind, body: &[Lit]| add(Some((p, kind)), body);
    Shifted::new(program).each_rule(program, longest_head, &mut add)
}

#[cfg(test)]
mod tests {
    use super::super::disjunctions::LONGEST_HEAD;
    use super::super::tests::program;
    use super::*;

    #[test]
    fn pointless_rules_go() {
        let check = |text: &str, heads: usize, constraints: usize, bodies: usize| {
            let rules = Rules::shared(&program(text), LONGEST_HEAD);
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
        assert_eq!(
            Rules::as_written(&program("p :- p, p. p :- not p. :- p."), LONGEST_HEAD).bodies.lits.len(),
            3
        );
    }
}
