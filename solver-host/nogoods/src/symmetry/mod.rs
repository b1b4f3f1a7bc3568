//! Symmetries of a program: finds permutations of the atoms that map answer sets to answer sets, and excludes
//! all but one of the answer sets that they map to each other.
//!
//! Main function: [`break_symmetries`]. `graph` makes a graph of the program, `partition` and `generators`
//! find its automorphisms, and `breaking` says what they exclude.
//!
//! Invariant: whoever breaks symmetries wants one answer set, or an optimum. What is excluded is no loss for
//! them only.

mod breaking;
mod generators;
mod graph;
mod partition;

use crate::Prepared;
pub use generators::{Permutation, Symmetries};
pub use graph::Graph;
use solver_gpu::{Lit, Var};
use std::time::Instant;
use yasmin_ground::program::Program;

/// Finds symmetries of a program, until `most` edges of the program's graph were looked at or `interrupt`
/// says so. Atoms of which `is_open` does not hold have the same value in all answer sets.
pub fn symmetries_of(
    program: &Program,
    is_open: impl Fn(Var) -> bool,
    most: u64,
    interrupt: &dyn Fn() -> bool,
) -> (Graph, Symmetries) {
    let graph = Graph::of(program, is_open);
    let symmetries = generators::find(&graph, most, interrupt);
    (graph, symmetries)
}

/// How many edges of a program's graph are looked at, which takes a second or two.
const MOST_EDGES: u64 = 60_000_000;

/// The most literals of a program whose symmetries are looked for: the graph takes 50 bytes for each.
const MOST_LITERALS: usize = 5_000_000;

/// Adds nogoods to the translation of a program that exclude answer sets which a symmetry maps to others.
/// Nothing is excluded if there are fewer than `least` symmetries, the identity included, nor from a program
/// of more than 5 million literals. An interrupt ends the search for symmetries early.
pub fn break_symmetries(
    program: &Program,
    prepared: &mut Prepared,
    least: u32,
    interrupt: &dyn Fn() -> bool,
) {
    let started = Instant::now();
    let items = program.sums.iter().map(|sum| sum.lits.len()).sum::<usize>();
    if program.body_lits.len() + items > MOST_LITERALS {
        return;
    }
    let is_open = |atom: Var| !prepared.literal_of(Lit::t(atom)).is_constant();
    let (graph, symmetries) = symmetries_of(program, is_open, MOST_EDGES, interrupt);
    let excluded = match symmetries.log_number() < (least as f64).log2() {
        true => 0,
        false => breaking::exclude(&graph, &symmetries, prepared),
    };
    let counts = &mut prepared.preprocessed;
    (counts.symmetries, counts.symmetry_nogoods) = (symmetries.generators.len() as u64, excluded);
    counts.symmetry_seconds = started.elapsed().as_secs_f64();
}
