//! A graph of difference constraints in which no cycle has a negative weight (Cotton and Maler, "Fast and
//! Flexible Difference Constraint Propagation for DPLL(T)", SAT 2006, section 4.1).
//!
//! Main function: [`Graph::add`]. Each node has a value such that all edges are satisfied: the value of
//! `from` minus that of `to` is at most `most`. A new edge that is not satisfied raises the value of its
//! second node, and that may raise further ones. The node that has to rise most comes first, as in Dijkstra's
//! algorithm, so that each node rises once. If the new edge's first node would have to rise, there is a
//! cycle.
//!
//! Some nodes begin with 0, and all others far below. So a value that a path from such a node demands is a
//! lower bound of the difference to it, and [`Graph::path`] says why. A graph that is turned round has the
//! upper bounds, times -1. Removed edges take back what they have raised.
//!
//! Invariant: the values are the least that satisfy all edges of the graph and are no less than at the
//! beginning.

use std::collections::BinaryHeap;
use yasmin_ground::program::{Edge, MOST};

/// Stands for no edge.
const NONE: u32 = u32::MAX;

/// The value that a node without a bound begins with. From here on, a path raises it by at most what all
/// edges demand, which is [`MOST`], and as much again for the bound of a variable that is minimized.
const UNBOUNDED: i64 = -(1 << 62);
const _: () = assert!(2 * MOST < UNBOUNDED.unsigned_abs() / 2);

/// See the module's documentation.
pub struct Graph {
    /// Whether edges lead from `to` to `from`.
    is_turned: bool,
    /// The value of each node, and the edge that has raised it.
    value: Vec<i64>,
    because: Vec<u32>,
    /// The edges that leave each node, in the order in which they were added.
    out: Vec<Vec<u32>>,
    /// All edges, in that order.
    edges: Vec<u32>,
    /// The nodes that have risen, with their values and edges before.
    risen: Vec<(u32, i64, u32)>,
    /// By how much each node has to rise, and because of which edge. 0 outside a call.
    rise: Vec<(i64, u32)>,
    /// The nodes that may have to rise, those that rise most on top.
    queue: BinaryHeap<(i64, u32)>,
    /// The nodes whose `rise` is not 0, or was not.
    touched: Vec<u32>,
}

/// What a graph had at some time: its edges, and how often a node had risen.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    edges: usize,
    rises: usize,
}

impl Graph {
    /// A graph without edges, whose bounds are counted from these nodes.
    pub fn new(nodes: usize, fixed: impl IntoIterator<Item = u32>, is_turned: bool) -> Graph {
        let mut value = vec![UNBOUNDED; nodes];
        fixed.into_iter().for_each(|node| value[node as usize] = 0);
        Graph {
            is_turned,
            value,
            because: vec![NONE; nodes],
            out: vec![Vec::new(); nodes],
            edges: Vec::new(),
            risen: Vec::new(),
            rise: vec![(0, NONE); nodes],
            queue: BinaryHeap::new(),
            touched: Vec::new(),
        }
    }

    /// The nodes from which and to which an edge leads here.
    fn ends(&self, edge: Edge) -> [u32; 2] {
        match self.is_turned {
            false => [edge.from, edge.to],
            true => [edge.to, edge.from],
        }
    }

    /// The bound of a node: one far below what any edge is about if there is none.
    pub fn bound(&self, node: u32) -> i64 {
        self.value[node as usize]
    }

    /// Whether a node has a bound.
    pub fn is_bounded(&self, node: u32) -> bool {
        self.bound(node) > UNBOUNDED / 2
    }

    /// What the graph has now.
    pub fn mark(&self) -> Mark {
        Mark { edges: self.edges.len(), rises: self.risen.len() }
    }

