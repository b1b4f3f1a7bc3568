//! Shared memory of a block.

use crate::array::{Array, Index};
use crate::atomic::{SearchU32, SearchU64};

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

/// Elements in the block's dynamic shared memory, by their address alone: a GPU does not keep their number. On the host every
/// access is checked against it where debug assertions are on.
#[derive(Clone, Copy, Debug)]
pub struct Words<T> {
    first: *mut T,
    #[cfg(not(target_arch = "nvptx64"))]
    len: usize,
}

impl<T> Words<T> {
    /// `len` elements, which begin `at` bytes after the beginning of the dynamic shared memory. They are undefined at first.
    ///
    /// # Safety
    /// The launch asked for as many bytes, and `at` is a multiple of the elements' alignment. A thread reads an element only after a
    /// thread of the block has written it. Unless both accesses are atomic, a barrier is between one thread's write and another
    /// thread's access.
    #[inline(always)]
    pub unsafe fn at(at: usize, len: usize) -> Self {
        let _len = len;
        Words {
            // SAFETY: within the dynamic shared memory, by the caller's contract.
            first: unsafe { dynamic_shared_mem::<u8>().add(at).cast() },
            #[cfg(not(target_arch = "nvptx64"))]
            len: _len,
        }
    }

    /// The address of element `i`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn element(self, i: impl Index) -> *mut T {
        #[cfg(not(target_arch = "nvptx64"))]
        debug_assert!(i.offset() < self.len, "index {} of {} in shared memory", i.offset(), self.len);
        // SAFETY: kernels index within `len`; checked above on the host's debug builds.
        unsafe { self.first.add(i.offset()) }
    }
}

impl<T: Copy> Words<T> {
    /// Element `i`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn get(self, i: impl Index) -> T {
        // SAFETY: in bounds, and written before, by the contract of `Words::at`.
        unsafe { *self.element(i) }
    }

    /// Sets element `i`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn set(self, i: impl Index, value: T) {
        // SAFETY: in bounds, and not accessed by others meanwhile, by the contract of `Words::at`.
        unsafe { *self.element(i) = value }
    }
}

impl Words<u8> {
    /// `len` elements from byte `at` of these on, as an array, whose accesses need not know that they are in shared memory.
    ///
    /// # Safety
    /// They are within these bytes, and aligned. For the rest as for [`Words::at`].
    #[inline(always)]
    pub unsafe fn array<T>(self, at: usize, len: usize) -> Array<T> {
        #[cfg(not(target_arch = "nvptx64"))]
        debug_assert!(at + len * size_of::<T>() <= self.len, "{len} elements at {at} of {} bytes", self.len);
        // SAFETY: the caller's contract.
        unsafe { Array::from_raw(self.first.add(at).cast(), len) }
    }
}

macro_rules! atomic {
    ($($Value:ty: $Word:ident;)*) => {$(
        impl Words<$Value> {
            /// Element `i` as an atomic.
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn atomic<'a>(self, i: impl Index) -> &'a $Word {
                // SAFETY: in bounds, aligned, and only accessed atomically while others may write it, by the contract of `Words::at`.
                unsafe { $Word::from_ptr(self.element(i)) }
            }
        }
    )*};
}

atomic! {
    u32: SearchU32;
    u64: SearchU64;
}

/// An address in the block's shared memory.
///
/// A pointer to shared memory is one of 64 bits to all memory there is; to make it takes several instructions, and two special registers have to be
/// read. What is known to be in shared memory needs 32 bits and neither.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Address(u32);

