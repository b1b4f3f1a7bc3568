//! Kernels as the driver has compiled them.

use crate::error::{CudaError, CudaResult, ToResult};
use crate::function::Function;
use crate::sys::{self, CUjit_option, CUmodule, CUresult};
use std::ffi::{c_void, CString};

/// Compiled kernels.
#[derive(Debug)]
pub struct Module {
    inner: CUmodule,
}

// SAFETY: the driver's handle, which any thread may use whose context is the module's.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

/// How the driver compiles PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModuleJitOption {
    /// The most registers of a thread.
    MaxRegisters(u32),
    /// How much the driver's compiler does to make the kernels fast.
    OptLevel(OptLevel),
}

/// How much the driver's compiler does to make kernels fast, which takes its time. Left out, it is
/// [`OptLevel::O4`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[allow(missing_docs)]
pub enum OptLevel {
    O0 = 0,
    O1 = 1,
    O2 = 2,
    O3 = 3,
    O4 = 4,
}

/// A name or text of the caller's, which must hold no NUL.
fn c_string(text: &str) -> CudaResult<CString> {
    CString::new(text).map_err(|_| CudaError::Other(CUresult::CUDA_ERROR_INVALID_VALUE))
}

impl Module {
    /// Has the driver compile PTX, for the thread's context.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn from_ptx<T: AsRef<str>>(ptx: T, options: &[ModuleJitOption]) -> CudaResult<Module> {
        let ptx = c_string(ptx.as_ref())?;
        // The driver takes what fits into a pointer by value.
        let (mut names, mut values): (Vec<_>, Vec<_>) = options
            .iter()
            .map(|option| match *option {
                ModuleJitOption::MaxRegisters(most) => (CUjit_option::CU_JIT_MAX_REGISTERS, most),
                ModuleJitOption::OptLevel(level) => (CUjit_option::CU_JIT_OPTIMIZATION_LEVEL, level as u32),
            })
            .map(|(name, value)| (name, value as usize as *mut c_void))
            .unzip();
        let (count, mut inner) = (names.len() as u32, std::ptr::null_mut());
        // SAFETY: the text ends in a NUL, and each option has its value.
        unsafe {
            sys::cuModuleLoadDataEx(
                &mut inner,
                ptx.as_ptr().cast(),
                count,
                names.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        }
        .to_result()?;
        Ok(Module { inner })
    }

    /// Loads machine code, a *cubin*, for the thread's context.
    ///
    /// # Errors
    /// If the driver refuses, because the machine code is for other GPUs or of a newer toolkit.
    pub fn from_cubin<T: AsRef<[u8]>>(cubin: T) -> CudaResult<Module> {
        let (cubin, mut inner) = (cubin.as_ref(), std::ptr::null_mut());
        if !cubin.starts_with(b"\x7fELF") {
            return Err(CudaError::Other(CUresult::CUDA_ERROR_INVALID_IMAGE));
        }
        let none = std::ptr::null_mut;
        // SAFETY: an ELF file says by itself how long it is; there are no options.
        unsafe { sys::cuModuleLoadDataEx(&mut inner, cubin.as_ptr().cast(), 0, none(), none().cast()) }
            .to_result()?;
        Ok(Module { inner })
    }

    /// The kernel with a name.
    ///
    /// # Errors
    /// If there is none.
    pub fn get_function<T: AsRef<str>>(&self, name: T) -> CudaResult<Function<'_>> {
        let name = c_string(name.as_ref())?;
        let mut function = std::ptr::null_mut();
        // SAFETY: writes a handle; the name ends in a NUL.
        unsafe { sys::cuModuleGetFunction(&mut function, self.inner, name.as_ptr()) }.to_result()?;
        Ok(Function::new(function))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: from `from_ptx`. If this fails, the driver keeps the module until the process ends.
        let _ = unsafe { sys::cuModuleUnload(self.inner) };
    }
}
