//! The GPUs that the driver knows.

use crate::error::{CudaResult, ToResult};
use crate::sys::{self, CUdevice, CUdevice_attribute};
use std::ffi::CStr;

/// A GPU.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    device: CUdevice,
}

/// What can be asked of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceAttribute {
    /// The number of its multiprocessors.
    MultiprocessorCount,
    /// The major version of its architecture.
    ComputeCapabilityMajor,
    /// The minor version of its architecture.
    ComputeCapabilityMinor,
}

impl Device {
    /// The number of GPUs.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn num_devices() -> CudaResult<u32> {
        let mut count = 0;
        // SAFETY: writes a number.
        unsafe { sys::cuDeviceGetCount(&mut count) }.to_result()?;
        Ok(count.max(0) as u32)
    }

    /// The GPU with this ordinal, from 0.
    ///
    /// # Errors
    /// If there is none.
    pub fn get_device(ordinal: u32) -> CudaResult<Device> {
        let mut device = 0;
        // SAFETY: writes a number.
        unsafe { sys::cuDeviceGet(&mut device, ordinal as i32) }.to_result()?;
        Ok(Device { device })
    }

    /// The GPU's name.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn name(self) -> CudaResult<String> {
        let mut name = [0u8; 128];
        // SAFETY: `name` has room for as many bytes as are said, of which the last is a NUL.
        unsafe { sys::cuDeviceGetName(name.as_mut_ptr().cast(), name.len() as i32, self.device) }
            .to_result()?;
        Ok(CStr::from_bytes_until_nul(&name).unwrap_or_default().to_string_lossy().into_owned())
    }

    /// An attribute of the GPU.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn get_attribute(self, attribute: DeviceAttribute) -> CudaResult<i32> {
        let attribute = match attribute {
            DeviceAttribute::MultiprocessorCount => {
                CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
            }
            DeviceAttribute::ComputeCapabilityMajor => {
                CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
            }
            DeviceAttribute::ComputeCapabilityMinor => {
                CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
            }
        };
        let mut value = 0;
        // SAFETY: writes a number.
        unsafe { sys::cuDeviceGetAttribute(&mut value, attribute, self.device) }.to_result()?;
        Ok(value)
    }

    /// The driver's handle.
    pub fn as_raw(&self) -> CUdevice {
        self.device
    }
}
