//! Memory of the GPU, and page-locked memory of the host.

use crate::error::{CudaError, CudaResult, ToResult};
use crate::sys::{self, CUdeviceptr};
use std::marker::PhantomData;

/// The address of values of `T` in the GPU's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DevicePointer<T> {
    address: CUdeviceptr,
    values: PhantomData<*mut T>,
}

impl<T> DevicePointer<T> {
    /// The address.
    pub fn as_raw(&self) -> CUdeviceptr {
        self.address
    }
}

/// The bytes of `count` values.
fn bytes_of<T>(count: usize) -> CudaResult<usize> {
    count.checked_mul(size_of::<T>()).filter(|&bytes| bytes > 0).ok_or(CudaError::InvalidMemoryAllocation)
}

/// Memory of the GPU for `count` values.
///
/// # Errors
/// If there is not enough.
///
/// # Safety
/// What is there at first is no value.
pub unsafe fn cuda_malloc<T>(count: usize) -> CudaResult<DevicePointer<T>> {
    let (bytes, mut address) = (bytes_of::<T>(count)?, 0);
    // SAFETY: writes an address.
    unsafe { sys::cuMemAlloc_v2(&mut address, bytes) }.to_result()?;
    Ok(DevicePointer { address, values: PhantomData })
}

/// Page-locked memory of the host for `count` values.
///
/// # Errors
/// If there is not enough.
///
/// # Safety
/// What is there at first is no value.
pub unsafe fn cuda_malloc_locked<T>(count: usize) -> CudaResult<*mut T> {
    let (bytes, mut address) = (bytes_of::<T>(count)?, std::ptr::null_mut());
    // SAFETY: writes an address.
    unsafe { sys::cuMemAllocHost_v2(&mut address, bytes) }.to_result()?;
    Ok(address.cast())
}

/// Frees page-locked memory.
///
/// # Errors
/// If the driver refuses.
///
/// # Safety
/// The memory is from [`cuda_malloc_locked`], and nobody uses it any more.
pub unsafe fn cuda_free_locked<T>(address: *mut T) -> CudaResult<()> {
    // SAFETY: the caller's contract.
    unsafe { sys::cuMemFreeHost(address.cast()) }.to_result()
}
