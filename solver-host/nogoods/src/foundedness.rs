//! Finds positive loops and the rules that the foundedness check has to look at.
//!
//! Main functions: [`Loops::find`] and [`Loops::foundedness`]. A supported atom need not be founded: in
//! `p :- q. q :- p.` both atoms support each other. Only atoms on a cycle of the positive dependency graph
//! (from heads to positive body atoms) can be supported and unfounded. Without such cycles the program is
//! tight, and the completion is enough: there are no loop formulas (paper, section 1).
//!
//! Invariant: the check of one component takes all other components for granted. A rule's row in
//! [`Foundedness::positive`] therefore lists only atoms of the head's own component, and the rule's body
//! literal stands for the rest of the body.

use solver_gpu::{Lit, Var};

use super::atom_map::literal_of;
use super::components::components;
use super::rows::Csr;
use super::rules::{Rule, Rules};
use super::sums::Sum;
use yasmin_ground::ids::BodyId;

/// The rules of a non-tight program that can take part in a positive loop: those whose head's strongly
/// connected component has more than one atom, or an edge to itself.
#[derive(Clone, Debug, Default)]
pub struct Foundedness {
    /// The component of each program-atom variable (`0 .. atom_vars`), or `u32::MAX` outside non-trivial
    /// components. No atom of a rule's body lies in a component with a higher number than the head's.
    pub component: Vec<u32>,
    /// The variables in non-trivial components.
    pub atoms: Vec<u32>,
    /// The head variable of each rule.
    pub head: Vec<u32>,
    /// `T b_r` of each rule: a literal of a variable, or [`Lit::TRUE`] if the body always holds.
    pub body: Vec<Lit>,
    /// For each rule the positive body atoms that lie in the head's own component.
    pub positive: Csr,
    /// For each variable `0 .. atom_vars` the rules in whose row of `positive` the variable is listed.
    pub occurs_in: Csr,
    /// The weight constraints whose atoms are on a loop.
    pub sums: Vec<LoopSum>,
}

/// A weight constraint whose atom is on a positive loop.
///
/// The atom is founded if the weights of the literals that are not falsified add up to the bound. Positive
/// literals of the atom's own component count only if they are founded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopSum {
    /// The variable of the weight constraint's atom.
    pub atom: u32,
    /// The number that the weights must add up to.
    pub bound: i64,
    /// The literals with their weights. Literals that need a foundation come first.
    pub lits: Vec<(Lit, i64)>,
    /// How many of the literals, the first ones, need a foundation.
    pub inner: u32,
}

/// The non-trivial components of the positive dependency graph.
pub(super) struct Loops {
    /// The component of each atom, or `NO_LOOP`.
    pub component: Vec<u32>,
    /// How many components there are. Bodies have lower or equal numbers than heads.
    pub count: u32,
}

/// The component of atoms that are on no loop.
pub(super) const NO_LOOP: u32 = u32::MAX;

impl Loops {
    /// Finds the loops among the atoms that are `unsure`, over the rules whose bodies are `possible`.
    pub fn find(
        rules: &Rules,
        possible: impl Fn(BodyId) -> bool + Copy,
        unsure: impl Fn(u32) -> bool + Copy,
    ) -> Loops {
        let founding = founding(rules, possible).filter(move |r| unsure(r.head));
        let edges = founding
            .flat_map(move |r| rules.positive(r.body).map(move |q| (r.head as usize, q)))
            .chain(rules.sums.iter().flat_map(|sum| positive(sum).map(|q| (sum.atom.0 as usize, q))))
            .filter(move |&(p, q)| unsure(p as u32) && unsure(q));
        let edges = Csr::from_pairs(rules.atoms as usize, edges);
        let (mut component, count) = components(&edges);

        let mut size = vec![0u32; count as usize];
        for (p, &c) in component.iter().enumerate() {
            let to_itself = edges.row(p).contains(&(p as u32));
            size[c as usize] = size[c as usize].saturating_add(1 + to_itself as u32);
        }
        let mut renumbered = 0;
        let number: Vec<u32> = size
            .iter()
            .map(|&size| {
                let is_loop = size > 1;
                renumbered += is_loop as u32;
                if is_loop {
                    renumbered - 1
                } else {
                    NO_LOOP
                }
            })
            .collect();
        component.iter_mut().for_each(|c| *c = number[*c as usize]);
        Loops { component, count: renumbered }
    }

    /// Whether atom `p` is on a loop.
    pub fn contains(&self, p: u32) -> bool {
        self.component[p as usize] != NO_LOOP
    }

