//! A program as a graph with colours, whose automorphisms are symmetries of the program.
//!
//! Main type: [`Graph`]. Each atom that more is said of than that it is a fact is a vertex. Each body is a
//! vertex with an edge to each of its literals and to each head; a constraint of two literals is an edge
//! between its atoms instead. Labels of edges say what the edge means at this end: the sign of a literal, a
//! weight, the kind of a head. Colours say what else an atom is: the bound of its weight constraint, and its
//! costs (Drescher, Tifrea and Schaub, "Symmetry-breaking Answer Set Solving", AI Communications 24, 2011).
//!
//! Invariant: if a permutation of the vertices keeps colours, edges and labels, then its part on the atoms
//! maps each rule, weight constraint and minimize statement of the program to one of the program.

use crate::Csr;
use solver_gpu::hash::mix;
use solver_gpu::{Lit, Var};
use yasmin_ground::ids::{BodyId, RuleId};
use yasmin_ground::program::{Head, Program};

/// A graph with coloured vertices and labelled edges; the first vertices are atoms.
pub struct Graph {
    /// The atoms of the first vertices, in order.
    pub atoms: Vec<Var>,
    /// How many atoms are open.
    pub open_atoms: u32,
    /// The colour of each vertex. Open atoms that choice rules may make true have the smallest colours, then
    /// come other open atoms.
    pub color: Vec<u64>,
    /// A hash of each label. The hashes of a vertex's edges are added up.
    pub hash: Vec<u64>,
    /// The edges of each vertex, sorted: the other end, and the edge's label at this end.
    edges: Csr<(u32, u32)>,
}

/// What an edge means: a number for each meaning.
mod meaning {
    pub const LITERAL: u32 = 0;
    pub const HEAD: u32 = 1;
    pub const CHOICE: u32 = 2;
    pub const DISJUNCTION: u32 = 3;
    pub const HAS: u32 = 4;
    pub const PAIR: u32 = 5;
    /// An item of the smallest weight. Those of the next weight have the next number.
    pub const ITEM: u32 = 6;
}

/// What a colour is a hash of, before other numbers.
mod color_of {
    pub const SUM: u64 = 1;
    pub const COST: u64 = 2;
    pub const BODY: u64 = 3;
    pub const DISJUNCTION: u64 = 4;
}

/// Bits of a colour that order vertices: open atoms of choices, other open atoms, all other vertices.
mod sort {
    pub const SHIFT: u32 = 62;
    pub const OTHER_ATOM: u64 = 1 << SHIFT;
    pub const REST: u64 = 2 << SHIFT;
    pub const BITS: u64 = 3 << SHIFT;
}

/// What stands for the vertex of a body that no rule has.
const UNUSED: u32 = u32::MAX;
/// What stands for the vertex of a body of two literals that only a constraint has: an edge.
const PAIR: u32 = u32::MAX - 1;

