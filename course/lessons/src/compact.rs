//! A lesson: keeping the odd elements of an array. The lanes of a warp vote, and one of them asks for the
//! room.

use crate::reduce::ALL_LANES;
use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// Writes the odd elements of `x` to the front of `kept`, in any order, and adds their number to `count`.
///
/// # Safety
/// `kept` is as long as `x`, `count` has one element, blocks are whole warps or one thread, and nobody else
/// uses `kept` and `count` during the launch.
#[kernel]
pub unsafe fn compact(x: Array<u32>, kept: Array<u32>, count: Array<u32>) {
    let n = x.len() as u32;
    let lane = warp::lane_id();
    // All lanes of a warp make the same passes, so that all of them vote.
    let mut first = thread::index_1d() - lane;
    while first < n {
        let i = first + lane;
        let value = if i < n { x.read(i) } else { 0 };
        let is_kept = value % 2 == 1;
        // SAFETY: all lanes of the warp are here.
        let votes = unsafe { warp::warp_vote_ballot(ALL_LANES, is_kept) };
        let mut place = 0;
        if lane == 0 {
            place = count.atomic(0u32).add(votes.count_ones());
        }
        // SAFETY: all lanes of the warp are here, lane 0 among them.
        let (place, _) = unsafe { warp::warp_shuffle_idx(ALL_LANES, place, 0, 32) };
        if is_kept {
            let before = votes & ((1 << lane) - 1);
            kept.write(place + before.count_ones(), value);
        }
        first += thread::block_dim_x() * thread::grid_dim_x();
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

    /// Keeps the odd ones of 1,000 elements.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run(device: &mut Device) -> Result<Outcome, Error> {
        run_with(device, "compact", super::compact)
    }

    /// Does that with another kernel.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run_with(
        device: &mut Device,
        name: &'static str,
        kernel: unsafe fn(Array<u32>, Array<u32>, Array<u32>),
    ) -> Result<Outcome, Error> {
        let mut state = 6;
        let data: Vec<u32> = (0..1000).map(|_| next_random(&mut state)).collect();
        let x = device.upload_constant("x", &data)?;
        let (kept, count) = (device.zeros::<u32>("kept", data.len())?, device.zeros::<u32>("count", 1)?);
        // SAFETY: `kept` is as long as `x`, and blocks are whole warps.
        unsafe { device.launch(Grid::new(2, 96), name, kernel, (x.array(), kept.array(), count.array())) }?;
        let count = device.download(&count)?[0] as usize;
        let mut found = device.download(&kept)?;
        found.truncate(count);
        let mut expected: Vec<u32> = data.into_iter().filter(|x| x % 2 == 1).collect();
        found.sort();
        expected.sort();
        Ok(Outcome { found, expected })
    }
}

#[cfg(test)]
crate::lesson::on_every_device!(super::run);
