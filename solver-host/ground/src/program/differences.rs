//! Difference constraints: `&diff{u - v} <= k` and what can be written as such, as clingo-dl 1.5 reads them
//! (Janhunen et al., "Clingo goes Linear Constraints over Reals and Integers", 2017).
//!
//! Main function: [`Differences::values`], which gives the variables of an answer set their least values.
//!
//! Invariant: the weights of all edges without their signs add up to at most [`MOST`], so that no sum of
//! weights along a path overflows.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use solver_gpu::Lit;

/// What the weights may add up to.
pub const MOST: u64 = 1 << 59;

/// What holds if a literal does: the value of `from` minus the value of `to` is at most `most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// The literal.
    pub lit: Lit,
    /// The first node.
    pub from: u32,
    /// The second node.
    pub to: u32,
    /// The largest difference.
    pub most: i64,
}

/// The difference constraints of a program. The nodes are its integer variables, and after these come nodes
/// whose value is 0 by definition, one for each part of the graph that hangs together without such nodes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Differences {
    /// The edges.
    pub edges: Vec<Edge>,
    /// The names of the variables.
    pub names: Vec<String>,
    /// The node that is 0 for each variable.
    pub zero_of: Vec<u32>,
    /// How many nodes there are.
    pub nodes: usize,
    /// The variable that is minimized, if one is.
    pub minimized: Option<Minimized>,
}

/// A variable that is minimized, and the most that its value may be. All searches of a program share the
/// bound.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Minimized {
    /// The variable.
    pub variable: u32,
    /// The edge that bounds the variable, whose number is the bound that the search began with.
    pub edge: u32,
    /// The bound.
    #[serde(skip)]
    most: Arc<AtomicI64>,
}

impl Minimized {
    /// The most that the variable may be. It only falls.
    pub fn most(&self) -> i64 {
        // Relaxed: whoever sees an old bound will see the new one.
        self.most.load(Ordering::Relaxed)
    }

    /// Demands less than a value from now on. Returns whether the value was within the bound before.
    pub fn improve(&self, value: i64) -> bool {
        self.most.fetch_min(value - 1, Ordering::Relaxed) >= value
    }
}

/// A theory atom that is no difference constraint, or one that is too large.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TheoryError {
    /// An atom of another theory.
    #[error("the theory atom `{0}` is of no theory that yasmin knows")]
    Unknown(String),
    /// An atom that says something else than a difference.
    #[error("the theory atom `{atom}` is no difference constraint: {what}")]
    NoDifference {
        /// The atom.
        atom: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A variable is to be minimized that there is not.
    #[error("no difference constraint has a variable `{0}`, which is to be minimized")]
    NoVariable(String),
    /// The numbers are too large.
    #[error("the numbers of the difference constraints add up to more than {MOST}, which is 2^59")]
    TooLarge,
}

/// Stands for the node that is 0.
pub(super) const ZERO: u32 = u32::MAX;

impl Differences {
    /// Bounds a variable by an edge, whose literal is a fact.
    pub(super) fn minimize(&mut self, variable: u32, lit: Lit) {
        // No value is larger than the sum of all numbers.
        let (to, most) = (self.zero_of[variable as usize], MOST as i64);
        let edge = self.edges.len() as u32;
        self.edges.push(Edge { lit, from: variable, to, most });
        self.minimized = Some(Minimized { variable, edge, most: Arc::new(most.into()) });
    }

    /// The constraints with these edges, in which 0 is a node for all parts of the graph, between these
    /// variables.
    pub(super) fn of(mut edges: Vec<Edge>, names: Vec<String>) -> Result<Differences, TheoryError> {
        let total = edges.iter().try_fold(0, |sum: u64, edge| sum.checked_add(edge.most.unsigned_abs()));
        total.filter(|&total| total <= MOST).ok_or(TheoryError::TooLarge)?;
        // The parts, by the first of their variables.
        let mut part: Vec<u32> = (0..names.len() as u32).collect();
        fn first_of(part: &mut [u32], mut node: u32) -> u32 {
            while part[node as usize] != node {
                part[node as usize] = part[part[node as usize] as usize];
                node = part[node as usize];
            }
            node
        }
        for edge in edges.iter().filter(|edge| edge.from != ZERO && edge.to != ZERO) {
            let [one, other] = [edge.from, edge.to].map(|node| first_of(&mut part, node));
            part[one.max(other) as usize] = one.min(other);
        }
        let (mut nodes, mut zeros) = (names.len(), HashMap::new());
        let mut zero = |part| {
            *zeros.entry(part).or_insert_with(|| {
                nodes += 1;
                nodes as u32 - 1
            })
        };
        let zero_of: Vec<u32> = (0..names.len() as u32).map(|node| zero(first_of(&mut part, node))).collect();
        for edge in &mut edges {
            match (edge.from, edge.to) {
                (ZERO, to) => edge.from = zero_of[to as usize],
                (from, ZERO) => edge.to = zero_of[from as usize],
                _ => {}
            }
        }
        Ok(Differences { edges, names, zero_of, nodes, minimized: None })
    }

