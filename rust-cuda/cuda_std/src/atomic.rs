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
mod word;

pub use search::{SearchI64, SearchU32, SearchU64};
pub use shared::{SharedU32, SharedU64};
