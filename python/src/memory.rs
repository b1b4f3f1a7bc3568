//! What happens when the host has no memory left: Python's `MemoryError` where that can be said, and an end
//! in order for a command.
//!
//! Main function: [`end_in_order`]. The Rust library cannot take back an allocation that fails deep inside of
//! it. A process that has not called the function is aborted then, as Rust does it.

use pyo3::prelude::*;
use yasmin_cli::memory::{begin, die, die_in, hold_back, on_exhaustion, Watched};

#[global_allocator]
static MEMORY: Watched = Watched;

/// What Python takes to print the end of a document: the state of a thread, and an arena or two for objects.
const TO_PRINT: usize = 4 << 20;
/// How many seconds the end of a run waits for Python's lock.
const PATIENCE: u32 = 10;

/// From now on, a thread that gets no memory calls `end` with the reason, from wherever it is. `end` must not
/// use a control, which may be locked, and ends the process. For a command, to which its process belongs.
#[pyfunction]
pub fn end_in_order(end: Py<PyAny>) {
    begin(|_| die());
    on_exhaustion(move |why| {
        // Whoever has Python's lock may be out of memory as well, and wait for this thread.
        die_in(PATIENCE);
        let _ = Python::attach(|py| {
            die_in(0);
            end.call1(py, (why,))
        });
        // What it raises cannot be told to anybody.
        die()
    });
    hold_back(TO_PRINT);
}
