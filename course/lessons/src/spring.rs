//! A lesson: a weight swings on a spring, which takes a root, an exponential and a sine.

use cuda_std::array::Array;
use cuda_std::float::{exp, sin, sqrt};
use cuda_std::prelude::*;

// ANCHOR: kernel
/// Where a weight on a spring is at each of `times`: it swings, and friction makes the swings smaller.
///
/// # Safety
/// `places` is as long as `times`, and nobody else uses `places` during the launch.
#[kernel]
pub unsafe fn swing(stiffness: f32, friction: f32, times: Array<f32>, places: Array<f32>) {
    let mut i = thread::index_1d();
    while (i as usize) < times.len() {
        places.write(i, place(stiffness, friction, times.read(i)));
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
}

#[inline(always)]
fn place(stiffness: f32, friction: f32, time: f32) -> f32 {
    exp(-friction * time) * sin(sqrt(stiffness - friction * friction) * time)
}
// ANCHOR_END: kernel

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{run, run_sum};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use super::{place, swing};
    use crate::lesson::{bits, Outcome};
    use cuda_launch::{launch, Device, Error, Grid};
    use cuda_std::array::Array;

    const STIFFNESS: f32 = 4.0;
    const FRICTION: f32 = 0.1;

    fn times() -> Vec<f32> {
        (0..600).map(|i| i as f32 * 0.05).collect()
    }

    /// Computes 600 places. A GPU's are to have the same bits as those of the plain program.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run(device: &mut Device) -> Result<Outcome, Error> {
        let times = times();
        let (from, places) =
            (device.upload_constant("times", &times)?, device.zeros::<f32>("places", times.len())?);
        // SAFETY: both arrays are equally long, and only this launch uses `places`.
        unsafe {
            launch!(device, Grid::new(3, 64), swing(STIFFNESS, FRICTION, from.array(), places.array()))
        }?;
        let expected: Vec<f32> = times.iter().map(|&time| place(STIFFNESS, FRICTION, time)).collect();
        Ok(Outcome { found: bits(&device.download(&places)?), expected: bits(&expected) })
    }

    /// Adds the same places up with a kernel.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run_sum(
        device: &mut Device,
        name: &'static str,
        kernel: unsafe fn(Array<f32>, Array<u32>),
    ) -> Result<Outcome, Error> {
        let places: Vec<f32> = times().iter().map(|&time| place(STIFFNESS, FRICTION, time)).collect();
        let (from, sum) = (device.upload_constant("places", &places)?, device.zeros::<u32>("sum", 1)?);
        // SAFETY: `sum` has one element, which only this launch uses.
        unsafe { device.launch(Grid::new(3, 64), name, kernel, (from.array(), sum.array())) }?;
        let expected = places.iter().fold(0f32, |sum, place| sum + place);
        Ok(Outcome { found: device.download(&sum)?, expected: bits(&[expected]) })
    }
}

#[cfg(test)]
crate::lesson::on_every_device!(super::run);
