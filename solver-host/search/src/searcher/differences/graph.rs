//! A graph of difference constraints in which no cycle has a negative weight (Cotton and Maler, "Fast and
//! Flexible Difference Constraint Propagation for DPLL(T)", SAT 2006, section 4.1).
//!
//! Main function: [`Graph::add`]. Each node has a value such that all edges are satisfied: the value of
//! `from` minus that of `to` is at most `most`. A new edge that is not satisfied raises the value of its
//! second node, and that may raise further ones. The node that has to rise most comes first, as in Dijkstra's
//! algorithm, so that each node rises once. If the new edge's first node would have to rise, there is a
//! cycle. Removed edges leave the values as they are.
//!
//! Invariant: the values satisfy all edges of the graph.

use std::collections::{BinaryHeap, VecDeque};
use yasmin_ground::program::{Edge, MOST};

/// Stands for no edge.
const NONE: u32 = u32::MAX;

/// Larger values are computed anew. No value is below 0. A new edge raises a value to at most that of its first
/// node and what the edges of a path demand: [`MOST`], and as much again for the bound of a variable that is
/// minimized. So neither a value nor a rise overflows.
const LARGE: i64 = 1 << 61;
const _: () = assert!(LARGE as u64 + 2 * MOST <= i64::MAX as u64);

/// See the module's documentation.
pub struct Graph {
    /// The value of each node. Values only rise, until [`Graph::fit`] computes them anew.
    value: Vec<i64>,
    /// The edges that leave each node, in the order in which they were added.
    out: Vec<Vec<u32>>,
    /// All edges, in that order.
    edges: Vec<u32>,
    /// By how much each node has to rise, and because of which edge. 0 outside a call.
    rise: Vec<(i64, u32)>,
    /// The nodes that may have to rise, those that rise most on top.
    queue: BinaryHeap<(i64, u32)>,
    /// The nodes whose `rise` is not 0, or was not.
    touched: Vec<u32>,
    /// The nodes that have risen, with their values before.
    risen: Vec<(u32, i64)>,
}

impl Graph {
    /// A graph without edges.
    pub fn new(nodes: usize) -> Graph {
        Graph {
            value: vec![0; nodes],
            out: vec![Vec::new(); nodes],
            edges: Vec::new(),
            rise: vec![(0, NONE); nodes],
            queue: BinaryHeap::new(),
            touched: Vec::new(),
            risen: Vec::new(),
        }
    }

    /// How many edges there are.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Adds an edge of `all`. If that makes a negative cycle, returns the cycle's edges and leaves the graph
    /// as it was.
    pub fn add(&mut self, all: &[Edge], index: u32) -> Option<Vec<u32>> {
        self.fit(all, index);
        let cycle = self.tighten(all, index);
        if cycle.is_none() {
            self.out[all[index as usize].from as usize].push(index);
            self.edges.push(index);
        }
        cycle
    }

    /// Computes all values anew if an edge could raise one so far that it overflows. The edge has not changed yet.
    pub fn fit(&mut self, all: &[Edge], index: u32) {
        if self.value[all[index as usize].from as usize] <= LARGE {
            return;
        }
        self.value.fill(0);
        let mut queue: VecDeque<u32> = (0..self.value.len() as u32).collect();
        // There is no cycle that raises its own values.
        while let Some(node) = queue.pop_front() {
            for edge in self.out[node as usize].iter().map(|&index| all[index as usize]) {
                let least = self.value[node as usize] - edge.most;
                if least > self.value[edge.to as usize] {
                    self.value[edge.to as usize] = least;
                    queue.push_back(edge.to);
                }
            }
        }
    }

    /// The same as [`Graph::add`] for an edge that is in the graph, or that is going to be, whose number has become
    /// smaller. [`Graph::fit`] was called before.
    pub fn tighten(&mut self, all: &[Edge], index: u32) -> Option<Vec<u32>> {
        let new = all[index as usize];
        self.want(new.to, self.value[new.from as usize] - new.most, index);
        let mut has_cycle = false;
        while let Some((rise, node)) = self.queue.pop() {
            // A node may be in the queue with less than it has to rise, or have risen.
            if self.rise[node as usize].0 != rise {
                continue;
            }
            if node == new.from {
                has_cycle = true;
                break;
            }
            self.risen.push((node, self.value[node as usize]));
            self.value[node as usize] += rise;
            self.rise[node as usize].0 = 0;
            for at in 0..self.out[node as usize].len() {
                let next = self.out[node as usize][at];
                let edge = all[next as usize];
                self.want(edge.to, self.value[node as usize] - edge.most, next);
            }
        }
        let cycle = has_cycle.then(|| self.cycle(all, new));
        for (node, before) in self.risen.drain(..) {
            if has_cycle {
                self.value[node as usize] = before;
            }
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
    fn cycle(&self, all: &[Edge], new: Edge) -> Vec<u32> {
        let (mut cycle, mut node) = (Vec::new(), new.from);
        loop {
            let because = self.rise[node as usize].1;
            cycle.push(because);
            node = all[because as usize].from;
            if node == new.from {
                return cycle;
            }
        }
    }

    /// Removes the edges that were added last.
    pub fn shrink_to(&mut self, all: &[Edge], len: usize) {
        for index in self.edges.drain(len..).rev() {
            self.out[all[index as usize].from as usize].pop();
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

    #[test]
    fn cycles_are_found_and_are_cycles() {
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
            let all: Vec<Edge> = (0..30).map(|_| edge(&mut draw)).collect();
            let (mut graph, mut there) = (Graph::new(nodes), Vec::new());
            for _ in 0..60 {
                if draw(4) == 0 {
                    let len = draw(1 + there.len() as u64) as usize;
                    graph.shrink_to(&all, len);
                    there.truncate(len);
                    continue;
                }
                let index = draw(30) as u32;
                let edges = |of: &[u32]| of.iter().map(|&e| all[e as usize]).collect::<Vec<_>>();
                let with: Vec<u32> = there.iter().copied().chain([index]).collect();
                match graph.add(&all, index) {
                    None => {
                        assert!(!has_cycle(nodes, &edges(&with)), "seed {seed}");
                        there = with;
                    }
                    Some(cycle) => {
                        assert!(
                            cycle.contains(&index) && cycle.iter().all(|e| with.contains(e)),
                            "seed {seed}"
                        );
                        let sum: i64 = edges(&cycle).iter().map(|edge| edge.most).sum();
                        assert!(sum < 0, "seed {seed}: {cycle:?}");
                        let from: HashSet<u32> = edges(&cycle).iter().map(|edge| edge.from).collect();
                        let to: HashSet<u32> = edges(&cycle).iter().map(|edge| edge.to).collect();
                        assert_eq!((from.len(), &from), (cycle.len(), &to), "seed {seed}");
                    }
                }
                let holds = |e: &Edge| graph.value[e.from as usize] - graph.value[e.to as usize] <= e.most;
                assert!(edges(&there).iter().all(holds), "seed {seed}");
            }
        }
    }

    /// Two edges of which one is there at a time raise the values for ever.
    #[test]
    fn values_may_rise_for_ever() {
        let edge = |from, to| Edge { lit: Lit::TRUE, from, to, most: -(1 << 60) };
        let all = [edge(0, 1), edge(1, 0)];
        let mut graph = Graph::new(2);
        for turn in 0..100 {
            assert_eq!(graph.add(&all, turn % 2), None);
            graph.shrink_to(&all, 0);
        }
    }
}
