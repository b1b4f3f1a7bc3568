//! The running thread where every launch is of one thread: its place is a constant, and nothing waits.
//!
//! This file stands for `current.rs` in the package `cuda_std_alone`, which the executor `cpu` uses. The
//! compiler then sees that a strided loop is a plain loop and that an atomic operation is a load and a store.

use super::evaluate::evaluate;
use super::guarded::Arrays;
use crate::operation::{Access, Barrier, Scope, WarpOp};
use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::sync::atomic::AtomicU8;

thread_local! {
    /// The dynamic shared memory; aligned to 16 bytes.
    static SHARED: RefCell<Vec<u128>> = const { RefCell::new(Vec::new()) };
    /// The address of the memory in `SHARED`.
    static ADDRESS: Cell<*mut u8> = const { Cell::new(std::ptr::null_mut()) };
    /// The shared arrays.
    static ARRAYS: Arrays = const { Arrays::new() };
}

/// Runs a kernel as the only thread of its grid.
pub(crate) fn alone(shared_bytes: usize, kernel: &dyn Fn()) {
    let shared = SHARED.with_borrow_mut(|memory| {
        let words = shared_bytes.div_ceil(16);
        if memory.len() < words {
            memory.resize(words, 0);
        }
        memory.as_mut_ptr().cast()
    });
    ADDRESS.set(shared);
    kernel();
}

macro_rules! places {
    ($($name:ident)* = $value:literal) => {$(
        #[inline(always)]
        pub(crate) fn $name() -> u32 {
            $value
        }
    )*};
}

places! { thread_idx_x thread_idx_y thread_idx_z block_idx_x block_idx_y block_idx_z = 0 }
places! { block_dim_x block_dim_y block_dim_z grid_dim_x grid_dim_y grid_dim_z = 1 }

pub(crate) fn shared() -> *mut u8 {
    ADDRESS.get()
}

/// The array that belongs to `site`, for the macro [`shared_array!`](crate::shared_array).
#[doc(hidden)]
#[track_caller]
pub fn shared_array(site: &'static AtomicU8, bytes: usize, element: usize) -> *mut u8 {
    ARRAYS.with(|arrays| arrays.get(std::ptr::from_ref(site) as usize, bytes, element, Location::caller()))
}

#[inline(always)]
pub(crate) fn active() -> u32 {
    1
}

#[inline(always)]
pub(crate) fn barrier(kind: Barrier, predicate: u32) -> u32 {
    (!matches!(kind, Barrier::Plain | Barrier::After) && predicate != 0) as u32
}

#[inline(always)]
pub(crate) fn access<T>(_element: *const T, _how: Access) {}

#[inline(always)]
pub(crate) fn together(_accesses: u32) {}

#[inline(always)]
#[track_caller]
pub(crate) fn bound(i: usize, len: usize, of: &str) {
    debug_assert!(i < len, "index {i} of {len}{of}");
}

#[inline(always)]
pub(crate) fn fence(_scope: Scope) {}

#[inline(always)]
pub(crate) fn sleep() {}

#[inline(always)]
pub(crate) fn warp(op: WarpOp, _mask: u32, value: u64) -> (u64, bool) {
    evaluate(op, 1, 0, &|_| value)
}
