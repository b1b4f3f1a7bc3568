//! What the simulation finds wrong with a kernel.

use std::fmt;

/// A kernel did what is undefined on a GPU, or panicked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimtError {
    /// The kernel's name.
    pub kernel: &'static str,
    /// Block of the thread that is to blame, or that was waiting.
    pub block: u32,
    /// The thread's index in its block.
    pub thread: u32,
    /// What is wrong, and where.
    pub what: String,
}

impl fmt::Display for SimtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}, block {}, thread {}: {}", self.kernel, self.block, self.thread, self.what)
    }
}

impl std::error::Error for SimtError {}
