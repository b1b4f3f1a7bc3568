//! The driver's functions and types, by the names of `cuda.h`. Each function is looked up when it is first called.

#![allow(
    non_snake_case,
    non_camel_case_types,
    missing_docs,
    reason = "the names of cuda.h, which documents them"
)]
// Each function's contract is the driver's.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

use libloading::Library;
use std::ffi::{c_char, c_int, c_uint, c_void, CStr};
use std::fmt;
use std::sync::OnceLock;

/// The driver's library, once it was asked for.
static DRIVER: OnceLock<Result<Library, String>> = OnceLock::new();

/// Whether there is a driver.
///
/// # Errors
/// What the loader said.
pub fn available() -> Result<(), String> {
    driver().map(|_| ())
}

/// Whether the driver was loaded. The question does not load it.
pub fn is_loaded() -> bool {
    matches!(DRIVER.get(), Some(Ok(_)))
}

fn driver() -> Result<&'static Library, String> {
    let open = || {
        // SAFETY: loading NVIDIA's driver runs its initialisers, which is what every CUDA program does at its start.
        unsafe { Library::new("libcuda.so.1") }.map_err(|e| format!("no NVIDIA driver ({e})"))
    };
    DRIVER.get_or_init(open).as_ref().map_err(Clone::clone)
}

/// Address of a function of the driver, or 0.
fn find(name: &str) -> usize {
    let Ok(library) = driver() else { return 0 };
    // SAFETY: only the address is taken here.
    unsafe { library.get::<*const c_void>(name.as_bytes()) }.map_or(0, |symbol| *symbol as usize)
}

/// What a function of the driver returns.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct CUresult(pub c_uint);

impl CUresult {
    pub const CUDA_SUCCESS: CUresult = CUresult(0);
    pub const CUDA_ERROR_INVALID_VALUE: CUresult = CUresult(1);
    /// The code is no machine code, or no PTX, for this GPU.
    pub const CUDA_ERROR_INVALID_IMAGE: CUresult = CUresult(200);
    pub const CUDA_ERROR_OUT_OF_MEMORY: CUresult = CUresult(2);
    pub const CUDA_ERROR_NOT_INITIALIZED: CUresult = CUresult(3);
    pub const CUDA_ERROR_NOT_READY: CUresult = CUresult(600);

    /// What the driver has to say about it.
    fn told(self, tell: unsafe fn(CUresult, *mut *const c_char) -> CUresult) -> Option<String> {
        let mut text = std::ptr::null();
        // SAFETY: writes an address, of a text that ends in a NUL and stays, if it returns success.
        unsafe {
            (tell(self, &mut text) == CUresult::CUDA_SUCCESS)
                .then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        }
    }
}

impl fmt::Debug for CUresult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(cuGetErrorName).unwrap_or_else(|| format!("error {} of the driver", self.0)))
    }
}

impl fmt::Display for CUresult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(cuGetErrorString).unwrap_or_else(|| format!("error {} of the driver", self.0)))
    }
}

pub type CUdevice = c_int;
pub type CUdeviceptr = u64;

macro_rules! handles {
    ($($name:ident)*) => { $(pub type $name = *mut c_void;)* };
}

handles! { CUarray CUcontext CUevent CUfunction CUmodule CUstream }

macro_rules! choices {
    ($($type:ident { $($name:ident = $value:literal)* })*) => {
        $(
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            #[repr(transparent)]
            pub struct $type(pub c_uint);

            impl $type {
                $(pub const $name: $type = $type($value);)*
            }
        )*
    };
}

