//! Atomic operations, all relaxed, that are plain ones where a thread is all there is: on the processor a locked instruction takes as long as
//! twenty others.

use crate::stride::is_single;
use crate::Search;
use core::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};

/// See the module's documentation. Each returns what was there before.
pub trait Atomics {
    /// What is in it.
    type Value;

    /// What is there, while nobody changes it: between two barriers that changes stand outside of. A GPU then reads it as it reads all else; a loop
    /// that goes on or not by what an atomic load says begins with a pause of 40 cycles each time (`YIELD`), as if it waited for others.
    fn now(&self) -> Self::Value;
    /// What is there, which threads of this block alone may be changing: that may be nearer by.
    fn in_block(&self) -> Self::Value;
    /// What is there, which others may be changing: threads of this block, if it is by itself.
    fn shared(&self, s: &Search) -> Self::Value;
    /// Adds, and wraps around.
    fn add(&self, more: Self::Value) -> Self::Value;
    /// Subtracts, and wraps around.
    fn sub(&self, less: Self::Value) -> Self::Value;
    /// Puts the greater of the two there.
    fn max(&self, other: Self::Value) -> Self::Value;
    /// Puts the lesser of the two there.
    fn min(&self, other: Self::Value) -> Self::Value;
    /// Sets bits.
    fn or(&self, bits: Self::Value) -> Self::Value;
    /// Puts another value there.
    fn put(&self, value: Self::Value) -> Self::Value;
    /// Puts `to` there if `from` is, or tells what is there instead.
    fn claim(&self, from: Self::Value, to: Self::Value) -> Result<Self::Value, Self::Value>;
}

/// A method: the atomic operation that others call, or what is there afterwards, given what was there and the argument.
macro_rules! change {
    ($Value:ty, $name:ident: $atomic:ident, |$old:ident, $argument:ident| $new:expr) => {
        #[inline(always)]
        fn $name(&self, $argument: $Value) -> $Value {
            if !is_single() {
                return self.$atomic($argument, Relaxed);
            }
            let $old = self.load(Relaxed);
            self.store($new, Relaxed);
            $old
        }
    };
}

macro_rules! atomics {
    ($($Atomic:ty = $Value:ty, $bits:literal, $reg:ident;)*) => {$(
        impl Atomics for $Atomic {
            type Value = $Value;

            #[inline(always)]
            fn now(&self) -> $Value {
                // SAFETY: initialised, aligned, and nobody writes meanwhile, by this method's contract.
                unsafe { self.as_ptr().read() }
            }

            #[inline(always)]
            fn in_block(&self) -> $Value {
                #[cfg(target_arch = "nvptx64")]
                {
                    let value: $Value;
                    // SAFETY: initialised and aligned.
                    unsafe {
                        let at = self.as_ptr();
                        core::arch::asm!(concat!("ld.relaxed.cta.", $bits, " {}, [{}];"), out($reg) value, in(reg64) at, options(nostack, readonly));
                    }
                    value
                }
                #[cfg(not(target_arch = "nvptx64"))]
                self.load(Relaxed)
            }

            #[inline(always)]
            fn shared(&self, s: &Search) -> $Value {
                match s.by_itself {
                    1 => self.in_block(),
                    _ => self.load(Relaxed),
                }
            }

            change!($Value, add: fetch_add, |old, more| old.wrapping_add(more));
            change!($Value, sub: fetch_sub, |old, less| old.wrapping_sub(less));
            change!($Value, max: fetch_max, |old, other| Ord::max(old, other));
            change!($Value, min: fetch_min, |old, other| Ord::min(old, other));
            change!($Value, or: fetch_or, |old, bits| old | bits);
            change!($Value, put: swap, |_old, value| value);

            #[inline(always)]
            fn claim(&self, from: $Value, to: $Value) -> Result<$Value, $Value> {
                #[cfg(target_arch = "nvptx64")]
                {
                    let found: $Value;
                    // SAFETY: initialised and aligned.
                    unsafe {
                        let at = self.as_ptr();
                        core::arch::asm!(
                            concat!("atom.relaxed.gpu.cas.", $bits, " {}, [{}], {}, {};"),
                            out($reg) found, in(reg64) at, in($reg) from, in($reg) to, options(nostack)
                        );
                    }
                    if found == from { Ok(found) } else { Err(found) }
                }
                #[cfg(not(target_arch = "nvptx64"))]
                {
                    if !is_single() {
                        return self.compare_exchange(from, to, Relaxed, Relaxed);
                    }
                    let found = self.load(Relaxed);
                    if found != from {
                        return Err(found);
                    }
                    self.store(to, Relaxed);
                    Ok(found)
                }
            }
        }
    )*};
}

atomics! {
    AtomicU32 = u32, "b32", reg32;
    AtomicU64 = u64, "b64", reg64;
    AtomicI64 = i64, "b64", reg64;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Here a thread is all there is: as the atomic operations that others call.
    #[test]
    fn plain_ones_do_the_same() {
        for (a, b) in [(3, 5), (5, 3), (u32::MAX, 1), (0, 1), (7, 7)] {
            let (plain, atomic) = (AtomicU32::new(a), AtomicU32::new(a));
            assert_eq!(plain.add(b), atomic.fetch_add(b, Relaxed));
            assert_eq!(plain.sub(b.wrapping_mul(3)), atomic.fetch_sub(b.wrapping_mul(3), Relaxed));
            assert_eq!(plain.max(b), atomic.fetch_max(b, Relaxed));
            assert_eq!(plain.or(b << 4), atomic.fetch_or(b << 4, Relaxed));
            assert_eq!(plain.min(a), atomic.fetch_min(a, Relaxed));
            assert_eq!(plain.claim(a, b), atomic.compare_exchange(a, b, Relaxed, Relaxed));
            assert_eq!(plain.claim(b, a), atomic.compare_exchange(b, a, Relaxed, Relaxed));
            assert_eq!(plain.put(b), atomic.swap(b, Relaxed));
            assert_eq!((plain.now(), plain.in_block()), (atomic.now(), atomic.in_block()));
            for by_itself in [0, 1] {
                assert_eq!(plain.shared(&Search { by_itself, ..Search::default() }), plain.now());
            }
            assert_eq!(plain.into_inner(), atomic.into_inner());
        }
    }
}