    /// The node of each part of the graph from which bounds are counted: the one with the most edges,
    /// because a cycle is found early if it leads over that node. It is the node that is 0 if that has as
    /// many.
    pub fn fixed(&self) -> Vec<u32> {
        let mut edges = vec![0u32; self.nodes];
        for node in self.edges.iter().flat_map(|edge| [edge.from, edge.to]) {
            edges[node as usize] += 1;
        }
        let mut fixed: Vec<u32> = (0..self.nodes as u32).collect();
        for (node, &zero) in (0..).zip(&self.zero_of) {
            let best = &mut fixed[zero as usize];
            if edges[node as usize] > edges[*best as usize] {
                *best = node;
            }
        }
        fixed.split_off(self.names.len())
    }

    /// The least value of the variable that is minimized, if one is, and something bounds it from below: what
    /// the edges demand if only 0 is given.
    pub fn minimized(&self, holds: impl Fn(Lit) -> bool) -> Option<i64> {
        let Minimized { variable, .. } = self.minimized.as_ref()?;
        let zero = self.zero_of[*variable as usize];
        self.longest_paths(&holds, MOST as i64, |node| node == zero)?[*variable as usize]
    }

    /// The least values that are allowed where these literals hold, above the least that a part of the graph
    /// begins with: none for a variable that nothing is said of. `None` if the constraints contradict each
    /// other.
    ///
    /// A variable that is minimized has its least value, unless nothing bounds it from below.
    pub fn values(&self, holds: impl Fn(Lit) -> bool) -> Option<Vec<Option<i64>>> {
        let bound = self.minimized(&holds).unwrap_or(MOST as i64);
        let value = self.longest_paths(&holds, bound, |_| true)?;
        let mut is_used = vec![false; self.nodes];
        for edge in self.edges.iter().filter(|edge| holds(edge.lit)) {
            is_used[edge.from as usize] = true;
            is_used[edge.to as usize] = true;
        }
        let above_zero = |node: usize| Some(value[node]? - value[self.zero_of[node] as usize]?);
        Some((0..self.names.len()).map(|node| above_zero(node).filter(|_| is_used[node])).collect())
    }

    /// Of each node the most that the edges demand if some nodes are at least 0, found as shortest paths are
    /// (Bellman and Ford); nothing for a node that cannot be reached. A path over more edges than there are
    /// nodes has a cycle, and there is no value. `bound` is the number of the edge of the variable that is
    /// minimized.
    fn longest_paths(
        &self,
        holds: &dyn Fn(Lit) -> bool,
        bound: i64,
        begins: impl Fn(u32) -> bool,
    ) -> Option<Vec<Option<i64>>> {
        let bounded = self.minimized.as_ref().map(|minimized| minimized.edge as usize);
        let mut out: Vec<Vec<(u32, i64)>> = vec![Vec::new(); self.nodes];
        for (index, edge) in self.edges.iter().enumerate().filter(|(_, edge)| holds(edge.lit)) {
            out[edge.from as usize].push((edge.to, if Some(index) == bounded { bound } else { edge.most }));
        }
        let nodes = || 0..self.nodes as u32;
        let mut value: Vec<Option<i64>> = nodes().map(|node| begins(node).then_some(0)).collect();
        let mut steps = vec![0usize; self.nodes];
        let mut queue: VecDeque<u32> = nodes().filter(|&node| begins(node)).collect();
        let mut is_queued: Vec<bool> = nodes().map(begins).collect();
        while let Some(from) = queue.pop_front() {
            is_queued[from as usize] = false;
            for &(to, most) in &out[from as usize] {
                let least = value[from as usize].map(|value| value - most);
                if value[to as usize] >= least {
                    continue;
                }
                value[to as usize] = least;
                steps[to as usize] = steps[from as usize] + 1;
                if steps[to as usize] > self.nodes {
                    return None;
                }
                if !std::mem::replace(&mut is_queued[to as usize], true) {
                    queue.push_back(to);
                }
            }
        }
        Some(value)
    }

    /// The values as clingo-dl prints them, `dl(x,3)`; nothing if the constraints contradict each other.
    pub fn shown(&self, holds: impl Fn(Lit) -> bool) -> Vec<String> {
        let values = self.values(holds).unwrap_or_default();
        let named = self.names.iter().zip(values);
        named.filter_map(|(name, value)| Some(format!("dl({name},{})", value?))).collect()
    }
}
