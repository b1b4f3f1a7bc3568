//! An array in the memory of whoever runs the kernels: the one home of `unsafe` memory access in this crate.
//!
//! Invariant: an [`Array`] handed to a kernel points to `len` initialised elements that outlive the launch. Elements
//! that several threads may write in one launch are only accessed through the atomic methods. On the host every
//! access is checked against `len` where debug assertions are on; on the GPU never.

use crate::atomics::Atomics;
use core::sync::atomic::{AtomicI64, AtomicU32, AtomicU64};

/// Address and length of device memory, copied by value into kernels.
#[repr(C)]
#[derive(Debug)]
pub struct Array<T> {
    address: *mut T,
    len: u64,
}

impl<T> Clone for Array<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Array<T> {}

impl<T> Default for Array<T> {
    fn default() -> Self {
        Array { address: core::ptr::null_mut(), len: 0 }
    }
}

// SAFETY: an Array is an address; whoever dereferences it answers for the access (see the module's invariant).
unsafe impl<T> Send for Array<T> {}

/// The same word, which the compiler then keeps in a register: else it reads parameters and adds up again each time round a loop.
#[inline(always)]
pub fn kept(word: u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let mut kept = word;
        // SAFETY: does nothing.
        unsafe { core::arch::asm!("// {0}", inout(reg32) kept, options(nomem, nostack, preserves_flags)) };
        kept
    }
    #[cfg(not(target_arch = "nvptx64"))]
    word
}

/// What indexes an array: `u32` mostly, `usize` where rows times columns may exceed it.
pub trait Index: Copy {
    /// The index as an offset.
    fn offset(self) -> usize;
}
impl Index for u32 {
    #[inline(always)]
    fn offset(self) -> usize {
        self as usize
    }
}
impl Index for usize {
    #[inline(always)]
    fn offset(self) -> usize {
        self
    }
}

impl<T> Array<T> {
    /// An array over memory that somebody else owns.
    ///
    /// # Safety
    /// `address` must be valid for reads and writes of `len` initialised elements, on the machine that will use it, as
    /// long as the array or a copy of it is used.
    pub const unsafe fn from_raw(address: *mut T, len: usize) -> Self {
        Array { address, len: len as u64 }
    }

    /// What it is made of.
    #[inline(always)]
    pub fn bytes(self) -> Array<u8> {
        Array { address: self.address.cast(), len: self.len * size_of::<T>() as u64 }
    }

    /// Where it lies.
    pub fn address(self) -> u64 {
        self.address as u64
    }

    /// The number of elements.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether there are no elements.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    #[inline(always)]
    fn at(self, i: impl Index) -> *mut T {
        #[cfg(not(target_arch = "nvptx64"))]
        debug_assert!((i.offset() as u64) < self.len, "index {} of {}", i.offset(), self.len);
        // SAFETY: kernels index within `len`; checked above on the host's debug builds.
        unsafe { self.address.add(i.offset()) }
    }

    /// Asks for element `i`, which is going to be read soon, so that it need not be waited for then; there need not be one. Only a GPU does anything
    /// about it.
    #[inline(always)]
    pub fn prefetch(self, i: impl Index) {
        let _address = self.address.wrapping_add(i.offset());
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: a hint, which means nothing where no memory is.
        unsafe {
            core::arch::asm!("prefetch.L1 [{}];", in(reg64) _address, options(nostack));
        }
    }

    /// A reference to element `i`, for structs that are made of atomics.
    #[inline(always)]
    pub fn get<'a>(self, i: impl Index) -> &'a T {
        // SAFETY: in bounds by the module's invariant, and the memory outlives the launch.
        unsafe { &*self.at(i) }
    }
}

impl<T: Copy> Array<T> {
    /// Element `i`. No other thread may be writing it in this launch.
    #[inline(always)]
    pub fn read(self, i: impl Index) -> T {
        // SAFETY: in bounds and initialised by the module's invariant.
        unsafe { *self.at(i) }
    }

