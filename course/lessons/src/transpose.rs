//! A lesson: a matrix is turned over, in three versions that read and write the same elements. What differs
//! is which lane of a warp touches which address.

use crate::matrix::Matrix;
use cuda_std::prelude::*;
use cuda_std::shared::Words;

/// The rows and the columns of a tile: as many as a warp has lanes.
pub const SIDE: u32 = 32;
/// The threads of a block: eight rows of a tile at once.
pub const THREADS: u32 = 256;

// ANCHOR: rows
/// Writes the rows of `a` to the columns of `b`, an element to a thread. The lanes of a warp read neighbours
/// and write elements that are a whole row apart.
///
/// # Safety
/// `b` has as many rows as `a` has columns, and as many columns as `a` has rows. Nobody else uses `b` during
/// the launch.
#[kernel]
pub unsafe fn transpose_rows(a: Matrix, b: Matrix) {
    let mut i = thread::index_1d();
    while a.columns > 0 && i < a.rows * a.columns {
        let (row, column) = (i / a.columns, i % a.columns);
        b.elements.write(column * b.columns + row, a.elements.read(i));
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: rows

// ANCHOR: tiles
/// The same by tiles in shared memory: the lanes of a warp read neighbours, and write neighbours. The rows of
/// a tile lie `pitch` words apart.
#[inline(always)]
fn by_tiles(a: Matrix, b: Matrix, side: u32, pitch: u32) {
    // SAFETY: as many words as the launch has; barriers are between writes and reads.
    let tile = unsafe { Words::<f32>::at(0, (side * pitch) as usize) };
    let (t, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    let (x, rows_at_once) = (t % side, threads / side);
    let across = a.columns.div_ceil(side);
    let mut number = thread::block_idx_x();
    while across > 0 && number < across * a.rows.div_ceil(side) {
        let (top, left) = (number / across * side, number % across * side);
        let mut y = t / side;
        while y < side {
            tile.set(y * pitch + x, a.get(top + y, left + x));
            y += rows_at_once;
        }
        thread::sync_threads();
        let mut y = t / side;
        while y < side {
            // Row `left + y` of `b` is column `left + y` of `a`.
            if left + y < b.rows && top + x < b.columns {
                b.elements.write((left + y) * b.columns + top + x, tile.get(x * pitch + y));
            }
            y += rows_at_once;
        }
        thread::sync_threads();
        number += thread::grid_dim_x();
    }
}

/// Tiles whose rows lie next to each other: the lanes of a warp read a column, so all of them want one bank.
///
/// # Safety
/// As for [`transpose_rows`]. A block has [`THREADS`] threads, or is one thread, and has dynamic shared
/// memory for a tile.
#[kernel]
pub unsafe fn transpose_tiles(a: Matrix, b: Matrix) {
    let side = if thread::is_single() { 1 } else { SIDE };
    by_tiles(a, b, side, side);
}

/// Tiles whose rows lie one word further apart than they are long: each lane wants another bank.
///
/// # Safety
/// As for [`transpose_tiles`], with a word more for each row of the tile.
#[kernel]
pub unsafe fn transpose_padded(a: Matrix, b: Matrix) {
    let side = if thread::is_single() { 1 } else { SIDE };
    by_tiles(a, b, side, side + 1);
}
// ANCHOR_END: tiles

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{launch, run, run_with, Transpose, VERSIONS};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use super::{transpose_padded, transpose_rows, transpose_tiles, SIDE, THREADS};
    use crate::lesson::{bits, next_random, Outcome};
    use crate::matrix::Matrix;
    use cuda_launch::{Buffer, Device, Error, Grid};

    /// A kernel with the arguments of [`super::transpose_rows`].
    pub type Transpose = unsafe fn(Matrix, Matrix);

    /// The three versions, each with its name.
    pub const VERSIONS: [(&str, Transpose); 3] = [
        ("transpose_rows", transpose_rows),
        ("transpose_tiles", transpose_tiles),
        ("transpose_padded", transpose_padded),
    ];

    /// Launches a version on `blocks` blocks, for a matrix of so many rows.
    ///
    /// # Errors
    /// Those of the device.
    ///
    /// # Panics
    /// If the two buffers do not have `rows` rows, or differ in length.
    pub fn launch(
        device: &mut Device,
        (name, kernel): (&'static str, Transpose),
        blocks: u32,
        rows: usize,
        (a, b): (&Buffer<f32>, &Buffer<f32>),
    ) -> Result<(), Error> {
        assert!(a.len() == b.len() && a.len().is_multiple_of(rows));
        let (of_rows, columns) = (rows as u32, (a.len() / rows) as u32);
        let grid = Grid::new(blocks, THREADS).with_shared((SIDE * (SIDE + 1)) as usize * size_of::<f32>());
        let from = Matrix { elements: a.array(), rows: of_rows, columns };
        let to = Matrix { elements: b.array(), rows: columns, columns: of_rows };
        // SAFETY: the sizes fit, and the blocks have the threads and the memory that the kernels want.
        unsafe { device.launch(grid, name, kernel, (from, to)) }
    }

    /// Turns a matrix of 70 rows and 45 columns over, in each version.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run(device: &mut Device) -> Result<Outcome, Error> {
        let mut all = Outcome { found: Vec::new(), expected: Vec::new() };
        for (name, kernel) in VERSIONS {
            let outcome = run_with(device, name, kernel)?;
            all.found.extend(outcome.found);
            all.expected.extend(outcome.expected);
        }
        Ok(all)
    }

    /// Turns that matrix over with a kernel.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run_with(device: &mut Device, name: &'static str, kernel: Transpose) -> Result<Outcome, Error> {
        let (rows, columns, mut state) = (70, 45, 18);
        let data: Vec<f32> = (0..rows * columns).map(|_| next_random(&mut state) as f32).collect();
        let (a, b) = (device.upload_constant("a", &data)?, device.zeros::<f32>("b", data.len())?);
        launch(device, (name, kernel), 3, rows, (&a, &b))?;
        let turned: Vec<f32> = (0..data.len()).map(|i| data[i % rows * columns + i / rows]).collect();
        Ok(Outcome { found: bits(&device.download(&b)?), expected: bits(&turned) })
    }
}

#[cfg(test)]
crate::lesson::on_every_device!(super::run);
