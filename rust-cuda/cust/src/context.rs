//! The primary context of a GPU.

use crate::device::Device;
use crate::error::{CudaResult, ToResult};
use crate::sys::{self, CUcontext, CUdevice};

/// A GPU's primary context, kept as long as the value lives.
#[derive(Debug)]
pub struct Context {
    inner: CUcontext,
    device: CUdevice,
}

// SAFETY: any thread may use a context that it has made its own.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// Keeps the GPU's context, and makes it the thread's.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn new(device: Device) -> CudaResult<Self> {
        let mut inner = std::ptr::null_mut();
        // SAFETY: writes a handle.
        unsafe { sys::cuDevicePrimaryCtxRetain(&mut inner, device.as_raw()) }.to_result()?;
        let context = Context { inner, device: device.as_raw() };
        CurrentContext::set_current(&context)?;
        Ok(context)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: kept in `new`. If this fails, the driver keeps the context until the process ends.
        let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}

/// The calling thread's context.
#[derive(Debug)]
pub struct CurrentContext;

impl CurrentContext {
    /// Makes a context the calling thread's.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn set_current(context: &Context) -> CudaResult<()> {
        // SAFETY: the context lives.
        unsafe { sys::cuCtxSetCurrent(context.inner) }.to_result()
    }
}
