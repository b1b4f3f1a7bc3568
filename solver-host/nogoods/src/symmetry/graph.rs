//! A program as a graph with colours, whose automorphisms are symmetries of the program.
//!
//! Main type: [`Graph`]. Each atom is a vertex. Each body is a vertex with an edge to each of its literals
//! and to each head; a constraint of two literals is an edge between its atoms instead. Labels of edges say
//! what the edge means at this end: the sign of a literal, a weight, the kind of a head. Colours say what
//! else an atom is: the bound of its weight constraint, and its costs (Drescher, Tifrea and Schaub,
//! "Symmetry-breaking Answer Set Solving", AI Communications 24, 2011).
//!
//! Invariant: if a permutation of the vertices keeps colours, edges and labels, then its part on the atoms
//! maps each rule, weight constraint and minimize statement of the program to one of the program.

use crate::Csr;
use solver_gpu::hash::mix;
use solver_gpu::{Lit, Var};
use yasmin_ground::ids::BodyId;
use yasmin_ground::program::{Head, Program};

/// A graph with coloured vertices and labelled edges; the first vertices are the program's atoms.
pub struct Graph {
    /// How many of the vertices, the first ones, are atoms.
    pub atoms: u32,
    /// How many atoms are open.
    pub open_atoms: u32,
    /// The colour of each vertex. Open atoms that choice rules may make true have the smallest colours, then
    /// come other open atoms.
    pub color: Vec<u64>,
    /// The edges of each vertex, sorted: the other end, and the edge's label at this end.
    edges: Csr<(u32, u64)>,
}

/// What an edge means at one of its ends: a number for each meaning.
mod label {
    pub const LITERAL: u64 = 1;
    pub const HEAD: u64 = 2;
    pub const CHOICE: u64 = 3;
    pub const DISJUNCTION: u64 = 4;
    pub const PAIR: u64 = 5;
    pub const ITEM: u64 = 6;
    pub const HAS: u64 = 7;
    pub const BODY: u64 = 8;
}

/// Bits of a colour that order vertices: open atoms of choices, other open atoms, all other vertices.
mod sort {
    pub const SHIFT: u32 = 62;
    pub const OTHER_ATOM: u64 = 1 << SHIFT;
    pub const REST: u64 = 2 << SHIFT;
    pub const BITS: u64 = 3 << SHIFT;
}

