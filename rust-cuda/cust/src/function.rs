//! Kernels of a module.

use crate::error::{CudaResult, ToResult};
use crate::sys::{self, CUfunction, CUfunction_attribute};
use std::marker::PhantomData;

/// A kernel.
#[derive(Debug)]
pub struct Function<'a> {
    inner: CUfunction,
    /// The kernel's module, which has to outlive the kernel.
    module: PhantomData<&'a ()>,
}

// SAFETY: the driver's handle, which any thread may use whose context is the module's.
unsafe impl Send for Function<'_> {}
// SAFETY: as above.
unsafe impl Sync for Function<'_> {}

/// What can be asked of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FunctionAttribute {
    /// The most threads of a block.
    MaxThreadsPerBlock,
}

impl<'a> Function<'a> {
    /// A kernel of a module that lives for `'a`.
    pub(crate) fn new(inner: CUfunction) -> Function<'a> {
        Function { inner, module: PhantomData }
    }

    /// An attribute of the kernel.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn get_attribute(&self, attribute: FunctionAttribute) -> CudaResult<i32> {
        let attribute = match attribute {
            FunctionAttribute::MaxThreadsPerBlock => {
                CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
            }
        };
        let mut value = 0;
        // SAFETY: writes a number; the module lives.
        unsafe { sys::cuFuncGetAttribute(&mut value, attribute, self.inner) }.to_result()?;
        Ok(value)
    }

    /// The driver's handle.
    pub fn to_raw(&self) -> CUfunction {
        self.inner
    }
}
