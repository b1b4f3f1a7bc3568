//! The errors that [`simt`](super::simt()) finds in a kernel. Main type: [`SimtError`].

use std::fmt;

/// A thread of a kernel did something that is undefined on a GPU, or panicked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimtError {
    /// The kernel's name.
    pub kernel: &'static str,
    /// The block of the thread that made the error, or that waits for ever.
    pub block: u32,
    /// The thread's index in its block.
    pub thread: u32,
    /// What is wrong, and where in the source.
    pub what: String,
}

impl fmt::Display for SimtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}, block {}, thread {}: {}", self.kernel, self.block, self.thread, self.what)
    }
}

impl std::error::Error for SimtError {}
