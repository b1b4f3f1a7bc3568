//! Symmetries of a program: finds permutations of the atoms that map answer sets to answer sets, and excludes
//! all but one of the answer sets that they map to each other.
//!
//! Main functions: [`find`] and [`Found::exclude`]. `graph` makes a graph of the program, `partition` and
//! `generators` find its automorphisms, and `breaking` says what they exclude.
//!
//! Invariant: whoever breaks symmetries wants one answer set, or an optimum. What is excluded is no loss for
//! them only.

mod breaking;
mod generators;
mod graph;
mod partition;

use crate::Prepared;
pub use generators::{Permutation, Symmetries};
use graph::Graph;
use solver_gpu::Var;
use std::time::Instant;
use yasmin_ground::program::Program;

/// Symmetries of a program, by which answer sets can be excluded.
pub struct Found {
    /// What generates the symmetries, in terms of atoms.
    pub symmetries: Symmetries,
    /// The atoms that may move, those of choices first.
    order: Vec<Var>,
    seconds: f64,
}

/// How many edges of a program's graph are looked at, which takes a second or two.
const MOST_EDGES: u64 = 60_000_000;

/// The most literals of a program whose symmetries are looked for: the graph takes 20 bytes for each.
const MOST_LITERALS: usize = 5_000_000;

/// Finds symmetries of a program. An interrupt ends the search early. Atoms of which `is_open` does not hold
/// have the same value in all answer sets. `None` if the program has more than 5 million literals, or fewer
/// than `least` symmetries, the identity included.
pub fn find(
    program: Program,
    is_open: impl Fn(Var) -> bool,
    least: u32,
    interrupt: &dyn Fn() -> bool,
) -> Option<Found> {
    let items = program.sums.iter().map(|sum| sum.lits.len()).sum::<usize>();
    if program.body_lits.len() + items > MOST_LITERALS {
        return None;
    }
    let found = Found::within(program, is_open, MOST_EDGES, interrupt);
    (found.symmetries.log_number() >= (least as f64).log2()).then_some(found)
}

impl Found {
    /// Looks for symmetries until `most` edges of the program's graph were looked at, or `interrupt` says so.
    pub fn within(
        program: Program,
        is_open: impl Fn(Var) -> bool,
        most: u64,
        interrupt: &dyn Fn() -> bool,
    ) -> Found {
        let started = Instant::now();
        let graph = Graph::of(&program, is_open);
        drop(program);
        let symmetries = generators::find(&graph, most, interrupt).of_atoms(&graph.atoms);
        let mut order: Vec<u32> = (0..graph.atoms.len() as u32).collect();
        order.sort_by_key(|&v| graph.sort(v));
        let order = order.into_iter().map(|v| graph.atoms[v as usize]).collect();
        Found { symmetries, order, seconds: started.elapsed().as_secs_f64() }
    }

    /// Adds nogoods to the translation of the program that exclude answer sets which a symmetry maps to
    /// others.
    pub fn exclude(&self, prepared: &mut Prepared) {
        let excluded = breaking::exclude(&self.order, &self.symmetries, prepared);
        let counts = &mut prepared.preprocessed;
        (counts.symmetries, counts.symmetry_nogoods) = (self.symmetries.generators.len() as u64, excluded);
        counts.symmetry_seconds = self.seconds;
    }
}
