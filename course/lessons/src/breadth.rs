//! A lesson: a search of a graph in breadth. One launch visits all vertices of a level at once, and a claim
//! decides which thread takes a vertex to the next level.

use cuda_std::array::Array;
use cuda_std::prelude::*;

/// The level of a vertex that no thread has seen.
pub const UNSEEN: u32 = u32::MAX;

// ANCHOR: kernel
/// A graph in the format CSR: the edges of vertex `v` lead to `ends[starts[v] .. starts[v + 1]]`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Graph {
    /// Where the edges of each vertex begin; one element more than there are vertices.
    pub starts: Array<u32>,
    /// Where the edges lead to.
    pub ends: Array<u32>,
}

/// Visits the neighbours of the vertices in `frontier`. Those that no thread has seen get the level
/// `level + 1` and a place in `next`. `counts` has the number of vertices of each level.
///
/// # Safety
/// `levels`, `frontier` and `next` have an element for each vertex, `counts` has an element more, all ends
/// are vertices, and nobody else uses these arrays during the launch.
#[kernel]
pub unsafe fn visit_level(
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
            // Many threads may come to a vertex at once. One of them wins it.
            if levels.claim(neighbour, UNSEEN, level + 1).is_ok() {
                let place = counts.atomic(level + 1).add(1);
                next.write(place, neighbour);
            }
            at += 1;
        }
        k += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{random_graph, run, run_with, Visit};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use super::{Graph, UNSEEN};
    use crate::lesson::{next_random, Outcome};
    use cuda_launch::{Device, Error, Grid};
    use cuda_std::array::Array;

    /// A kernel with the arguments of [`super::visit_level`].
    pub type Visit = unsafe fn(Graph, Array<u32>, Array<u32>, Array<u32>, Array<u32>, u32);

    /// A graph that looks random: where the edges of each vertex begin, and where they lead to. Most vertices
    /// have few edges, and a few have many.
    pub fn random_graph(vertices: u32) -> (Vec<u32>, Vec<u32>) {
        let (mut starts, mut ends, mut state) = (vec![0], Vec::new(), 9);
        for vertex in 0..vertices {
            let edges = if vertex % 50 == 3 { 40 } else { next_random(&mut state) % 4 };
            // No edge leads to the last tenth of the vertices.
            ends.extend((0..edges).map(|_| next_random(&mut state) % (vertices * 9 / 10)));
            starts.push(ends.len() as u32);
        }
        (starts, ends)
    }

    /// Searches a graph of 400 vertices.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run(device: &mut Device) -> Result<Outcome, Error> {
        run_with(device, "visit_level", super::visit_level, true)
    }

    /// Does that with another kernel, or with one array for both frontiers.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run_with(
        device: &mut Device,
        name: &'static str,
        kernel: Visit,
        has_two_frontiers: bool,
    ) -> Result<Outcome, Error> {
        let n = 400;
        let (starts, ends) = random_graph(n as u32);
        let of_starts = device.upload_constant("starts", &starts)?;
        let of_ends = device.upload_constant("ends", &ends)?;
        let graph = Graph { starts: of_starts.array(), ends: of_ends.array() };
        let (mut first, mut one) = (vec![UNSEEN; n], vec![0; n + 1]);
        (first[0], one[0]) = (0, 1);
        let (levels, counts) = (device.upload("levels", &first)?, device.upload("counts", &one)?);
        // ANCHOR: levels
        let (mut frontier, mut next) = (device.zeros("frontier", n)?, device.zeros("next", n)?);
        if !has_two_frontiers {
            next = frontier.clone();
        }
        let mut level = 0;
        while device.download(&counts)?[level] > 0 {
            let arrays = (levels.array(), frontier.array(), next.array(), counts.array());
            let arguments = (graph, arrays.0, arrays.1, arrays.2, arrays.3, level as u32);
            // SAFETY: the arrays are those of one graph.
            unsafe { device.launch(Grid::new(2, 64), name, kernel, arguments) }?;
            std::mem::swap(&mut frontier, &mut next);
            level += 1;
        }
        // ANCHOR_END: levels
        let found = [device.download(&levels)?, device.download(&counts)?].concat();
        Ok(Outcome { found, expected: sequential(&starts, &ends).concat() })
    }

    /// The level of each vertex, and the number of vertices of each level.
    fn sequential(starts: &[u32], ends: &[u32]) -> [Vec<u32>; 2] {
        let n = starts.len() - 1;
        let (mut levels, mut counts) = (vec![UNSEEN; n], vec![0; n + 1]);
        let mut queue = std::collections::VecDeque::from([0]);
        levels[0] = 0;
        while let Some(vertex) = queue.pop_front() {
            counts[levels[vertex] as usize] += 1;
            for &end in &ends[starts[vertex] as usize..starts[vertex + 1] as usize] {
                let end = end as usize;
                if levels[end] == UNSEEN {
                    levels[end] = levels[vertex] + 1;
                    queue.push_back(end);
                }
            }
        }
        [levels, counts]
    }
}

#[cfg(test)]
crate::lesson::on_every_device!(super::run);