/// Methods that read and write so many words at once.
macro_rules! words {
    ($($n:literal $read:ident $write:ident $vector:literal $places:literal: $($word:ident)*;)*) => {$(
        /// Words at this address, by one load.
        ///
        /// # Safety
        /// They are in shared memory, aligned to what they take together, and nobody writes them meanwhile.
        #[inline(always)]
        pub unsafe fn $read(self) -> [u32; $n] {
            #[cfg(target_arch = "nvptx64")]
            {
                $(let $word: u32;)*
                // SAFETY: the caller's contract.
                unsafe {
                    core::arch::asm!(
                        concat!("ld.shared", $vector, ".b32 ", $places, ", [{at}];"),
                        $($word = out(reg32) $word,)* at = in(reg32) self.0, options(nostack, readonly)
                    );
                }
                [$($word),*]
            }
            #[cfg(not(target_arch = "nvptx64"))]
            // SAFETY: the caller's contract.
            unsafe { self.pointer::<[u32; $n]>().read() }
        }

        /// Writes words at this address, by one store.
        ///
        /// # Safety
        /// As for reading, and nobody reads them meanwhile.
        #[inline(always)]
        pub unsafe fn $write(self, [$($word),*]: [u32; $n]) {
            #[cfg(target_arch = "nvptx64")]
            // SAFETY: the caller's contract.
            unsafe {
                core::arch::asm!(
                    concat!("st.shared", $vector, ".b32 [{at}], ", $places, ";"),
                    $($word = in(reg32) $word,)* at = in(reg32) self.0, options(nostack)
                );
            }
            #[cfg(not(target_arch = "nvptx64"))]
            // SAFETY: the caller's contract.
            unsafe { self.pointer::<[u32; $n]>().write([$($word),*]) }
        }
    )*};
}

/// An atomic operation on the word at an address.
macro_rules! change {
    ($address:expr, $operation:literal, $method:ident, $argument:expr) => {{
        #[cfg(target_arch = "nvptx64")]
        {
            let before: u32;
            core::arch::asm!(
                concat!("atom.relaxed.cta.shared.", $operation, " {}, [{}], {};"),
                out(reg32) before, in(reg32) $address.0, in(reg32) $argument, options(nostack)
            );
            before
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
            AtomicU32::from_ptr($address.pointer()).$method($argument, Relaxed)
        }
    }};
}

impl Address {
    /// Where the dynamic shared memory begins (see [`dynamic_shared_mem`]).
    #[inline(always)]
    pub fn of_dynamic() -> Address {
        #[cfg(target_arch = "nvptx64")]
        {
            let address: u32;
            // SAFETY: takes an address; the symbol is declared below.
            unsafe {
                core::arch::asm!("mov.u32 {0}, cuda_std_dynamic_shared;", out(reg32) address, options(pure, nomem, nostack));
            }
            Address(address)
        }
        #[cfg(not(target_arch = "nvptx64"))]
        Address(0)
    }

    /// That of a number, as [`Address::number`] tells it to threads of the same block.
    #[inline(always)]
    pub fn from_number(number: u32) -> Address {
        Address(number)
    }

    /// It as a number.
    #[inline(always)]
    pub fn number(self) -> u32 {
        self.0
    }

    /// So many bytes further on.
    #[inline(always)]
    pub fn plus(self, bytes: u32) -> Address {
        Address(self.0 + bytes)
    }

    #[cfg(not(target_arch = "nvptx64"))]
    fn pointer<T>(self) -> *mut T {
        // Here it is one among those of the dynamic shared memory.
        dynamic_shared_mem::<u8>().wrapping_add(self.0 as usize).cast()
    }

    words! {
        1 read write "" "{a}": a;
        2 read_two write_two ".v2" "{{{a}, {b}}}": a b;
        4 read_four write_four ".v4" "{{{a}, {b}, {c}, {d}}}": a b c d;
    }

    /// Puts another word there, whatever others do at the same time, and returns what was there before. Relaxed.
    ///
    /// # Safety
    /// It is in shared memory, aligned, and while several threads may change it that is done by atomic operations.
    #[inline(always)]
    pub unsafe fn exchange(self, word: u32) -> u32 {
        // SAFETY: the caller's contract.
        unsafe { change!(self, "exch.b32", swap, word) }
    }

    /// Adds to the word there, which wraps around, whatever others do at the same time, and returns what was there before. Relaxed.
    ///
    /// # Safety
    /// As for [`Address::exchange`].
    #[inline(always)]
    pub unsafe fn add(self, more: u32) -> u32 {
        // SAFETY: the caller's contract.
        unsafe { change!(self, "add.u32", fetch_add, more) }
    }
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
