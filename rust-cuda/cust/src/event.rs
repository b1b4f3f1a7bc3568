//! Points in time on a stream.

use crate::error::{CudaResult, ToResult};
use crate::stream::Stream;
use crate::sys::{self, CUevent};

bitflags::bitflags! {
    /// How an event is made.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct EventFlags: u32 {
        /// With its time, and whoever waits for the event spins.
        const DEFAULT = 0;
    }
}

/// A point in time on a stream.
#[derive(Debug)]
pub struct Event(CUevent);

impl Event {
    /// An event that was not recorded yet.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn new(flags: EventFlags) -> CudaResult<Event> {
        let mut event = std::ptr::null_mut();
        // SAFETY: writes a handle.
        unsafe { sys::cuEventCreate(&mut event, flags.bits()) }.to_result()?;
        Ok(Event(event))
    }

    /// Lets the event be when all is done that the stream was given before.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn record(&self, stream: &Stream) -> CudaResult<()> {
        // SAFETY: both live.
        unsafe { sys::cuEventRecord(self.0, stream.as_inner()) }.to_result()
    }

    /// The milliseconds from another event until this one.
    ///
    /// # Errors
    /// If one of them has not come yet.
    pub fn elapsed_time_f32(&self, start: &Event) -> CudaResult<f32> {
        let mut millis = 0.0;
        // SAFETY: writes a number; both live.
        unsafe { sys::cuEventElapsedTime(&mut millis, start.0, self.0) }.to_result()?;
        Ok(millis)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: from `new`. If this fails, the driver keeps the event until the process ends.
        let _ = unsafe { sys::cuEventDestroy_v2(self.0) };
    }
}
