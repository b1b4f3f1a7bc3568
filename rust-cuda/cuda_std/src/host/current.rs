//! The kernel's thread that is running on this thread of the operating system: its place, its barriers, its
//! warp operations.
//!
//! Invariant: outside a launch, the current thread is the only one of its grid. So tests can call kernels'
//! functions without a launch.

use super::detector::{Counts, Detector};
use super::evaluate::evaluate;
use super::guarded::{Arrays, MOST_SHARED, MOST_STATIC};
use super::places::{is_left_out, Part};
use super::request::{Reply, Request};
use super::switch::{raise, Suspender};
use crate::operation::{Access, Barrier, Scope, WarpOp};
use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::sync::atomic::{AtomicU64, AtomicU8, Ordering::Relaxed};

/// A thread's place in its grid, and the thread's memory.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// The thread's number in the grid.
    pub rank: u32,
    /// The thread's number in its block.
    pub thread: u32,
    /// The block's number in its grid.
    pub block: u32,
    /// The threads of the block in each dimension.
    pub threads: [u32; 3],
    /// The blocks of the grid in each dimension.
    pub blocks: [u32; 3],
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
    threads: [1; 3],
    blocks: [1; 3],
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
    /// How many accesses and waits the running thread may make before the launch has failed, and what each
    /// may at first.
    static BUDGET: Cell<(u64, u64)> = const { Cell::new((u64::MAX, u64::MAX)) };
    /// Where to write which thread runs, if somebody watches.
    static WATCHED: Cell<Option<&'static AtomicU64>> = const { Cell::new(None) };
    /// The dynamic shared memory of a thread that is alone in its grid; aligned to 16 bytes.
    static SHARED: RefCell<Vec<u128>> = const { RefCell::new(Vec::new()) };
    /// The shared arrays of a thread that is alone in its grid.
    static ARRAYS: Arrays = const { Arrays::new() };
}

/// Makes `place` the current thread's until the next call.
pub(crate) fn enter(place: Place) {
    PLACE.set(place);
    BUDGET.set((BUDGET.get().1, BUDGET.get().1));
    tell(place);
}

/// A word that changes whenever a thread of a launch begins or goes on, in launches by this thread of the
/// operating system. Another one may read it: a loop that neither ends nor accesses memory cannot be ended,
/// but named. The lowest 10 bits are the thread's index, and the next 22 bits its block.
pub fn watched() -> &'static AtomicU64 {
    let word = Box::leak(Box::default());
    WATCHED.set(Some(word));
    word
}

/// Tells who runs now.
fn tell(place: Place) {
    if let Some(word) = WATCHED.get() {
        let times = (word.load(Relaxed) >> 32) + 1;
        let block = u64::from(place.block) & 0x3f_ffff;
        word.store(times << 32 | block << 10 | u64::from(place.thread), Relaxed);
    }
}

/// A launch begins whose threads may make so many accesses and waits each. What follows depends on the launch
/// and its seed alone, and not on what ran before.
pub(crate) fn begin(budget: u64, seed: u64) {
    BUDGET.set((budget, budget));
    UNTIL_YIELD.set((seed % u64::from(ATOMICS_A_TURN)) as u32);
    SAME_READS.set((0, 0, 0));
}

