//! Mistakes 21 and 23: a vertex is looked at and then taken, in two steps. Mistake 22 is in the launch.

use crate::breadth::{Graph, UNSEEN};
use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: plain
/// [`crate::breadth::visit_level`] without a claim.
///
/// # Safety
/// None: two threads may write the level of one vertex.
#[kernel]
pub unsafe fn visit_plainly(
    graph: Graph,
    levels: Array<u32>,
    frontier: Array<u32>,
    next: Array<u32>,
    counts: Array<u32>,
    level: u32,
) {
    let mut k = thread::index_1d();
    while k < counts.read(level) {
        let vertex = frontier.read(k);
        let (mut at, end) = (graph.starts.read(vertex), graph.starts.read(vertex + 1));
        while at < end {
            let neighbour = graph.ends.read(at);
            if levels.read(neighbour) == UNSEEN {
                levels.write(neighbour, level + 1);
                next.write(counts.atomic(level + 1).add(1), neighbour);
            }
            at += 1;
        }
        k += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: plain

// ANCHOR: atomic
/// [`crate::breadth::visit_level`], in which both steps are atomic, but are still two.
///
/// # Safety
/// Two threads may take one vertex to the next level.
#[kernel]
pub unsafe fn visit_in_two_steps(
    graph: Graph,
    levels: Array<u32>,
    frontier: Array<u32>,
    next: Array<u32>,
    counts: Array<u32>,
    level: u32,
) {
    let mut k = thread::index_1d();
    while k < counts.read(level) {
        let vertex = frontier.read(k);
        let (mut at, end) = (graph.starts.read(vertex), graph.starts.read(vertex + 1));
        while at < end {
            let neighbour = graph.ends.read(at);
            let place = levels.atomic(neighbour);
            if place.load() == UNSEEN {
                place.store(level + 1);
                next.write(counts.atomic(level + 1).add(1), neighbour);
            }
            at += 1;
        }
        k += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: atomic
