//! What happens without a driver, which is where most tests run.

use crate::device::Device;
use crate::error::{CudaError, ToResult};
use crate::sys::CUresult;

#[test]
fn errors_have_words() {
    assert_eq!(CUresult::CUDA_SUCCESS.to_result(), Ok(()));
    assert_eq!(CUresult::CUDA_ERROR_OUT_OF_MEMORY.to_result(), Err(CudaError::OutOfMemory));
    assert_eq!(CUresult(700).to_result(), Err(CudaError::Other(CUresult(700))));
    // With a driver they are the driver's words.
    assert!(CudaError::Other(CUresult(700)).to_string().len() > 5);
}

#[test]
fn a_missing_driver_is_an_error() {
    match crate::available() {
        Ok(()) => assert!(Device::num_devices().is_err(), "nothing works before `init`"),
        Err(why) => {
            assert!(why.contains("libcuda.so.1"), "{why}");
            let refused = crate::init(crate::CudaFlags::empty());
            assert_eq!(refused, Err(CudaError::Other(CUresult::CUDA_ERROR_NOT_INITIALIZED)));
        }
    }
}

#[test]
fn memory_of_no_bytes_is_refused() {
    // SAFETY: nothing is allocated.
    let refused = unsafe { crate::memory::cuda_malloc::<u64>(0) };
    assert_eq!(refused.err(), Some(CudaError::InvalidMemoryAllocation));
    // SAFETY: as above.
    let refused = unsafe { crate::memory::cuda_malloc::<u64>(usize::MAX) };
    assert_eq!(refused.err(), Some(CudaError::InvalidMemoryAllocation));
}
