//! The GPU executor: kernels from the PTX in the binary, launched through `cust` on one stream a search.
//!
//! The context is made once a process, and each kernel is loaded when it is needed for the first time, as the
//! driver takes long to compile those that are whole searches. A search has a stream and memory of its own.
//! Memory is taken from the driver in chunks, and small allocations are handed out from a chunk's front: a
//! program is some forty arrays, and a call of the driver for each would cost a small search more than its
//! search.

use super::executor::on_blocks;
use super::{driver, ptx, rows, DeviceError, Executor, Geometry, Kernel, Progress, Setup, Traffic, Work};
use cuda_std::atomic::SharedU32;
use cust::context::{Context, CurrentContext};
use cust::device::{Device, DeviceAttribute};
use cust::error::CudaError;
use cust::function::{Function, FunctionAttribute};
use cust::module::{Module, ModuleJitOption, OptLevel};
use cust::stream::{Stream, StreamFlags};
use cust::sys;
use solver_gpu::layout::ALIGNMENT;
use solver_gpu::threads::scratch::shared_bytes;
use solver_gpu::Search;
use std::collections::BTreeMap;
use std::ffi::{c_void, CString};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The smallest chunk of memory taken from the driver.
const CHUNK: usize = 1 << 22;
/// Bytes of page-locked memory for small copies to the host.
const LOCKED: usize = 4096;
/// Bytes of the compiler's log that are kept.
const LOG: usize = 8192;
/// Registers of a thread at most: so a block may have 512 threads. The searches would take some more, for
/// nothing that counts.
const REGISTERS: u32 = include!("registers.rs");
/// Blocks of a grid for each multiprocessor: enough to hide latency, and few enough to start quickly.
const BLOCKS_A_MULTIPROCESSOR: u32 = 8;
/// Bytes of shared memory that the system takes of each block's.
const RESERVED: usize = 1024;
/// Rounds launched before the host looks: a look costs as much as two launches, an idle round seven cheap
/// ones.
const ROUNDS: u32 = 3;

/// What all searches of a process share.
struct Shared {
    context: Context,
    device: Device,
    ptx: &'static str,
    /// Of each kernel.
    loaded: [OnceLock<Result<Loaded, DeviceError>>; Kernel::ALL.len()],
    name: String,
    multiprocessors: u32,
    /// Chunks that no search uses: address and size.
    chunks: Mutex<Vec<(u64, usize)>>,
}

/// A kernel that can be launched.
struct Loaded {
    function: Function<'static>,
    /// Threads that a block of it can have, in whole warps,
    threads: u32,
    /// and bytes of shared memory.
    shared_bytes: usize,
}

/// A piece of memory.
struct Chunk {
    address: u64,
    size: usize,
    /// How much of it is handed out.
    used: usize,
    /// Whether to a single allocation.
    is_whole: bool,
}

/// A GPU, once it is open. Whoever opens it has the lock.
type Place = Arc<Mutex<Option<Arc<Shared>>>>;

/// The GPUs that this process has used, by ordinal.
static GPUS: Mutex<BTreeMap<u32, Place>> = Mutex::new(BTreeMap::new());

/// One search's part of a GPU.
pub struct Gpu {
    shared: Arc<Shared>,
    stream: Stream,
    threads: u32,
    chunks: Vec<Chunk>,
    /// Bytes of all chunks.
    held: u64,
    /// Page-locked memory for small copies to the host, then the stop word; null until it is needed.
    locked: *mut u8,
    traffic: Traffic,
}

// SAFETY: a stream, addresses and page-locked memory of this search alone, which any thread may use once it
// has made the context its own; every method that calls the driver does so first (`Shared::enter`).
unsafe impl Send for Gpu {}

fn failed(what: &str) -> impl FnOnce(CudaError) -> DeviceError + '_ {
    move |error| DeviceError::Failed(format!("GPU: {what}: {error}"))
}

