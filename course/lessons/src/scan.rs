//! A lesson: the running sums of an array. Tiles are summed by blocks, then the tiles' totals, then both
//! are added.

use cuda_std::array::Array;
use cuda_std::prelude::*;

/// The elements of a tile.
pub const TILE: u32 = 256;

// ANCHOR: scan_tile
/// Replaces each word of a tile by the sum of the words up to it (Hillis and Steele 1986). Returns the
/// array that holds the sums, one of `from` and `to`. All threads of the block have to call this.
#[inline(always)]
fn scan_tile(mut from: Array<u32>, mut to: Array<u32>) -> Array<u32> {
    let mut distance = 1;
    while distance < TILE {
        thread::sync_threads();
        let mut i = thread::thread_idx_x();
        while i < TILE {
            let before = if i >= distance { from.read(i - distance) } else { 0 };
            to.write(i, from.read(i).wrapping_add(before));
            i += thread::block_dim_x();
        }
        (from, to) = (to, from);
        distance *= 2;
    }
    thread::sync_threads();
    from
}
// ANCHOR_END: scan_tile

// ANCHOR: scan_tiles
/// Writes the running sums of each tile of `x` to `sums`, and each tile's total to `totals`.
///
/// # Safety
/// `sums` is as long as `x`, `totals` has an element for each tile, and nobody else uses them during the
/// launch.
#[kernel]
pub unsafe fn scan_tiles(x: Array<u32>, sums: Array<u32>, totals: Array<u32>) {
    // SAFETY: `TILE` elements each; barriers are between the accesses of different threads.
    let (a, b) = unsafe {
        (
            Array::from_raw(shared_array![u32; TILE as usize], TILE as usize),
            Array::from_raw(shared_array![u32; TILE as usize], TILE as usize),
        )
    };
    let n = x.len() as u32;
    let mut tile = thread::block_idx_x();
    while tile * TILE < n {
        let mut i = thread::thread_idx_x();
        while i < TILE {
            let at = tile * TILE + i;
            a.write(i, if at < n { x.read(at) } else { 0 });
            i += thread::block_dim_x();
        }
        let done = scan_tile(a, b);
        let mut i = thread::thread_idx_x();
        while i < TILE {
            if tile * TILE + i < n {
                sums.write(tile * TILE + i, done.read(i));
            }
            i += thread::block_dim_x();
        }
        if thread::thread_idx_x() == 0 {
            totals.write(tile, done.read(TILE - 1));
        }
        // The next tile's words may not be written before everybody has read these.
        thread::sync_threads();
        tile += thread::grid_dim_x();
    }
}
// ANCHOR_END: scan_tiles

// ANCHOR: add_totals
/// Adds to each element the total of all tiles before its own.
///
/// # Safety
/// `totals` has the running sums of the tiles' totals; nobody else uses `sums` during the launch.
#[kernel]
pub unsafe fn add_totals(sums: Array<u32>, totals: Array<u32>) {
    let mut i = thread::index_1d() + TILE;
    while (i as usize) < sums.len() {
        sums.write(i, sums.read(i).wrapping_add(totals.read(i / TILE - 1)));
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: add_totals

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{run, run_with, ScanTiles};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use super::*;
    use crate::lesson::{next_random, Outcome};
    use cuda_launch::{launch, Device, Error, Grid};

    /// A kernel with the arguments of [`scan_tiles`].
    pub type ScanTiles = unsafe fn(Array<u32>, Array<u32>, Array<u32>);

    /// Runs the three launches on 5,000 elements.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run(device: &mut Device) -> Result<Outcome, Error> {
        run_with(device, "scan_tiles", scan_tiles)
    }

    /// Does that with another kernel in place of [`scan_tiles`].
    ///
    /// # Errors
    /// Those of the device.
    pub fn run_with(device: &mut Device, name: &'static str, kernel: ScanTiles) -> Result<Outcome, Error> {
        let mut state = 4;
        let data: Vec<u32> = (0..5000).map(|_| next_random(&mut state)).collect();
        let tiles = data.len().div_ceil(TILE as usize);
        assert!(tiles <= TILE as usize, "one tile holds all totals");
        let x = device.upload_constant("x", &data)?;
        let sums = device.zeros::<u32>("sums", data.len())?;
        let totals = device.zeros::<u32>("totals", tiles)?;
        let (totals_sums, total) = (device.zeros::<u32>("totals_sums", tiles)?, device.zeros("total", 1)?);
        // ANCHOR: launches
        // SAFETY: the arrays have the lengths that the kernels expect, and launches run one after the other.
        unsafe {
            device.launch(Grid::new(3, 64), name, kernel, (x.array(), sums.array(), totals.array()))?;
            let arguments = (totals.array(), totals_sums.array(), total.array());
            device.launch(Grid::new(1, 64), name, kernel, arguments)?;
            launch!(device, Grid::new(3, 64), add_totals(sums.array(), totals_sums.array()))?;
        }
        // ANCHOR_END: launches
        let running = data.iter().scan(0u32, |sum, &x| {
            *sum = sum.wrapping_add(x);
            Some(*sum)
        });
        Ok(Outcome { found: device.download(&sums)?, expected: running.collect() })
    }
}

#[cfg(test)]
crate::lesson::on_every_device!(super::run);
