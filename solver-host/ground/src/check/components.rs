//! The strongly connected components of a graph (Tarjan 1972), without recursion.
//!
//! Main function: [`components`]. Only programs with disjunctions need it.

use super::rows::Rows;

/// The component of a node that has none yet, and the number of a node that was not visited.
const NONE: u32 = u32::MAX;

/// The number of the component of each node. Row `v` of `successors` says where the edges from `v` lead.
pub(super) fn components(successors: &Rows<u32>) -> Vec<u32> {
    let nodes = successors.len();
    let mut component = vec![NONE; nodes];
    // When a node was visited, and the earliest visit of a node that can be reached from it and is pending.
    let mut visit = vec![NONE; nodes];
    let mut earliest = vec![NONE; nodes];
    let (mut visits, mut count) = (0, 0);
    // Visited nodes without a component, and the path to the current node with the next edge of each node.
    let mut pending: Vec<usize> = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    for root in 0..nodes {
        if visit[root] != NONE {
            continue;
        }
        path.push((root, 0));
        while let Some(&mut (node, ref mut edge)) = path.last_mut() {
            if *edge == 0 && visit[node] == NONE {
                (visit[node], earliest[node]) = (visits, visits);
                visits += 1;
                pending.push(node);
            }
            if let Some(&next) = successors.row(node).get(*edge) {
                *edge += 1;
                let next = next as usize;
                if visit[next] == NONE {
                    path.push((next, 0));
                } else if component[next] == NONE {
                    earliest[node] = earliest[node].min(visit[next]);
                }
                continue;
            }
            path.pop();
            if let Some(&(before, _)) = path.last() {
                earliest[before] = earliest[before].min(earliest[node]);
            }
            if earliest[node] == visit[node] {
                while let Some(member) = pending.pop() {
                    component[member] = count;
                    if member == node {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(nodes: usize, edges: &[(usize, u32)]) -> Vec<u32> {
        components(&Rows::new(nodes, |add| edges.iter().for_each(|&(from, to)| add(from, to))))
    }

    #[test]
    fn nodes_that_reach_each_other_are_one_component() {
        let found = of(6, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 5), (5, 0)]);
        let same = |a: usize, b: usize| found[a] == found[b];
        assert!(same(0, 1) && same(1, 2) && same(3, 4));
        assert!(!same(0, 3) && !same(0, 5) && !same(3, 5));
    }

    #[test]
    fn a_long_chain_takes_no_recursion() {
        const LENGTH: u32 = 1_000_000;
        let edges: Vec<(usize, u32)> = (0..LENGTH - 1).map(|i| (i as usize, i + 1)).collect();
        let mut found = of(LENGTH as usize, &edges);
        found.sort_unstable();
        assert!(found.iter().copied().eq(0..LENGTH));
    }
}