/// Has the driver compile PTX. If it will not, the error says what its compiler says.
///
/// LLVM has made the PTX fast already. On an H200 the driver's first level took a tenth to a third less
/// time than its last one, and five programs had as many conflicts a second.
fn load(ptx: &str) -> Result<Module, DeviceError> {
    let options = [ModuleJitOption::MaxRegisters(REGISTERS), ModuleJitOption::OptLevel(OptLevel::O1)];
    Module::from_ptx(ptx, &options).map_err(|error| {
        let log = compiler_log(ptx);
        DeviceError::Failed(
            format!("GPU: the driver does not load the kernels: {error}\n{log}").trim_end().into(),
        )
    })
}

/// What the driver's compiler says about PTX that it refuses. `cust` has no option for that.
fn compiler_log(ptx: &str) -> String {
    let Ok(ptx) = CString::new(ptx) else { return "there is a NUL in the PTX".into() };
    let mut log = vec![0u8; LOG];
    let mut options =
        [sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER, sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // The driver takes what fits into a pointer by value.
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), LOG as *mut c_void];
    let mut module = std::ptr::null_mut();
    // SAFETY: the PTX ends in a NUL; there are two options, each with its value; the log has room for as much
    // as is said.
    unsafe {
        let count = options.len() as u32;
        let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
        let result = sys::cuModuleLoadDataEx(&mut module, ptx.as_ptr().cast(), count, options, values);
        if result == sys::CUresult::CUDA_SUCCESS {
            let _ = sys::cuModuleUnload(module);
        }
    }
    let end = log.iter().position(|&byte| byte == 0).unwrap_or(LOG);
    String::from_utf8_lossy(&log[..end]).trim().to_string()
}

/// Lets a kernel have as much dynamic shared memory as the device has for a block; how much that is, in
/// bytes.
fn allow_shared_memory(device: Device, kernel: &Function) -> Result<usize, DeviceError> {
    let mut bytes = 0;
    let most = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
    // SAFETY: the device exists, and there is room for the number.
    let asked = unsafe { sys::cuDeviceGetAttribute(&mut bytes, most, device.as_raw()) };
    let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    // SAFETY: the function is of a module that stays.
    let set = unsafe { sys::cuFuncSetAttribute(kernel.to_raw(), attribute, bytes) };
    match (asked, set) {
        (sys::CUresult::CUDA_SUCCESS, sys::CUresult::CUDA_SUCCESS) => Ok(bytes.max(0) as usize),
        (sys::CUresult::CUDA_SUCCESS, error) | (error, _) => {
            Err(DeviceError::Failed(format!("GPU: shared memory: {error:?}")))
        }
    }
}

impl Shared {
    /// Makes the GPU's context the calling thread's.
    fn enter(&self) -> Result<(), DeviceError> {
        CurrentContext::set_current(&self.context).map_err(failed("its context"))
    }

    /// The GPU with this ordinal, which is opened if it is not yet.
    fn get(ordinal: u32) -> Result<Arc<Shared>, DeviceError> {
        let place = GPUS.lock().unwrap_or_else(PoisonError::into_inner).entry(ordinal).or_default().clone();
        let mut gpu = place.lock().unwrap_or_else(PoisonError::into_inner);
        match &*gpu {
            Some(shared) => Ok(shared.clone()),
            None => Ok(gpu.insert(Arc::new(Shared::open(ordinal)?)).clone()),
        }
    }

