//! A lesson: a barrier for all blocks of a grid, so that one launch takes many steps.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: barrier
/// Waits until all threads of all blocks are here. What they wrote before is visible afterwards. `arrived`
/// was 0 at the beginning of the launch, and `barriers` is how many barriers there were before this one.
#[inline(always)]
fn sync_grid(arrived: Array<u32>, barriers: u32) {
    thread::sync_threads();
    if thread::thread_idx_x() == 0 {
        // All that this block wrote goes first.
        thread::device_fence();
        arrived.atomic(0u32).add(1);
        while arrived.atomic(0u32).load() < (barriers + 1) * thread::grid_dim_x() {
            thread::nanosleep(100);
        }
        // What the other blocks wrote is read after this.
        thread::device_fence();
    }
    thread::sync_threads();
}
// ANCHOR_END: barrier

// ANCHOR: kernel
/// Replaces each element by the sum of itself and its two neighbours on a ring, `steps` times. `a` has the
/// elements; the result is in `a` if `steps` is even and in `b` otherwise.
///
/// # Safety
/// `a` and `b` are equally long, `arrived` is one element, which is 0, and nobody else uses them during the
/// launch, whose blocks all run at once.
#[kernel]
pub unsafe fn smooth(a: Array<u32>, b: Array<u32>, arrived: Array<u32>, steps: u32) {
    let n = a.len() as u32;
    let (mut from, mut to) = (a, b);
    let mut step = 0;
    while step < steps {
        let mut i = thread::index_1d();
        while i < n {
            let left = from.read(if i == 0 { n - 1 } else { i - 1 });
            let right = from.read(if i + 1 == n { 0 } else { i + 1 });
            to.write(i, left.wrapping_add(from.read(i)).wrapping_add(right));
            i += thread::block_dim_x() * thread::grid_dim_x();
        }
        sync_grid(arrived, step);
        (from, to) = (to, from);
        step += 1;
    }
}
// ANCHOR_END: kernel

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{run, run_with};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use crate::lesson::Outcome;
    use cuda_launch::{Device, Error, Grid};
    use cuda_std::array::Array;

    /// Takes 6 steps on 300 elements.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run(device: &mut Device) -> Result<Outcome, Error> {
        run_with(device, "smooth", super::smooth)
    }

    /// Does that with another kernel.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run_with(
        device: &mut Device,
        name: &'static str,
        kernel: unsafe fn(Array<u32>, Array<u32>, Array<u32>, u32),
    ) -> Result<Outcome, Error> {
        let steps = 6;
        let mut ring: Vec<u32> = (0..300).map(|i| i * i).collect();
        let (a, b) = (device.upload("a", &ring)?, device.zeros::<u32>("b", ring.len())?);
        let arrived = device.zeros::<u32>("arrived", 1)?;
        let arguments = (a.array(), b.array(), arrived.array(), steps);
        // SAFETY: both arrays have 300 elements, and the blocks all run at once.
        unsafe { device.launch(Grid::new(3, 64).cooperative(), name, kernel, arguments) }?;
        let n = ring.len();
        for _ in 0..steps {
            let sum = |i: usize| ring[(i + n - 1) % n].wrapping_add(ring[i]).wrapping_add(ring[(i + 1) % n]);
            ring = (0..n).map(sum).collect();
        }
        Ok(Outcome { found: device.download(&a)?, expected: ring })
    }
}

#[cfg(test)]
crate::lesson::on_every_device!(super::run);