/// The running thread accesses memory or waits, at this place.
fn spend(at: &'static Location<'static>) {
    let (left, all) = BUDGET.get();
    if left == 0 {
        fail(format!("does not come to an end: after {all} accesses and waits the next one is at {at}"));
    }
    BUDGET.set((left - 1, all));
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

/// What the threads of the last checked launch of this thread of the operating system did, or have done until
/// now.
pub fn counts() -> Counts {
    DETECTOR.with_borrow(|detector| detector.as_ref().map(|detector| detector.counts).unwrap_or_default())
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

/// The next accesses of the running thread, at one place, are one instruction of a GPU.
#[inline(always)]
pub(crate) fn together(accesses: u32) {
    if CHECKS.get() {
        let rank = PLACE.get().rank;
        with_detector(|detector| detector.costs.iter_mut().for_each(|costs| costs.together(rank, accesses)));
    }
}

#[cold]
#[inline(never)]
fn checked(memory: (usize, usize, usize), how: Access, at: &'static Location<'static>) {
    let plain = match how {
        Access::Read | Access::Write => None,
        Access::Load | Access::LoadInBlock | Access::LoadAcquire | Access::Refused => Some(Access::Read),
        _ => Some(Access::Write),
    };
    spend(at);
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
        false => raise(what),
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
    with_detector(|detector| detector.fence(rank, scope, at));
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

macro_rules! places {
    ($($name:ident = $place:ident $value:expr;)*) => {$(
        #[inline(always)]
        pub(crate) fn $name() -> u32 {
            let $place = PLACE.get();
            $value
        }
    )*};
}

places! {
    thread_idx_x = place place.thread % place.threads[0];
    thread_idx_y = place place.thread / place.threads[0] % place.threads[1];
    thread_idx_z = place place.thread / (place.threads[0] * place.threads[1]);
    block_idx_x = place place.block % place.blocks[0];
    block_idx_y = place place.block / place.blocks[0] % place.blocks[1];
    block_idx_z = place place.block / (place.blocks[0] * place.blocks[1]);
    block_dim_x = place place.threads[0];
    block_dim_y = place place.threads[1];
    block_dim_z = place place.threads[2];
    grid_dim_x = place place.blocks[0];
    grid_dim_y = place place.blocks[1];
    grid_dim_z = place place.blocks[2];
}

pub(crate) fn shared() -> *mut u8 {
    PLACE.get().shared
}

/// The array of the calling block that belongs to `site`, for the macro
/// [`shared_array!`](crate::shared_array).
#[doc(hidden)]
#[track_caller]
pub fn shared_array(site: &'static AtomicU8, bytes: usize, element: usize) -> *mut u8 {
    let (place, site, at) = (PLACE.get(), std::ptr::from_ref(site) as usize, Location::caller());
    if place.arrays.is_null() {
        return ARRAYS.with(|arrays| arrays.get(site, bytes, element, at));
    }
    // SAFETY: the arrays belong to the running thread's block, which outlives it.
    let arrays = unsafe { &*place.arrays };
    let array = arrays.get(site, bytes, element, at);
    let all = arrays.bytes();
    if all > MOST_STATIC {
        fail(format!(
            "the shared arrays of a block have at most {MOST_STATIC} bytes (48 KiB), not {all}, at {at}"
        ));
    }
    let all =
        with_detector(|detector| detector.share(place.block, array as usize, bytes, Some((at, element))));
    if all.is_some_and(|all| all > MOST_SHARED) {
        fail(format!(
            "a block has at most {MOST_SHARED} bytes of shared memory (227 KiB), not more, at {at}"
        ));
    }
    array
}

/// The mask of the lanes of the calling thread's warp that are here.
#[track_caller]
pub(crate) fn active() -> u32 {
    match PLACE.get().suspender.is_null() {
        true => 1,
        false => suspend(Request::Active { at: Location::caller() }).0 as u32,
    }
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
    with_detector(|detector| detector.counts.barriers += 1);
    spend(at);
    suspend(Request::Barrier { kind, predicate: predicate != 0, orders, at }).0 as u32
}

/// Lets other threads run.
#[inline(always)]
#[track_caller]
pub(crate) fn sleep() {
    if !PLACE.get().suspender.is_null() {
        let at = Location::caller();
        spend(at);
        suspend(Request::Sleep { at });
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
    with_detector(|detector| match op {
        WarpOp::VoteAll | WarpOp::VoteAny | WarpOp::Ballot => detector.counts.votes += 1,
        WarpOp::Sync | WarpOp::MatchAny | WarpOp::Reduce { .. } => {}
        _ => detector.counts.shuffles += 1,
    });
    spend(at);
    suspend(Request::Warp { op, mask, value, at })
}

/// Lets other threads run until the request is answered.
fn suspend(request: Request) -> Reply {
    let (place, budget) = (PLACE.get(), BUDGET.get());
    // SAFETY: the suspender belongs to the running coroutine, which put it here when it began.
    let reply = unsafe { &*place.suspender }.suspend(request);
    PLACE.set(place);
    BUDGET.set(budget);
    tell(place);
    reply
}
