//! Exercise 12: labels that spread through a graph.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// One round: each vertex passes its label on to its neighbours, which keep the least label that they are
/// told. Sets `changed` to 1 if some label changed. The edges of vertex `v` lead to `ends[starts[v] ..
/// starts[v + 1]]`.
///
/// # Safety
/// `starts` has an element more than `labels`, all ends are vertices, `changed` has one element, and nobody
/// else uses `labels` and `changed` during the launch.
#[kernel]
pub unsafe fn spread(starts: Array<u32>, ends: Array<u32>, labels: Array<u32>, changed: Array<u32>) {
    // Not solved yet. Which words do several threads read and write?
    let mut vertex = thread::index_1d();
    while (vertex as usize) < labels.len() {
        let (mut at, end) = (starts.read(vertex), starts.read(vertex + 1));
        while at < end {
            let (mine, neighbour) = (labels.read(vertex), ends.read(at));
            if mine < labels.read(neighbour) {
                labels.write(neighbour, mine);
                changed.write(0u32, 1);
            }
            at += 1;
        }
        vertex += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernel
