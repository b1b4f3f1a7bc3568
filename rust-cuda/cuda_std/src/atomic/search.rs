//! Words shared by the threads of one launch. All operations are relaxed; in a launch of one thread they are
//! plain.
//!
//! Invariant: no other launch and no host thread accesses such a word while the launch runs.
//!
//! In the package for launches of one thread, a load or a store is that of an atomic word whose order is relaxed: the
//! same instruction as a plain one. ThreadSanitizer takes the pair for atomic, and would not tell of a word that two
//! launches change at once, although a change may be lost. With the feature `plain_words` loads and stores are plain,
//! so ThreadSanitizer names each word that breaks the invariant. `scripts/threads.sh` builds with the feature.

use super::word::word;
use crate::thread::{grid_dim_x, is_single};
use crate::touch::touch;
use core::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Whether the launch is one thread.
#[inline(always)]
fn is_alone() -> bool {
    !cfg!(target_arch = "nvptx64") && is_single() && grid_dim_x() == 1
}

/// A method that changes a word: by an atomic operation, or in a launch of one thread by a load and a store
/// of the new value, given the old value and the argument.
macro_rules! change {
    ($(#[$doc:meta])* $Value:ty, $name:ident: $atomic:ident $access:ident, |$old:ident, $argument:ident| $new:expr) => {
        $(#[$doc])*
        #[inline(always)]
        #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
        pub fn $name(&self, $argument: $Value) -> $Value {
            if !is_alone() {
                touch!(self, $access);
                return self.0.$atomic($argument, Relaxed);
            }
            let $old = self.value();
            self.set($new);
            $old
        }
    };
}

macro_rules! search_words {
    ($($Word:ident($Atomic:ident) = $Value:ident, $bits:literal, $reg:ident;)*) => {$(
        word! {
            /// A word shared by the threads of one launch (see [`crate::atomic`]).
            $Word($Atomic) = $Value
        }

        impl $Word {
            /// Reads the word: plainly with the feature `plain_words`.
            #[inline(always)]
            fn value(&self) -> $Value {
                match cfg!(feature = "plain_words") {
                    // SAFETY: initialised, aligned, and of this thread alone, by the module's invariant.
                    true => unsafe { self.0.as_ptr().read() },
                    false => self.0.load(Relaxed),
                }
            }

            /// Writes the word, as [`Self::value`] reads it.
            #[inline(always)]
            fn set(&self, value: $Value) {
                match cfg!(feature = "plain_words") {
                    // SAFETY: as for `value`; the atomic may be written through a shared reference.
                    true => unsafe { self.0.as_ptr().write(value) },
                    false => self.0.store(value, Relaxed),
                }
            }

            /// The value, while no thread changes it: between two barriers that all changes precede or
            /// follow.
            ///
            /// A GPU reads the word as it reads any other. If a loop's condition depends on an atomic load,
            /// the compiler begins each pass with a pause of 40 cycles (`YIELD`), as if the loop waited for
            /// other threads.
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn now(&self) -> $Value {
                touch!(self, Read);
                // SAFETY: initialised, aligned, and not written meanwhile, by this method's contract.
                unsafe { self.0.as_ptr().read() }
            }

            /// The value of a word that only threads of the caller's block change. A GPU may read it from the
            /// block's own cache.
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn in_block(&self) -> $Value {
                touch!(self, LoadInBlock);
                #[cfg(target_arch = "nvptx64")]
                {
                    let value: $Value;
                    // SAFETY: initialised and aligned.
                    unsafe {
                        let at = self.0.as_ptr();
                        core::arch::asm!(concat!("ld.relaxed.cta.", $bits, " {}, [{}];"), out($reg) value, in(reg64) at, options(nostack, readonly));
                    }
                    value
                }
                #[cfg(not(target_arch = "nvptx64"))]
                self.value()
            }

            /// The value of a word that any thread of the launch may change. `single_block` says that all of
            /// them are of the caller's block: then this is [`Self::in_block`].
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn load_in(&self, single_block: bool) -> $Value {
                match single_block {
                    true => self.in_block(),
                    false => self.load(),
                }
            }

            /// The value of a word that any thread of the launch may change.
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn load(&self) -> $Value {
                touch!(self, Load);
                self.value()
            }

            /// Sets the value.
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn store(&self, value: $Value) {
                touch!(self, Store);
                self.set(value)
            }

            /// Sets the value, as a GPU writes any other memory. No other thread may access the word before
            /// the next barrier.
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn write(&self, value: $Value) {
                touch!(self, Write);
                // SAFETY: initialised, aligned, and of this thread alone meanwhile, by this method's contract.
                unsafe { self.0.as_ptr().write(value) }
            }

            change!(
                /// Adds `more`, wrapping around, and returns the old value.
                $Value, add: fetch_add Update, |old, more| old.wrapping_add(more)
            );
            change!(
                /// Subtracts `less`, wrapping around, and returns the old value.
                $Value, sub: fetch_sub Update, |old, less| old.wrapping_sub(less)
            );
            change!(
                /// Sets the greater of the value and `other`, and returns the old value.
                $Value, max: fetch_max Update, |old, other| Ord::max(old, other)
            );
            change!(
                /// Sets the lesser of the value and `other`, and returns the old value.
                $Value, min: fetch_min Update, |old, other| Ord::min(old, other)
            );
            change!(
                /// Sets the bits that are set in `bits`, and returns the old value.
                $Value, or: fetch_or Update, |old, bits| old | bits
            );
            change!(
                /// Sets the value, and returns the old one.
                $Value, put: swap Exchange, |_old, value| value
            );

            /// Sets the value to `to` if it is `from`.
            ///
            /// # Errors
            /// The value found, if that is not `from`.
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn claim(&self, from: $Value, to: $Value) -> Result<$Value, $Value> {
                #[cfg(target_arch = "nvptx64")]
                {
                    let found: $Value;
                    // SAFETY: initialised and aligned.
                    unsafe {
                        let at = self.0.as_ptr();
                        core::arch::asm!(
                            concat!("atom.relaxed.gpu.cas.", $bits, " {}, [{}], {}, {};"),
                            out($reg) found, in(reg64) at, in($reg) from, in($reg) to, options(nostack)
                        );
                    }
                    if found == from { Ok(found) } else { Err(found) }
                }
                #[cfg(not(target_arch = "nvptx64"))]
                {
                    if !is_alone() {
                        let outcome = self.0.compare_exchange(from, to, Relaxed, Relaxed);
                        touch!(self, outcome, Update);
                        return outcome;
                    }
                    let found = self.value();
                    if found != from {
                        return Err(found);
                    }
                    self.set(to);
                    Ok(found)
                }
            }
        }
    )*};
}

impl SearchU32 {
    /// Adds `more` to the float whose bits the word has.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn add_float(&self, more: f32) {
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: initialised and aligned.
        unsafe {
            let at = self.0.as_ptr();
            core::arch::asm!("red.relaxed.gpu.add.f32 [{}], {};", in(reg64) at, in(reg32) more, options(nostack));
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            let sum = |bits: u32| (f32::from_bits(bits) + more).to_bits();
            if is_alone() {
                return self.set(sum(self.value()));
            }
            touch!(self, Update);
            let mut found = self.0.load(Relaxed);
            while let Err(other) = self.0.compare_exchange_weak(found, sum(found), Relaxed, Relaxed) {
                found = other;
            }
        }
    }
}

search_words! {
    SearchU32(AtomicU32) = u32, "b32", reg32;
    SearchU64(AtomicU64) = u64, "b64", reg64;
    SearchI64(AtomicI64) = i64, "b64", reg64;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test is a launch of one thread: its plain operations do what the atomic ones do.
    #[test]
    fn plain_operations_do_what_atomic_ones_do() {
        for (a, b) in [(3, 5), (5, 3), (u32::MAX, 1), (0, 1), (7, 7)] {
            let (plain, atomic) = (SearchU32::new(a), AtomicU32::new(a));
            assert_eq!(plain.add(b), atomic.fetch_add(b, Relaxed));
            assert_eq!(plain.sub(b.wrapping_mul(3)), atomic.fetch_sub(b.wrapping_mul(3), Relaxed));
            assert_eq!(plain.max(b), atomic.fetch_max(b, Relaxed));
            assert_eq!(plain.or(b << 4), atomic.fetch_or(b << 4, Relaxed));
            assert_eq!(plain.min(a), atomic.fetch_min(a, Relaxed));
            assert_eq!(plain.claim(a, b), atomic.compare_exchange(a, b, Relaxed, Relaxed));
            assert_eq!(plain.claim(b, a), atomic.compare_exchange(b, a, Relaxed, Relaxed));
            assert_eq!(plain.put(b), atomic.swap(b, Relaxed));
            let (float, more) = (SearchU32::new(1.5f32.to_bits()), a as f32);
            float.add_float(more);
            assert_eq!(f32::from_bits(float.now()), 1.5 + more);
            plain.write(b);
            assert_eq!(plain.now(), b);
            plain.store(a);
            atomic.store(a, Relaxed);
            assert_eq!((plain.now(), plain.in_block()), (a, a));
            for single_block in [false, true] {
                assert_eq!(plain.load_in(single_block), plain.load());
            }
            assert_eq!(plain.into_inner(), atomic.into_inner());
        }
    }
}