    fn open(ordinal: u32) -> Result<Shared, DeviceError> {
        let none = |error: CudaError| DeviceError::NoGpu(format!("the driver says: {error}"));
        let ptx = ptx::kernels().map_err(|why| DeviceError::NoGpu(why.into()))?;
        driver::available().map_err(DeviceError::NoGpu)?;
        cust::init(cust::CudaFlags::empty()).map_err(none)?;
        let gpus = Device::num_devices().map_err(none)?;
        if ordinal >= gpus {
            let are = if gpus == 1 { "is" } else { "are" };
            return Err(DeviceError::NoGpu(format!(
                "there is no GPU {ordinal}; there {are} {gpus}, numbered from 0"
            )));
        }
        let device = Device::get_device(ordinal).map_err(none)?;
        let context = Context::new(device).map_err(none)?;
        let multiprocessors = device.get_attribute(DeviceAttribute::MultiprocessorCount).map_err(none)?;
        Ok(Shared {
            context,
            device,
            ptx,
            loaded: [const { OnceLock::new() }; Kernel::ALL.len()],
            name: device.name().map_err(none)?,
            multiprocessors: multiprocessors.max(1) as u32,
            chunks: Mutex::new(Vec::new()),
        })
    }

    /// The module of the machine code that this build has of a kernel for the GPU. A driver that is older than the
    /// toolkit that made the machine code may refuse it; then the driver compiles the PTX.
    fn machine_code(&self, kernel: Kernel) -> Option<Module> {
        let version =
            |attribute| self.device.get_attribute(attribute).ok().and_then(|n| u32::try_from(n).ok());
        let major = version(DeviceAttribute::ComputeCapabilityMajor)?;
        let minor = version(DeviceAttribute::ComputeCapabilityMinor)?;
        let code = ptx::machine_code((major, minor), kernel.name())?.ok()?;
        Module::from_cubin(code).ok()
    }

    /// A kernel, which is loaded if it is not yet. The context must be the thread's.
    fn kernel(&self, kernel: Kernel) -> Result<&Loaded, DeviceError> {
        let load = || {
            // For the life of the process, as the function is.
            let module: &'static Module = Box::leak(Box::new(match self.machine_code(kernel) {
                Some(module) => module,
                None => load(&ptx::entry(self.ptx, kernel.name()))?,
            }));
            let function = module.get_function(kernel.name()).map_err(failed(kernel.name()))?;
            let threads = function
                .get_attribute(FunctionAttribute::MaxThreadsPerBlock)
                .map_err(failed(kernel.name()))?;
            let shared_bytes = allow_shared_memory(self.device, &function)?;
            Ok(Loaded { function, threads: threads.max(32) as u32 / 32 * 32, shared_bytes })
        };
        self.loaded[kernel as usize].get_or_init(load).as_ref().map_err(Clone::clone)
    }
}

impl Gpu {
    /// The GPU with this ordinal, with blocks of `threads` threads.
    ///
    /// # Errors
    /// [`DeviceError::NoGpu`] if there is none or this build has no kernels.
    pub fn open(ordinal: u32, threads: u32) -> Result<Self, DeviceError> {
        Gpu::on(Shared::get(ordinal)?, threads)
    }

    fn on(shared: Arc<Shared>, threads: u32) -> Result<Self, DeviceError> {
        shared.enter()?;
        let stream = Stream::new(StreamFlags::NON_BLOCKING, None).map_err(failed("a stream"))?;
        let (chunks, locked) = (Vec::new(), std::ptr::null_mut());
        Ok(Gpu { shared, stream, threads, chunks, held: 0, locked, traffic: Traffic::default() })
    }

    /// The page-locked memory, which is allocated when it is first needed.
    fn locked(&mut self) -> Result<*mut u8, DeviceError> {
        if self.locked.is_null() {
            // SAFETY: plain bytes; freed in `drop`.
            self.locked = unsafe { cust::memory::cuda_malloc_locked::<u8>(LOCKED + size_of::<SharedU32>()) }
                .map_err(failed("page-locked memory"))?;
            self.stop().store_relaxed(0);
        }
        Ok(self.locked)
    }

    /// The word by which a resident search is asked to return: after the memory for copies, where the GPU can
    /// read it, too. There must be page-locked memory.
    fn stop(&self) -> &SharedU32 {
        // SAFETY: allocated in `locked`, aligned, and accessed as an atomic only.
        unsafe { SharedU32::from_ptr(self.locked.add(LOCKED).cast()) }
    }

