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

/// An array in the block's shared memory: `shared_array![u32; 32]` is a `*mut u32`. The length is a constant.
///
/// All threads of a block get the same array, every time they come by; another `shared_array!` is another array. What is in
/// it at the beginning is undefined.
///
/// Getting the pointer is safe; using it is not: nothing may lie beyond its end, and there has to be a barrier between
/// one thread's write and another's read.
#[macro_export]
macro_rules! shared_array {
    ($array_type:ty; $len:expr) => {{
        // Never inlined: each copy of the declaration below would be an array of its own.
        #[inline(never)]
        fn shared_array() -> *mut $array_type {
            const BYTES: usize = ::core::mem::size_of::<[$array_type; $len]>();
            const { assert!(BYTES > 0 && ::core::mem::align_of::<$array_type>() <= 16) };
            #[cfg(target_arch = "nvptx64")]
            {
                let address: u64;
                // SAFETY: declares an array and takes its address.
                unsafe {
                    ::core::arch::asm!(
                        "{{ .shared .align 16 .b8 array[{1}]; .reg .u64 saddr;",
                        "mov.u64 saddr, array; cvta.shared.u64 {0}, saddr; }}",
                        out(reg64) address,
                        const BYTES,
                        options(nomem, nostack)
                    );
                }
                address as *mut $array_type
            }
            #[cfg(not(target_arch = "nvptx64"))]
            {
                // Its address stands for this place in the source.
                static SITE: ::core::sync::atomic::AtomicU8 = ::core::sync::atomic::AtomicU8::new(0);
                $crate::host::shared_array(&SITE, BYTES).cast()
            }
        }
        shared_array()
    }};
}

#[cfg(target_arch = "nvptx64")]
core::arch::global_asm!(".extern .shared .align 16 .b8 cuda_std_dynamic_shared[];");
