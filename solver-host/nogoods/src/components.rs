//! Finds the strongly connected components of a directed graph, by Tarjan's algorithm with a stack of its
//! own.
//!
//! Main function: [`components`]. It takes linear time and does not recurse, as a chain of a million atoms
//! (`p2 :- p1. p3 :- p2.`) is an ordinary program.
//!
//! Invariant: an edge never leads to a component with a higher number. With edges from heads to body atoms, a
//! rule's body therefore lies in components whose numbers are at most the head's.

use super::rows::Csr;

/// The component of each node, and how many components there are. Row `v` of `edges` lists the successors of
/// `v`.
pub(super) fn components(edges: &Csr) -> (Vec<u32>, u32) {
    const UNSEEN: u32 = u32::MAX;
    let nodes = edges.rows();
    let mut component = vec![UNSEEN; nodes];
    let mut count = 0;
    // `low[v]` is the visit number of `v`, lowered to the earliest open node that is reachable from it.
    let mut low = vec![UNSEEN; nodes];
    let mut next_visit = 0;
    // Nodes visited but not yet in a component, in order of visit.
    let mut open: Vec<u32> = Vec::new();
    // The path from the root: node, place of its next edge, and its visit number.
    let mut path: Vec<(u32, u32, u32)> = Vec::new();

    for root in 0..nodes as u32 {
        if low[root as usize] != UNSEEN {
            continue;
        }
        let mut enter = Some(root);
        loop {
            if let Some(v) = enter.take() {
                low[v as usize] = next_visit;
                open.push(v);
                path.push((v, edges.start[v as usize], next_visit));
                next_visit += 1;
            }
            let Some((v, edge, visit)) = path.last_mut() else { break };
            let v = *v as usize;
            if *edge < edges.start[v + 1] {
                let w = edges.items[*edge as usize] as usize;
                *edge += 1;
                if low[w] == UNSEEN {
                    enter = Some(w as u32);
                } else if component[w] == UNSEEN {
                    low[v] = low[v].min(low[w]);
                }
                continue;
            }
            if low[v] == *visit {
                // Nothing earlier is reachable: `v` and all that was opened after it are one component.
                while let Some(w) = open.pop() {
                    component[w as usize] = count;
                    if w as usize == v {
                        break;
                    }
                }
                count += 1;
            }
            path.pop();
            if let Some(&(parent, ..)) = path.last() {
                low[parent as usize] = low[parent as usize].min(low[v]);
            }
        }
    }
    (component, count)
}

#[cfg(test)]
mod tests {
    use super::super::tests::Random;
    use super::*;

    #[test]
    fn agrees_with_reachability_on_random_graphs() {
        for seed in yasmin_seeds::seeds(300) {
            let mut random = Random(seed);
            let n = 1 + random.below(12);
            let m = random.below(3 * n);
            let pairs: Vec<(usize, u32)> =
                (0..m).map(|_| (random.below(n), random.below(n) as u32)).collect();
            let edges = Csr::from_pairs(n, pairs.iter().copied());
            let (component, count) = components(&edges);

            let mut reach = vec![vec![false; n]; n];
            (0..n).for_each(|v| reach[v][v] = true);
            pairs.iter().for_each(|&(v, w)| reach[v][w as usize] = true);
            for k in 0..n {
                for i in 0..n {
                    for j in 0..n {
                        reach[i][j] |= reach[i][k] && reach[k][j];
                    }
                }
            }
            for v in 0..n {
                assert!(component[v] < count, "seed {seed}");
                for w in 0..n {
                    assert_eq!(
                        component[v] == component[w],
                        reach[v][w] && reach[w][v],
                        "seed {seed}: {v} {w}"
                    );
                    assert!(!reach[v][w] || component[w] <= component[v], "seed {seed}: order of {v} {w}");
                }
            }
            assert!((0..count).all(|c| component.contains(&c)), "seed {seed}");
        }
    }

    #[test]
    fn a_deep_chain_needs_no_deep_stack() {
        let n = 1_000_000;
        let chain = Csr::from_pairs(n, (0..n - 1).map(|v| (v, v as u32 + 1)));
        assert_eq!(components(&chain).1, n as u32);
        let ring = Csr::from_pairs(n, (0..n).map(|v| (v, ((v + 1) % n) as u32)));
        assert_eq!(components(&ring).1, 1);
    }
}
