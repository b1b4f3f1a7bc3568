//! A lesson: the decisions that a conflict depends on, by shuffles.
//!
//! Each variable has a bitmap with a bit for each decision that its value depends on. A violated nogood
//! depends on the disjunction of its variables' bitmaps. The kernel is the first half of the paper's
//! algorithm for learning with warp shuffles (arXiv:1909.01786).

use crate::reduce::ALL_LANES;
use cuda_std::array::Array;
use cuda_std::prelude::*;

/// The most warps of a block.
pub const WARPS: usize = 32;

// ANCHOR: warp_or
/// The disjunction of one bitmap of each lane. Lane 0 gets it.
#[inline(always)]
fn warp_or(mut bitmap: u64) -> u64 {
    let mut offset = 16;
    while offset > 0 {
        // SAFETY: all lanes of the warp are here. A lane that reads past the last one gets its own bitmap.
        bitmap |= unsafe { warp::warp_shuffle_down(ALL_LANES, bitmap, offset, 32) }.0;
        offset /= 2;
    }
    bitmap
}
// ANCHOR_END: warp_or

// ANCHOR: kernel
/// Writes to `depends` the disjunction of the bitmaps of all variables in `nogood`.
///
/// # Safety
/// `nogood` has literals of the variables of `bitmaps`, `depends` has one element, and nobody else uses
/// `depends` during the launch, which is one block of whole warps.
#[kernel]
pub unsafe fn or_of_bitmaps(nogood: Array<u32>, bitmaps: Array<u64>, depends: Array<u64>) {
    // SAFETY: a bitmap for each warp; a barrier is between the accesses of different threads.
    let of_warps = unsafe { Array::from_raw(shared_array![u64; WARPS], WARPS) };
    let (t, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    let mut bitmap = 0;
    let mut i = t;
    while (i as usize) < nogood.len() {
        bitmap |= bitmaps.read(nogood.read(i) / 2);
        i += threads;
    }
    let bitmap = warp_or(bitmap);
    if t % 32 == 0 {
        of_warps.write(t / 32, bitmap);
    }
    thread::sync_threads();
    if t < 32 {
        let warps = threads.div_ceil(32);
        let bitmap = warp_or(if t < warps { of_warps.read(t) } else { 0 });
        if t == 0 {
            depends.write(0u32, bitmap);
        }
    }
}
// ANCHOR_END: kernel

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{run, run_with};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use crate::lesson::{next_random, Outcome};
    use cuda_launch::{Device, Error, Grid};
    use cuda_std::array::Array;

    /// Reduces nogoods of several lengths.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run(device: &mut Device) -> Result<Outcome, Error> {
        run_with(device, "or_of_bitmaps", super::or_of_bitmaps, 96)
    }

    /// Does that with another kernel, or with blocks of another size.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run_with(
        device: &mut Device,
        name: &'static str,
        kernel: unsafe fn(Array<u32>, Array<u64>, Array<u64>),
        threads: u32,
    ) -> Result<Outcome, Error> {
        let (mut found, mut expected, mut state) = (Vec::new(), Vec::new(), 11);
        let bitmaps: Vec<u64> = (0..200).map(|_| 1 << (next_random(&mut state) % 64)).collect();
        let on_device = device.upload_constant("bitmaps", &bitmaps)?;
        for len in [1, 3, 31, 100, 150] {
            let nogood: Vec<u32> = (0..len).map(|_| next_random(&mut state) % 400).collect();
            let literals = device.upload_constant("nogood", &nogood)?;
            let depends = device.zeros::<u64>("depends", 1)?;
            let arguments = (literals.array(), on_device.array(), depends.array());
            // SAFETY: the nogood's variables have bitmaps, and the grid is one block.
            unsafe { device.launch(Grid::new(1, threads), name, kernel, arguments) }?;
            let disjunction = nogood.iter().fold(0, |all, &literal| all | bitmaps[literal as usize / 2]);
            for (bitmap, into) in [(device.download(&depends)?[0], &mut found), (disjunction, &mut expected)]
            {
                into.extend([bitmap as u32, (bitmap >> 32) as u32]);
            }
        }
        Ok(Outcome { found, expected })
    }
}

#[cfg(test)]
crate::lesson::on_every_device!(super::run);