    /// The nodes that have risen since then, some more than once.
    pub fn risen_since(&self, mark: Mark) -> impl Iterator<Item = u32> + '_ {
        self.risen[mark.rises..].iter().map(|&(node, ..)| node)
    }

    /// Adds an edge of `all`. If that makes a negative cycle, returns the cycle's edges, each of which begins
    /// with the node `to` of the one before, and leaves the graph as it was.
    pub fn add(&mut self, all: &[Edge], index: u32) -> Option<Vec<u32>> {
        let cycle = self.tighten(all, index);
        if cycle.is_none() {
            let [from, _] = self.ends(all[index as usize]);
            self.out[from as usize].push(index);
            self.edges.push(index);
        }
        cycle
    }

    /// The same as [`Graph::add`] for an edge that is in the graph, or that is going to be, whose number has
    /// become smaller.
    pub fn tighten(&mut self, all: &[Edge], index: u32) -> Option<Vec<u32>> {
        let before = self.mark();
        let [first, second] = self.ends(all[index as usize]);
        self.want(second, self.value[first as usize] - all[index as usize].most, index);
        let mut cycle = None;
        while let Some((rise, node)) = self.queue.pop() {
            // A node may be in the queue with less than it has to rise, or have risen.
            if self.rise[node as usize].0 != rise {
                continue;
            }
            if node == first {
                cycle = Some(self.cycle(all, first));
                break;
            }
            self.risen.push((node, self.value[node as usize], self.because[node as usize]));
            self.value[node as usize] += rise;
            self.because[node as usize] = self.rise[node as usize].1;
            self.rise[node as usize].0 = 0;
            for at in 0..self.out[node as usize].len() {
                let next = self.out[node as usize][at];
                let edge = all[next as usize];
                self.want(self.ends(edge)[1], self.value[node as usize] - edge.most, next);
            }
        }
        if cycle.is_some() {
            self.undo_to(all, before);
        }
        self.touched.drain(..).for_each(|node| self.rise[node as usize] = (0, NONE));
        self.queue.clear();
        cycle
    }

    /// Notes that a node's value has to be at least this, because of an edge.
    fn want(&mut self, node: u32, least: i64, because: u32) {
        let (rise, known) = (least - self.value[node as usize], &mut self.rise[node as usize]);
        if rise > known.0 {
            *known = (rise, because);
            self.touched.push(node);
            self.queue.push((rise, node));
        }
    }

    /// The edges back from the first node of the new edge.
    fn cycle(&self, all: &[Edge], first: u32) -> Vec<u32> {
        let (mut cycle, mut node) = (Vec::new(), first);
        loop {
            let because = self.rise[node as usize].1;
            cycle.push(because);
            [node, _] = self.ends(all[because as usize]);
            if node == first {
                break;
            }
        }
        // Edges lead the other way here, unless the graph is turned.
        if !self.is_turned {
            cycle.reverse();
        }
        cycle
    }

    /// The edges that a node's bound is from, from the node back to one from which bounds are counted.
    pub fn path(&self, all: &[Edge], mut node: u32) -> Vec<u32> {
        let mut path = Vec::new();
        while self.because[node as usize] != NONE {
            let because = self.because[node as usize];
            path.push(because);
            [node, _] = self.ends(all[because as usize]);
        }
        path
    }

    /// Removes the edges that were added since then, and what they have raised.
    pub fn undo_to(&mut self, all: &[Edge], mark: Mark) {
        for (node, value, because) in self.risen.drain(mark.rises..).rev() {
            (self.value[node as usize], self.because[node as usize]) = (value, because);
        }
        while self.edges.len() > mark.edges {
            let Some(index) = self.edges.pop() else { return };
            let [from, _] = self.ends(all[index as usize]);
            self.out[from as usize].pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver_gpu::Lit;
    use std::collections::HashSet;
    use yasmin_ground::program::Differences;

    /// Whether the edges have a negative cycle: whether some path over as many edges as nodes demands more.
    fn has_cycle(nodes: usize, edges: &[Edge]) -> bool {
        let all = Differences { edges: edges.to_vec(), nodes, ..Differences::default() };
        all.values(|_| true).is_none()
    }

    /// What paths over at most as many edges as there are nodes demand of each node, if the last node is 0.
    fn bounds(nodes: usize, edges: &[[i64; 3]]) -> Vec<Option<i64>> {
        let mut bounds = vec![None; nodes];
        bounds[nodes - 1] = Some(0);
        for _ in 0..nodes {
            for &[from, to, most] in edges {
                bounds[to as usize] =
                    bounds[to as usize].max(bounds[from as usize].map(|bound| bound - most));
            }
        }
        bounds
    }

    /// Checks that a graph has these edges, and what bounds its nodes.
    fn check(graph: &Graph, all: &[Edge], there: &[u32]) {
        let of = |index: u32| {
            let edge = all[index as usize];
            let [from, to] = graph.ends(edge).map(i64::from);
            [from, to, edge.most]
        };
        let edges: Vec<[i64; 3]> = there.iter().map(|&index| of(index)).collect();
        for (node, bound) in (0..).zip(bounds(graph.value.len(), &edges)) {
            assert_eq!(graph.is_bounded(node).then(|| graph.bound(node)), bound);
            let path = graph.path(all, node);
            assert!(path.iter().all(|index| there.contains(index)));
            let total: i64 = path.iter().map(|&index| of(index)[2]).sum();
            assert!(bound.is_none_or(|bound| bound == -total));
        }
        assert!(edges
            .iter()
            .all(|&[from, to, most]| graph.bound(from as u32) - graph.bound(to as u32) <= most));
    }

    #[test]
    fn cycles_are_found_and_are_cycles_and_bounds_are_those_of_paths() {
        for seed in yasmin_seeds::seeds(300) {
            let mut random = seed;
            let mut draw = |below: u64| {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (random >> 33) % below
            };
            let nodes = 2 + draw(5) as usize;
            let edge = |draw: &mut dyn FnMut(u64) -> u64| Edge {
                lit: Lit::TRUE,
                from: draw(nodes as u64) as u32,
                to: draw(nodes as u64) as u32,
                most: draw(12) as i64 - 4,
            };
            let mut all: Vec<Edge> = (0..30).map(|_| edge(&mut draw)).collect();
            let mut graph = Graph::new(nodes, [nodes as u32 - 1], seed % 2 == 0);
            let (mut there, mut marks) = (Vec::new(), Vec::<(Mark, Vec<Edge>)>::new());
            for _ in 0..60 {
                let begins = (graph.mark(), all.clone());
                if draw(4) == 0 {
                    let len = draw(1 + there.len() as u64) as usize;
                    if let Some((mark, numbers)) = marks.get(len).cloned() {
                        graph.undo_to(&all, mark);
                        all = numbers;
                    }
                    there.truncate(len);
                    marks.truncate(len);
                    check(&graph, &all, &there);
                    continue;
                }
                let falls = !there.is_empty() && draw(6) == 0;
                let index = if falls { there[draw(there.len() as u64) as usize] } else { draw(30) as u32 };
                let edges =
                    |all: &[Edge], of: &[u32]| of.iter().map(|&e| all[e as usize]).collect::<Vec<_>>();
                let before = all[index as usize].most;
                all[index as usize].most -= i64::from(falls);
                let with: Vec<u32> = there.iter().copied().chain((!falls).then_some(index)).collect();
                let cycle = if falls { graph.tighten(&all, index) } else { graph.add(&all, index) };
                if let Some(cycle) = &cycle {
                    assert!(cycle.contains(&index) && cycle.iter().all(|e| with.contains(e)), "seed {seed}");
                    let cycle = edges(&all, cycle);
                    assert!(cycle.iter().map(|edge| edge.most).sum::<i64>() < 0, "seed {seed}: {cycle:?}");
                    let from: HashSet<u32> = cycle.iter().map(|edge| edge.from).collect();
                    let to: HashSet<u32> = cycle.iter().map(|edge| edge.to).collect();
                    assert_eq!((from.len(), &from), (cycle.len(), &to), "seed {seed}");
                    all[index as usize].most = before;
                } else {
                    assert!(!has_cycle(nodes, &edges(&all, &with)), "seed {seed}");
                    marks.extend((!falls).then_some(begins));
                    there = with;
                }
                check(&graph, &all, &there);
            }
        }
    }
}
