//! How many GPUs there are: the driver knows [`count`], and its files tell [`seen`] at once. The driver's
//! functions are those of [`cust`].

use super::DeviceError;
pub use cust::{available, is_loaded};

/// How many GPUs there are.
///
/// # Errors
/// [`DeviceError::NoGpu`].
pub fn count() -> Result<u32, DeviceError> {
    let none = |error: cust::error::CudaError| DeviceError::NoGpu(format!("the driver says: {error}"));
    available().map_err(DeviceError::NoGpu)?;
    cust::init(cust::CudaFlags::empty()).map_err(none)?;
    match cust::device::Device::num_devices().map_err(none)? {
        0 => Err(DeviceError::NoGpu("the driver knows none".into())),
        gpus => Ok(gpus),
    }
}

/// How many GPUs there seem to be, and 1 at least. To ask the driver takes a tenth of a second and more.
pub fn seen() -> u32 {
    let files = std::fs::read_dir("/dev").into_iter().flatten().flatten();
    let names = files.filter_map(|file| file.file_name().into_string().ok());
    seen_by(names, std::env::var("CUDA_VISIBLE_DEVICES").ok().as_deref())
}

/// The number of files of GPUs, such as `nvidia0`, of which at most so many are visible as are listed.
fn seen_by(files: impl Iterator<Item = String>, visible: Option<&str>) -> u32 {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let gpus = files.filter(|name| name.strip_prefix("nvidia").is_some_and(is_number)).count();
    let listed = visible.map_or(gpus, |list| list.split(',').count());
    gpus.min(listed).max(1) as u32
}

#[cfg(test)]
mod tests {
    use super::seen_by;

    #[test]
    fn gpus_are_counted_by_their_files_and_those_that_are_visible() {
        let names = ["null", "nvidia0", "nvidia1", "nvidia10", "nvidiactl", "nvidia-uvm", "nvidia"];
        for (files, visible, expected) in [
            (&names[..], None, 3),
            (&names[..], Some("1,GPU-5c"), 2),
            (&names[..], Some("0"), 1),
            (&names[..], Some("0,1,2,3,4"), 3),
            // The driver says that there is none once it is asked.
            (&names[..], Some(""), 1),
            (&names[..1], None, 1),
        ] {
            assert_eq!(seen_by(files.iter().map(|name| name.to_string()), visible), expected, "{visible:?}");
        }
    }
}
