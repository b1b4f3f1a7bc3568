//! What happens when the host has no memory left: the run ends in order, with its documents closed.
//!
//! Main functions: [`begin`], [`on_exhaustion`] and the allocator [`Watched`]. A thread whose allocation the
//! system refuses does not get an answer: the thread ends the run from within the allocator. Memory for that
//! was held back from the start.
//!
//! Without [`begin`] the process belongs to somebody else, and the allocator refuses as the system does.
//!
//! Invariant: the allocator does not unwind, and after [`begin`] it never returns null.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Write as _;
use std::io;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use nix::libc;

use super::{exit, Ending};

/// What ending a run takes that has not begun to read.
const TO_BEGIN: usize = 128 << 10;
/// What ending a run takes: an error's text, the end of a document, a line of progress.
const TO_END: usize = 1 << 20;
/// What a thread takes to start: its stack of two MiB, and what lies beside the stack.
const THREAD: usize = (2 << 20) + (256 << 10);

/// Allocations from this size on go back to the system as soon as they are freed. (Unless it is told so, the
/// C library keeps ever larger ones.)
#[cfg(target_env = "gnu")]
const LARGE: i32 = 256 << 10;

/// Prints how a run ended, and ends the process.
type Conclude = fn(Ending) -> !;
/// Closes the documents of a run that failed for that reason.
type Close = Box<dyn Fn(String) -> Ending + Send + Sync>;

static CONCLUDE: OnceLock<Conclude> = OnceLock::new();
static CLOSE: OnceLock<Close> = OnceLock::new();
/// What is held back: its address, or null, and its size.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(null_mut());
static RESERVED: AtomicUsize = AtomicUsize::new(0);
/// The size of the allocation that was refused first, plus 1, or 0.
static REFUSED: AtomicUsize = AtomicUsize::new(0);
/// Whether some thread ends the run.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// How many reasons this thread has to go on, with what was held back.
    static GOES_ON: Cell<u32> = const { Cell::new(0) };
}

/// Prepares the process, before anything else is done. `conclude` prints how a run ended and ends the
/// process.
pub fn begin(conclude: Conclude) {
    // SAFETY: the calls set numbers of the C library, before any other thread runs.
    #[cfg(target_env = "gnu")]
    unsafe {
        if has_few_addresses() {
            // One heap for all threads, which wait for each other: each further heap reserves 64 MiB of
            // addresses.
            libc::mallopt(libc::M_ARENA_MAX, 1);
        }
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
    }
    let _ = CONCLUDE.set(conclude);
    set_reserve(TO_BEGIN);
}

/// Whether the process may have so many addresses and no more (`ulimit -v`).
#[cfg(target_env = "gnu")]
fn has_few_addresses() -> bool {
    use nix::sys::resource::{getrlimit, Resource, RLIM_INFINITY};
    getrlimit(Resource::RLIMIT_AS).is_ok_and(|(most, _)| most != RLIM_INFINITY)
}

/// Says how documents are closed when there is no memory left. The last words of a run that has not said so
/// are one line on standard error.
pub fn on_exhaustion(close: impl Fn(String) -> Ending + Send + Sync + 'static) {
    let _ = CLOSE.set(Box::new(close));
}

/// Holds memory back for the end of the run, and `more` bytes for what a thread does that goes on after
/// memory ran out.
///
/// If there is not so much, the run ends, with what was held back before.
pub fn hold_back(more: usize) {
    set_reserve(TO_END.saturating_add(more));
}

fn set_reserve(bytes: usize) {
    let reserve = map(bytes);
    if reserve.is_null() {
        note_refused(bytes);
        end()
    }
    let_go();
    RESERVED.store(bytes, Ordering::Relaxed);
    RESERVE.store(reserve, Ordering::Release);
}

/// Gives back what was held back.
fn let_go() {
    let reserve = RESERVE.swap(null_mut(), Ordering::AcqRel);
    if !reserve.is_null() {
        // SAFETY: mapped with this size, and whoever takes the address out unmaps it.
        unsafe { unmap(reserve, RESERVED.load(Ordering::Relaxed)) }
    }
}