    /// The result of a call of the driver.
    fn checked(&self, what: &str, result: sys::CUresult) -> Result<(), DeviceError> {
        match result {
            sys::CUresult::CUDA_SUCCESS => Ok(()),
            error => Err(DeviceError::Failed(format!("GPU: {what}: {error:?}"))),
        }
    }

    /// A chunk with room for `bytes`, for a single allocation if it is a large one.
    fn add_chunk(&mut self, bytes: usize) -> Result<usize, DeviceError> {
        let (address, size) = self.take(bytes.max(CHUNK))?;
        self.held += size as u64;
        self.traffic.peak_memory = self.traffic.peak_memory.max(self.held);
        self.chunks.push(Chunk { address, size, used: 0, is_whole: bytes >= CHUNK });
        Ok(self.chunks.len() - 1)
    }

    /// Memory of at least this size, from what other searches left or from the driver.
    fn take(&self, bytes: usize) -> Result<(u64, usize), DeviceError> {
        let mut spare = self.shared.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        let best = (0..spare.len()).filter(|&i| spare[i].1 >= bytes).min_by_key(|&i| spare[i].1);
        if let Some(i) = best {
            return Ok(spare.swap_remove(i));
        }
        let refused = || DeviceError::OutOfMemory { device: self.shared.name.clone(), bytes };
        let allocate = || {
            // SAFETY: plain bytes; kept in a chunk list until the process ends or memory runs out.
            unsafe { cust::memory::cuda_malloc::<u8>(bytes) }.map(|pointer| pointer.as_raw())
        };
        let address = match allocate() {
            Err(CudaError::OutOfMemory) if !spare.is_empty() => {
                for (address, _) in spare.drain(..) {
                    // SAFETY: from `cuda_malloc`, and no search uses it.
                    let _ = unsafe { sys::cuMemFree_v2(address) };
                }
                allocate().map_err(|_| refused())?
            }
            Err(CudaError::OutOfMemory) => return Err(refused()),
            other => other.map_err(failed("memory"))?,
        };
        Ok((address, bytes))
    }

    /// Leaves chunks to other searches. Nothing that runs may use them.
    fn leave(&self, chunks: impl Iterator<Item = Chunk>) {
        let mut spare = self.shared.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        spare.extend(chunks.map(|chunk| (chunk.address, chunk.size)));
    }
}

impl Executor for Gpu {
    fn name(&self) -> String {
        format!("{}, {} threads a block", self.shared.name, self.threads)
    }

    fn sibling(&self, setup: Setup) -> Result<Box<dyn Executor>, DeviceError> {
        Ok(Box::new(Gpu::on(self.shared.clone(), setup.threads)?))
    }

    fn alloc(&mut self, bytes: usize) -> Result<u64, DeviceError> {
        self.shared.enter()?;
        let bytes = bytes.max(1).next_multiple_of(ALIGNMENT);
        let fits = |chunk: &Chunk| !chunk.is_whole && chunk.size - chunk.used >= bytes;
        let i = match self.chunks.iter().position(fits) {
            Some(i) if bytes < CHUNK => i,
            _ => self.add_chunk(bytes)?,
        };
        let chunk = &mut self.chunks[i];
        let address = chunk.address + chunk.used as u64;
        chunk.used += bytes;
        // SAFETY: within the chunk, on this search's stream.
        let result = unsafe { sys::cuMemsetD8Async(address, 0, bytes, self.stream.as_inner()) };
        self.checked("clearing memory", result)?;
        Ok(address)
    }

    fn free(&mut self, address: u64) {
        // What is small stays until the search is over.
        let is_it = |chunk: &Chunk| chunk.is_whole && chunk.address == address;
        if let Some(i) = self.chunks.iter().position(is_it) {
            // If this fails the context is lost anyway.
            let _ = self.synchronize();
            let chunk = self.chunks.swap_remove(i);
            self.held -= chunk.size as u64;
            self.leave([chunk].into_iter());
        }
    }

