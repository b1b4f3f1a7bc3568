//! Verifies a claim about an answer set, by the definition.
//!
//! Main function: [`Checker::check`]. A set of atoms is an answer set if it satisfies all rules and is the
//! least model of the program's reduct with respect to the set. In the reduct, a negative literal has the
//! value that the set gives it, also in a weight constraint, and a choice that was made is a rule. The check
//! first looks at each rule once, and then derives atoms until none is left to derive: each body counts its
//! positive literals that are not derived, and each weight constraint the weight that it lacks.
//!
//! A reduct with disjunctions has several minimal models. There a disjunctive rule derives its true heads if
//! they lie in one component of the positive dependency graph. If no component has two heads of one rule (the
//! program is head-cycle-free), this is the definition (Ben-Eliyahu and Dechter 1994). Else it is a necessary
//! condition, to which the check adds that some derived rule has each true atom as its only true head; that
//! no smaller set is a model is not verified.

use solver_gpu::{Lit, Var};

use super::components::components;
use super::flaw::Flaw;
use super::rows::Rows;
use crate::ids::{BodyId, RuleId};
use crate::program::{Head, Program};

/// What is claimed of a set of atoms, besides that it is an answer set.
pub struct Claim<'a> {
    /// Whether each atom of the program is in the set.
    pub holds: &'a [bool],
    /// The costs, highest priority first. `None` if nothing is said of them.
    pub costs: Option<&'a [i64]>,
    /// Whether the output of this number is printed of the set. `None` if nothing is said of that output.
    pub is_shown: &'a dyn Fn(usize) -> Option<bool>,
}

/// The rows of a program that a check needs: which bodies an atom is in, and which heads a body has.
///
/// They take at most as much memory as the program.
pub struct Checker {
    /// The bodies with a head in which each atom is a positive literal.
    bodies: Rows<u32>,
    /// The weight constraints in which each atom is a positive literal, with its weight there.
    sums: Rows<(u32, i64)>,
    /// The rules with a head of each body; the disjunctive rules are numbered after the others.
    rules: Rows<u32>,
    /// The component of each atom. Empty for a program without disjunctions.
    component: Vec<u32>,
}

/// Memory that checks of one program reuse.
#[derive(Default)]
pub struct Workspace {
    /// How many positive literals of each true body are not derived yet; [`FALSE`] for a false body.
    missing: Vec<u32>,
    /// The weight that each weight constraint lacks.
    lacking: Vec<i64>,
    /// What was found out about each atom: an OR of [`DERIVED`] and [`SUPPORTED`].
    known: Vec<u8>,
    /// Derived atoms whose bodies were not looked at yet.
    pending: Vec<Var>,
}

/// Stands for the number of literals that a false body misses. No true body has as many.
const FALSE: u32 = u32::MAX;

/// Something derives the atom.
const DERIVED: u8 = 1;
/// A rule with a true body has no other true head than the atom.
const SUPPORTED: u8 = 2;

impl Checker {
    /// Makes the rows of a program.
    ///
    /// # Panics
    /// If the program has 2^32 literals or more, which is more than a search takes.
    pub fn new(program: &Program) -> Checker {
        let rules = Rows::new(program.bodies(), |add| {
            for r in program.rule_ids().filter(|&r| program.head(r) != Head::Constraint) {
                add(program.body_of[r.index()].index(), r.0);
            }
            for (d, rule) in program.disjunctions.iter().enumerate() {
                add(rule.body.index(), (program.rules() + d) as u32);
            }
        });
        let atoms = program.atoms as usize;
        let is_positive = |lit: &&Lit| !lit.is_false_sign();
        let bodies = Rows::new(atoms, |add| {
            for b in (0..program.bodies()).filter(|&b| !rules.row(b).is_empty()) {
                let positive = program.body_lits_of(BodyId::new(b)).iter().filter(is_positive);
                positive.for_each(|lit| add(lit.var().0 as usize, b as u32));
            }
        });
        let sums = Rows::new(atoms, |add| {
            for (s, sum) in program.sums.iter().enumerate() {
                let positive = sum.lits.iter().filter(|(lit, _)| !lit.is_false_sign());
                positive.for_each(|&(lit, weight)| add(lit.var().0 as usize, (s as u32, weight)));
            }
        });
        let mut checker = Checker { bodies, sums, rules, component: Vec::new() };
        if !program.disjunctions.is_empty() {
            checker.component = checker.components(program);
        }
        checker
    }

