//! How many GPUs the driver knows. The driver's functions are those of [`cust`].

use super::DeviceError;
pub use cust::available;

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
