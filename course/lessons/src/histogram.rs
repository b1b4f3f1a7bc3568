//! A lesson: a histogram. Each block counts in its own shared memory, whose size the launch decides.

use cuda_std::array::Array;
use cuda_std::prelude::*;
use cuda_std::shared::Words;

// ANCHOR: kernel
/// Counts how often each value occurs in `x`.
///
/// # Safety
/// Each value is less than the number of `bins`; the launch has a word of dynamic shared memory for each bin;
/// nobody else uses `bins` during the launch.
#[kernel]
pub unsafe fn histogram(x: Array<u32>, bins: Array<u32>) {
    // SAFETY: a word for each bin; barriers are between the plain accesses and the atomic ones.
    let counts = unsafe { Words::<u32>::at(0, bins.len()) };
    let (t, threads) = (thread::thread_idx_x(), thread::block_dim_x());

    // Shared memory holds whatever the block before has left in it.
    let mut bin = t;
    while (bin as usize) < bins.len() {
        counts.set(bin, 0);
        bin += threads;
    }
    thread::sync_threads();

    let mut i = thread::index_1d();
    while (i as usize) < x.len() {
        counts.atomic(x.read(i)).add(1);
        i += threads * thread::grid_dim_x();
    }
    thread::sync_threads();

    let mut bin = t;
    while (bin as usize) < bins.len() {
        bins.atomic(bin).add(counts.get(bin));
        bin += threads;
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

    /// Counts 3,000 values in 48 bins.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run(device: &mut Device) -> Result<Outcome, Error> {
        run_with(device, "histogram", super::histogram, 48)
    }

    /// Does that with another kernel, or with room for fewer bins in shared memory.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run_with(
        device: &mut Device,
        name: &'static str,
        kernel: unsafe fn(Array<u32>, Array<u32>),
        room: usize,
    ) -> Result<Outcome, Error> {
        let mut state = 5;
        let values: Vec<u32> = (0..3000).map(|_| next_random(&mut state) % 48).collect();
        let (x, bins) = (device.upload_constant("x", &values)?, device.zeros::<u32>("bins", 48)?);
        // ANCHOR: launch
        let grid = Grid::new(3, 64).with_shared(room * size_of::<u32>());
        // SAFETY: the values are less than 48, and the launch has as many words of shared memory.
        unsafe { device.launch(grid, name, kernel, (x.array(), bins.array())) }?;
        // ANCHOR_END: launch
        let mut expected = vec![0; 48];
        values.iter().for_each(|&value| expected[value as usize] += 1);
        Ok(Outcome { found: device.download(&bins)?, expected })
    }
}

#[cfg(test)]
crate::lesson::on_every_device!(super::run);
