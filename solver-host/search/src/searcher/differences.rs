//! The propagator of difference constraints, which takes part in each search of a program that has some.
//!
//! Main type: [`Differing`]. Each searcher has one of its own. It watches the literals of all edges. If an
//! edge closes a cycle whose weights add up to less than 0, the literals of the cycle's edges are a nogood.
//!
//! Invariant: the edges of the graph are those whose literals were told of and not undone since, unless the
//! last call has found a cycle: then the search undoes the level before it calls again.

mod graph;

use super::propagation::{
    Assignment, Checks, Failure, PropagateControl, Propagator, Taking, Validity, Wishes,
};
use graph::Graph;
use rustc_hash::FxHashMap;
use solver_gpu::Lit;
use std::sync::{Arc, Mutex};
use yasmin_ground::program::{Edge, Program};

/// Propagates the difference constraints of a program.
pub struct Differing {
    program: Arc<Program>,
    /// The edges of each literal.
    of: FxHashMap<Lit, Vec<u32>>,
    graph: Graph,
    /// The levels with edges, lowest first, and how many edges the graph had before.
    levels: Vec<(u32, usize)>,
    /// Each edge. That of a variable that is minimized has the number that the graph knows.
    edges: Vec<Edge>,
}

impl Differing {
    /// A propagator for a search of the program, if the program has difference constraints.
    pub fn taking(program: &Arc<Program>) -> Option<Taking> {
        let differences = program.differences.as_ref()?;
        let mut of: FxHashMap<Lit, Vec<u32>> = FxHashMap::default();
        for (index, edge) in differences.edges.iter().enumerate() {
            of.entry(edge.lit).or_default().push(index as u32);
        }
        let mut watches: Vec<Lit> = of.keys().copied().collect();
        // The order of a map is none.
        watches.sort_unstable();
        let graph = Graph::new(differences.nodes);
        let edges = differences.edges.clone();
        let propagator = Differing { program: program.clone(), of, graph, levels: Vec::new(), edges };
        let checks = Checks { at_fixpoints: differences.minimized.is_some(), when_total: false };
        Some((Arc::new(Mutex::new(propagator)), Wishes { watches, checks, ..Wishes::default() }))
    }

    /// Tells the search that the edges of a cycle exclude each other.
    fn exclude(&self, control: &mut PropagateControl<'_>, cycle: &[u32]) -> Result<(), Failure> {
        let clause: Vec<Lit> = cycle.iter().map(|&index| !self.edges[index as usize].lit).collect();
        control.add_clause(&clause, Validity { is_found_again: true, ..Validity::default() })?;
        Ok(())
    }
}

impl Propagator for Differing {
    fn propagate(&mut self, control: &mut PropagateControl<'_>, changes: &[Lit]) -> Result<(), Failure> {
        let level = control.assignment().decision_level();
        if self.levels.last().is_none_or(|&(last, _)| last < level) {
            self.levels.push((level, self.graph.len()));
        }
        for &index in changes.iter().filter_map(|lit| self.of.get(lit)).flatten() {
            if let Some(cycle) = self.graph.add(&self.edges, index) {
                return self.exclude(control, &cycle);
            }
        }
        Ok(())
    }

    /// Takes over a bound that another answer set has lowered. The edge is in the graph already.
    fn check(&mut self, control: &mut PropagateControl<'_>) -> Result<(), Failure> {
        let minimized = self.program.differences.as_ref().and_then(|known| known.minimized.as_ref());
        let Some(minimized) = minimized else { return Ok(()) };
        let edge = minimized.edge as usize;
        self.graph.fit(&self.edges, minimized.edge);
        let before = std::mem::replace(&mut self.edges[edge].most, minimized.most());
        if self.edges[edge].most < before {
            if let Some(cycle) = self.graph.tighten(&self.edges, minimized.edge) {
                // The graph does not satisfy the bound yet.
                self.edges[edge].most = before;
                self.exclude(control, &cycle)?;
            }
        }
        Ok(())
    }

    fn undo(&mut self, assignment: &Assignment, _changes: &[Lit]) -> Result<(), Failure> {
        while let Some((_, len)) = self.levels.pop_if(|&mut (level, _)| level >= assignment.decision_level())
        {
            self.graph.shrink_to(&self.edges, len);
        }
        Ok(())
    }
}
