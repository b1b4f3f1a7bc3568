//! Running a simulated thread until it waits, in WebAssembly: the instructions there cannot change stacks.
//!
//! This file stands for `switch.rs`. A thread has an area of memory. When the thread waits, the functions
//! under way save their variables in the area and return; when the thread goes on, they are called again and
//! read the variables back. The pass `asyncify` of binaryen's `wasm-opt` adds the code for that, and a script
//! calls it: the page that runs the module provides `resume` and `suspend` (`course/book/run.js`). Nothing
//! unwinds: a thread that makes an error traps, and what it had under way is lost.
//!
//! Invariant: at most one thread runs, and a thread resumes no other one.

use super::request::{Reply, Request};
use std::cell::{Cell, RefCell};
use std::sync::Once;

/// The bytes of a thread's area.
const AREA: usize = 64 * 1024;
/// The part of an area in which functions save their variables. The stack is behind, and grows towards this
/// part.
const SAVED: usize = 16 * 1024;
/// The word before the stack, which a stack that is too small overwrites.
const CANARY: u32 = 0x5afe_c0de;

#[link(wasm_import_module = "simt")]
extern "C" {
    /// Calls [`enter`] with `thread` on the stack in `area`, or goes on with such a call. Returns 0 if the
    /// call has returned, 1 if it waits and 2 if it has trapped.
    ///
    /// An area begins with three words: the address up to which variables are saved, the end of the part for
    /// that, and the top of the stack.
    fn resume(thread: *const u8, area: *mut u32, is_new: bool) -> u32;
    /// Has the running thread wait.
    fn suspend();
}

thread_local! {
    /// What the thread that has trapped did wrong.
    static FAULT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A thread's way to wait: the thread passes a request, and goes on when it gets the answer.
pub(crate) struct Suspender {
    request: Cell<Option<Request>>,
    reply: Cell<Reply>,
}

impl Suspender {
    /// Waits for the answer to `request`.
    pub fn suspend(&self, request: Request) -> Reply {
        self.request.set(Some(request));
        // SAFETY: a thread is running, on its own stack.
        unsafe { suspend() };
        self.reply.get()
    }
}

/// What a thread does.
struct Body {
    does: Cell<Option<Box<dyn FnOnce(&Suspender)>>>,
    suspender: Suspender,
}

/// A simulated thread.
pub(crate) struct Thread {
    body: Box<Body>,
    area: Vec<u32>,
    is_new: bool,
}

/// Ends the running thread, which has made an error.
pub(crate) fn raise(what: String) -> ! {
    FAULT.set(Some(what));
    std::process::abort()
}

/// Does what the thread does.
#[no_mangle]
extern "C" fn enter(thread: &Body) {
    let does = thread.does.take().expect("a thread begins once");
    does(&thread.suspender);
}

impl Thread {
    /// A thread that does `body`, and has not begun.
    pub fn new(body: impl FnOnce(&Suspender) + 'static) -> Self {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                before(info);
                FAULT.set(Some(format!("panicked: {}", info.payload_as_str().unwrap_or("no message"))));
            }));
        });
        // What nobody writes to takes no memory.
        let mut area = Vec::with_capacity(AREA / 4);
        let begin = area.as_ptr() as usize;
        area.extend([begin + 16, begin + SAVED - 16, begin + AREA].map(|address| address as u32));
        // SAFETY: within the capacity.
        unsafe { area.as_mut_ptr().add(SAVED / 4 - 1).write(CANARY) };
        let suspender = Suspender { request: Cell::new(None), reply: Cell::new((0, false)) };
        let body = Box::new(Body { does: Cell::new(Some(Box::new(body))), suspender });
        Thread { body, area, is_new: true }
    }

    /// Answers the thread's request, and lets the thread run until it waits or ends. Returns its next
    /// request, or `None` at its end.
    ///
    /// # Errors
    /// What the thread did wrong. The thread has ended.
    pub fn resume(&mut self, reply: Reply) -> Result<Option<Request>, String> {
        self.body.suspender.reply.set(reply);
        // SAFETY: the thread has neither finished nor trapped, and its body and area stay where they are.
        let how = unsafe { resume((&raw const *self.body).cast(), self.area.as_mut_ptr(), self.is_new) };
        self.is_new = false;
        // SAFETY: written by `new`.
        let canary = unsafe { self.area.as_ptr().add(SAVED / 4 - 1).read() };
        assert_eq!(canary, CANARY, "a simulated thread needs more than {} bytes of stack", AREA - SAVED);
        match how {
            0 => Ok(None),
            1 => Ok(self.body.suspender.request.take()),
            _ => Err(FAULT.take().unwrap_or_else(|| "trapped".into())),
        }
    }

    /// Forgets the thread.
    pub fn end(self) {}
}
