//! Launches on a GPU, through `cust`, on one stream. Main type: [`Gpu`].

use crate::{Error, Grid};
use cust::context::{Context, CurrentContext};
use cust::device::Device;
use cust::error::CudaError;
use cust::event::{Event, EventFlags};
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};
use cust::sys;
use std::ffi::c_void;
use std::time::Duration;

/// A GPU with a stream and the kernels that it has loaded. The fields are dropped in their order, so the
/// context comes last.
pub struct Gpu {
    stream: Stream,
    module: Module,
    name: String,
    context: Context,
}

fn failed(what: &'static str) -> impl FnOnce(CudaError) -> Error {
    move |error| Error::Failed(format!("{what}: {error}"))
}

/// The result of a call of the driver.
fn checked(what: &str, result: sys::CUresult) -> Result<(), Error> {
    match result {
        sys::CUresult::CUDA_SUCCESS => Ok(()),
        error => Err(Error::Failed(format!("{what}: {error:?}"))),
    }
}

impl Gpu {
    /// Opens the GPU with this ordinal, and has the driver compile the kernels.
    pub fn open(ordinal: u32, kernels: Result<&str, &str>) -> Result<Self, Error> {
        let none = |error: CudaError| Error::NoGpu(format!("the driver says: {error}"));
        cust::available().map_err(Error::NoGpu)?;
        cust::init(cust::CudaFlags::empty()).map_err(none)?;
        let gpus = Device::num_devices().map_err(none)?;
        if ordinal >= gpus {
            return Err(Error::NoGpu(format!("GPU {ordinal} of {gpus}; the first one is 0")));
        }
        let ptx =
            kernels.map_err(|why| Error::NoGpu(format!("this program was built without PTX: {why}")))?;
        let device = Device::get_device(ordinal).map_err(none)?;
        let context = Context::new(device).map_err(none)?;
        let module = Module::from_ptx(ptx, &[]).map_err(failed("the driver does not load the PTX"))?;
        let stream = Stream::new(StreamFlags::NON_BLOCKING, None).map_err(failed("a stream"))?;
        Ok(Gpu { stream, module, name: device.name().map_err(none)?, context })
    }

    /// The GPU's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes the context the calling thread's. Every call of the driver needs that.
    fn enter(&self) -> Result<(), Error> {
        CurrentContext::set_current(&self.context).map_err(failed("the context"))
    }

    /// Zeroed memory.
    pub fn alloc(&self, name: &'static str, bytes: usize) -> Result<u64, Error> {
        self.enter()?;
        // SAFETY: plain bytes, which `free` frees.
        let pointer = unsafe { cust::memory::cuda_malloc::<u8>(bytes) }.map_err(|error| match error {
            CudaError::OutOfMemory => Error::OutOfMemory { name, bytes },
            error => failed("memory")(error),
        })?;
        let address = pointer.as_raw();
        // SAFETY: within the memory that was just allocated.
        let result = unsafe { sys::cuMemsetD8Async(address, 0, bytes, self.stream.as_inner()) };
        checked("clearing memory", result)?;
        Ok(address)
    }

    /// Frees memory after all that uses it has ended.
    pub fn free(&self, address: u64) {
        // If one of these fails, the context is lost, and the memory with it.
        if self.synchronize().is_ok() {
            // SAFETY: from `alloc`, and no launch uses the memory any more.
            let _ = unsafe { sys::cuMemFree_v2(address) };
        }
    }

    /// Copies to the GPU.
    pub fn upload(&self, address: u64, data: &[u8]) -> Result<(), Error> {
        if data.is_empty() {
            return Ok(());
        }
        self.enter()?;
        // SAFETY: the target is an allocation of this length; the driver has read pageable data when it
        // returns.
        let result = unsafe {
            sys::cuMemcpyHtoDAsync_v2(address, data.as_ptr().cast(), data.len(), self.stream.as_inner())
        };
        checked("copying to it", result)
    }

    /// Copies from the GPU, after all launches so far.
    pub fn download(&self, address: u64, data: &mut [u8]) -> Result<(), Error> {
        if data.is_empty() {
            return self.synchronize();
        }
        self.enter()?;
        // SAFETY: the source is an allocation of this length; `data` stays until the wait below.
        let result = unsafe {
            sys::cuMemcpyDtoHAsync_v2(data.as_mut_ptr().cast(), address, data.len(), self.stream.as_inner())
        };
        // Even if the copy was refused, nothing may still be writing to `data` afterwards.
        self.synchronize().and(checked("copying from it", result))
    }

    /// Copies within the GPU.
    pub fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<(), Error> {
        if bytes == 0 || to == from {
            return Ok(());
        }
        self.enter()?;
        // SAFETY: two allocations of this length.
        let result = unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes, self.stream.as_inner()) };
        checked("copying within it", result)
    }

    /// Waits for all that was begun.
    pub fn synchronize(&self) -> Result<(), Error> {
        self.enter()?;
        self.stream.synchronize().map_err(failed("a kernel failed"))
    }

    /// The time between the beginning and the end of what `work` launches.
    pub fn time(&self, work: impl FnOnce() -> Result<(), Error>) -> Result<Duration, Error> {
        self.enter()?;
        let event = || Event::new(EventFlags::DEFAULT).map_err(failed("an event"));
        let (begin, end) = (event()?, event()?);
        begin.record(&self.stream).map_err(failed("an event"))?;
        work()?;
        end.record(&self.stream).map_err(failed("an event"))?;
        self.synchronize()?;
        let millis = end.elapsed_time_f32(&begin).map_err(failed("an event"))?;
        Ok(Duration::from_secs_f64(f64::from(millis) / 1e3))
    }

    /// Begins a launch.
    ///
    /// # Safety
    /// `arguments` are the addresses of the kernel's arguments, and the kernel's own contract holds.
    pub unsafe fn launch(&self, grid: Grid, name: &str, arguments: &mut [*mut c_void]) -> Result<(), Error> {
        self.enter()?;
        let function = self
            .module
            .get_function(name)
            .map_err(|error| Error::Failed(format!("kernel {name} is not in the PTX: {error}")))?;
        let (stream, kernel) = (self.stream.as_inner(), function.to_raw());
        let Grid { blocks: [x, y, z], threads: [a, b, c], shared_bytes, is_cooperative } = grid;
        let bytes = shared_bytes as u32;
        if shared_bytes > 0 {
            let what = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: a function of the module.
            checked("shared memory", unsafe { sys::cuFuncSetAttribute(kernel, what, bytes as i32) })?;
        }
        let arguments = arguments.as_mut_ptr();
        // SAFETY: the caller's contract. The driver copies the arguments before it returns.
        let result = unsafe {
            match is_cooperative {
                true => sys::cuLaunchCooperativeKernel(kernel, x, y, z, a, b, c, bytes, stream, arguments),
                false => {
                    let extra = std::ptr::null_mut();
                    sys::cuLaunchKernel(kernel, x, y, z, a, b, c, bytes, stream, arguments, extra)
                }
            }
        };
        checked(name, result)
    }
}