/// A hash of several numbers.
fn of(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |hash, &number| mix(hash ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

fn sign(lit: Lit) -> u32 {
    lit.is_false_sign() as u32
}

/// The label of an edge, of its meaning and of two bits that say more.
fn label(meaning: u32, first: u32, second: u32) -> u32 {
    meaning << 2 | first << 1 | second
}

/// The two ends of an edge, each a vertex and the label there. `sign` is a part of the label. The second bit
/// of the label tells one end from the other.
fn edge(from: u32, to: u32, meaning: u32, sign: u32) -> [(u32, u32); 2] {
    [(from, label(meaning, sign, 0)), (to, label(meaning, sign, 1))]
}

impl Graph {
    /// The graph of a program. Atoms of which `is_open` does not hold have the same value in all answer sets.
    pub fn of(program: &Program, is_open: impl Fn(Var) -> bool) -> Graph {
        let (atoms, number) = atoms_of(program);
        let mut color = atom_colors(program, &atoms, &number, is_open);
        let open_atoms = color.iter().filter(|&&color| color < sort::REST).count() as u32;
        let vertex = add_bodies(program, &number, &mut color);
        let disjunctions = color.len() as u32;
        let disjunction = of(&[color_of::DISJUNCTION]) & !sort::BITS | sort::REST;
        color.resize(color.len() + program.disjunctions.len(), disjunction);
        let mut weights: Vec<i64> =
            program.sums.iter().flat_map(|sum| sum.lits.iter().map(|&(_, weight)| weight)).collect();
        weights.sort_unstable();
        weights.dedup();
        let ends = edges_of(program, &number, &vertex, disjunctions, &weights)
            .flat_map(|[(a, at_a), (b, at_b)]| [(a as usize, (b, at_a)), (b as usize, (a, at_b))]);
        let mut edges = Csr::from_pairs(color.len(), ends);
        for v in 0..color.len() {
            edges.items[edges.start[v] as usize..edges.start[v + 1] as usize].sort_unstable();
        }
        let labels = label(meaning::ITEM + weights.len() as u32, 0, 0);
        let hash = (0..labels).map(|label| of(&[label as u64])).collect();
        Graph { atoms, open_atoms, color, hash, edges }
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
    pub fn edges(&self, v: u32) -> &[(u32, u32)] {
        self.edges.row(v as usize)
    }

    /// Whether the permutation that maps each `moved` pair's first vertex to its second, and every other
    /// vertex to itself, keeps colours, edges and labels. `image` is scratch, which maps every vertex to
    /// itself.
    pub fn is_automorphism(&self, moved: &[(u32, u32)], image: &mut [u32]) -> bool {
        moved.iter().for_each(|&(from, to)| image[from as usize] = to);
        let mut mapped: Vec<(u32, u32)> = Vec::new();
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

/// Whether a rule says that its head is a fact.
fn is_fact(program: &Program, rule: RuleId) -> bool {
    matches!(program.head(rule), Head::Atom(_)) && program.body(rule).is_empty()
}

/// Whether a rule says all that is said of its head: that it is a fact.
fn is_lone_fact(program: &Program, number: &[u32], rule: RuleId) -> bool {
    is_fact(program, rule) && program.head(rule).atom().is_some_and(|p| number[p.0 as usize] == UNUSED)
}

/// The atoms of which more is said than that they are facts, in order, and for each atom its place there or
/// [`UNUSED`].
fn atoms_of(program: &Program) -> (Vec<Var>, Vec<u32>) {
    let mut number = vec![UNUSED; program.atoms as usize];
    let mut uses = |atom: Var| number[atom.0 as usize] = 0;
    for r in program.rule_ids().filter(|&r| !is_fact(program, r)) {
        program.head(r).atom().into_iter().for_each(&mut uses);
        program.body(r).iter().for_each(|lit| uses(lit.var()));
    }
    for rule in &program.disjunctions {
        rule.heads.iter().copied().for_each(&mut uses);
        program.body_lits_of(rule.body).iter().for_each(|lit| uses(lit.var()));
    }
    for sum in &program.sums {
        uses(sum.atom);
        sum.lits.iter().for_each(|(lit, _)| uses(lit.var()));
    }
    program.minimize.iter().flat_map(|level| &level.lits).for_each(|(lit, _)| uses(lit.var()));
    let mut atoms = Vec::new();
    for (atom, number) in (0..program.atoms).zip(&mut number).filter(|(_, number)| **number != UNUSED) {
        *number = atoms.len() as u32;
        atoms.push(Var(atom));
    }
    (atoms, number)
}

/// The colours of the atoms.
fn atom_colors(program: &Program, atoms: &[Var], number: &[u32], is_open: impl Fn(Var) -> bool) -> Vec<u64> {
    let mut is_choice = vec![false; atoms.len()];
    for r in program.rule_ids() {
        if let Head::Choice(p) = program.head(r) {
            is_choice[number[p.0 as usize] as usize] = true;
        }
    }
    let mut color = vec![0u64; atoms.len()];
    let mut add = |atom: Var, hash: u64| {
        let color = &mut color[number[atom.0 as usize] as usize];
        *color = color.wrapping_add(hash);
    };
    program.sums.iter().for_each(|sum| add(sum.atom, of(&[color_of::SUM, sum.bound as u64])));
    for level in &program.minimize {
        for &(lit, weight) in &level.lits {
            let cost = [color_of::COST, level.priority as u64, sign(lit) as u64, weight as u64];
            add(lit.var(), of(&cost));
        }
    }
    for ((&atom, color), is_choice) in atoms.iter().zip(&mut color).zip(is_choice) {
        *color = *color & !sort::BITS
            | match is_choice {
                _ if !is_open(atom) => sort::REST,
                true => 0,
                false => sort::OTHER_ATOM,
            };
    }
    color
}

/// The vertex of each body, [`UNUSED`] or [`PAIR`]. Adds the vertices' colours, which say how many
/// constraints a body has.
fn add_bodies(program: &Program, number: &[u32], color: &mut Vec<u64>) -> Vec<u32> {
    let mut constraints = vec![0u32; program.bodies()];
    let mut uses = vec![0u32; program.bodies()];
    for r in program.rule_ids().filter(|&r| !is_lone_fact(program, number, r)) {
        let body = program.body_of[r.index()].index();
        uses[body] += 1;
        constraints[body] += matches!(program.head(r), Head::Constraint) as u32;
    }
    program.disjunctions.iter().for_each(|rule| uses[rule.body.index()] += 1);
    let vertex_of =
        |body: usize| match (uses[body], constraints[body], program.body_lits_of(BodyId::new(body)).len()) {
            (0, ..) => UNUSED,
            (1, 1, 2) => PAIR,
            (_, constraints, _) => {
                color.push(of(&[color_of::BODY, constraints as u64]) & !sort::BITS | sort::REST);
                color.len() as u32 - 1
            }
        };
    (0..program.bodies()).map(vertex_of).collect()
}

/// The edges of a graph. The vertices of disjunctions are those from `disjunctions` on. `weights` are the
/// different weights of weight constraints, in order.
fn edges_of<'a>(
    program: &'a Program,
    number: &'a [u32],
    vertex: &'a [u32],
    disjunctions: u32,
    weights: &'a [i64],
) -> impl Iterator<Item = [(u32, u32); 2]> + Clone + 'a {
    let atom = |p: Var| number[p.0 as usize];
    let items = program.sums.iter().flat_map(move |sum| {
        sum.lits.iter().map(move |&(lit, weight)| {
            let rank = weights.partition_point(|&other| other < weight) as u32;
            edge(atom(sum.atom), atom(lit.var()), meaning::ITEM + rank, sign(lit))
        })
    });
    let lits_of = |body: usize| program.body_lits_of(BodyId::new(body));
    let literals = (0..vertex.len()).filter(|&body| vertex[body] < PAIR).flat_map(move |body| {
        lits_of(body).iter().map(move |&lit| edge(vertex[body], atom(lit.var()), meaning::LITERAL, sign(lit)))
    });
    let pairs = (0..vertex.len()).filter(|&body| vertex[body] == PAIR).map(move |body| {
        let &[a, b] = lits_of(body) else { unreachable!("a pair has two literals") };
        let end = |here: Lit, there: Lit| (atom(here.var()), label(meaning::PAIR, sign(here), sign(there)));
        [end(a, b), end(b, a)]
    });
    let heads = program.rule_ids().filter_map(move |r| {
        let (p, kind) = match program.head(r) {
            Head::Constraint => return None,
            Head::Atom(_) if is_lone_fact(program, number, r) => return None,
            Head::Atom(p) => (p, meaning::HEAD),
            Head::Choice(p) => (p, meaning::CHOICE),
        };
        Some(edge(vertex[program.body_of[r.index()].index()], atom(p), kind, 0))
    });
    let disjunctions = (disjunctions..).zip(&program.disjunctions).flat_map(move |(at, rule)| {
        let body = edge(at, vertex[rule.body.index()], meaning::HAS, 0);
        let heads = rule.heads.iter().map(move |head| edge(at, atom(*head), meaning::DISJUNCTION, 0));
        std::iter::once(body).chain(heads)
    });
    items.chain(literals).chain(pairs).chain(heads).chain(disjunctions)
}
