//! What the driver refuses.

use crate::sys::CUresult;
use std::fmt;

/// The result of a call of the driver.
pub type CudaResult<T> = Result<T, CudaError>;

/// Why the driver refuses a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CudaError {
    /// The GPU has no memory left.
    OutOfMemory,
    /// Memory of no bytes was asked for.
    InvalidMemoryAllocation,
    /// Another of the driver's errors.
    Other(CUresult),
}

impl fmt::Display for CudaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CudaError::OutOfMemory => write!(f, "{}", CUresult::CUDA_ERROR_OUT_OF_MEMORY),
            CudaError::InvalidMemoryAllocation => f.write_str("memory of no bytes"),
            CudaError::Other(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for CudaError {}

/// What the driver returns, as a [`Result`].
pub trait ToResult {
    /// See the trait.
    ///
    /// # Errors
    /// If it is not success.
    fn to_result(self) -> CudaResult<()>;
}

impl ToResult for CUresult {
    fn to_result(self) -> CudaResult<()> {
        match self {
            CUresult::CUDA_SUCCESS => Ok(()),
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => Err(CudaError::OutOfMemory),
            error => Err(CudaError::Other(error)),
        }
    }
}