/// Calls `start`, which starts a thread, if there is room for one: a thread that finds no room when it begins
/// would end the process.
///
/// # Errors
/// If there is no room, or `start` fails.
pub fn with_room_for_thread<R>(start: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
    let room = map(THREAD);
    if room.is_null() {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    // SAFETY: just mapped with this size.
    unsafe { unmap(room, THREAD) }
    start()
}

/// New memory, or null. The system's allocator would keep what it gets back, and adapt to it.
fn map(bytes: usize) -> *mut u8 {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping touches no other memory.
    match unsafe { libc::mmap(null_mut(), bytes, access, kind, -1, 0) } {
        libc::MAP_FAILED => null_mut(),
        address => address.cast(),
    }
}

/// Gives back what [`map`] returned.
///
/// # Safety
/// The memory was mapped with that size, and nobody uses it any more.
unsafe fn unmap(address: *mut u8, bytes: usize) {
    // SAFETY: the caller promises it.
    unsafe { libc::munmap(address.cast(), bytes) };
}

/// While this lives, its thread goes on without memory, with what was held back: the thread has something
/// half done that ending a run needs.
#[cfg(feature = "command")]
pub(crate) struct GoesOn(());

#[cfg(feature = "command")]
impl GoesOn {
    /// From now on.
    pub fn new() -> GoesOn {
        GOES_ON.set(GOES_ON.get() + 1);
        GoesOn(())
    }
}

#[cfg(feature = "command")]
impl Drop for GoesOn {
    /// Ends the run if what was held back had to be used.
    fn drop(&mut self) {
        GOES_ON.set(GOES_ON.get() - 1);
        if GOES_ON.get() == 0 && REFUSED.load(Ordering::Relaxed) > 0 {
            end()
        }
    }
}

/// The system's allocator, for a process that ends in order when there is no memory left.
pub struct Watched;

// SAFETY: all memory comes from the system's allocator and goes back there with the layout that it came with.
// Nothing here unwinds: a refused allocation is tried again or fails, or the thread never returns.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the same.
        or_end(layout.size(), || unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        or_end(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above. If the system refuses, the old memory stays as it is.
        or_end(size, || unsafe { System.realloc(address, layout, size) })
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(address, layout) }
    }
}

/// What `allocate` returns, unless the system refuses.
#[inline(always)]
fn or_end(bytes: usize, allocate: impl Fn() -> *mut u8) -> *mut u8 {
    let address = allocate();
    match address.is_null() {
        false => address,
        true => exhausted(bytes, &allocate),
    }
}

/// Ends the run, or, if this thread must go on for a while, allocates from what was held back.
#[cold]
#[inline(never)]
fn exhausted(bytes: usize, allocate: &dyn Fn() -> *mut u8) -> *mut u8 {
    if CONCLUDE.get().is_none() {
        return null_mut();
    }
    note_refused(bytes);
    if GOES_ON.get() > 0 {
        let address = allocate();
        if !address.is_null() {
            return address;
        }
        // What was held back is spent. A document that is being written stays open.
        die();
    }
    end()
}

/// Notes that the system refused memory, and gives back what was held back.
fn note_refused(bytes: usize) {
    let _ = REFUSED.compare_exchange(0, bytes.saturating_add(1), Ordering::AcqRel, Ordering::Relaxed);
    let_go();
}

/// Ends the run: one thread closes the documents, and any other waits for the end.
fn end() -> ! {
    if IS_ENDING.swap(true, Ordering::AcqRel) {
        loop {
            thread::sleep(Duration::from_secs(1));
        }
    }
    GOES_ON.set(GOES_ON.get() + 1);
    let (Some(conclude), Some(close)) = (CONCLUDE.get(), CLOSE.get()) else { die() };
    let ending = close(told(REFUSED.load(Ordering::Acquire).saturating_sub(1)));
    conclude(ending)
}

/// Ends the process with one line and no document.
pub fn die() -> ! {
    const LINE: &[u8] = b"yasmin: error: out of memory on the host\n";
    // SAFETY: the bytes are there, and the process ends, whatever state it is in.
    unsafe {
        libc::write(2, LINE.as_ptr().cast(), LINE.len());
        libc::_exit(exit::MEMORY)
    }
}

/// Ends the process as [`die`] does in so many seconds, unless 0 is said before. It takes the alarm clock of
/// the process.
pub fn die_in(seconds: u32) {
    extern "C" fn dies(_: libc::c_int) {
        die()
    }
    // SAFETY: the handler does what handlers may do, and nothing that it interrupts goes on.
    unsafe {
        libc::signal(libc::SIGALRM, dies as *const () as libc::sighandler_t);
        libc::alarm(seconds);
    }
}

/// The reason, as the device `cpu` words it.
fn told(bytes: usize) -> String {
    let mut text = String::from("out of memory on the host");
    if bytes > 0 {
        let _ = write!(text, ": {bytes} more bytes wanted");
    }
    text
}
