//! An array in the memory of whoever runs the kernels. Kernels access memory through this type.
//!
//! Invariant: an [`Array`] handed to a kernel points to `len` initialised elements that outlive the launch.
//! Elements that several threads may write in one launch are only accessed through the atomic methods. On the
//! host every access is checked against `len` where threads are simulated, and for the executor `cpu` where debug
//! assertions are on; on the GPU never.

mod copy;

pub use copy::copy_by_block;

use crate::atomic::{SearchI64, SearchU32, SearchU64};
use crate::touch::touch;

/// Arrays in global memory begin at multiples of 256 bytes (`ALIGNMENT`), and their memory is as long as a
/// multiple of that.
pub const ALIGNMENT: usize = 256;

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

// SAFETY: an Array is an address; whoever dereferences it answers for the access (see the module's
// invariant).
unsafe impl<T> Send for Array<T> {}
// SAFETY: as for `Send`: a copy of the address does what a reference to the address does.
unsafe impl<T> Sync for Array<T> {}

/// Returns `word` in a way that makes the compiler keep it in a register. Otherwise a GPU's compiler reads
/// the kernel's parameters and repeats additions in every pass of a loop.
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
    /// An array of `len` elements from `address` on, in memory that somebody else owns.
    ///
    /// # Safety
    /// `address` must be valid for reads and writes of `len` initialised elements, on the machine that will
    /// use it, as long as the array or a copy of it is used.
    #[inline(always)]
    pub const unsafe fn from_raw(address: *mut T, len: usize) -> Self {
        Array { address, len: len as u64 }
    }

    /// The bytes of the elements.
    #[inline(always)]
    pub fn bytes(self) -> Array<u8> {
        Array { address: self.address.cast(), len: self.len * size_of::<T>() as u64 }
    }

    /// The number of bytes of an element.
    pub const fn element_bytes(self) -> usize {
        size_of::<T>()
    }

    /// The address of the first element.
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
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn at(self, i: impl Index) -> *mut T {
        #[cfg(not(target_arch = "nvptx64"))]
        crate::host::current::bound(i.offset(), self.len(), "");
        // SAFETY: kernels index within `len`; checked above on the host.
        unsafe { self.address.add(i.offset()) }
    }

    /// Requests element `i`, which is going to be read soon, so that the read need not wait. Element `i` need
    /// not exist. Only a GPU does anything.
    #[inline(always)]
    pub fn prefetch(self, i: impl Index) {
        let _address = self.address.wrapping_add(i.offset());
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: a hint, which means nothing where no memory is.
        unsafe {
            core::arch::asm!("prefetch.L1 [{}];", in(reg64) _address, options(nostack));
        }
    }

    /// A reference to element `i`, for words of [`crate::atomic`] and structs made of them.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn get<'a>(self, i: impl Index) -> &'a T {
        // SAFETY: in bounds by the module's invariant, and the memory outlives the launch.
        unsafe { &*self.at(i) }
    }
}

impl<T: Copy> Array<T> {
    /// Element `i`. No other thread may be writing it in this launch.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn read(self, i: impl Index) -> T {
        touch!(self.at(i), Read);
        // SAFETY: in bounds and initialised by the module's invariant.
        unsafe { *self.at(i) }
    }

    /// Element `i`, of 4 bytes, as [`Array::read`] gives it, but loaded where this call stands. To save
    /// registers, a GPU's compiler postpones ordinary loads until just before their values are used, and has
    /// only two under way at a time.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
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

    /// Elements `4 * group ..`, of 4 bytes each, by one load. Elements past the end have any value. No other
    /// thread may be writing them.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn four(self, group: u32) -> [T; 4] {
        const { assert!(size_of::<T>() == 4) };
        #[cfg(target_arch = "nvptx64")]
        {
            #[derive(Clone, Copy)]
            #[repr(C, align(16))]
            struct Four<T>([T; 4]);
            // SAFETY: allocations are multiples of 256 bytes (`ALIGNMENT`), so this is aligned, and within
            // memory that was cleared when it was allocated.
            unsafe { (*self.address.cast::<Four<T>>().add(group as usize)).0 }
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            let k = 4 * group as usize;
            let last = self.len() - 1;
            crate::host::current::together(4);
            // Not a closure, whose reads would stand in this file.
            [
                self.read(k.min(last)),
                self.read((k + 1).min(last)),
                self.read((k + 2).min(last)),
                self.read((k + 3).min(last)),
            ]
        }
    }

    /// Elements `4 * group ..` as [`Array::four`] gives them, but loaded where this call stands (see
    /// [`Array::read_here`]).
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
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
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn write(self, i: impl Index, value: T) {
        touch!(self.at(i), Write);
        // SAFETY: in bounds by the module's invariant; exclusive by this method's contract.
        unsafe { *self.at(i) = value }
    }
}

