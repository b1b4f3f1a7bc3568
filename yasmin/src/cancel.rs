//! Ending a search from another thread: [`Cancel`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// Ends searches from another thread. All clones are one.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A handle that has not been used.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Ends the searches of all questions that have this handle, now and later, within some milliseconds.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Lets searches go on again.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether searches have to end.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
