//! A lesson: rows of different lengths, in the format CSR (compressed sparse rows). Either a lane has a row
//! of its own, or the lanes of a warp share one. Nogoods are such rows in the solver.

use crate::reduce::ALL_LANES;
use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: lanes
/// Adds up each row, a row to a lane: row `r` is `elements[starts[r] .. starts[r + 1]]`.
///
/// # Safety
/// `starts` has an element more than `sums`, and nobody else uses `sums` during the launch.
#[kernel]
pub unsafe fn rows_to_lanes(starts: Array<u32>, elements: Array<u32>, sums: Array<u32>) {
    let mut row = thread::index_1d();
    while (row as usize) < sums.len() {
        let (mut at, end) = (starts.read(row), starts.read(row + 1));
        let mut total: u32 = 0;
        while at < end {
            total = total.wrapping_add(elements.read(at));
            at += 1;
        }
        sums.write(row, total);
        row += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: lanes

// ANCHOR: warps
/// Adds up each row, a row to a warp.
///
/// # Safety
/// As for [`rows_to_lanes`]; blocks are whole warps, or one thread.
#[kernel]
pub unsafe fn rows_to_warps(starts: Array<u32>, elements: Array<u32>, sums: Array<u32>) {
    let lane = warp::lane_id();
    // A block of one thread, on the processor, is a warp of one lane.
    let lanes = if thread::is_single() { 1 } else { 32 };
    let mut row = thread::index_1d() / lanes;
    while (row as usize) < sums.len() {
        let (mut at, end) = (starts.read(row) + lane, starts.read(row + 1));
        let mut total: u32 = 0;
        while at < end {
            total = total.wrapping_add(elements.read(at));
            at += lanes;
        }
        let mut delta = lanes / 2;
        while delta > 0 {
            // SAFETY: all lanes of the warp are here: they have the same row.
            let (other, _) = unsafe { warp::warp_shuffle_xor(ALL_LANES, total, delta, 32) };
            total = total.wrapping_add(other);
            delta /= 2;
        }
        if lane == 0 {
            sums.write(row, total);
        }
        row += thread::block_dim_x() / lanes * thread::grid_dim_x();
    }
}
// ANCHOR_END: warps

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{ragged_rows, run, run_with, Rows};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use super::*;
    use crate::lesson::{next_random, Outcome};
    use cuda_launch::{Device, Error, Grid};

    /// Rows as the nogoods of a program are: most are short, and a few are long. The beginnings of the
    /// rows, with the end of the last, and the elements.
    pub fn ragged_rows(rows: u32) -> (Vec<u32>, Vec<u32>) {
        let (mut starts, mut elements, mut state) = (vec![0], Vec::new(), 7);
        for row in 0..rows {
            let len = if row % 13 == 5 { 70 + row % 40 } else { next_random(&mut state) % 5 };
            elements.extend((0..len).map(|_| next_random(&mut state)));
            starts.push(elements.len() as u32);
        }
        (starts, elements)
    }

    /// A kernel with the arguments of [`rows_to_lanes`].
    pub type Rows = unsafe fn(Array<u32>, Array<u32>, Array<u32>);

    /// Adds up 200 rows, both ways.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run(device: &mut Device) -> Result<Outcome, Error> {
        let mut outcome = run_with(device, "rows_to_lanes", rows_to_lanes)?;
        let by_warps = run_with(device, "rows_to_warps", rows_to_warps)?;
        outcome.found.extend(by_warps.found);
        outcome.expected.extend(by_warps.expected);
        Ok(outcome)
    }

    /// Adds up 200 rows with a kernel.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run_with(device: &mut Device, name: &'static str, kernel: Rows) -> Result<Outcome, Error> {
        let (starts, elements) = ragged_rows(200);
        let on_device = device.upload_constant("starts", &starts)?;
        let of_rows = device.upload_constant("elements", &elements)?;
        let sums = device.zeros::<u32>("sums", starts.len() - 1)?;
        let arguments = (on_device.array(), of_rows.array(), sums.array());
        // SAFETY: the arrays are those of 200 rows, and blocks are whole warps.
        unsafe { device.launch(Grid::new(2, 64), name, kernel, arguments) }?;
        let sum = |ends: &[u32]| {
            elements[ends[0] as usize..ends[1] as usize].iter().fold(0u32, |a, &b| a.wrapping_add(b))
        };
        Ok(Outcome { found: device.download(&sums)?, expected: starts.windows(2).map(sum).collect() })
    }
}

#[cfg(test)]
crate::lesson::on_every_device!(super::run);
