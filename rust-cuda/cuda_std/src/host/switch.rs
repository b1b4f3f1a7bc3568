//! Running a simulated thread until it waits, on a stack of its own. Main type: [`Thread`].
//!
//! In WebAssembly, `browser.rs` stands for this file.

use super::request::{Reply, Request};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::cell::RefCell;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};

/// The bytes of a thread's stack. Kernels that are built without optimisation keep many copies of their
/// arguments there. A page that nobody writes to takes no memory.
const STACK: usize = 256 * 1024;

thread_local! {
    /// The stacks of threads that have finished. To make a stack takes far longer than to run a small kernel.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// A thread's way to wait: the thread passes a request, and goes on when it gets the answer.
pub(crate) type Suspender = Yielder<Reply, Request>;

/// A simulated thread.
pub(crate) struct Thread(Coroutine<Reply, Request, (), DefaultStack>);

/// What a thread that has made an error panics with: what is wrong.
struct Fault(String);

/// Ends the running thread, which has made an error. The panic hook has nothing to say: the error says all.
pub(crate) fn raise(what: String) -> ! {
    resume_unwind(Box::new(Fault(what)))
}

impl Thread {
    /// A thread that does `body`, and has not begun.
    pub fn new(body: impl FnOnce(&Suspender) + 'static) -> Self {
        let stack = STACKS.with_borrow_mut(Vec::pop);
        let stack =
            stack.unwrap_or_else(|| DefaultStack::new(STACK).expect("memory for a simulated thread's stack"));
        Thread(Coroutine::with_stack(stack, move |suspender: &Suspender, _| body(suspender)))
    }

    /// Answers the thread's request, and lets the thread run until it waits or ends. Returns its next
    /// request, or `None` at its end.
    ///
    /// # Errors
    /// What the thread did wrong. The thread has ended.
    pub fn resume(&mut self, reply: Reply) -> Result<Option<Request>, String> {
        match catch_unwind(AssertUnwindSafe(|| self.0.resume(reply))) {
            Ok(CoroutineResult::Yield(request)) => Ok(Some(request)),
            Ok(CoroutineResult::Return(())) => Ok(None),
            Err(panic) => {
                if let Some(Fault(what)) = panic.downcast_ref() {
                    return Err(what.clone());
                }
                let said = panic.downcast_ref::<String>().map(String::as_str);
                let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
                Err(format!("panicked: {said}"))
            }
        }
    }

    /// Ends the thread if it has not finished, and keeps its stack for the next launch.
    pub fn end(mut self) {
        if self.0.started() && !self.0.done() {
            self.0.force_unwind();
        }
        if self.0.done() {
            STACKS.with_borrow_mut(|stacks| stacks.push(self.0.into_stack()));
        }
    }
}
