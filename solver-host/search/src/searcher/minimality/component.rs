//! A component with a head cycle: the program of its test for smaller models, and the loop nogoods of its
//! unfounded sets.
//!
//! Main functions: [`Component::test`], [`Component::part`] and [`Component::nogood`].

use solver_gpu::{Lit, Var};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use yasmin_ground::program::{BuildError, Program, ProgramBuilder};
use yasmin_nogoods::Csr;

/// A component with a head cycle: its atoms, and the rules and sums that may found them.
#[derive(Default)]
pub(super) struct Component {
    /// In ascending order. The number of an atom is its place here.
    pub atoms: Vec<Var>,
    pub rules: Vec<Rule>,
    /// The indices of the component's sums in the program.
    pub sums: Vec<usize>,
    /// For each atom the rules with the atom as a head, after [`Component::indexed`].
    founding: Csr,
}

/// A rule that may found atoms of a component.
pub(super) struct Rule {
    /// Different atoms.
    pub heads: Vec<Var>,
    pub body: Vec<Lit>,
}

/// A set of a component's atoms: whether each of them is in it.
pub(super) type Set = Vec<bool>;

/// The inputs of a test's program.
#[derive(Default)]
struct Inputs(BTreeMap<Lit, Var>);

impl Inputs {
    /// The input that says that `lit` holds or is open.
    fn of(&mut self, b: &mut ProgramBuilder, lit: Lit) -> Result<Lit, BuildError> {
        if let Some(&input) = self.0.get(&lit) {
            return Ok(Lit::t(input));
        }
        let input = b.hidden();
        b.choice(&[input], &[])?;
        self.0.insert(lit, input);
        Ok(Lit::t(input))
    }
}

/// The program of a test, the inputs and the literals `kept` of a [`Tester`](super::Tester).
pub(super) type Written = (Program, Vec<(Lit, Var)>, Vec<Lit>);

impl Component {
    /// Finds the rules of each atom, once all atoms, rules and sums are there.
    pub fn indexed(mut self) -> Component {
        let pairs = self.rules.iter().enumerate().flat_map(|(r, rule)| {
            rule.heads.iter().filter_map(|&p| self.number(p)).map(move |at| (at, r as u32))
        });
        self.founding = Csr::from_pairs(self.atoms.len(), pairs);
        self
    }

    fn number(&self, p: Var) -> Option<usize> {
        self.atoms.binary_search(&p).ok()
    }

    /// Whether a literal says that an atom of the set holds.
    fn is_of(&self, set: &Set, lit: Lit) -> bool {
        !lit.is_false_sign() && self.number(lit.var()).is_some_and(|at| set[at])
    }