    fn upload(&mut self, address: u64, data: &[u8]) -> Result<(), DeviceError> {
        self.traffic.to_device += data.len() as u64;
        if data.is_empty() {
            return Ok(());
        }
        self.shared.enter()?;
        // SAFETY: the target is within memory of this search; the driver has copied pageable data when it
        // returns.
        let result = unsafe {
            sys::cuMemcpyHtoDAsync_v2(address, data.as_ptr().cast(), data.len(), self.stream.as_inner())
        };
        self.checked("copying to it", result)
    }

    fn download(&mut self, address: u64, data: &mut [u8]) -> Result<(), DeviceError> {
        self.traffic.to_host += data.len() as u64;
        self.shared.enter()?;
        let small = data.len() <= LOCKED;
        let to: *mut c_void = if small { self.locked()?.cast() } else { data.as_mut_ptr().cast() };
        if !data.is_empty() {
            // SAFETY: the source is within memory of this search; the target has room, and stays until the
            // synchronisation.
            let result =
                unsafe { sys::cuMemcpyDtoHAsync_v2(to, address, data.len(), self.stream.as_inner()) };
            self.checked("copying from it", result)?;
        }
        self.stream.synchronize().map_err(failed("a kernel failed"))?;
        if small {
            // SAFETY: the copy above is done, and as long as `data`.
            unsafe { std::ptr::copy_nonoverlapping(self.locked, data.as_mut_ptr(), data.len()) };
        }
        Ok(())
    }