    /// The component of each atom in the positive dependency graph. Bodies are nodes of the graph as well:
    /// the edges lead from atoms to bodies and from bodies to heads.
    fn components(&self, program: &Program) -> Vec<u32> {
        let atoms = program.atoms as usize;
        let successors = Rows::new(atoms + program.bodies(), |add| {
            for p in 0..atoms {
                self.bodies.row(p).iter().for_each(|&b| add(p, atoms as u32 + b));
                self.sums.row(p).iter().for_each(|&(s, _)| add(p, program.sums[s as usize].atom.0));
            }
            for b in 0..program.bodies() {
                for &r in self.rules.row(b) {
                    heads(program, r).iter().for_each(|head| add(atoms + b, head.0));
                }
            }
        });
        let mut component = components(&successors);
        component.truncate(atoms);
        component
    }

    /// Verifies a claim about the program that the checker was made of.
    ///
    /// # Errors
    /// The first flaw that was found.
    pub fn check(&self, program: &Program, claim: &Claim, work: &mut Workspace) -> Result<(), Flaw> {
        if claim.holds.len() != program.atoms as usize {
            return Err(Flaw::Atoms(claim.holds.len(), program.atoms as usize));
        }
        is_model(program, claim.holds, work)?;
        self.is_founded(program, claim.holds, work)?;
        let holds = |lit| holds(claim.holds, lit);
        if program.differences.as_ref().is_some_and(|differences| differences.values(holds).is_none()) {
            return Err(Flaw::Differences);
        }
        are_costs_right(program, claim)?;
        is_printed_right(program, claim)
    }

    /// Derives what the reduct derives, and demands that these are all true atoms. `work` is what
    /// [`is_model`] has left.
    fn is_founded(&self, program: &Program, in_set: &[bool], work: &mut Workspace) -> Result<(), Flaw> {
        work.known.clear();
        work.known.resize(in_set.len(), 0);
        work.pending.clear();
        for b in 0..program.bodies() {
            if work.missing[b] == 0 {
                self.derive_heads(program, b, in_set, work);
            }
        }
        for (s, sum) in program.sums.iter().enumerate() {
            if work.lacking[s] <= 0 {
                work.derive(sum.atom, DERIVED | SUPPORTED);
            }
        }
        while let Some(p) = work.pending.pop() {
            for &b in self.bodies.row(p.0 as usize) {
                let missing = &mut work.missing[b as usize];
                if *missing != FALSE {
                    *missing -= 1;
                    if *missing == 0 {
                        self.derive_heads(program, b as usize, in_set, work);
                    }
                }
            }
            for &(s, weight) in self.sums.row(p.0 as usize) {
                let lacking = &mut work.lacking[s as usize];
                *lacking = lacking.saturating_sub(weight);
                if *lacking <= 0 {
                    work.derive(program.sums[s as usize].atom, DERIVED | SUPPORTED);
                }
            }
        }
        let is_unfounded = |p: &usize| in_set[*p] && work.known[*p] != DERIVED | SUPPORTED;
        match (0..in_set.len()).find(is_unfounded) {
            Some(p) => Err(Flaw::unfounded(program, Var(p as u32))),
            None => Ok(()),
        }
    }

    /// Derives the heads of a body whose literals hold and are derived.
    fn derive_heads(&self, program: &Program, body: usize, in_set: &[bool], work: &mut Workspace) {
        for &r in self.rules.row(body) {
            let is_true = |p: &&Var| in_set[p.0 as usize];
            let true_heads = || heads(program, r).iter().filter(is_true).copied();
            let Some(first) = true_heads().next() else { continue };
            if true_heads().all(|p| p == first) {
                work.derive(first, DERIVED | SUPPORTED);
                continue;
            }
            let component = |p: Var| self.component[p.0 as usize];
            if true_heads().all(|p| component(p) == component(first)) {
                true_heads().for_each(|p| work.derive(p, DERIVED));
            }
        }
    }
}

