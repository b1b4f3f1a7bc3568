//! Copies of rows by the driver: the same bytes of each of several blocks of memory, which lie at one distance.
//!
//! Main functions: [`copy`] and [`download`].

use cust::sys;

/// Copies `width` bytes of each of `rows` rows within a GPU. `to` and `from` are the address of the first row and
/// the distance between two rows in bytes.
///
/// # Safety
/// The rows must lie in memory of the GPU whose context is the thread's, and must not overlap.
pub unsafe fn copy(to: (u64, usize), from: (u64, usize), width: usize, rows: usize) -> sys::CUresult {
    let device = sys::CUmemorytype::CU_MEMORYTYPE_DEVICE;
    let copy = sys::CUDA_MEMCPY2D {
        srcMemoryType: device,
        srcDevice: from.0,
        srcPitch: from.1,
        dstMemoryType: device,
        dstDevice: to.0,
        dstPitch: to.1,
        ..rows_of(width, rows)
    };
    // SAFETY: the caller's contract.
    unsafe { sys::cuMemcpy2DUnaligned_v2(&copy) }
}

/// Copies `width` bytes of each row to the host, and waits. `from` is the address of the first row and the distance
/// between two rows in bytes; `data` has room for as many rows as are wanted.
///
/// # Safety
/// The rows must lie in memory of the GPU whose context is the thread's, and nobody may write to them.
pub unsafe fn download(from: (u64, usize), width: usize, data: &mut [u8]) -> sys::CUresult {
    let copy = sys::CUDA_MEMCPY2D {
        srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
        srcDevice: from.0,
        srcPitch: from.1,
        dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
        dstHost: data.as_mut_ptr().cast(),
        dstPitch: width,
        ..rows_of(width, data.len() / width)
    };
    // SAFETY: the caller's contract; `data` has room for all rows.
    unsafe { sys::cuMemcpy2DUnaligned_v2(&copy) }
}

/// A copy of rows that does not say yet from where to where.
fn rows_of(width: usize, rows: usize) -> sys::CUDA_MEMCPY2D {
    // SAFETY: the struct consists of numbers, addresses, and kinds of memory, of which the callers set both.
    let zeroed: sys::CUDA_MEMCPY2D = unsafe { std::mem::MaybeUninit::zeroed().assume_init() };
    sys::CUDA_MEMCPY2D { WidthInBytes: width, Height: rows, ..zeroed }
}
