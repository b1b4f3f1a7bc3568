//! Positive loops: which rules the stability check has to look at.
//!
//! Main functions: [`Loops::find`] and [`Loops::foundedness`]. Supported is not founded: `p :- q. q :- p.` supports
//! both atoms with each other. Only atoms on a cycle of the positive dependency graph (head to positive body atom)
//! can be so mistaken; without such cycles the program is tight, and completion says all (paper, section 2).
//!
//! Invariant: a component's check may take all other components for granted. A rule's row in
//! [`Foundedness::positive`] therefore has only atoms of the head's own component, and its body literal does the rest.

use solver_gpu::{Lit, Var};

use super::components::components;
use super::rules::Rules;
use super::{Csr, Foundedness};

/// The non-trivial components of the positive dependency graph.
pub(super) struct Loops {
    /// For each atom its component, or `NO_LOOP`.
    pub component: Vec<u32>,
    /// How many there are. They are numbered such that bodies come before heads.
    pub count: u32,
}

/// The component of atoms on no loop.
pub(super) const NO_LOOP: u32 = u32::MAX;

impl Loops {
    /// Finds the loops of the rules whose bodies are `possible` among atoms that are `unsure`.
    pub fn find(
        rules: &Rules,
        possible: impl Fn(u32) -> bool + Copy,
        unsure: impl Fn(u32) -> bool + Copy,
    ) -> Loops {
        let edges =
            rules.rules().filter(move |&(_, p, b)| unsure(p) && possible(b)).flat_map(move |(_, p, b)| {
                rules.positive(b).filter(move |&q| unsure(q)).map(move |q| (p as usize, q))
            });
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

    /// Lays out the rules of all loops for the check; `None` if there are none.
    ///
    /// `var_of` gives the variable of each atom on a loop, `body_lit` the literal of each possible body.
    pub fn foundedness(
        &self,
        rules: &Rules,
        possible: impl Fn(u32) -> bool,
        var_of: &[u32],
        atom_vars: u32,
        body_lit: impl Fn(u32) -> Lit,
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
        for (_, p, b) in rules.rules().filter(|&(_, p, b)| self.contains(p) && possible(b)) {
            check.head.push(var_of[p as usize]);
            check.body.push(body_lit(b));
            let own = self.component[p as usize];
            let row = rules.positive(b).filter(|&q| self.component[q as usize] == own);
            check.positive.items.extend(row.map(|q| var_of[q as usize]));
            check.positive.start.push(check.positive.items.len() as u32);
        }
        let positive = &check.positive;
        let uses =
            (0..positive.rows()).flat_map(|r| positive.row(r).iter().map(move |&q| (q as usize, r as u32)));
        check.occurs_in = Csr::from_pairs(atom_vars as usize, uses);
        let heads = check.head.iter().enumerate().map(|(r, &p)| (p as usize, r as u32));
        check.rules_of = Csr::from_pairs(atom_vars as usize, heads);
        Some(check)
    }
}

impl Foundedness {
    /// The true atoms on loops that have no foundation, given the values of all variables; empty for an answer set.
    ///
    /// The check on the host: plain and sequential, for comparison with the device's.
    pub fn unfounded(&self, holds: impl Fn(Lit) -> bool) -> Vec<Var> {
        let mut founded = vec![false; self.component.len()];
        let mut missing: Vec<u32> = (0..self.head.len()).map(|r| self.positive.row(r).len() as u32).collect();
        let mut ready: Vec<u32> = (0..self.head.len() as u32).filter(|&r| missing[r as usize] == 0).collect();
        while let Some(r) = ready.pop() {
            let body = self.body[r as usize];
            let head = self.head[r as usize] as usize;
            if founded[head] || body != Lit::TRUE && !holds(body) {
                continue;
            }
            founded[head] = true;
            for &user in self.occurs_in.row(head) {
                missing[user as usize] -= 1;
                if missing[user as usize] == 0 {
                    ready.push(user);
                }
            }
        }
        let atoms = self.atoms.iter().map(|&p| Var(p));
        atoms.filter(|&p| holds(Lit::t(p)) && !founded[p.0 as usize]).collect()
    }
}
