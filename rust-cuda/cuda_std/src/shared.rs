//! Shared memory of a block: dynamic memory of the size that the launch asks for ([`dynamic_shared_mem`],
//! [`Words`], [`Address`]), and arrays of constant size ([`shared_array!`](crate::shared_array)).
//!
//! Invariant: the executor [`simt`](crate::host::simt()) checks the index of every access of [`Words`], and if
//! the launch asks for checks, every access to shared memory. The executor `cpu` checks indices where debug
//! assertions are on.

use crate::array::{Array, Index};
use crate::atomic::{SearchU32, SearchU64};
use crate::touch::touch;

/// The dynamic shared memory that the launch asked for, aligned to 16 bytes. All threads of a block get the
/// same memory. Its content is undefined at the beginning.
///
/// # Safety
/// To get the pointer is safe. To use the pointer is not: at most as many bytes as the launch asked for are
/// there.
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

/// Elements in the block's dynamic shared memory, by their address alone: a GPU does not keep their number.
/// The host's executors keep the number and check accesses against it.
#[derive(Clone, Copy, Debug)]
pub struct Words<T> {
    first: *mut T,
    #[cfg(not(target_arch = "nvptx64"))]
    len: usize,
}

impl<T> Words<T> {
    /// `len` elements, which begin `at` bytes after the beginning of the dynamic shared memory. They are
    /// undefined at first.
    ///
    /// # Safety
    /// The launch asked for as many bytes, and `at` is a multiple of the elements' alignment. A thread reads
    /// an element only after a thread of the block has written it. Unless both accesses are atomic, a barrier
    /// is between one thread's write and another thread's access.
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
        crate::host::current::bound(i.offset(), self.len, " in shared memory");
        // SAFETY: kernels index within `len`; checked above on the host.
        unsafe { self.first.add(i.offset()) }
    }
}

impl<T: Copy> Words<T> {
    /// Element `i`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn get(self, i: impl Index) -> T {
        touch!(self.element(i), Read);
        // SAFETY: in bounds, and written before, by the contract of `Words::at`.
        unsafe { *self.element(i) }
    }

    /// Sets element `i`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn set(self, i: impl Index, value: T) {
        touch!(self.element(i), Write);
        // SAFETY: in bounds, and not accessed by others meanwhile, by the contract of `Words::at`.
        unsafe { *self.element(i) = value }
    }
}

impl Words<u8> {
    /// `len` elements from byte `at` of these on, as an array, whose accesses need not know that they are in
    /// shared memory.
    ///
    /// # Safety
    /// They are within these bytes, and aligned. For the rest as for [`Words::at`].
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub unsafe fn array<T>(self, at: usize, len: usize) -> Array<T> {
        #[cfg(not(target_arch = "nvptx64"))]
        if len > 0 {
            crate::host::current::bound(at + len * size_of::<T>() - 1, self.len, " bytes in shared memory");
        }
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
                // SAFETY: in bounds, aligned, and only accessed atomically while others may write it, by the
                // contract of `Words::at`.
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
/// A pointer has 64 bits and can point to any memory. To make a pointer to shared memory takes several
/// instructions, which read two special registers. An `Address` has 32 bits and needs none of these
/// instructions.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Address(u32);

/// The type of `N` words that one instruction reads or writes, with their alignment.
#[cfg(not(target_arch = "nvptx64"))]
type Aligned<const N: usize> = <Words32<N> as Together>::Words;

/// `N` words of 32 bits.
#[cfg(not(target_arch = "nvptx64"))]
struct Words32<const N: usize>;

/// What the host calls words that are read or written together.
#[cfg(not(target_arch = "nvptx64"))]
trait Together {
    /// A type of their size and alignment.
    type Words;
}
#[cfg(not(target_arch = "nvptx64"))]
impl Together for Words32<1> {
    type Words = u32;
}
#[cfg(not(target_arch = "nvptx64"))]
impl Together for Words32<2> {
    type Words = u64;
}
#[cfg(not(target_arch = "nvptx64"))]
impl Together for Words32<4> {
    type Words = u128;
}

/// Methods that read and write `$n` words at once.
macro_rules! words {
    ($($n:literal $read:ident $write:ident $vector:literal $places:literal: $($word:ident)*;)*) => {$(
        /// The words at this address, by one load.
        ///
        /// # Safety
        /// The words are in shared memory, aligned to their joint size, and no other thread writes them
        /// meanwhile.
        #[inline(always)]
        #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
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
            {
                touch!(self.pointer::<Aligned<$n>>(), Read);
                // SAFETY: the caller's contract.
                unsafe { self.pointer::<[u32; $n]>().read() }
            }
        }

        /// Writes words at this address, by one store.
        ///
        /// # Safety
        /// The words are in shared memory, aligned to their joint size, and no other thread reads or writes
        /// them meanwhile.
        #[inline(always)]
        #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
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
            {
                touch!(self.pointer::<Aligned<$n>>(), Write);
                // SAFETY: the caller's contract.
                unsafe { self.pointer::<[u32; $n]>().write([$($word),*]) }
            }
        }
    )*};
}

