//! The kernel's thread that is running on this thread of the operating system: its place, its barriers, its
//! warp operations.
//!
//! Invariant: outside a launch, the current thread is the only one of its grid. So tests can call kernels'
//! functions without a launch.

use super::detector::Detector;
use super::error::Fault;
use super::evaluate::{evaluate, lanes_of};
use super::guarded::Arrays;
use super::places::{is_left_out, Part};
use super::request::{Reply, Request, Suspender};
use crate::operation::{Access, Barrier, Scope, WarpOp};
use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::sync::atomic::AtomicU8;

/// A thread's place in its grid, and the thread's memory.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// The thread's number in the grid.
    pub rank: u32,
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
    rank: 0,
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
    /// Whether a launch is running whose accesses are checked.
    static CHECKS: Cell<bool> = const { Cell::new(false) };
    /// The detector of the launch that is running, or of the last one.
    static DETECTOR: RefCell<Option<Detector>> = const { RefCell::new(None) };
    /// Counts down to the next atomic access before which other threads may run.
    static UNTIL_YIELD: Cell<u32> = const { Cell::new(0) };
    /// The address and the place of the last plain read, and how many such reads there were in a row.
    static SAME_READS: Cell<(usize, usize, u32)> = const { Cell::new((0, 0, 0)) };
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
    CHECKS.set(false);
}

/// Lets `make` make a detector for a launch, from the detector of the launch before.
pub(crate) fn check(make: impl FnOnce(Option<Detector>) -> Detector) {
    CHECKS.set(true);
    DETECTOR.with_borrow_mut(|detector| *detector = Some(make(detector.take())));
}

/// What `does` gives for the launch's detector; `None` if the launch is not checked.
pub(crate) fn with_detector<T>(does: impl FnOnce(&mut Detector) -> T) -> Option<T> {
    if !CHECKS.get() {
        return None;
    }
    DETECTOR.with_borrow_mut(|detector| detector.as_mut().map(does))
}

/// How many atomic accesses a thread makes, on average, until other threads run. A prime, so that no loop keeps in
/// step.
const ATOMICS_A_TURN: u32 = 7;

/// A thread that reads one word plainly at one place so often in a row waits for somebody to write it. Then other
/// threads run before every sixteenth such read.
const SPIN: u32 = 1000;

/// Whether other threads have to run before this plain read, which looks like a wait.
fn is_waiting(address: usize, at: &'static Location<'static>) -> bool {
    let (last, place, times) = SAME_READS.get();
    let at = std::ptr::from_ref(at) as usize;
    let times = if (last, place) == (address, at) { times.saturating_add(1) } else { 0 };
    SAME_READS.set((address, at, times));
    times >= SPIN && times.is_multiple_of(16)
}

/// The running thread accesses the element at an address.
#[inline(always)]
#[track_caller]
pub(crate) fn access<T>(element: *const T, how: Access) {
    if CHECKS.get() {
        checked((element as usize, size_of::<T>(), align_of::<T>()), how, Location::caller());
    }
}

#[cold]
#[inline(never)]
fn checked(memory: (usize, usize, usize), how: Access, at: &'static Location<'static>) {
    let plain = match how {
        Access::Read | Access::Write => None,
        Access::Load | Access::LoadInBlock | Access::LoadAcquire => Some(Access::Read),
        _ => Some(Access::Write),
    };
    let how = plain.filter(|_| is_left_out(Part::Atomic, at)).unwrap_or(how);
    if plain.is_some() {
        let left = UNTIL_YIELD.get();
        UNTIL_YIELD.set(left.checked_sub(1).unwrap_or(ATOMICS_A_TURN - 1));
        if left == 0 && !PLACE.get().suspender.is_null() {
            suspend(Request::Turn { at });
        }
    }
    if how == Access::Read && is_waiting(memory.0, at) && !PLACE.get().suspender.is_null() {
        suspend(Request::Turn { at });
    }
    let rank = PLACE.get().rank;
    if let Some(Err(what)) = with_detector(|detector| detector.access(rank, memory, how, at)) {
        fail(what);
    }
}

/// Ends the launch with an error of the running thread. Outside a launch, panics.
#[cold]
#[track_caller]
pub(crate) fn fail(what: String) -> ! {
    match PLACE.get().suspender.is_null() {
        true => panic!("{what}"),
        // The panic hook has nothing to say: the error says all.
        false => std::panic::resume_unwind(Box::new(Fault(what))),
    }
}

/// Refuses index `i` of `len` elements.
#[inline(always)]
#[track_caller]
pub(crate) fn bound(i: usize, len: usize, of: &str) {
    if i >= len {
        fail(format!("index {i} of {len}{of}, at {}", Location::caller()));
    }
}

/// A fence of the running thread.
#[inline(always)]
#[track_caller]
pub(crate) fn fence(scope: Scope) {
    let at = Location::caller();
    if !CHECKS.get() || is_left_out(Part::Fence, at) {
        return;
    }
    let rank = PLACE.get().rank;
    with_detector(|detector| detector.fence(rank, scope));
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
    let (place, site, at) = (PLACE.get(), std::ptr::from_ref(site) as usize, Location::caller());
    if place.arrays.is_null() {
        return ARRAYS.with(|arrays| arrays.get(site, bytes, at));
    }
    // SAFETY: the arrays belong to the running thread's block, which outlives it.
    let array = unsafe { &*place.arrays }.get(site, bytes, at);
    with_detector(|detector| detector.share(place.block, array as usize, bytes, Some(at)));
    array
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
        return if matches!(kind, Barrier::Plain | Barrier::After) { 0 } else { (predicate != 0) as u32 };
    }
    let at = Location::caller();
    let part = if kind == Barrier::After { Part::BarrierAfter } else { Part::Barrier };
    let orders = !is_left_out(part, at);
    if !orders && matches!(kind, Barrier::Plain | Barrier::After) {
        return 0;
    }
    suspend(Request::Barrier { kind, predicate: predicate != 0, orders, at }).0 as u32
}

/// Lets other threads run.
#[inline(always)]
#[track_caller]
pub(crate) fn sleep() {
    if !PLACE.get().suspender.is_null() {
        suspend(Request::Sleep { at: Location::caller() });
    }
}

#[inline(always)]
#[track_caller]
pub(crate) fn warp(op: WarpOp, mask: u32, value: u64) -> Reply {
    let suspender = PLACE.get().suspender;
    if suspender.is_null() {
        return evaluate(op, 1, 0, &|_| value);
    }
    let at = Location::caller();
    if op == WarpOp::Sync && is_left_out(Part::Warp, at) {
        return (0, true);
    }
    suspend(Request::Warp { op, mask, value, at })
}

/// Lets other threads run until the request is answered.
fn suspend(request: Request) -> Reply {
    let place = PLACE.get();
    // SAFETY: the suspender belongs to the running coroutine, which put it here when it began.
    let reply = unsafe { &*place.suspender }.suspend(request);
    PLACE.set(place);
    reply
}
