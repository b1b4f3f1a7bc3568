//! Queues of work for a GPU.

use crate::error::{CudaResult, ToResult};
use crate::function::Function;
use crate::sys::{self, CUstream};
use std::ffi::c_void;

bitflags::bitflags! {
    /// How a stream is made.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct StreamFlags: u32 {
        /// Copies on the thread's default stream would wait for the work in other streams. They do so with `cust` as
        /// published, too, which clears this flag.
        const NON_BLOCKING = 1;
    }
}

/// A queue of work for a GPU.
#[derive(Debug)]
pub struct Stream {
    inner: CUstream,
}

impl Stream {
    /// A stream of the thread's context, on which nothing waits.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn new(flags: StreamFlags, priority: Option<i32>) -> CudaResult<Self> {
        let flags = flags.difference(StreamFlags::NON_BLOCKING);
        let mut inner = std::ptr::null_mut();
        // SAFETY: writes a handle.
        unsafe { sys::cuStreamCreateWithPriority(&mut inner, flags.bits(), priority.unwrap_or(0)) }
            .to_result()?;
        Ok(Stream { inner })
    }

    /// Begins a launch, with grids and blocks of one dimension.
    ///
    /// # Errors
    /// If the driver refuses.
    ///
    /// # Safety
    /// `arguments` are the addresses of the kernel's arguments, and the kernel's own contract holds.
    pub unsafe fn launch(
        &self,
        kernel: &Function<'_>,
        blocks: u32,
        threads: u32,
        shared_bytes: u32,
        arguments: &[*mut c_void],
    ) -> CudaResult<()> {
        let (arguments, none) = (arguments.as_ptr().cast_mut(), std::ptr::null_mut());
        // SAFETY: the caller's contract. The driver copies the arguments before it returns.
        unsafe {
            sys::cuLaunchKernel(
                kernel.to_raw(),
                blocks,
                1,
                1,
                threads,
                1,
                1,
                shared_bytes,
                self.inner,
                arguments,
                none,
            )
        }
        .to_result()
    }

    /// Waits for all work.
    ///
    /// # Errors
    /// If some of the work has failed.
    pub fn synchronize(&self) -> CudaResult<()> {
        // SAFETY: the stream lives.
        unsafe { sys::cuStreamSynchronize(self.inner) }.to_result()
    }

    /// The driver's handle.
    pub fn as_inner(&self) -> CUstream {
        self.inner
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: from `new`. If this fails, the driver keeps the stream until the process ends.
        let _ = unsafe { sys::cuStreamDestroy_v2(self.inner) };
    }
}
