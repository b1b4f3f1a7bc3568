//! Files that are half written when the command ends: nobody wants half of a proof.
//!
//! Invariant: [`remove_halves`] needs no memory, as the command calls it when there is none.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Files that are removed unless they are kept.
pub struct Halves(Vec<PathBuf>);

/// All of them.
static HALVES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

impl Halves {
    /// Notes the files that are about to be written.
    pub fn new(paths: Vec<PathBuf>) -> Halves {
        lock().extend(paths.iter().cloned());
        Halves(paths)
    }

    /// Keeps the files, which are whole.
    pub fn keep(mut self) {
        let kept = std::mem::take(&mut self.0);
        lock().retain(|path| !kept.contains(path));
    }
}

impl Drop for Halves {
    fn drop(&mut self) {
        self.0.iter().for_each(|path| remove(path));
    }
}

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    HALVES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes a file, but no device. What is no file any more need not be removed.
fn remove(path: &Path) {
    if path.is_file() {
        let _ = std::fs::remove_file(path);
    }
}

/// Removes all files that would be removed later, without memory.
pub fn remove_halves() {
    // The thread that ends the command may be the one that has locked them, to add one that is not there yet.
    if let Ok(halves) = HALVES.try_lock() {
        halves.iter().for_each(|path| remove(path));
    }
}
