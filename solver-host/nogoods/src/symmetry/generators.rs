//! Finds automorphisms of a graph that generate many, often all, of its symmetries.
//!
//! Main function: [`find`]. Vertices are made cells of their own one after the other, the *base*, until
//! refinement has told all vertices apart. Then, from the last vertex of the base to the first, the search
//! looks for automorphisms that fix the vertices before it and move it. Two partitions go through the same
//! steps, one with the vertex of the base and one with another vertex of its cell. Where a vertex is in
//! another cell on one side than on the other, that vertex is told apart next (Darga, Sakallah and Markov,
//! "Faster symmetry discovery using sparsity of symmetries", DAC 2008). The search does not backtrack, so it
//! may miss symmetries.
//!
//! Invariant: each permutation that is returned was compared with the graph, edge by edge.

use super::graph::Graph;
use super::partition::{Partition, Trace};
use solver_gpu::Var;

/// A permutation: each vertex that moves, with the vertex that it moves to.
pub type Permutation = Vec<(u32, u32)>;

/// Permutations that keep a graph, and the base that they were found by.
#[derive(Default)]
pub struct Symmetries {
    /// Permutations that keep the graph.
    pub generators: Vec<Permutation>,
    /// The base: each of its vertices that moves while the ones before it stay, with the other vertices that
    /// it moves to then.
    pub base: Vec<(u32, Vec<u32>)>,
}

impl Symmetries {
    /// The same in terms of atoms, of which `atoms` has those of the first vertices. What is not an atom is
    /// left out.
    pub fn of_atoms(mut self, atoms: &[Var]) -> Symmetries {
        let atom = |v: u32| atoms[v as usize].0;
        for permutation in &mut self.generators {
            permutation.retain(|&(from, _)| (from as usize) < atoms.len());
            permutation.iter_mut().for_each(|(from, to)| (*from, *to) = (atom(*from), atom(*to)));
        }
        for (v, moves) in &mut self.base {
            *v = atom(*v);
            moves.iter_mut().for_each(|w| *w = atom(*w));
        }
        self
    }

    /// The logarithm of how many symmetries the permutations generate, themselves and the identity included.
    pub fn log_number(&self) -> f64 {
        self.base.iter().map(|(_, moves)| (1.0 + moves.len() as f64).log2()).sum()
    }
}

/// How often the search for an automorphism that moves one vertex of the base may fail in turn.
const FAILURES: usize = 8;

/// Looks for symmetries, until `most` edges were looked at or `interrupt` says so.
pub fn find(graph: &Graph, most: u64, interrupt: &dyn Fn() -> bool) -> Symmetries {
    let mut work = 0;
    let mut left = Partition::by_color(graph);
    left.refine(graph, &mut work, |_| true);
    let mut search = Search {
        graph,
        right: left.clone(),
        left,
        work,
        image: (0..graph.vertices() as u32).collect(),
        orbit: (0..graph.vertices() as u32).collect(),
    };
    let mut base: Vec<(u32, usize)> = Vec::new();
    while let Some(cell) =
        search.left.first_open().filter(|&cell| cell < graph.open_atoms && search.work < most && !interrupt())
    {
        let &v = search.left.members(cell).iter().min().expect("no cell is empty");
        base.push((v, search.left.mark()));
        for side in [&mut search.left, &mut search.right] {
            side.individualise(v);
            side.refine(graph, &mut search.work, |_| true);
        }
    }
    let mut found = Symmetries::default();
    for (v, mark) in base.into_iter().rev() {
        search.left.undo_to(mark);
        search.right.undo_to(mark);
        let mut others = search.left.members(search.left.cell_of(v)).to_vec();
        others.sort_unstable();
        // Vertices that `v` could not be mapped to, nor to what they are mapped to.
        let mut failed: Vec<u32> = Vec::new();
        for &w in &others {
            if search.work >= most || failed.len() >= FAILURES || interrupt() {
                break;
            }
            let of_w = search.orbit_of(w);
            if search.orbit_of(v) == of_w || failed.iter().any(|&other| search.orbit_of(other) == of_w) {
                continue;
            }
            match search.moving(v, w) {
                Some(permutation) => {
                    failed.clear();
                    permutation.iter().for_each(|&(from, to)| search.join(from, to));
                    found.generators.push(permutation);
                }
                None => failed.push(w),
            }
        }
        let of_v = search.orbit_of(v);
        others.retain(|&w| w != v && search.orbit_of(w) == of_v);
        let moves = others;
        if !moves.is_empty() {
            found.base.push((v, moves));
        }
    }
    found.base.reverse();
    found
}

