//! The NVIDIA driver, opened when it is first needed. Main function: [`available`].
//!
//! `cust` calls the driver's functions by their names, and would have the binary link to `libcuda.so`, which
//! is only there where a driver is. Here each of those names is defined as a function that looks the real one
//! up in `libcuda.so.1` and calls it. So the binary starts anywhere, and a missing driver is an ordinary
//! error. (`.cargo/config.toml` keeps the linker from adding the library all the same.)

use libloading::Library;
use std::ffi::c_void;
use std::sync::OnceLock;

/// What a function of the driver returns when there is no driver: CUDA_ERROR_NOT_INITIALIZED.
const NOT_INITIALIZED: u32 = 3;

/// The driver's library, once it was asked for.
static DRIVER: OnceLock<Result<Library, String>> = OnceLock::new();

/// Whether there is a driver.
///
/// # Errors
/// What the loader said.
pub fn available() -> Result<(), String> {
    // Using the table keeps the functions in the binary.
    std::hint::black_box(FORWARDED);
    driver().map(|_| ())
}

fn driver() -> Result<&'static Library, String> {
    let open = || {
        // SAFETY: loading NVIDIA's driver runs its initialisers, which is what every CUDA program does at its
        // start.
        unsafe { Library::new("libcuda.so.1") }.map_err(|e| format!("no NVIDIA driver ({e})"))
    };
    DRIVER.get_or_init(open).as_ref().map_err(Clone::clone)
}

/// Address of a function of the driver, or null.
fn find(name: &str) -> *const c_void {
    let Ok(library) = driver() else { return std::ptr::null() };
    // SAFETY: only the address is taken here.
    unsafe { library.get::<*const c_void>(name.as_bytes()) }.map_or(std::ptr::null(), |symbol| *symbol)
}

/// A code address, shareable between threads.
struct Address(#[allow(dead_code)] *const c_void);
// SAFETY: an address of code, which nobody writes to.
unsafe impl Sync for Address {}

/// Defines driver functions of integer and pointer arguments. Those are passed alike, each in a register or a
/// stack slot of its own, on every 64-bit ABI that the driver exists for, so `usize` stands for all of them.
macro_rules! forward {
    ($($name:ident($($argument:ident)*);)*) => {
        $(
            #[no_mangle]
            #[allow(non_snake_case)]
            unsafe extern "C" fn $name($($argument: usize),*) -> u32 {
                static REAL: OnceLock<usize> = OnceLock::new();
                let real = *REAL.get_or_init(|| find(stringify!($name)) as usize);
                if real == 0 {
                    return NOT_INITIALIZED;
                }
                // SAFETY: the driver's function of this name; the table gives its number of arguments
                // (cuda.h).
                let real = unsafe {
                    std::mem::transmute::<usize, unsafe extern "C" fn($(forward!(@word $argument)),*) -> u32>(real)
                };
                // SAFETY: the caller's contract is the driver's.
                unsafe { real($($argument),*) }
            }
        )*
        static FORWARDED: &[Address] = &[$(Address($name as *const c_void),)*];
    };
    (@word $argument:ident) => { usize };
}

forward! {
    cuArray3DCreate_v2(a b);
    cuArray3DGetDescriptor_v2(a b);
    cuArrayDestroy(a);
    cuCtxCreate_v2(a b c);
    cuCtxDestroy_v2(a);
    cuCtxGetApiVersion(a b);
    cuCtxGetCacheConfig(a);
    cuCtxGetCurrent(a);
    cuCtxGetDevice(a);
    cuCtxGetFlags(a);
    cuCtxGetLimit(a b);
    cuCtxGetSharedMemConfig(a);
    cuCtxGetStreamPriorityRange(a b);
    cuCtxPopCurrent_v2(a);
    cuCtxPushCurrent_v2(a);
    cuCtxSetCacheConfig(a);
    cuCtxSetCurrent(a);
    cuCtxSetLimit(a b);
    cuCtxSetSharedMemConfig(a);
    cuCtxSynchronize();
    cuDestroyExternalMemory(a);
    cuDeviceGet(a b);
    cuDeviceGetAttribute(a b c);
    cuDeviceGetCount(a);
    cuDeviceGetName(a b c);
    cuDeviceGetUuid(a b);
    cuDevicePrimaryCtxRelease_v2(a);
    cuDevicePrimaryCtxReset_v2(a);
    cuDevicePrimaryCtxRetain(a b);
    cuDevicePrimaryCtxSetFlags_v2(a b);
    cuDeviceTotalMem_v2(a b);
    cuDriverGetVersion(a);
    cuEventCreate(a b);
    cuEventDestroy_v2(a);
    cuEventElapsedTime(a b c);
    cuEventQuery(a);
    cuEventRecord(a b);
    cuEventSynchronize(a);
    cuExternalMemoryGetMappedBuffer(a b c);
    cuFuncGetAttribute(a b c);
    cuFuncSetAttribute(a b c);
    cuFuncSetCacheConfig(a b);
    cuFuncSetSharedMemConfig(a b);
    cuGetErrorString(a b);
    cuGraphDestroy(a);
    cuImportExternalMemory(a b);
    cuInit(a);
    cuLaunchHostFunc(a b c);
    cuLaunchCooperativeKernel(a b c d e f g h i j);
    cuLaunchKernel(a b c d e f g h i j k);
    cuLinkAddData_v2(a b c d e f g h);
    cuLinkComplete(a b c);
    cuLinkCreate_v2(a b c d);
    cuLinkDestroy(a);
    cuMemAllocAsync(a b c);
    cuMemAllocHost_v2(a b);
    cuMemAllocManaged(a b c);
    cuMemAlloc_v2(a b);
    cuMemFreeAsync(a b);
    cuMemFreeHost(a);
    cuMemFree_v2(a);
    cuMemGetInfo_v2(a b);
    cuMemcpy2DUnaligned_v2(a);
    cuMemcpyDtoDAsync_v2(a b c d);
    cuMemcpyDtoD_v2(a b c);
    cuMemcpyDtoHAsync_v2(a b c d);
    cuMemcpyDtoH_v2(a b c);
    cuMemcpyHtoDAsync_v2(a b c d);
    cuMemcpyHtoD_v2(a b c);
    cuMemsetD8Async(a b c d);
    cuMemsetD8_v2(a b c);
    cuModuleGetFunction(a b c);
    cuModuleGetGlobal_v2(a b c d);
    cuModuleLoadData(a b);
    cuModuleLoadDataEx(a b c d e);
    cuModuleUnload(a);
    cuOccupancyAvailableDynamicSMemPerBlock(a b c d);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(a b c d);
    cuOccupancyMaxPotentialBlockSize(a b c d e f);
    cuStreamCreateWithPriority(a b c);
    cuStreamDestroy_v2(a);
    cuStreamGetFlags(a b);
    cuStreamQuery(a);
    cuStreamGetPriority(a b);
    cuStreamSynchronize(a);
    cuStreamWaitEvent(a b c);
    cuSurfObjectCreate(a b);
    cuSurfObjectDestroy(a);
    cuSurfObjectGetResourceDesc(a b);
    cuTexObjectCreate(a b c d);
    cuTexObjectDestroy(a);
    cuTexObjectGetResourceDesc(a b);
}
