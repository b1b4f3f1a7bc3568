//! Mistakes 24 and 25: a barrier is missing, and a barrier is not reached by all.

use crate::matrix::{Matrix, SIDE};
use cuda_std::prelude::*;
use cuda_std::shared::Words;

// ANCHOR: one_barrier
/// [`crate::matrix::multiply_tiled`] with one barrier in place of two.
///
/// # Safety
/// None: a thread writes the next tile while others still read this one.
#[kernel]
pub unsafe fn multiply_with_one_barrier(a: Matrix, b: Matrix, c: Matrix) {
    let size = (SIDE * SIDE) as usize;
    let (of_a, of_b) = unsafe { (Words::<f32>::at(0, size), Words::<f32>::at(4 * size, size)) };
    let (x, y) = (thread::thread_idx_x(), thread::thread_idx_y());
    let thread::UVec2 { x: column, y: row } = thread::index_2d();
    let (mut sum, mut k) = (0.0, 0);
    while k < a.columns {
        of_a.set(y * SIDE + x, a.get(row, k + x));
        of_b.set(y * SIDE + x, b.get(k + y, column));
        thread::sync_threads();
        for i in 0..SIDE {
            sum += of_a.get(y * SIDE + i) * of_b.get(i * SIDE + x);
        }
        k += SIDE;
    }
    if row < c.rows && column < c.columns {
        c.elements.write(row * c.columns + column, sum);
    }
}
// ANCHOR_END: one_barrier

// ANCHOR: early_return
/// [`crate::matrix::multiply_tiled`], in which threads outside of the matrix stop at once.
///
/// # Safety
/// None: they do not reach the barriers.
#[kernel]
pub unsafe fn multiply_with_early_return(a: Matrix, b: Matrix, c: Matrix) {
    let size = (SIDE * SIDE) as usize;
    let (of_a, of_b) = unsafe { (Words::<f32>::at(0, size), Words::<f32>::at(4 * size, size)) };
    let (x, y) = (thread::thread_idx_x(), thread::thread_idx_y());
    let thread::UVec2 { x: column, y: row } = thread::index_2d();
    if row >= c.rows || column >= c.columns {
        return;
    }
    let (mut sum, mut k) = (0.0, 0);
    while k < a.columns {
        of_a.set(y * SIDE + x, a.get(row, k + x));
        of_b.set(y * SIDE + x, b.get(k + y, column));
        thread::sync_threads();
        for i in 0..SIDE {
            sum += of_a.get(y * SIDE + i) * of_b.get(i * SIDE + x);
        }
        thread::sync_threads();
        k += SIDE;
    }
    c.elements.write(row * c.columns + column, sum);
}
// ANCHOR_END: early_return
