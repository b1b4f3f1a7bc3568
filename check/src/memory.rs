//! What happens when the system has no memory left: the command ends with one line, and with a code of its
//! own.
//!
//! Main type: [`Watched`], the allocator. A step may be as long as the file that has it, and all that it
//! adds, so that there is no one place where memory ends. Invariant: the allocator does not unwind, and it
//! never returns null.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::halves;

/// The exit code, as that of `yasmin`.
const CODE: i32 = 33;
/// What a thread takes to start: its stack of 2 MiB, and what lies beside the stack.
const THREAD: usize = (2 << 20) + (256 << 10);

/// Whether a document is printed.
static IS_JSON: AtomicBool = AtomicBool::new(false);
/// Whether some thread ends the command.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread ends the command.
    static ENDS: Cell<bool> = const { Cell::new(false) };
}

/// Says whether the end is told in a document, too.
pub fn print_json(is_json: bool) {
    IS_JSON.store(is_json, Ordering::Relaxed);
}

/// Ends the command unless there is room for another thread, which would end the process in its own way if it
/// found none.
pub fn want_thread() {
    drop(black_box(Vec::<u8>::with_capacity(THREAD)));
}

/// The system's allocator, for a process that ends in order when there is no memory left.
pub struct Watched;

// SAFETY: all memory comes from the system's allocator and goes back there with the layout that it came with.
// Nothing here unwinds: if an allocation is refused, the thread never returns.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the same.
        or_end(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        or_end(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        or_end(unsafe { System.realloc(address, layout, size) })
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(address, layout) }
    }
}

#[inline(always)]
fn or_end(address: *mut u8) -> *mut u8 {
    match address.is_null() {
        false => address,
        true => end(),
    }
}

/// Ends the command without memory. One thread does so, and any other waits for that.
#[cold]
#[inline(never)]
pub fn end() -> ! {
    if IS_ENDING.swap(true, Ordering::AcqRel) && !ENDS.get() {
        loop {
            thread::sleep(Duration::from_secs(1));
        }
    }
    if !ENDS.replace(true) {
        // Another thread may have standard output locked.
        if IS_JSON.load(Ordering::Relaxed) {
            let document = "{\"Verdict\":\"error\",\"Reason\":\"out of memory\"}\n";
            // SAFETY: the bytes are there.
            unsafe { libc::write(libc::STDOUT_FILENO, document.as_ptr().cast(), document.len()) };
        }
        let line = b"yasmin-check: out of memory: the check needs more than this process may have\n";
        let _ = std::io::stderr().write_all(line);
        halves::remove_halves();
    }
    // SAFETY: the process ends, whatever state it is in.
    unsafe { libc::_exit(CODE) }
}
