//! Sums as clauses: one variable for each node of a decision diagram (Eén and Sörensson, "Translating pseudo-Boolean
//! constraints into SAT", 2006; Abío et al. 2012).
//!
//! Main function: [`write()`]. A node of level `i` with a threshold stands for "the weights of those terms from number `i` on that
//! hold add up to the threshold or more". Unit propagation over the clauses finds what the checker's propagation of sums finds.

use std::collections::BTreeMap;

use super::writer::{Dimacs, Place, Unwritten, Writer};
use crate::trusted::lit::Lit;
use crate::trusted::Terms;

/// The most nodes of a diagram.
const MOST: usize = 1 << 20;

/// What a node with a threshold is.
#[derive(Clone, Copy)]
enum Node {
    /// The threshold is reached in any case, or cannot be.
    Constant(bool),
    /// The literal says so.
    Lit(Dimacs),
}

/// Writes clauses that say that `var` stands for "the terms that hold add up to the bound or more". In the proof, `var` is new.
///
/// # Errors
/// If the diagram is too large.
pub fn write(
    to: &mut Writer,
    place: Place,
    var: Lit,
    bound: i128,
    mut terms: Terms,
) -> Result<(), Unwritten> {
    terms.sort_by_key(|&(_, weight)| std::cmp::Reverse(weight));
    // The least threshold of each level that is not reached for sure, and how much there is.
    let mut rest = vec![0; terms.len() + 1];
    for at in (0..terms.len()).rev() {
        rest[at] = rest[at + 1] + terms[at].1;
    }
    let is_open = |level: usize, threshold: i128| threshold > 0 && threshold <= rest[level];
    // From the top: the thresholds that occur. (The caller's sum can be reached and missed.)
    let mut levels: Vec<BTreeMap<i128, Dimacs>> = vec![BTreeMap::new(); terms.len() + 1];
    levels[0].insert(bound, to.lit(var));
    let mut nodes = 1;
    for level in 0..terms.len() {
        let thresholds: Vec<i128> = levels[level].keys().copied().collect();
        for threshold in thresholds.into_iter().flat_map(|t| [t, t - terms[level].1]) {
            if is_open(level + 1, threshold) && !levels[level + 1].contains_key(&threshold) {
                levels[level + 1].insert(threshold, to.fresh());
                nodes += 1;
            }
        }
        if nodes > MOST {
            let why = format!("a sum of {} literals with so many parts", terms.len());
            return Err(Unwritten::Beyond(why));
        }
    }
    // From the bottom: what they stand for. In this order each clause follows, or has the property RAT.
    for level in (0..terms.len()).rev() {
        let (lit, weight) = (to.lit(terms[level].0), terms[level].1);
        let below = &levels[level + 1];
        let node = |threshold: i128| match below.get(&threshold) {
            Some(&lit) => Node::Lit(lit),
            None => Node::Constant(threshold <= 0),
        };
        for (&threshold, &own) in &levels[level] {
            let (without, with) = (node(threshold), node(threshold - weight));
            add(to, place, vec![own], negated(without));
            add(to, place, vec![own, -lit], negated(with));
            add(to, place, vec![-own], with);
            add(to, place, vec![-own, lit], without);
        }
        // Whoever reaches a threshold reaches a lower one.
        let own: Vec<Dimacs> = levels[level].values().copied().collect();
        for pair in own.windows(2) {
            to.clause(place, &[-pair[1], pair[0]]);
        }
    }
    Ok(())
}

/// The complement of a node.
fn negated(node: Node) -> Node {
    match node {
        Node::Constant(holds) => Node::Constant(!holds),
        Node::Lit(lit) => Node::Lit(-lit),
    }
}

/// Adds a clause of literals and a node, unless the node always holds.
fn add(to: &mut Writer, place: Place, mut clause: Vec<Dimacs>, node: Node) {
    match node {
        Node::Constant(true) => return,
        Node::Constant(false) => {}
        Node::Lit(lit) => clause.push(lit),
    }
    to.clause(place, &clause);
}
