//! Difference constraints as kernels see them: arcs between bounds (see
//! [`solver_gpu::kernels::differences`]).
//!
//! Main function: [`Arcs::of`]. Invariant: `to` is at least `from` plus `adds` wherever the arc's literal
//! holds.

use solver_gpu::kernels::differences::ZERO;
use solver_gpu::Lit;
use yasmin_ground::program::Program;
use yasmin_nogoods::{Csr, Prepared};

/// The arcs of a program, in the order of the bounds that they lead from.
#[derive(Default)]
pub struct Arcs {
    /// What each bound is without any literal.
    pub first: Vec<i64>,
    /// The boundaries of the arcs from each bound.
    pub start: Vec<u32>,
    /// The bounds that the arcs lead from.
    pub from: Vec<u32>,
    /// The bounds that they lead to.
    pub to: Vec<u32>,
    /// What they add.
    pub adds: Vec<i64>,
    /// Their literals.
    pub lits: Vec<Lit>,
    /// The arcs of each literal.
    pub occurs: Csr,
}

impl Arcs {
    /// The arcs of a program, which was prepared; none if it has no difference constraints, or kernels do
    /// not look after them: the number of an edge that bounds a variable that is minimized falls.
    pub fn of(program: &Program, p: &Prepared) -> Option<Arcs> {
        let differences = program.differences.as_ref().filter(|known| known.minimized.is_none())?;
        if p.unsatisfiable {
            return None;
        }
        let nodes = differences.nodes as u32;
        let edges = differences.edges.iter().map(|edge| (p.literal_of(edge.lit), edge));
        let mut arcs: Vec<(u32, u32, i64, Lit)> = edges
            .filter(|&(lit, _)| lit != Lit::FALSE)
            .flat_map(|(lit, edge)| {
                // The lower bound of the second node, and the upper one of the first, negated.
                let (u, v, adds) = (edge.from, edge.to, -edge.most);
                [(u, v, adds, lit), (nodes + v, nodes + u, adds, lit)]
            })
            .collect();
        arcs.sort_by_key(|arc| arc.0);
        let bounds = 2 * nodes;
        let occurs = (0..).zip(&arcs).filter(|(_, arc)| arc.3 != Lit::TRUE);
        let mut occurs: Vec<(usize, u32)> = occurs.map(|(i, arc)| (arc.3.index(), i)).collect();
        occurs.sort_unstable();
        let mut first = vec![0; bounds as usize];
        for node in differences.fixed() {
            first[node as usize] = ZERO;
            first[(nodes + node) as usize] = ZERO;
        }
        Some(Arcs {
            first: raised(&arcs, first),
            start: (0..=bounds).map(|b| arcs.partition_point(|arc| arc.0 < b) as u32).collect(),
            from: arcs.iter().map(|arc| arc.0).collect(),
            to: arcs.iter().map(|arc| arc.1).collect(),
            adds: arcs.iter().map(|arc| arc.2).collect(),
            lits: arcs.iter().map(|arc| arc.3).collect(),
            occurs: Csr::from_pairs(2 * p.vars as usize, occurs.into_iter()),
        })
    }
}

/// The bounds as the arcs without literals raise them. If these exclude each other, the bounds stay as
/// they are: the first check of a search finds that.
fn raised(arcs: &[(u32, u32, i64, Lit)], first: Vec<i64>) -> Vec<i64> {
    let mut bounds = first.clone();
    for _ in 0..=bounds.len() {
        let mut is_raised = false;
        for &(from, to, adds, _) in arcs.iter().filter(|arc| arc.3 == Lit::TRUE) {
            let least = bounds[from as usize] + adds;
            if least > 2 * ZERO {
                // More than all weights together.
                return first;
            }
            is_raised |= least > bounds[to as usize];
            bounds[to as usize] = least.max(bounds[to as usize]);
        }
        if !is_raised {
            return bounds;
        }
    }
    first
}
