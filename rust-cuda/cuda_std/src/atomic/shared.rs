//! Words shared between launches that run at once, or with the host. They are atomic on every executor.
//!
//! Invariant: each operation is that of `core::sync::atomic`. In PTX, loads, stores and compare-exchanges have
//! the scope of the whole system. `fetch_add`, `fetch_max`, `fetch_or` and `swap` become instructions without a
//! scope, whose scope is then one GPU: while a launch changes a word by one of these four, neither the host nor
//! another GPU may change that word.

use super::word::word;
use crate::touch::touch;
use core::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

macro_rules! shared_words {
    ($($Word:ident($Atomic:ident) = $Value:ident;)*) => {$(
        word! {
            /// A word shared between launches, or with the host (see [`crate::atomic`]).
            $Word($Atomic) = $Value
        }

        impl $Word {
            /// The value; relaxed.
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn load_relaxed(&self) -> $Value {
                touch!(self, Load);
                self.0.load(Relaxed)
            }

            /// The value; what its writer wrote before a releasing store is visible afterwards.
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn load_acquire(&self) -> $Value {
                touch!(self, LoadAcquire);
                self.0.load(Acquire)
            }

            /// Sets the value; relaxed.
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn store_relaxed(&self, value: $Value) {
                touch!(self, Store);
                self.0.store(value, Relaxed)
            }

            /// Sets the value; what this thread wrote before is visible to whoever loads the value by an
            /// acquiring load.
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn store_release(&self, value: $Value) {
                touch!(self, StoreRelease);
                self.0.store(value, Release)
            }

            /// Adds `more`, wrapping around, and returns the old value; relaxed.
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn fetch_add(&self, more: $Value) -> $Value {
                touch!(self, Update);
                self.0.fetch_add(more, Relaxed)
            }

            /// Sets the greater of the value and `other`, and returns the old value; relaxed.
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn fetch_max(&self, other: $Value) -> $Value {
                touch!(self, Update);
                self.0.fetch_max(other, Relaxed)
            }

            /// Sets the bits that are set in `bits`, and returns the old value; relaxed.
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn fetch_or(&self, bits: $Value) -> $Value {
                touch!(self, Update);
                self.0.fetch_or(bits, Relaxed)
            }

            /// Sets the value, and returns the old one; relaxed.
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn swap(&self, value: $Value) -> $Value {
                touch!(self, Exchange);
                self.0.swap(value, Relaxed)
            }

            /// Sets the value to `to` if it is `from`, and returns the old value. A success acquires and
            /// releases; a failure is relaxed.
            ///
            /// # Errors
            /// The value found, if that is not `from`.
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn compare_exchange(&self, from: $Value, to: $Value) -> Result<$Value, $Value> {
                let outcome = self.0.compare_exchange(from, to, AcqRel, Relaxed);
                touch!(self, outcome, UpdateAcquireRelease);
                outcome
            }

            /// [`Self::compare_exchange`], relaxed in either case.
            ///
            /// # Errors
            /// The value found, if that is not `from`.
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            pub fn compare_exchange_relaxed(&self, from: $Value, to: $Value) -> Result<$Value, $Value> {
                let outcome = self.0.compare_exchange(from, to, Relaxed, Relaxed);
                touch!(self, outcome, Update);
                outcome
            }
        }
    )*};
}

shared_words! {
    SharedU32(AtomicU32) = u32;
    SharedU64(AtomicU64) = u64;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// Threads of the host share a word, although each is alone in its launch.
    #[test]
    fn threads_of_the_host_lose_no_change() {
        let (count, most, bits) = (SharedU64::new(0), SharedU32::default(), SharedU32::default());
        thread::scope(|scope| {
            for t in 0..4 {
                let (count, most, bits) = (&count, &most, &bits);
                scope.spawn(move || {
                    for i in 0..10_000 {
                        count.fetch_add(1);
                        most.fetch_max(4 * i + t);
                        bits.fetch_or(1 << t);
                    }
                });
            }
        });
        assert_eq!((count.into_inner(), most.into_inner(), bits.into_inner()), (40_000, 39_999, 0xf));
    }

    #[test]
    fn one_thread_gets_the_word() {
        let word = SharedU32::new(3);
        assert_eq!(word.compare_exchange(4, 5), Err(3));
        assert_eq!(word.compare_exchange(3, 5), Ok(3));
        assert_eq!(word.compare_exchange_relaxed(3, 6), Err(5));
        assert_eq!(word.compare_exchange_relaxed(5, 6), Ok(5));
        assert_eq!(word.swap(7), 6);
        word.store_release(word.load_acquire() + 1);
        word.store_relaxed(word.load_relaxed() + 1);
        assert_eq!(word.into_inner(), 9);
    }
}
