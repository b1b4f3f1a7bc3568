//! A lesson: kernels that cannot panic. A GPU's kernel has nobody to tell of a panic, so the build refuses a
//! kernel that could.

use cuda_std::array::Array;
use cuda_std::prelude::*;
use cuda_std::println;

// ANCHOR: kernels
/// Writes to `next` the element after each of `x`, and after the last of them the first.
///
/// # Safety
/// Both arrays are equally long, and nobody else uses `next` during the launch.
#[kernel]
pub unsafe fn element_after(x: Array<u32>, next: Array<u32>) {
    let n = x.len() as u32;
    // The compiler knows from here on that `n` is not 0.
    if n == 0 {
        return;
    }
    let mut i = thread::index_1d();
    while i < n {
        let after = (i + 1) % n;
        next.write(i, x.read(after));
        if after == 0 {
            println!("element {} comes after element {}", after, i);
        }
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
}

/// Replaces each element by the number of bits that are 1 in its lowest 4 bits.
///
/// # Safety
/// Nobody else uses `x` during the launch.
#[kernel]
pub unsafe fn count_four_bits(x: Array<u32>) {
    let counts = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];
    let mut i = thread::index_1d();
    while (i as usize) < x.len() {
        // An index with 4 bits is less than 16: nothing can go wrong.
        let last = (x.read(i) & 15) as usize;
        x.write(i, counts[last]);
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
}

/// Replaces each element by its decrement, and 0 by 0.
///
/// # Safety
/// Nobody else uses `x` during the launch.
#[kernel]
pub unsafe fn one_less(x: Array<u32>) {
    let mut i = thread::index_1d();
    while (i as usize) < x.len() {
        x.write(i, x.read(i).saturating_sub(1));
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: kernels

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{run, run_broken};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use crate::lesson::{next_random, Outcome};
    use cuda_launch::{launch, Device, Error, Grid};
    use cuda_std::array::Array;

    /// Runs the three kernels, one after the other, on 500 elements.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run(device: &mut Device) -> Result<Outcome, Error> {
        let mut state = 3;
        let n = 500;
        let data: Vec<u32> = (0..n).map(|_| next_random(&mut state)).collect();
        let (x, next) = (device.upload_constant("x", &data)?, device.zeros::<u32>("next", n)?);
        let (grid, rest) = (Grid::new(2, 64), next.array());
        // SAFETY: both arrays have `n` elements.
        unsafe { launch!(device, grid, super::element_after(x.array(), rest)) }?;
        // SAFETY: nobody else uses `next`.
        unsafe { launch!(device, grid, super::count_four_bits(rest)) }?;
        // SAFETY: as above.
        unsafe { launch!(device, grid, super::one_less(rest)) }?;
        let after = |i: usize| (data[(i + 1) % n] & 15).count_ones();
        let expected = (0..n).map(|i| after(i).saturating_sub(1)).collect();
        Ok(Outcome { found: device.download(&next)?, expected })
    }

    /// Runs a first kernel that is told how many elements there are, and is told 0 in place of 4.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run_broken(
        device: &mut Device,
        kernel: unsafe fn(Array<u32>, Array<u32>, u32),
    ) -> Result<Outcome, Error> {
        let x = device.upload_constant("x", &[7u32, 8, 9, 10])?;
        let next = device.zeros::<u32>("next", 4)?;
        let arguments = (x.array(), next.array(), 0);
        // SAFETY: both arrays have 4 elements.
        unsafe { device.launch(Grid::new(1, 32), "element_after", kernel, arguments) }?;
        Ok(Outcome { found: device.download(&next)?, expected: vec![8, 9, 10, 7] })
    }
}

#[cfg(test)]
crate::lesson::on_every_device!(super::run);