choices! {
    CUdevice_attribute {
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97
    }
    CUfunction_attribute {
        CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
    }
    CUjit_option {
        CU_JIT_MAX_REGISTERS = 0
        CU_JIT_ERROR_LOG_BUFFER = 5
        CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6
        CU_JIT_OPTIMIZATION_LEVEL = 7
    }
    CUmemorytype {
        CU_MEMORYTYPE_HOST = 1
        CU_MEMORYTYPE_DEVICE = 2
    }
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CUDA_MEMCPY2D {
    pub srcXInBytes: usize,
    pub srcY: usize,
    pub srcMemoryType: CUmemorytype,
    pub srcHost: *const c_void,
    pub srcDevice: CUdeviceptr,
    pub srcArray: CUarray,
    pub srcPitch: usize,
    pub dstXInBytes: usize,
    pub dstY: usize,
    pub dstMemoryType: CUmemorytype,
    pub dstHost: *mut c_void,
    pub dstDevice: CUdeviceptr,
    pub dstArray: CUarray,
    pub dstPitch: usize,
    pub WidthInBytes: usize,
    pub Height: usize,
}

const _: () = assert!(size_of::<CUDA_MEMCPY2D>() == 128);

macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(
            pub unsafe fn $name($($argument: $type),*) -> CUresult {
                static REAL: OnceLock<usize> = OnceLock::new();
                let real = *REAL.get_or_init(|| find(stringify!($name)));
                if real == 0 {
                    return CUresult::CUDA_ERROR_NOT_INITIALIZED;
                }
                type Real = unsafe extern "C" fn($($type),*) -> CUresult;
                // SAFETY: the driver's function of this name, with the arguments that cuda.h gives it.
                let real = unsafe { std::mem::transmute::<usize, Real>(real) };
                // SAFETY: the caller's contract is the driver's.
                unsafe { real($($argument),*) }
            }
        )*
    };
}

functions! {
    cuCtxSetCurrent(context: CUcontext);
    cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
    cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice);
    cuDeviceGetCount(count: *mut c_int);
    cuDeviceGetName(name: *mut c_char, len: c_int, device: CUdevice);
    cuDevicePrimaryCtxRelease_v2(device: CUdevice);
    cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
    cuEventCreate(event: *mut CUevent, flags: c_uint);
    cuEventDestroy_v2(event: CUevent);
    cuEventElapsedTime(millis: *mut f32, start: CUevent, end: CUevent);
    cuEventRecord(event: CUevent, stream: CUstream);
    cuFuncGetAttribute(value: *mut c_int, attribute: CUfunction_attribute, function: CUfunction);
    cuFuncSetAttribute(function: CUfunction, attribute: CUfunction_attribute, value: c_int);
    cuGetErrorName(error: CUresult, name: *mut *const c_char);
    cuGetErrorString(error: CUresult, text: *mut *const c_char);
    cuInit(flags: c_uint);
    cuLaunchCooperativeKernel(
        function: CUfunction,
        grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
        block_x: c_uint, block_y: c_uint, block_z: c_uint,
        shared_bytes: c_uint, stream: CUstream, arguments: *mut *mut c_void
    );
    cuLaunchKernel(
        function: CUfunction,
        grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
        block_x: c_uint, block_y: c_uint, block_z: c_uint,
        shared_bytes: c_uint, stream: CUstream, arguments: *mut *mut c_void, extra: *mut *mut c_void
    );
    cuMemAllocHost_v2(address: *mut *mut c_void, bytes: usize);
    cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize);
    cuMemFreeHost(address: *mut c_void);
    cuMemFree_v2(address: CUdeviceptr);
    cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    cuMemcpy2DUnaligned_v2(copy: *const CUDA_MEMCPY2D);
    cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream);
    cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream);
    cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream);
    cuMemsetD8Async(address: CUdeviceptr, value: u8, bytes: usize, stream: CUstream);
    cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
    cuModuleLoadDataEx(
        module: *mut CUmodule, image: *const c_void, count: c_uint, options: *mut CUjit_option, values: *mut *mut c_void
    );
    cuModuleUnload(module: CUmodule);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int, function: CUfunction, threads: c_int, shared_bytes: usize
    );
    cuStreamCreateWithPriority(stream: *mut CUstream, flags: c_uint, priority: c_int);
    cuStreamDestroy_v2(stream: CUstream);
    cuStreamQuery(stream: CUstream);
    cuStreamSynchronize(stream: CUstream);
}
