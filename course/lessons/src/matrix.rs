//! A lesson: two dimensions. The product of two matrices, first with an element to a thread, then with tiles
//! in shared memory.

use cuda_std::array::Array;
use cuda_std::prelude::*;
use cuda_std::shared::Words;

/// The rows and the columns of a tile, and so 256 threads of a block.
pub const SIDE: u32 = 16;

// ANCHOR: matrix
/// A matrix, row by row.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Matrix {
    /// The elements: that of a row and a column is number `row * columns + column`.
    pub elements: Array<f32>,
    /// The number of rows.
    pub rows: u32,
    /// The number of columns.
    pub columns: u32,
}

impl Matrix {
    /// The element of a row and a column; 0 outside of the matrix.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn get(self, row: u32, column: u32) -> f32 {
        match row < self.rows && column < self.columns {
            true => self.elements.read(row * self.columns + column),
            false => 0.0,
        }
    }
}
// ANCHOR_END: matrix

// ANCHOR: multiply
/// Sets `c` to the product of `a` and `b`, an element to a thread.
///
/// # Safety
/// `a` has as many columns as `b` has rows, `c` has the rows of `a` and the columns of `b`, and nobody else
/// uses `c` during the launch.
#[kernel]
pub unsafe fn multiply(a: Matrix, b: Matrix, c: Matrix) {
    let thread::UVec2 { x, y: mut row } = thread::index_2d();
    while row < c.rows {
        let mut column = x;
        while column < c.columns {
            let (mut sum, mut k) = (0.0, 0);
            while k < a.columns {
                sum += a.get(row, k) * b.get(k, column);
                k += 1;
            }
            c.elements.write(row * c.columns + column, sum);
            column += thread::block_dim_x() * thread::grid_dim_x();
        }
        row += thread::block_dim_y() * thread::grid_dim_y();
    }
}
// ANCHOR_END: multiply

// ANCHOR: tiled
/// Does the same with a tile of `c` to a block. The block reads the tiles of `a` and `b` into shared memory,
/// where each of their elements is used [`SIDE`] times.
///
/// # Safety
/// As for [`multiply`]. A block has `SIDE` by `SIDE` threads and two words of dynamic shared memory for each,
/// or is one thread.
#[kernel]
pub unsafe fn multiply_tiled(a: Matrix, b: Matrix, c: Matrix) {
    // A block of one thread, on the processor, has tiles of one element.
    let side = if thread::is_single() { 1 } else { SIDE };
    let size = (side * side) as usize;
    // SAFETY: a word for each thread; a barrier is between the writes of one thread and the reads of another.
    let (of_a, of_b) = unsafe { (Words::<f32>::at(0, size), Words::<f32>::at(4 * size, size)) };
    let (x, y) = (thread::thread_idx_x(), thread::thread_idx_y());
    let mut top = thread::block_idx_y() * side;
    while top < c.rows {
        let mut left = thread::block_idx_x() * side;
        while left < c.columns {
            let (mut sum, mut k) = (0.0, 0);
            while k < a.columns {
                // Threads outside of the matrices write zeros: all threads reach the barriers.
                of_a.set(y * side + x, a.get(top + y, k + x));
                of_b.set(y * side + x, b.get(k + y, left + x));
                thread::sync_threads();
                let mut i = 0;
                while i < side {
                    sum += of_a.get(y * side + i) * of_b.get(i * side + x);
                    i += 1;
                }
                // Nobody writes the next tiles before all have read these.
                thread::sync_threads();
                k += side;
            }
            if top + y < c.rows && left + x < c.columns {
                c.elements.write((top + y) * c.columns + left + x, sum);
            }
            left += thread::grid_dim_x() * side;
        }
        top += thread::grid_dim_y() * side;
    }
}
// ANCHOR_END: tiled

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{run, run_with, Multiply};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use super::{Matrix, SIDE};
    use crate::lesson::{bits, next_random, Outcome};
    use cuda_launch::{Device, Error, Grid};

    /// A kernel with the arguments of [`super::multiply`].
    pub type Multiply = unsafe fn(Matrix, Matrix, Matrix);

    /// Multiplies a matrix of 35 rows and 50 columns by one of 50 rows and 21 columns, both ways.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run(device: &mut Device) -> Result<Outcome, Error> {
        let mut outcome = run_with(device, "multiply", super::multiply)?;
        let tiled = run_with(device, "multiply_tiled", super::multiply_tiled)?;
        outcome.found.extend(tiled.found);
        outcome.expected.extend(tiled.expected);
        Ok(outcome)
    }

    /// Multiplies them with a kernel.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run_with(device: &mut Device, name: &'static str, kernel: Multiply) -> Result<Outcome, Error> {
        let (rows, inner, columns) = (35, 50, 21);
        let mut state = 17;
        // Whole numbers so small that each sum is exact, in any order.
        let mut numbers = |n: usize| -> Vec<f32> {
            (0..n).map(|_| (next_random(&mut state) % 100) as f32 - 50.0).collect()
        };
        let (a, b) = (numbers(rows * inner), numbers(inner * columns));
        let (of_a, of_b) = (device.upload_constant("a", &a)?, device.upload_constant("b", &b)?);
        let of_c = device.zeros::<f32>("c", rows * columns)?;
        // ANCHOR: launch
        let matrix = |elements, rows: usize, columns: usize| Matrix {
            elements,
            rows: rows as u32,
            columns: columns as u32,
        };
        let arguments = (
            matrix(of_a.array(), rows, inner),
            matrix(of_b.array(), inner, columns),
            matrix(of_c.array(), rows, columns),
        );
        let grid = Grid::dim3([2, 2, 1], [SIDE, SIDE, 1]);
        let grid = grid.with_shared(2 * (SIDE * SIDE) as usize * size_of::<f32>());
        // SAFETY: the sizes fit, and the blocks have the threads and the memory that the kernels want.
        unsafe { device.launch(grid, name, kernel, arguments) }?;
        // ANCHOR_END: launch
        let product = |i: usize| -> f32 {
            (0..inner).map(|k| a[i / columns * inner + k] * b[k * columns + i % columns]).sum()
        };
        let expected: Vec<f32> = (0..rows * columns).map(product).collect();
        Ok(Outcome { found: bits(&device.download(&of_c)?), expected: bits(&expected) })
    }
}

#[cfg(test)]
crate::lesson::on_every_device!(super::run);
