//! Words that several threads change: two families of types, for two kinds of sharing.
//!
//! - [`SearchU32`], [`SearchU64`] and [`SearchI64`] are shared by the threads of one launch. Where a launch
//!   is one thread (see [`crate::thread::is_single`]) their operations are plain loads and stores: on a
//!   processor, a locked instruction takes as long as twenty plain ones.
//! - [`SharedU32`] and [`SharedU64`] are shared between launches that run at once, or with the host. Their
//!   operations are atomic on every executor, and in the package for launches of one thread as well: such launches
//!   run at once on threads of the host.
//!
//! Invariant: a word belongs to one family. The families have no trait and no method name for a change in
//! common, so code written for one does not compile with the other:
//!
//! ```
//! use cuda_std::atomic::{SearchU32, SharedU32};
//! let (one, other) = (SearchU32::new(1), SharedU32::new(1));
//! assert_eq!((one.add(2), other.fetch_add(2)), (1, 1));
//! ```
//!
//! ```compile_fail,E0599
//! use cuda_std::atomic::SharedU32;
//! let other = SharedU32::new(1);
//! other.add(2);
//! ```
//!
//! ```compile_fail,E0599
//! use cuda_std::atomic::SearchU32;
//! let one = SearchU32::new(1);
//! one.fetch_add(2);
//! ```

mod search;
mod shared;

pub use search::{SearchI64, SearchU32, SearchU64};
pub use shared::{SharedU32, SharedU64};

/// Declares an atomic word, and the methods that both families have because no other thread can be at the
/// word.
macro_rules! word {
    ($(#[$doc:meta])* $Word:ident($Atomic:ident) = $Value:ident) => {
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Debug, Default)]
        pub struct $Word($Atomic);

        impl $Word {
            /// A word with this value.
            #[inline(always)]
            pub const fn new(value: $Value) -> Self {
                $Word($Atomic::new(value))
            }

            /// The word at an address.
            ///
            /// # Safety
            /// `address` is aligned, and valid for reads and writes as long as the reference is used. While
            /// several threads may change the word, all of them do so through this type.
            #[inline(always)]
            pub const unsafe fn from_ptr<'a>(address: *mut $Value) -> &'a Self {
                // SAFETY: the caller's contract; the type is `repr(transparent)`, and an atomic has the
                // layout of its value.
                unsafe { &*address.cast::<Self>() }
            }

            /// The value of a word that is not shared any more.
            #[inline(always)]
            pub const fn into_inner(self) -> $Value {
                self.0.into_inner()
            }

            /// The value of a word that is not shared at the moment, to read or to change.
            #[inline(always)]
            pub fn get_mut(&mut self) -> &mut $Value {
                self.0.get_mut()
            }
        }
    };
}
use word;
