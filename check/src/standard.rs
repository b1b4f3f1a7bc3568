//! Standard input and output, as the process was given them.
//!
//! Main functions: [`check_output`] and [`check_input`]. If one of them was closed, Rust opens `/dev/null` in
//! its place before `main` runs: all output would be lost without a word, and a stream without an end would
//! be an empty one.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether standard input, and standard output, could not be used when the process started.
static IS_MISSING: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];

/// Runs before Rust's own start, as the loader calls what is listed in this section.
#[used]
#[cfg_attr(not(target_vendor = "apple"), link_section = ".init_array")]
#[cfg_attr(target_vendor = "apple", link_section = "__DATA,__mod_init_func")]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    for (at, useless) in [libc::O_WRONLY, libc::O_RDONLY].into_iter().enumerate() {
        // SAFETY: the call only asks for flags, and needs nothing that Rust sets up.
        let flags = unsafe { libc::fcntl(at as i32, libc::F_GETFL) };
        if flags < 0 || flags & libc::O_ACCMODE == useless {
            // Relaxed: no other thread runs yet.
            IS_MISSING[at].store(true, Ordering::Relaxed);
        }
    }
}

/// Fails if standard input was closed.
pub fn check_input() -> Result<(), String> {
    match IS_MISSING[0].load(Ordering::Relaxed) {
        true => Err("standard input is closed: name a file instead of `-`".into()),
        false => Ok(()),
    }
}

/// Fails if standard output was closed.
pub fn check_output() -> Result<(), String> {
    match IS_MISSING[1].load(Ordering::Relaxed) {
        true => Err("standard output is closed: send it to /dev/null if only the exit code is wanted".into()),
        false => Ok(()),
    }
}