    /// The same, of 4 bytes, asked for where this stands. Else a GPU's compiler puts loads off until just before what they bring is used, and has two
    /// at a time on their way, to save registers.
    #[inline(always)]
    pub fn read_here(self, i: impl Index) -> T {
        const { assert!(size_of::<T>() == 4) };
        #[cfg(target_arch = "nvptx64")]
        {
            let word: u32;
            // SAFETY: as for `read`; and T is as large as a word.
            unsafe {
                let at = self.at(i);
                core::arch::asm!("ld.relaxed.cta.b32 {}, [{}];", out(reg32) word, in(reg64) at, options(nostack, readonly));
                core::mem::transmute_copy(&word)
            }
        }
        #[cfg(not(target_arch = "nvptx64"))]
        self.read(i)
    }

    /// Elements `4 * group ..`, which are of 4 bytes each, by one load; anything behind the end. No other thread may be writing them.
    #[inline(always)]
    pub fn four(self, group: u32) -> [T; 4] {
        const { assert!(size_of::<T>() == 4) };
        #[cfg(target_arch = "nvptx64")]
        {
            #[derive(Clone, Copy)]
            #[repr(C, align(16))]
            struct Four<T>([T; 4]);
            // SAFETY: arrays begin and end at multiples of `layout::ALIGNMENT` or `near::ALIGNMENT`, so this is aligned, and within memory
            // that was cleared when it was allocated.
            unsafe { (*self.address.cast::<Four<T>>().add(group as usize)).0 }
        }
        #[cfg(not(target_arch = "nvptx64"))]
        core::array::from_fn(|k| self.read((4 * group as usize + k).min(self.len() - 1)))
    }

    /// The same, asked for where this stands (see [`Array::read_here`]).
    #[inline(always)]
    pub fn four_here(self, group: u32) -> [T; 4] {
        const { assert!(size_of::<T>() == 4) };
        #[cfg(target_arch = "nvptx64")]
        {
            let (a, b, c, d): (u32, u32, u32, u32);
            // SAFETY: as for `four`.
            unsafe {
                let at = self.address.add(4 * group as usize);
                core::arch::asm!(
                    "ld.relaxed.cta.v4.b32 {{{}, {}, {}, {}}}, [{}];",
                    out(reg32) a, out(reg32) b, out(reg32) c, out(reg32) d, in(reg64) at,
                    options(nostack, readonly)
                );
                [a, b, c, d].map(|word| core::mem::transmute_copy(&word))
            }
        }
        #[cfg(not(target_arch = "nvptx64"))]
        self.four(group)
    }

    /// Sets element `i`. No other thread may access it in this launch before a barrier.
    #[inline(always)]
    pub fn write(self, i: impl Index, value: T) {
        // SAFETY: in bounds by the module's invariant; exclusive by this method's contract.
        unsafe { *self.at(i) = value }
    }
}

impl Array<u32> {
    /// Element `i` as an atomic.
    #[inline(always)]
    pub fn atomic<'a>(self, i: impl Index) -> &'a AtomicU32 {
        // SAFETY: in bounds, aligned, and only accessed atomically while other threads may write it.
        unsafe { AtomicU32::from_ptr(self.at(i)) }
    }

    /// Claims element `i`: changes it from `from` to `to`, or tells what stands there instead. Relaxed.
    #[inline(always)]
    pub fn claim(self, i: impl Index, from: u32, to: u32) -> Result<u32, u32> {
        self.atomic(i).claim(from, to)
    }
}

impl Array<i64> {
    /// Element `i` as an atomic.
    #[inline(always)]
    pub fn atomic<'a>(self, i: impl Index) -> &'a AtomicI64 {
        // SAFETY: as for `u32`.
        unsafe { AtomicI64::from_ptr(self.at(i)) }
    }
}

impl Array<u64> {
    /// Element `i` as an atomic.
    #[inline(always)]
    pub fn atomic<'a>(self, i: impl Index) -> &'a AtomicU64 {
        // SAFETY: as for `u32`.
        unsafe { AtomicU64::from_ptr(self.at(i)) }
    }
}
