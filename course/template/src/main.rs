//! Runs the kernel on a GPU, or on the processor if there is none.

use cuda_launch::{kernels, launch, Device, Error, Grid};
use my_kernels::double;

fn main() -> Result<(), Error> {
    let mut device = match Device::gpu(0, kernels!()) {
        Ok(gpu) => gpu,
        Err(why) => {
            eprintln!("{why}; running on the processor");
            Device::cpu()
        }
    };
    let data = device.upload("data", &(0..1000).collect::<Vec<u32>>())?;
    // SAFETY: only this launch uses `data`.
    unsafe { launch!(device, Grid::new(4, 64), double(data.array())) }?;
    let doubled = device.download(&data)?;
    println!("on {}: {} {} {} ... {}", device.name(), doubled[0], doubled[1], doubled[2], doubled[999]);
    Ok(())
}
