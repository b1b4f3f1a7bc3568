//! The propagator of difference constraints, which takes part in each search of one thread whose program
//! has some.
//!
//! Main type: [`Differing`]. Each searcher has one of its own. It watches the literals of all edges. If an
//! edge closes a cycle whose weights add up to less than 0, the literals of the cycle's edges are a nogood.
//! An open edge is false if the bounds of its ends exclude it: with the edges that the bounds are from, it
//! closes such a cycle.
//!
//! Invariant: the edges of the graphs are those whose literals were told of and not undone since, unless the
//! last call has found a cycle: then the search undoes the level before it calls again.

mod graph;

use super::propagation::{
    Assignment, Checks, Failure, PropagateControl, Propagator, Taking, Validity, Wishes,
};
use graph::{Graph, Mark};
use rustc_hash::FxHashMap;
use solver_gpu::Lit;
use std::sync::{Arc, Mutex};
use yasmin_ground::program::{Edge, Program};

/// Propagates the difference constraints of a program.
pub struct Differing {
    program: Arc<Program>,
    /// The edges of each literal.
    of: FxHashMap<Lit, Vec<u32>>,
    /// The graphs of the lower bounds and of the upper ones.
    graphs: [Graph; 2],
    /// The edges that may be open, by their nodes `from`, and by their nodes `to`.
    at: [Vec<Vec<u32>>; 2],
    /// The levels with edges, lowest first.
    levels: Vec<Level>,
    /// Each edge. That of a variable that is minimized has the number that the graphs know.
    edges: Vec<Edge>,
}

/// What there was before a level.
struct Level {
    level: u32,
    graphs: [Mark; 2],
    /// The number of the edge of a variable that is minimized.
    most: Option<i64>,
}

impl Differing {
    /// A propagator for a search of the program, if the program has difference constraints.
    pub fn taking(program: &Arc<Program>) -> Option<Taking> {
        let differences = program.differences.as_ref()?;
        let mut of: FxHashMap<Lit, Vec<u32>> = FxHashMap::default();
        let mut at = [(); 2].map(|()| vec![Vec::new(); differences.nodes]);
        for (index, edge) in (0..).zip(&differences.edges) {
            of.entry(edge.lit).or_default().push(index);
            if edge.lit != Lit::TRUE {
                at[0][edge.from as usize].push(index);
                at[1][edge.to as usize].push(index);
            }
        }
        let mut watches: Vec<Lit> = of.keys().copied().collect();
        // The order of a map is none.
        watches.sort_unstable();
        let fixed = differences.fixed();
        let graphs =
            [false, true].map(|is_turned| Graph::new(differences.nodes, fixed.iter().copied(), is_turned));
        let edges = differences.edges.clone();
        let propagator = Differing { program: program.clone(), of, graphs, at, levels: Vec::new(), edges };
        let is_minimized = differences.minimized.is_some();
        let checks = Checks { at_fixpoints: is_minimized, when_total: false };
        let wishes = Wishes { watches, checks, undoes_checks: is_minimized, ..Wishes::default() };
        Some((Arc::new(Mutex::new(propagator)), wishes))
    }

    /// The edge of a variable that is minimized.
    fn bounding(&self) -> Option<usize> {
        let differences = self.program.differences.as_ref()?;
        differences.minimized.as_ref().map(|minimized| minimized.edge as usize)
    }

    /// Notes what there is before a level changes it. Returns what the graphs have now.
    fn enter(&mut self, level: u32) -> [Mark; 2] {
        let graphs = self.graphs.each_ref().map(Graph::mark);
        if self.levels.last().is_none_or(|last| last.level < level) {
            let most = self.bounding().map(|edge| self.edges[edge].most);
            self.levels.push(Level { level, graphs, most });
        }
        graphs
    }

    /// Tells the search that the edges of a cycle exclude each other. Returns false if they all hold.
    fn exclude(&self, control: &mut PropagateControl<'_>, edges: &[u32]) -> Result<bool, Failure> {
        let clause: Vec<Lit> = edges.iter().map(|&index| !self.edges[index as usize].lit).collect();
        let validity = Validity { is_found_again: true, ..Validity::default() };
        Ok(control.add_clause_of(&clause, edges, validity)?)
    }

    /// Excludes the open edges whose ends have bounds that are too close, where a bound has changed.
    fn exclude_open(&self, control: &mut PropagateControl<'_>, since: [Mark; 2]) -> Result<(), Failure> {
        let [low, high] = &self.graphs;
        for ((graph, at), since) in self.graphs.iter().zip(&self.at).zip(since) {
            let mut nodes: Vec<u32> =
                graph.risen_since(since).filter(|&node| graph.is_bounded(node)).collect();
            nodes.sort_unstable();
            nodes.dedup();
            for &index in nodes.iter().flat_map(|&node| &at[node as usize]) {
                let edge = self.edges[index as usize];
                let is_possible = low.bound(edge.from) + high.bound(edge.to) <= edge.most;
                if is_possible || control.assignment().value(edge.lit).is_some() {
                    continue;
                }
                let mut edges = low.path(&self.edges, edge.from);
                edges.reverse();
                edges.push(index);
                edges.extend(high.path(&self.edges, edge.to));
                if !self.exclude(control, &edges)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

impl Propagator for Differing {
    fn propagate(&mut self, control: &mut PropagateControl<'_>, changes: &[Lit]) -> Result<(), Failure> {
        let before = self.enter(control.assignment().decision_level());
        for &index in changes.iter().filter_map(|lit| self.of.get(lit)).flatten() {
            for graph in &mut self.graphs {
                if let Some(cycle) = graph.add(&self.edges, index) {
                    self.exclude(control, &cycle)?;
                    return Ok(());
                }
            }
        }
        self.exclude_open(control, before)
    }

    /// Takes over a bound that another answer set has lowered. The edge is in the graphs already.
    fn check(&mut self, control: &mut PropagateControl<'_>) -> Result<(), Failure> {
        let minimized = self.program.differences.as_ref().and_then(|known| known.minimized.as_ref());
        let Some((edge, most)) = minimized.map(|known| (known.edge, known.most())) else { return Ok(()) };
        let known = self.edges[edge as usize].most;
        if most >= known {
            return Ok(());
        }
        let before = self.enter(control.assignment().decision_level());
        self.edges[edge as usize].most = most;
        for graph in &mut self.graphs {
            if let Some(cycle) = graph.tighten(&self.edges, edge) {
                // The level is undone, and the bound with it.
                self.exclude(control, &cycle)?;
                return Ok(());
            }
        }
        self.exclude_open(control, before)
    }

    fn undo(&mut self, assignment: &Assignment, _changes: &[Lit]) -> Result<(), Failure> {
        while let Some(level) = self.levels.pop_if(|last| last.level >= assignment.decision_level()) {
            for (graph, mark) in self.graphs.iter_mut().zip(level.graphs) {
                graph.undo_to(&self.edges, mark);
            }
            if let (Some(edge), Some(most)) = (self.bounding(), level.most) {
                self.edges[edge].most = most;
            }
        }
        Ok(())
    }
}
