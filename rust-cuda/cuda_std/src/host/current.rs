//! The kernel's thread that is running on this thread of the operating system: its place, its barriers, its
//! warp operations.
//!
//! Invariant: outside a launch, the current thread is the only one of its grid. So tests can call kernels'
//! functions without a launch.

use super::evaluate::{evaluate, lanes_of};
use super::guarded::Arrays;
use super::request::{Reply, Request, Suspender};
use crate::operation::{Barrier, WarpOp};
use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::sync::atomic::AtomicU8;

/// A thread's place in its grid, and the thread's memory.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// The thread's index in its block.
    pub thread: u32,
    /// The block's index in its grid.
    pub block: u32,
    /// The number of threads in the block.
    pub threads: u32,
    /// The number of blocks in the grid.
    pub blocks: u32,
    /// The block's dynamic shared memory.
    pub shared: *mut u8,
    /// The block's shared arrays. Null if the thread is alone in its grid: then [`ARRAYS`] holds them.
    pub arrays: *const Arrays,
    /// The thread's way to wait. Null if the thread is alone in its grid.
    pub suspender: *const Suspender,
}

/// The place of a thread that is alone in its grid.
const ALONE: Place = Place {
    thread: 0,
    block: 0,
    threads: 1,
    blocks: 1,
    shared: std::ptr::null_mut(),
    arrays: std::ptr::null(),
    suspender: std::ptr::null(),
};

thread_local! {
    /// The place of the thread that is running.
    static PLACE: Cell<Place> = const { Cell::new(ALONE) };
    /// The dynamic shared memory of a thread that is alone in its grid; aligned to 16 bytes.
    static SHARED: RefCell<Vec<u128>> = const { RefCell::new(Vec::new()) };
    /// The shared arrays of a thread that is alone in its grid.
    static ARRAYS: Arrays = const { Arrays::new() };
}

/// Makes `place` the current thread's until the next call.
pub(crate) fn enter(place: Place) {
    PLACE.set(place);
}

/// Says that no launch is running.
pub(crate) fn leave() {
    PLACE.set(ALONE);
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
    enter(Place { shared, ..ALONE });
    kernel();
}

#[inline(always)]
pub(crate) fn thread_idx_x() -> u32 {
    PLACE.get().thread
}

#[inline(always)]
pub(crate) fn block_idx_x() -> u32 {
    PLACE.get().block
}

#[inline(always)]
pub(crate) fn block_dim_x() -> u32 {
    PLACE.get().threads
}

#[inline(always)]
pub(crate) fn grid_dim_x() -> u32 {
    PLACE.get().blocks
}

pub(crate) fn shared() -> *mut u8 {
    PLACE.get().shared
}

/// The array of the calling block that belongs to `site`, for the macro
/// [`shared_array!`](crate::shared_array).
#[doc(hidden)]
#[track_caller]
pub fn shared_array(site: &'static AtomicU8, bytes: usize) -> *mut u8 {
    let (arrays, site, at) = (PLACE.get().arrays, std::ptr::from_ref(site) as usize, Location::caller());
    if arrays.is_null() {
        return ARRAYS.with(|arrays| arrays.get(site, bytes, at));
    }
    // SAFETY: the arrays belong to the running thread's block, which outlives it.
    unsafe { &*arrays }.get(site, bytes, at)
}

/// The mask of the lanes that the calling thread's warp has.
pub(crate) fn lanes() -> u32 {
    let place = PLACE.get();
    lanes_of(place.threads, place.thread / 32)
}

#[inline(always)]
#[track_caller]
pub(crate) fn barrier(kind: Barrier, predicate: u32) -> u32 {
    let suspender = PLACE.get().suspender;
    if suspender.is_null() {
        return if kind == Barrier::Plain { 0 } else { (predicate != 0) as u32 };
    }
    suspend(Request::Barrier { kind, predicate: predicate != 0, at: Location::caller() }).0 as u32
}

/// Lets other threads run.
pub(crate) fn sleep() {
    if !PLACE.get().suspender.is_null() {
        suspend(Request::Sleep);
    }
}

#[inline(always)]
#[track_caller]
pub(crate) fn warp(op: WarpOp, mask: u32, value: u64) -> Reply {
    let suspender = PLACE.get().suspender;
    if suspender.is_null() {
        return evaluate(op, 1, 0, &|_| value);
    }
    suspend(Request::Warp { op, mask, value, at: Location::caller() })
}

/// Lets other threads run until the request is answered.
fn suspend(request: Request) -> Reply {
    let place = PLACE.get();
    // SAFETY: the suspender belongs to the running coroutine, which put it here when it began.
    let reply = unsafe { &*place.suspender }.suspend(request);
    PLACE.set(place);
    reply
}
