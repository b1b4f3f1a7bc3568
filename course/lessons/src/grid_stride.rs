//! A lesson: the same sum with a grid-stride loop, so that any number of threads does any number of elements.

use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: kernel
/// Adds `a` times each element of `x` to the element of `y` at the same index.
///
/// # Safety
/// `x` is as long as `y`, and nobody else uses `y` during the launch.
#[kernel]
pub unsafe fn saxpy_strided(a: f32, x: Array<f32>, y: Array<f32>) {
    let threads = thread::block_dim_x() * thread::grid_dim_x();
    let mut i = thread::index_1d();
    while (i as usize) < y.len() {
        y.write(i, a * x.read(i) + y.read(i));
        i += threads;
    }
}
// ANCHOR_END: kernel

/// Writes to each element of `owner` the index of the thread whose element it is, for a picture.
///
/// # Safety
/// Nobody else uses `owner` during the launch.
#[kernel]
pub unsafe fn owners(owner: Array<u32>) {
    let threads = thread::block_dim_x() * thread::grid_dim_x();
    let mut i = thread::index_1d();
    while (i as usize) < owner.len() {
        owner.write(i, thread::index_1d());
        i += threads;
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{run, run_with, Saxpy};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use super::saxpy_strided;
    use crate::lesson::{bits, Outcome};
    use cuda_launch::{Device, Error, Grid};
    use cuda_std::array::Array;

    /// A kernel with the arguments of [`saxpy_strided`].
    pub type Saxpy = unsafe fn(f32, Array<f32>, Array<f32>);

    /// Runs the kernel on 1,000 elements with fewer threads than that.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run(device: &mut Device) -> Result<Outcome, Error> {
        run_with(device, "saxpy_strided", saxpy_strided, Grid::new(3, 64))
    }

    /// Runs another kernel that does the same, or another grid.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run_with(
        device: &mut Device,
        name: &'static str,
        kernel: Saxpy,
        grid: Grid,
    ) -> Result<Outcome, Error> {
        let n = 1000;
        let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
        let y: Vec<f32> = (0..n).map(|i| (n - i) as f32).collect();
        let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 2.0 * x + y).collect();
        let (x, y) = (device.upload_constant("x", &x)?, device.upload("y", &y)?);
        // SAFETY: both arrays have `n` elements, and only this launch uses them.
        unsafe { device.launch(grid, name, kernel, (2.0, x.array(), y.array())) }?;
        Ok(Outcome { found: bits(&device.download(&y)?), expected: bits(&expected) })
    }
}

#[cfg(test)]
crate::lesson::on_every_device!(super::run);
