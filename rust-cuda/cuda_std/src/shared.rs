//! Shared memory of a block.

/// The dynamic shared memory that the launch asked for, aligned to 16 bytes. The same for all threads of a block,
/// and undefined at the beginning.
///
/// # Safety
/// Getting the pointer is safe; using it is not: at most as many bytes as the launch asked for are there.
#[inline(always)]
pub fn dynamic_shared_mem<T>() -> *mut T {
    #[cfg(target_arch = "nvptx64")]
    {
        let address: u64;
        // SAFETY: takes an address; the symbol is declared below.
        unsafe {
            core::arch::asm!(
                "{{ .reg .u64 saddr; mov.u64 saddr, cuda_std_dynamic_shared; cvta.shared.u64 {0}, saddr; }}",
                out(reg64) address,
                options(pure, nomem, nostack)
            );
        }
        address as *mut T
    }
    #[cfg(not(target_arch = "nvptx64"))]
    crate::host::current::shared().cast()
}

#[cfg(target_arch = "nvptx64")]
core::arch::global_asm!(".extern .shared .align 16 .b8 cuda_std_dynamic_shared[];");