    /// The numbers of the set's atoms.
    pub fn numbers(set: &Set) -> impl Iterator<Item = usize> + '_ {
        set.iter().enumerate().filter(|(_, &is_in)| is_in).map(|(at, _)| at)
    }

    /// The program whose answer sets are the unfounded sets of an assignment, which is given by the inputs.
    /// At least one atom of the set is true. For each rule of an atom in the set, the body is false, or an
    /// atom of the body is in the set, or another head is true and not in the set.
    pub fn test(&self, program: &Program) -> Result<Written, BuildError> {
        let mut b = ProgramBuilder::default();
        let own: BTreeSet<Var> = self.atoms.iter().copied().collect();
        // An atom that is not kept adds a literal to the nogood for each rule that founds it from outside.
        let is_inside = |lit: &Lit| !lit.is_false_sign() && own.contains(&lit.var());
        let from_outside = self.rules.iter().filter(|rule| !rule.body.iter().any(is_inside));
        let founded = from_outside.filter_map(|rule| {
            let mut heads = rule.heads.iter().filter(|p| own.contains(p));
            heads.next().filter(|_| heads.next().is_none())
        });
        let is_costly: BTreeSet<Var> = founded.copied().collect();
        let mut kept = Vec::new();
        for p in &self.atoms {
            // The test decides that its atoms are false.
            let choice = b.hidden();
            b.choice(&[choice], &[])?;
            kept.push(Lit::new(choice, !is_costly.contains(p)));
        }
        let kept_of: HashMap<Var, Lit> = self.atoms.iter().copied().zip(kept.iter().copied()).collect();
        let mut inputs = Inputs::default();
        let mut in_set: HashMap<Var, Lit> = HashMap::new();
        let mut none_is_true = Vec::new();
        for (&p, &kept) in self.atoms.iter().zip(&kept) {
            let (may_hold, is_open) = (inputs.of(&mut b, Lit::t(p))?, inputs.of(&mut b, Lit::f(p))?);
            // What is not kept is in the set, also where nothing says so.
            let (is_outside, is_harmless) = (b.hidden(), b.hidden());
            b.rule(None, &[kept, !may_hold])?;
            b.rule(Some(is_outside), &[kept])?;
            b.rule(Some(is_outside), &[!may_hold])?;
            b.rule(Some(is_harmless), &[kept])?;
            b.rule(Some(is_harmless), &[is_open])?;
            in_set.insert(p, Lit::f(is_outside));
            none_is_true.push(Lit::t(is_harmless));
        }
        b.rule(None, &none_is_true)?;
        // A literal of a body holds without the set: an atom of the component only if it is kept.
        let holds = |b: &mut ProgramBuilder, inputs: &mut Inputs, lit: Lit| match kept_of.get(&lit.var()) {
            Some(&kept) if !lit.is_false_sign() => Ok(kept),
            _ => inputs.of(b, lit),
        };
        for sum in self.sums.iter().map(|&s| &program.sums[s]) {
            let mut lits = Vec::new();
            for &(lit, weight) in &sum.lits {
                lits.push((holds(&mut b, &mut inputs, lit)?, weight));
            }
            let reached = b.sum(sum.bound, lits)?;
            b.rule(None, &[in_set[&sum.atom], Lit::t(reached)])?;
        }
        for Rule { heads, body } in &self.rules {
            let mut refuted = Vec::new();
            for &lit in body {
                refuted.push(holds(&mut b, &mut inputs, lit)?);
            }
            // The other heads that are true and not in the set.
            for &p in heads.iter().filter(|_| heads.len() > 1) {
                let is_open = inputs.of(&mut b, Lit::f(p))?;
                refuted.push(match kept_of.get(&p) {
                    Some(&kept) => {
                        let other = b.hidden();
                        b.rule(Some(other), &[!is_open, kept])?;
                        Lit::f(other)
                    }
                    None => is_open,
                });
            }
            for p in heads.iter().filter(|p| kept_of.contains_key(p)) {
                refuted.push(in_set[p]);
                b.rule(None, &refuted)?;
                refuted.pop();
            }
        }
        Ok((b.build()?, inputs.0.into_iter().collect(), kept))
    }

    /// The part of an unfounded set that one of its true atoms needs, which is an unfounded set as well.
    ///
    /// An atom of the set needs for each of its rules an atom of the body that is in the set, unless
    /// something of level 1 makes the body false, or nothing else would found the atom. So the part's loop
    /// nogood has hardly more literals than that of the set, and has those alone that are about the atom.
    pub fn part(&self, program: &Program, set: &Set, level: impl Fn(Lit) -> u32 + Copy) -> Set {
        let mut part = vec![false; set.len()];
        let first = self.true_atom(set, level).and_then(|lit| self.number(lit.var()));
        let mut todo: Vec<usize> = first.into_iter().collect();
        while let Some(at) = todo.pop() {
            if std::mem::replace(&mut part[at], true) {
                continue;
            }
            for rule in self.founding.row(at).iter().map(|&r| &self.rules[r as usize]) {
                if self.witness(rule, set, level).is_some_and(|lit| level(lit) == 1)
                    || rule.body.iter().any(|&lit| self.is_of(&part, lit))
                {
                    continue;
                }
                let mut inside = rule.body.iter().filter(|&&lit| self.is_of(set, lit));
                todo.extend(inside.next().and_then(|lit| self.number(lit.var())));
            }
            for sum in self.sums.iter().map(|&s| &program.sums[s]).filter(|s| s.atom == self.atoms[at]) {
                let inside = sum.lits.iter().filter(|(lit, _)| self.is_of(set, *lit));
                todo.extend(inside.filter_map(|(lit, _)| self.number(lit.var())));
            }
        }
        part
    }

    /// The literal of the lowest level that says why a rule does not found the set: the body is false, or
    /// another head is true.
    fn witness(&self, rule: &Rule, set: &Set, level: impl Fn(Lit) -> u32) -> Option<Lit> {
        let falsified = rule.body.iter().map(|&lit| !lit);
        let heads = rule.heads.iter().map(|&p| Lit::t(p));
        let others = heads.filter(|&head| !self.is_of(set, head));
        lowest(falsified.chain(others), level)
    }

    /// The atom of the set, as a literal, that holds at the lowest level.
    fn true_atom(&self, set: &Set, level: impl Fn(Lit) -> u32) -> Option<Lit> {
        lowest(Self::numbers(set).map(|at| Lit::t(self.atoms[at])), level)
    }

    /// The loop nogood of an unfounded set of the assignment in which literals hold at the levels that
    /// `level` says.
    ///
    /// Of several literals for one rule the one of the lowest level is taken, because learning drops what is
    /// of level 1, and jumps further over what is of few levels.
    pub fn nogood(&self, program: &Program, set: &Set, level: impl Fn(Lit) -> u32 + Copy) -> Vec<Lit> {
        let mut nogood: Vec<Lit> = self.true_atom(set, level).into_iter().collect();
        for at in Self::numbers(set) {
            for rule in self.founding.row(at).iter().map(|&r| &self.rules[r as usize]) {
                if !rule.body.iter().any(|&lit| self.is_of(set, lit)) {
                    nogood.extend(self.witness(rule, set, level));
                }
            }
        }
        for sum in self.sums.iter().map(|&s| &program.sums[s]).filter(|s| self.is_of(set, Lit::t(s.atom))) {
            nogood.extend(sum.lits.iter().map(|&(lit, _)| !lit).filter(|&lit| level(lit) > 0));
        }
        nogood.sort_unstable();
        nogood.dedup();
        nogood
    }
}

/// The literal that holds at the lowest level. Literals of level 0 do not hold.
fn lowest(lits: impl Iterator<Item = Lit>, level: impl Fn(Lit) -> u32) -> Option<Lit> {
    lits.filter(|&lit| level(lit) > 0).min_by_key(|&lit| level(lit))
}