    fn copy(&mut self, to: u64, from: u64, bytes: usize) -> Result<(), DeviceError> {
        if bytes == 0 {
            return Ok(());
        }
        self.shared.enter()?;
        // SAFETY: both are within memory of this search and do not overlap.
        let result = unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes, self.stream.as_inner()) };
        self.checked("copying within it", result)
    }

    fn copy_rows(
        &mut self,
        to: (u64, usize),
        from: (u64, usize),
        width: usize,
        rows: usize,
    ) -> Result<(), DeviceError> {
        if width == 0 || rows == 0 {
            return Ok(());
        }
        self.shared.enter()?;
        // SAFETY: the rows are within memory of this search and do not overlap.
        let result = unsafe { rows::copy(to, from, width, rows) };
        self.checked("copying rows within it", result)
    }

    fn download_rows(
        &mut self,
        address: u64,
        pitch: usize,
        width: usize,
        data: &mut [u8],
    ) -> Result<(), DeviceError> {
        self.traffic.to_host += data.len() as u64;
        if data.is_empty() {
            return Ok(());
        }
        self.synchronize()?;
        // SAFETY: the source is within memory of this search. The call waits.
        let result = unsafe { rows::download((address, pitch), width, data) };
        self.checked("copying rows from it", result)
    }

    fn free_memory(&self) -> u64 {
        let (mut free, mut total) = (0, 0);
        if self.shared.enter().is_err() {
            return 0;
        }
        // SAFETY: writes two numbers.
        let result = unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) };
        if result == sys::CUresult::CUDA_SUCCESS {
            free as u64
        } else {
            0
        }
    }

    fn resident_blocks(&self, kernel: Kernel) -> Result<u32, DeviceError> {
        self.shared.enter()?;
        let loaded = self.shared.kernel(kernel)?;
        let threads = self.threads.min(loaded.threads);
        let mut blocks = 0;
        // SAFETY: writes one number.
        let result = unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut blocks,
                loaded.function.to_raw(),
                threads as i32,
                shared_bytes(threads),
            )
        };
        self.checked(kernel.name(), result)?;
        Ok(blocks.max(1) as u32 * self.shared.multiprocessors)
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        self.shared.enter()?;
        self.stream.synchronize().map_err(failed("a kernel failed"))
    }

    fn load(&mut self, kernel: Kernel) -> Result<(), DeviceError> {
        self.shared.enter()?;
        self.shared.kernel(kernel).map(|_| ())
    }

    fn launch(&mut self, kernel: Kernel, work: Work, search: &Search) -> Result<(), DeviceError> {
        self.traffic.launches += 1;
        self.shared.enter()?;
        let blocks = work.blocks(self.threads, self.shared.multiprocessors * BLOCKS_A_MULTIPROCESSOR);
        let search = on_blocks(search, blocks);
        // SAFETY: every kernel takes these parts by value, whose arrays lie in memory of this search or its
        // problem; launches on one stream are one after the other.
        unsafe {
            self.stream.launch(
                &self.shared.kernel(kernel)?.function,
                blocks,
                self.threads,
                shared_bytes(self.threads) as u32,
                &kernel.arguments(&search),
            )
        }
        .map_err(failed(kernel.name()))
    }

    fn stop_word(&mut self) -> Result<u64, DeviceError> {
        self.shared.enter()?;
        self.locked()?;
        // All page-locked memory has the same address on the GPU (unified addressing).
        Ok(std::ptr::from_ref(self.stop()) as u64)
    }

    fn start(&mut self, geometry: Geometry, search: &Search) -> Result<(), DeviceError> {
        self.traffic.launches += 1;
        self.shared.enter()?;
        self.locked()?;
        self.stop().store_relaxed(0);
        let kernel = Kernel::for_search(search);
        let loaded = self.shared.kernel(kernel)?;
        let threads = self.threads.min(loaded.threads);
        let (blocks, threads) = match geometry {
            Geometry::Block => (1, threads),
            Geometry::Searchers(searchers) => (searchers, threads),
        };
        // The searchers of one multiprocessor share its shared memory.
        let neighbours = match geometry {
            Geometry::Searchers(searchers) => searchers.div_ceil(self.shared.multiprocessors) as usize,
            _ => 1,
        };
        let room = loaded.shared_bytes.min((loaded.shared_bytes + RESERVED) / neighbours - RESERVED);
        let copy_bytes = search.own.shared_copy_fitting(room.saturating_sub(shared_bytes(threads)));
        let mut search = on_blocks(search, 1);
        search.launch.shared_copy_bytes = copy_bytes as u32;
        let bytes = (shared_bytes(threads) + copy_bytes) as u32;
        // SAFETY: as in `launch`.
        unsafe { self.stream.launch(&loaded.function, blocks, threads, bytes, &kernel.arguments(&search)) }
            .map_err(failed(kernel.name()))
    }

    fn poll(&mut self) -> Result<Progress, DeviceError> {
        self.shared.enter()?;
        // SAFETY: the stream is this search's own.
        match unsafe { sys::cuStreamQuery(self.stream.as_inner()) } {
            sys::CUresult::CUDA_ERROR_NOT_READY => Ok(Progress::Running),
            result => self.checked("a kernel failed", result).map(|()| Progress::Returned),
        }
    }

    fn ask_to_return(&self) {
        self.stop().store_relaxed(1);
    }

    fn rounds_a_launch(&self) -> u32 {
        u32::MAX
    }

    fn threads(&self) -> u32 {
        self.threads
    }

    fn rounds_at_once(&self) -> u32 {
        ROUNDS
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // Whatever still runs must not meet the next search's data. If this fails the context is lost anyway.
        let _ = self.synchronize();
        if !self.locked.is_null() {
            // SAFETY: allocated in `locked`, and no copy is under way.
            let _ = unsafe { cust::memory::cuda_free_locked(self.locked) };
        }
        let chunks = std::mem::take(&mut self.chunks);
        self.leave(chunks.into_iter());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn says_what_is_wrong_with_ptx() {
        Gpu::open(0, 32).map(|_| ()).expect("a GPU, for a test that is only run where there is one");
        let wrong = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tnonsense;\n}\n";
        let error = load(wrong).expect_err("not PTX").to_string();
        assert!(error.contains("does not load the kernels") && error.contains("nonsense"), "{error}");
    }
}
