//! Finding a cycle in a graph of names.
//!
//! Main function: [`find`].

use std::collections::{BTreeMap, BTreeSet};

/// The graph: each node with the nodes that it points to.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// A shortest cycle through the first node that is on one: its nodes in order, the first node again at the
/// end. Edges from a node to itself do not count.
pub fn find(graph: &Graph) -> Option<Vec<String>> {
    graph.keys().find_map(|start| cycle_through(graph, start))
}

/// Breadth-first search from `start` back to `start`.
fn cycle_through(graph: &Graph, start: &str) -> Option<Vec<String>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut level = vec![start];
    while !level.is_empty() {
        let mut next = Vec::new();
        for from in level {
            let targets = graph.get(from).into_iter().flatten().map(String::as_str);
            for to in targets.filter(|&to| to != from) {
                if to == start {
                    let mut path = vec![start, from];
                    while path.last() != Some(&start) {
                        path.push(came_from[path.last().expect("the path is not empty")]);
                    }
                    return Some(path.into_iter().rev().map(str::to_string).collect());
                }
                if !came_from.contains_key(to) {
                    came_from.insert(to, from);
                    next.push(to);
                }
            }
        }
        level = next;
    }
    None
}