impl Workspace {
    /// Notes how a true atom is derived.
    fn derive(&mut self, p: Var, how: u8) {
        let known = &mut self.known[p.0 as usize];
        if *known & DERIVED == 0 {
            self.pending.push(p);
        }
        *known |= how;
    }
}

/// The heads of the rule of this number; the disjunctive rules are numbered after the others.
fn heads(program: &Program, r: u32) -> &[Var] {
    match program.heads.get(r as usize) {
        Some(Head::Atom(p) | Head::Choice(p)) => std::slice::from_ref(p),
        Some(Head::Constraint) => &[],
        None => &program.disjunctions[r as usize - program.rules()].heads,
    }
}

/// Whether a literal holds in a set.
fn holds(in_set: &[bool], lit: Lit) -> bool {
    in_set[lit.var().0 as usize] != lit.is_false_sign()
}

/// Looks at each rule once. Leaves the positive literals of each true body in `missing`, and in `lacking`
/// what each weight constraint lacks without its positive literals.
fn is_model(program: &Program, in_set: &[bool], work: &mut Workspace) -> Result<(), Flaw> {
    work.missing.clear();
    work.missing.extend((0..program.bodies()).map(|b| {
        let lits = program.body_lits_of(BodyId::new(b));
        match lits.iter().all(|&lit| holds(in_set, lit)) {
            true => lits.iter().filter(|lit| !lit.is_false_sign()).count() as u32,
            false => FALSE,
        }
    }));
    for (r, (head, body)) in program.heads.iter().zip(&program.body_of).enumerate() {
        let is_satisfied = match head {
            Head::Choice(_) => true,
            Head::Atom(p) if in_set[p.0 as usize] => true,
            Head::Atom(_) | Head::Constraint => work.missing[body.index()] == FALSE,
        };
        if !is_satisfied {
            return Err(Flaw::Violated(RuleId::new(r)));
        }
    }
    for (d, rule) in program.disjunctions.iter().enumerate() {
        if work.missing[rule.body.index()] != FALSE && !rule.heads.iter().any(|p| in_set[p.0 as usize]) {
            return Err(Flaw::Disjunction(d));
        }
    }
    work.lacking.clear();
    for (s, sum) in program.sums.iter().enumerate() {
        // The weights of a sum add up to a number of 64 bits.
        let (mut reached, mut negative) = (0i64, 0i64);
        for &(lit, weight) in sum.lits.iter().filter(|(lit, _)| holds(in_set, *lit)) {
            reached += weight;
            negative += if lit.is_false_sign() { weight } else { 0 };
        }
        if in_set[sum.atom.0 as usize] != (reached >= sum.bound) {
            return Err(Flaw::Sum { sum: s, reached, bound: sum.bound });
        }
        work.lacking.push(sum.bound.saturating_sub(negative));
    }
    Ok(())
}

/// Adds up the costs once more.
fn are_costs_right(program: &Program, claim: &Claim) -> Result<(), Flaw> {
    let Some(claimed) = claim.costs else { return Ok(()) };
    let mut right = Vec::with_capacity(program.minimize.len());
    for level in &program.minimize {
        let mut cost = 0;
        for &(lit, weight) in &level.lits {
            cost += if holds(claim.holds, lit) { weight } else { 0 };
        }
        right.push(cost);
    }
    match right == claimed {
        true => Ok(()),
        false => Err(Flaw::Costs { claimed: claimed.to_vec(), right }),
    }
}

/// Compares what is said of each output with its condition.
fn is_printed_right(program: &Program, claim: &Claim) -> Result<(), Flaw> {
    for (i, output) in program.outputs.iter().enumerate() {
        let Some(is_shown) = (claim.is_shown)(i) else { continue };
        if is_shown != output.condition.iter().all(|&lit| holds(claim.holds, lit)) {
            return Err(Flaw::Shown(output.name.clone()));
        }
    }
    Ok(())
}