/// A label or a colour of several numbers.
fn of(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |hash, &number| mix(hash ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

fn sign(lit: Lit) -> u64 {
    lit.is_false_sign() as u64
}

impl Graph {
    /// The graph of a program. Atoms of which `is_open` does not hold have the same value in all answer sets.
    pub fn of(program: &Program, is_open: impl Fn(Var) -> bool) -> Graph {
        let atoms = program.atoms as usize;
        // What is said of each body besides its literals and heads.
        let mut constraints = vec![0u64; program.bodies()];
        let mut uses = vec![0u32; program.bodies()];
        let mut is_choice = vec![false; atoms];
        for r in program.rule_ids() {
            let body = program.body_of[r.index()].index();
            uses[body] += 1;
            match program.head(r) {
                Head::Constraint => constraints[body] += 1,
                Head::Choice(p) => is_choice[p.0 as usize] = true,
                Head::Atom(_) => {}
            }
        }
        program.disjunctions.iter().for_each(|rule| uses[rule.body.index()] += 1);
        let mut color = vec![0u64; atoms];
        let mut ends: Vec<(usize, (u32, u64))> = Vec::new();
        let mut between = |a: u32, b: u32, at_a: u64, at_b: u64| {
            ends.extend([(a as usize, (b, at_a)), (b as usize, (a, at_b))]);
        };
        for sum in &program.sums {
            let p = sum.atom.0;
            color[p as usize] = color[p as usize].wrapping_add(of(&[label::ITEM, sum.bound as u64]));
            for &(lit, weight) in &sum.lits {
                let label = |end: u64| of(&[label::ITEM, end, sign(lit), weight as u64]);
                between(p, lit.var().0, label(0), label(1));
            }
        }
        for level in &program.minimize {
            for &(lit, weight) in &level.lits {
                let cost = of(&[label::HAS, level.priority as u64, sign(lit), weight as u64]);
                let color = &mut color[lit.var().0 as usize];
                *color = color.wrapping_add(cost);
            }
        }
        for (p, color) in color.iter_mut().enumerate() {
            *color = *color & !sort::BITS
                | match is_choice[p] {
                    _ if !is_open(Var(p as u32)) => sort::REST,
                    true => 0,
                    false => sort::OTHER_ATOM,
                };
        }
        let open_atoms = color.iter().filter(|&&color| color < sort::REST).count() as u32;
        let mut vertex = vec![u32::MAX; program.bodies()];
        for body in (0..program.bodies()).filter(|&body| uses[body] > 0) {
            let lits = program.body_lits_of(BodyId::new(body));
            if let (1, 1, &[a, b]) = (uses[body], constraints[body], lits) {
                let label = |here: Lit, there: Lit| of(&[label::PAIR, sign(here), sign(there)]);
                between(a.var().0, b.var().0, label(a, b), label(b, a));
                continue;
            }
            vertex[body] = color.len() as u32;
            for &lit in lits {
                let label = |end: u64| of(&[label::LITERAL, end, sign(lit)]);
                between(vertex[body], lit.var().0, label(0), label(1));
            }
            color.push(of(&[label::BODY, constraints[body]]) & !sort::BITS | sort::REST);
        }
        for r in program.rule_ids() {
            let (p, kind) = match program.head(r) {
                Head::Constraint => continue,
                Head::Atom(p) => (p, label::HEAD),
                Head::Choice(p) => (p, label::CHOICE),
            };
            between(vertex[program.body_of[r.index()].index()], p.0, of(&[kind, 0]), of(&[kind, 1]));
        }
        for rule in &program.disjunctions {
            let at = color.len() as u32;
            color.push(of(&[label::DISJUNCTION]) & !sort::BITS | sort::REST);
            between(at, vertex[rule.body.index()], of(&[label::HAS, 0]), of(&[label::HAS, 1]));
            for head in &rule.heads {
                between(at, head.0, of(&[label::DISJUNCTION, 0]), of(&[label::DISJUNCTION, 1]));
            }
        }
        let mut edges = Csr::from_pairs(color.len(), ends.iter().copied());
        for v in 0..color.len() {
            edges.items[edges.start[v] as usize..edges.start[v + 1] as usize].sort_unstable();
        }
        Graph { atoms: program.atoms, open_atoms, color, edges }
    }

    /// The sort of a vertex: 0 for an open atom of choices, 1 for another open atom, else 2.
    pub fn sort(&self, v: u32) -> u64 {
        self.color[v as usize] >> sort::SHIFT
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> usize {
        self.color.len()
    }

    /// The edges of a vertex, in order: the other end, and the label at this end.
    pub fn edges(&self, v: u32) -> &[(u32, u64)] {
        self.edges.row(v as usize)
    }

    /// Whether the permutation that maps each `moved` pair's first vertex to its second, and every other
    /// vertex to itself, keeps colours, edges and labels. `image` is scratch, which maps every vertex to
    /// itself.
    pub fn is_automorphism(&self, moved: &[(u32, u32)], image: &mut [u32]) -> bool {
        moved.iter().for_each(|&(from, to)| image[from as usize] = to);
        let mut mapped: Vec<(u32, u64)> = Vec::new();
        // An edge of which one end is moved is looked at from that end.
        let keeps = moved.iter().all(|&(from, to)| {
            mapped.clear();
            mapped.extend(self.edges(from).iter().map(|&(other, label)| (image[other as usize], label)));
            mapped.sort_unstable();
            self.color[from as usize] == self.color[to as usize] && mapped == self.edges(to)
        });
        moved.iter().for_each(|&(from, _)| image[from as usize] = from);
        keeps
    }
}