macro_rules! atomic {
    ($($Value:ty: $Word:ident;)*) => {$(
        impl Array<$Value> {
            /// Element `i` as an atomic.
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn atomic<'a>(self, i: impl Index) -> &'a $Word {
                // SAFETY: in bounds, aligned, and only accessed atomically while other threads may write it.
                unsafe { $Word::from_ptr(self.at(i)) }
            }
        }
    )*};
}

atomic! {
    u32: SearchU32;
    u64: SearchU64;
    i64: SearchI64;
}

impl Array<u64> {
    /// Elements `2 * pair` and `2 * pair + 1` by one load, as [`SearchU64::in_block`] gives each. Only threads
    /// of the caller's block may change them meanwhile.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn two_in_block(self, pair: u32) -> [u64; 2] {
        #[cfg(target_arch = "nvptx64")]
        {
            let (a, b): (u64, u64);
            // SAFETY: kernels index within `len`, and arrays begin at multiples of 256 bytes (`ALIGNMENT`) or
            // at a multiple of 16 within one.
            unsafe {
                let at = self.address.add(2 * pair as usize);
                core::arch::asm!(
                    "ld.relaxed.cta.v2.b64 {{{}, {}}}, [{}];",
                    out(reg64) a, out(reg64) b, in(reg64) at, options(nostack, readonly)
                );
            }
            [a, b]
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            crate::host::current::together(2);
            [self.atomic(2 * pair).in_block(), self.atomic(2 * pair + 1).in_block()]
        }
    }
}

impl Array<u32> {
    /// Claims element `i`: sets it to `to` if it is `from`. Relaxed.
    ///
    /// # Errors
    /// The value found, if that is not `from`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn claim(self, i: impl Index, from: u32, to: u32) -> Result<u32, u32> {
        self.atomic(i).claim(from, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read_written_and_claimed() {
        let mut words = vec![0u32, 1, 2, 3, 4, 5];
        // SAFETY: `words` outlives the array.
        let array = unsafe { Array::from_raw(words.as_mut_ptr(), words.len()) };
        array.write(1u32, 7);
        assert_eq!((array.read(1usize), array.read_here(1u32)), (7, 7));
        assert_eq!(array.claim(2u32, 2, 9), Ok(2));
        assert_eq!(array.claim(2u32, 2, 8), Err(9));
        assert_eq!(array.atomic(5u32).add(10), 5);
        assert_eq!((array.four(0), array.four_here(1)[..2].to_vec()), ([0, 7, 9, 3], vec![4, 15]));
        assert_eq!((array.len(), array.bytes().len()), (6, 24));
        assert!(!array.is_empty() && Array::<u64>::default().is_empty());
        assert_eq!(words, [0, 7, 9, 3, 4, 15]);
    }

    #[test]
    fn two_double_words_are_read_together() {
        let mut words = vec![1u64, 2, 3, 4];
        // SAFETY: `words` outlives the array.
        let array = unsafe { Array::from_raw(words.as_mut_ptr(), words.len()) };
        assert_eq!([array.two_in_block(0), array.two_in_block(1)], [[1, 2], [3, 4]]);
    }

    #[test]
    #[should_panic = "index 2 of 2"]
    fn an_index_past_the_end_is_noticed() {
        let mut words = [0u32; 2];
        // SAFETY: `words` outlives the array.
        unsafe { Array::from_raw(words.as_mut_ptr(), words.len()) }.read(2u32);
    }
}
