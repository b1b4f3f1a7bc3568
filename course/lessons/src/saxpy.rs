//! A lesson: `y = a * x + y`, one thread for each element.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// Adds `a` times each element of `x` to the element of `y` at the same index.
///
/// # Safety
/// `x` is as long as `y`, and nobody else uses `y` during the launch.
#[kernel]
pub unsafe fn saxpy(a: f32, x: Array<f32>, y: Array<f32>) {
    let i = thread::index_1d();
    // The last block may have more threads than there are elements left.
    if (i as usize) < y.len() {
        y.write(i, a * x.read(i) + y.read(i));
    }
}
// ANCHOR_END: kernel

#[cfg(not(target_arch = "nvptx64"))]
pub use host::run;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use super::saxpy;
    use crate::lesson::{bits, Outcome};
    use cuda_launch::{launch, Device, Error, Grid};

    // ANCHOR: run
    /// Runs the kernel on 1,000 elements.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run(device: &mut Device) -> Result<Outcome, Error> {
        let n = 1000;
        let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
        let y: Vec<f32> = (0..n).map(|i| (n - i) as f32).collect();
        let grid = Grid::over(n, 128);

        let on_device = (device.upload_constant("x", &x)?, device.upload("y", &y)?);
        // SAFETY: both arrays have `n` elements, and only this launch uses them.
        unsafe { launch!(device, grid, saxpy(2.0, on_device.0.array(), on_device.1.array())) }?;
        let found = device.download(&on_device.1)?;

        let mut expected = y;
        // The device `cpu` has one thread, so there the kernel reaches one element. `grid_stride` mends that.
        for i in 0..n.min(device.threads_of(grid)) {
            expected[i] += 2.0 * x[i];
        }
        Ok(Outcome { found: bits(&found), expected: bits(&expected) })
    }
    // ANCHOR_END: run
}

#[cfg(test)]
crate::lesson::on_every_device!(super::run);