    /// Lays out the rules of all loops for the check. Returns `None` if there are no loops.
    ///
    /// `var_of` gives the variable of each atom on a loop, `atom_lit` the literal of each atom, and
    /// `body_lit` the literal of each possible body.
    pub fn foundedness(
        &self,
        rules: &Rules,
        possible: impl Fn(BodyId) -> bool + Copy,
        var_of: &[u32],
        atom_vars: u32,
        atom_lit: &[Lit],
        body_lit: impl Fn(BodyId) -> Lit,
    ) -> Option<Foundedness> {
        if self.count == 0 {
            return None;
        }
        let mut check =
            Foundedness { component: vec![NO_LOOP; atom_vars as usize], ..Foundedness::default() };
        for p in (0..rules.atoms).filter(|&p| self.contains(p)) {
            check.component[var_of[p as usize] as usize] = self.component[p as usize];
            check.atoms.push(var_of[p as usize]);
        }
        check.positive.start.push(0);
        for rule in founding(rules, possible).filter(|r| self.contains(r.head)) {
            check.head.push(var_of[rule.head as usize]);
            check.body.push(body_lit(rule.body));
            let own = self.component[rule.head as usize];
            let row = rules.positive(rule.body).filter(|&q| self.component[q as usize] == own);
            check.positive.items.extend(row.map(|q| var_of[q as usize]));
            check.positive.start.push(check.positive.items.len() as u32);
        }
        check.index(atom_vars);
        check.sums = rules
            .sums
            .iter()
            .filter(|sum| self.contains(sum.atom.0))
            .map(|sum| self.loop_sum(sum, var_of, atom_lit))
            .collect();
        Some(check)
    }

    fn loop_sum(&self, sum: &Sum, var_of: &[u32], atom_lit: &[Lit]) -> LoopSum {
        let own = self.component[sum.atom.0 as usize];
        let mut bound = sum.bound;
        let (mut inner, mut outer) = (Vec::new(), Vec::new());
        for &(lit, weight) in &sum.lits {
            if !lit.is_false_sign() && self.component[lit.var().0 as usize] == own {
                inner.push((Lit::t(Var(var_of[lit.var().0 as usize])), weight));
                continue;
            }
            match literal_of(atom_lit, lit) {
                Lit::TRUE => bound -= weight,
                Lit::FALSE => {}
                lit => outer.push((lit, weight)),
            }
        }
        let count = inner.len() as u32;
        inner.append(&mut outer);
        LoopSum { atom: var_of[sum.atom.0 as usize], bound, lits: inner, inner: count }
    }
}

/// The rules that can found their heads and have a possible body.
fn founding<'a>(
    rules: &'a Rules,
    possible: impl Fn(BodyId) -> bool + Copy + 'a,
) -> impl Iterator<Item = Rule> + Clone + 'a {
    rules.rules().filter(move |rule| rule.kind.founds() && possible(rule.body))
}

/// The positive literals of a sum.
fn positive(sum: &Sum) -> impl Iterator<Item = u32> + Clone + '_ {
    sum.lits.iter().filter(|(lit, _)| !lit.is_false_sign()).map(|(lit, _)| lit.var().0)
}

impl Foundedness {
    /// Notes in which rules each atom occurs, of which there are so many.
    pub(super) fn index(&mut self, atom_vars: u32) {
        let positive = &self.positive;
        let uses =
            (0..positive.rows()).flat_map(|r| positive.row(r).iter().map(move |&q| (q as usize, r as u32)));
        self.occurs_in = Csr::from_pairs(atom_vars as usize, uses);
    }

    /// The true atoms on loops that have no foundation, given the values of all variables. Empty for an
    /// answer set.
    ///
    /// This is the check on the host, plain and sequential, for comparison with the device's.
    pub fn unfounded(&self, holds: impl Fn(Lit) -> bool) -> Vec<Var> {
        let mut founded = vec![false; self.component.len()];
        let mut missing: Vec<u32> = (0..self.head.len()).map(|r| self.positive.row(r).len() as u32).collect();
        let mut ready: Vec<u32> = (0..self.head.len() as u32).filter(|&r| missing[r as usize] == 0).collect();
        let mut again = true;
        while std::mem::take(&mut again) {
            while let Some(r) = ready.pop() {
                let body = self.body[r as usize];
                let head = self.head[r as usize] as usize;
                if founded[head] || body != Lit::TRUE && !holds(body) {
                    continue;
                }
                founded[head] = true;
                ready.extend(self.users(head, &mut missing));
            }
            for sum in &self.sums {
                let is_sure = |i: usize, lit: Lit| match i < sum.inner as usize {
                    true => founded[lit.var().0 as usize],
                    false => holds(lit),
                };
                let counted = sum.lits.iter().enumerate().filter(|&(i, &(lit, _))| is_sure(i, lit));
                let reached = counted.map(|(_, &(_, weight))| weight).sum::<i64>() >= sum.bound;
                if reached && !std::mem::replace(&mut founded[sum.atom as usize], true) {
                    ready.extend(self.users(sum.atom as usize, &mut missing));
                    again = true;
                }
            }
        }
        let atoms = self.atoms.iter().map(|&p| Var(p));
        atoms.filter(|&p| holds(Lit::t(p)) && !founded[p.0 as usize]).collect()
    }

    /// Counts the atom `p` down in the rules that use the atom. Returns the rules that miss no other atom.
    fn users(&self, p: usize, missing: &mut [u32]) -> Vec<u32> {
        let users = self.occurs_in.row(p).iter().copied();
        users
            .filter(|&user| {
                missing[user as usize] -= 1;
                missing[user as usize] == 0
            })
            .collect()
    }
}