/// An atomic operation on the word at an address.
macro_rules! change {
    ($address:expr, $operation:literal, $method:ident, $access:ident, $argument:expr) => {{
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
            touch!($address.pointer::<u32>(), $access);
            AtomicU32::from_ptr($address.pointer()).$method($argument, Relaxed)
        }
    }};
}

impl Address {
    /// The address of the first byte of the dynamic shared memory (see [`dynamic_shared_mem`]).
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

    /// The address whose number is `number`. The number comes from [`Address::number`] in a thread of the
    /// same block.
    #[inline(always)]
    pub fn from_number(number: u32) -> Address {
        Address(number)
    }

    /// The address as a number.
    #[inline(always)]
    pub fn number(self) -> u32 {
        self.0
    }

    /// The address `bytes` bytes after this one.
    #[inline(always)]
    pub fn plus(self, bytes: u32) -> Address {
        Address(self.0 + bytes)
    }

    #[cfg(not(target_arch = "nvptx64"))]
    fn pointer<T>(self) -> *mut T {
        // On the host an address counts from the beginning of the dynamic shared memory.
        dynamic_shared_mem::<u8>().wrapping_add(self.0 as usize).cast()
    }

    words! {
        1 read write "" "{a}": a;
        2 read_two write_two ".v2" "{{{a}, {b}}}": a b;
        4 read_four write_four ".v4" "{{{a}, {b}, {c}, {d}}}": a b c d;
    }

    /// Sets the word at this address by an atomic, relaxed operation, and returns the old word.
    ///
    /// # Safety
    /// The word is in shared memory and aligned. While several threads may change the word, all of them use
    /// atomic operations.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub unsafe fn exchange(self, word: u32) -> u32 {
        // SAFETY: the caller's contract.
        unsafe { change!(self, "exch.b32", swap, Exchange, word) }
    }

    /// Adds `more` to the word at this address by an atomic, relaxed operation that wraps around, and returns
    /// the old word.
    ///
    /// # Safety
    /// As for [`Address::exchange`].
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub unsafe fn add(self, more: u32) -> u32 {
        // SAFETY: the caller's contract.
        unsafe { change!(self, "add.u32", fetch_add, Update, more) }
    }
}

/// An array in the block's shared memory: `shared_array![u32; 32]` is a `*mut u32`. The length is a constant.
///
/// All threads of a block get the same array from one `shared_array!` in the source, however often they pass
/// it. Another `shared_array!` is another array. The content is undefined at the beginning.
///
/// To get the pointer is safe. To use the pointer is not: an access must not lie beyond the array's end, and
/// there has to be a barrier between one thread's write and another thread's read.
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
                // The address of this static stands for this place in the source.
                static SITE: ::core::sync::atomic::AtomicU8 = ::core::sync::atomic::AtomicU8::new(0);
                $crate::host::shared_array(&SITE, BYTES, ::core::mem::size_of::<$array_type>()).cast()
            }
        }
        shared_array()
    }};
}

#[cfg(target_arch = "nvptx64")]
core::arch::global_asm!(".extern .shared .align 16 .b8 cuda_std_dynamic_shared[];");
