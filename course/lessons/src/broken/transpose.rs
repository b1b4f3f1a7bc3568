//! Mistake 26: a tile is read before it is there.

use crate::matrix::Matrix;
use crate::transpose::SIDE;
use cuda_std::prelude::*;
use cuda_std::shared::Words;

// ANCHOR: kernel
/// [`crate::transpose::transpose_tiles`] for one tile to a block, without the barrier.
///
/// # Safety
/// None: a thread reads what another thread has not written yet.
#[kernel]
pub unsafe fn transpose_without_barrier(a: Matrix, b: Matrix) {
    let tile = unsafe { Words::<f32>::at(0, (SIDE * SIDE) as usize) };
    let (t, rows_at_once) = (thread::thread_idx_x(), thread::block_dim_x() / SIDE);
    let (x, top) = (t % SIDE, thread::block_idx_x() * SIDE);
    let mut y = t / SIDE;
    while y < SIDE {
        tile.set(y * SIDE + x, a.get(top + y, x));
        y += rows_at_once;
    }
    let mut y = t / SIDE;
    while y < SIDE {
        if y < b.rows && top + x < b.columns {
            b.elements.write(y * b.columns + top + x, tile.get(x * SIDE + y));
        }
        y += rows_at_once;
    }
}
// ANCHOR_END: kernel