struct Search<'a> {
    graph: &'a Graph,
    left: Partition,
    right: Partition,
    /// How many edges were looked at.
    work: u64,
    /// Maps every vertex to itself.
    image: Vec<u32>,
    /// For each vertex another one of its orbit, or itself: a forest.
    orbit: Vec<u32>,
}

impl Search<'_> {
    fn orbit_of(&mut self, mut v: u32) -> u32 {
        while self.orbit[v as usize] != v {
            let above = self.orbit[self.orbit[v as usize] as usize];
            self.orbit[v as usize] = above;
            v = above;
        }
        v
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.orbit_of(a), self.orbit_of(b));
        self.orbit[a.max(b) as usize] = a.min(b);
    }

    /// An automorphism that maps `v` to `w` and keeps the cells of both partitions, which are equal.
    fn moving(&mut self, v: u32, w: u32) -> Option<Permutation> {
        let mark = self.left.mark();
        let found = self.pairs(v, w).filter(|moved| {
            self.work += moved.iter().map(|&(from, _)| self.graph.edges(from).len() as u64).sum::<u64>();
            self.graph.is_automorphism(moved, &mut self.image)
        });
        self.left.undo_to(mark);
        self.right.undo_to(mark);
        found
    }

    /// The pairs of different vertices in equal singletons, after `v` is told apart on the left and `w` on
    /// the right, and so on until equal cells have the same vertices, but for singletons.
    fn pairs(&mut self, v: u32, w: u32) -> Option<Permutation> {
        // The vertices that were found to be in another cell on the left than on the right.
        let mut differ: Vec<u32> = Vec::new();
        // Those before this index are singletons on the left.
        let mut next = 0;
        let (mut from, mut to) = (v, w);
        loop {
            let mark = self.left.mark();
            self.tell_apart(from, to)?;
            for cell in self.left.cells_since(mark) {
                let members = self.left.members(cell);
                self.work += members.len() as u64;
                differ.extend(members.iter().copied().filter(|&u| self.right.cell_of(u) != cell));
            }
            while next < differ.len() && self.left.is_alone(differ[next]) {
                next += 1;
            }
            let Some(&open) = differ.get(next) else { break };
            // One vertex that only the left has in this cell, and one that only the right has, the first of
            // both.
            let cell = self.left.cell_of(open);
            let first = |here: &Partition, there: &Partition| {
                let only_here = |&u: &u32| there.cell_of(u) != cell;
                here.members(cell).iter().copied().filter(only_here).min()
            };
            self.work += self.left.members(cell).len() as u64;
            (from, to) = (first(&self.left, &self.right)?, first(&self.right, &self.left)?);
        }
        differ.sort_unstable();
        differ.dedup();
        let image = |u: u32| self.right.members(self.left.cell_of(u))[0];
        Some(differ.into_iter().map(|u| (u, image(u))).collect())
    }

    /// Makes `from` on the left and `to` on the right singletons, and refines. `None` if the sides differ
    /// then.
    fn tell_apart(&mut self, from: u32, to: u32) -> Option<()> {
        self.left.individualise(from);
        self.right.individualise(to);
        let mut trace: Trace = Vec::new();
        self.left.refine(self.graph, &mut self.work, |split| {
            trace.push(split);
            true
        });
        let mut rest = trace.iter();
        let is_same = self.right.refine(self.graph, &mut self.work, |split| rest.next() == Some(&split));
        (is_same && rest.next().is_none()).then_some(())
    }
}
