//! An heir of a process that ends: it keeps the files that take long to close, so that whoever waits for the
//! process need not wait for them.
//!
//! Main function: [`inherits`]. The driver gives a GPU's memory back when its files are closed, which took
//! 0.1 s on an H200. The heir is a process that shares the memory and the files of this one (clone(2)),
//! outlives it, and does nothing.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::io::Write;
use std::time::Duration;

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::SigSet;
use nix::unistd::{getpid, getppid};

/// The files that are looked at have numbers below this one.
const FILES: i32 = 1024;

/// How often the heir looks whether the process has ended.
const LOOKS: Duration = Duration::from_micros(200);

/// The heir's stack, which is no memory that could be lacking at the end.
#[repr(align(16))]
struct Stack(UnsafeCell<[u8; 1 << 14]>);

// SAFETY: the heir alone uses it, and there is one heir at most.
unsafe impl Sync for Stack {}

static STACK: Stack = Stack(UnsafeCell::new([0; 1 << 14]));

/// Whether the process has a file open whose path `is_slow`.
pub fn holds(is_slow: impl Fn(&[u8]) -> bool) -> bool {
    (0..FILES).any(|file| with_path(file, &is_slow) == Some(true))
}

/// Leaves the files whose path `is_slow` to an heir, and closes all others: nobody who reads them waits
/// for the heir. The caller is to end the process at once. Without an heir, which the system may refuse,
/// the end takes longer.
pub fn inherits(is_slow: impl Fn(&[u8]) -> bool) {
    for file in 0..FILES {
        if with_path(file, &is_slow) == Some(false) {
            // SAFETY: no thread of a process that ends has a use for it.
            unsafe { libc::close(file) };
        }
    }
    // No signal is meant for the heir.
    let _ = SigSet::all().thread_block();
    let shared = libc::CLONE_VM | libc::CLONE_FILES | libc::SIGCHLD;
    let parent = getpid().as_raw() as usize as *mut c_void;
    // SAFETY: the stack grows down from its end, and is the heir's alone. The heir shares this thread's local
    // variables of libraries, of which it changes none but `errno`.
    unsafe {
        let top = STACK.0.get().add(1).cast::<c_void>();
        libc::clone(outlive, top, shared, parent);
    }
}

/// What the heir does.
extern "C" fn outlive(parent: *mut c_void) -> libc::c_int {
    while getppid().as_raw() as usize == parent as usize {
        std::thread::sleep(LOOKS);
    }
    0
}

/// What `f` says of the path of an open file. Allocates nothing.
fn with_path<T>(file: i32, f: impl Fn(&[u8]) -> T) -> Option<T> {
    let (mut name, mut path) = ([0u8; 32], [0u8; 256]);
    write!(&mut name[..31], "/proc/self/fd/{file}").ok()?;
    // SAFETY: the name ends in a NUL, and the path has room for as many bytes.
    let read = unsafe { libc::readlink(name.as_ptr().cast(), path.as_mut_ptr().cast(), path.len()) };
    Errno::result(read).ok().map(|bytes| f(&path[..bytes as usize]))
}

#[cfg(test)]
mod tests {
    use std::io::{pipe, Read};
    use std::os::fd::AsRawFd;

    use nix::sys::wait::{waitpid, WaitStatus};
    use nix::unistd::{fork, ForkResult};

    use super::*;

    #[test]
    fn whoever_waits_for_a_process_does_not_wait_for_its_heir() {
        let (mut told, tell) = pipe().expect("a pipe");
        let (mut kept, keep) = pipe().expect("a pipe");
        let slow = with_path(keep.as_raw_fd(), <[u8]>::to_vec).expect("an open file");
        // SAFETY: the child calls nothing that a lock of another thread may guard.
        match unsafe { fork() }.expect("a process") {
            ForkResult::Child => {
                inherits(|path| path == slow);
                // SAFETY: as in `end_at_once`.
                unsafe { libc::_exit(7) }
            }
            ForkResult::Parent { child } => {
                drop((tell, keep));
                assert_eq!(waitpid(child, None), Ok(WaitStatus::Exited(child, 7)));
                let mut bytes = Vec::new();
                assert_eq!(told.read_to_end(&mut bytes).expect("it was closed"), 0);
                // The heir ends, too.
                assert_eq!(kept.read_to_end(&mut bytes).expect("it was closed"), 0);
            }
        }
    }
}
