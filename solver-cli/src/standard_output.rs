//! Standard output, as the process was given it.
//!
//! Main type: [`StandardOutput`]. If standard output was closed, Rust opens `/dev/null` in its place before `main` runs,
//! and all output would be lost without a word.

use std::fs::File;
use std::io::{self, Stdout, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::libc;
use nix::poll::{poll, PollFd, PollFlags, PollTimeout};

/// Whether standard output was closed when the process started.
static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Runs before Rust's own start, as the loader calls what is listed in this section.
#[used]
#[cfg_attr(not(target_vendor = "apple"), link_section = ".init_array")]
#[cfg_attr(target_vendor = "apple", link_section = "__DATA,__mod_init_func")]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    // SAFETY: the call only asks for a flag, and needs nothing that Rust sets up.
    if unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } < 0 {
        // Relaxed: no other thread runs yet.
        WAS_CLOSED.store(true, Ordering::Relaxed);
    }
}

/// Fails if standard output is needed and was closed when the process started.
pub fn check_if(is_needed: bool) -> io::Result<()> {
    match is_needed && WAS_CLOSED.load(Ordering::Relaxed) {
        true => Err(io::Error::from_raw_os_error(libc::EBADF)),
        false => Ok(()),
    }
}

/// Whether standard output takes more without making the writer wait. So it does where that cannot be told.
pub fn takes_more() -> bool {
    let output = io::stdout();
    let mut asked = [PollFd::new(output.as_fd(), PollFlags::POLLOUT)];
    !matches!(poll(&mut asked, PollTimeout::ZERO), Ok(0))
}

/// Gives standard output away, as a file. Whatever is printed there from now on goes to standard error.
///
/// # Errors
/// If standard output was closed when the process started, or the system lacks file descriptors.
pub fn give_away() -> io::Result<File> {
    check_if(true)?;
    let given = io::stdout().as_fd().try_clone_to_owned()?;
    nix::unistd::dup2_stdout(io::stderr())?;
    Ok(File::from(given))
}

/// Standard output; writing to it fails if it was closed.
pub struct StandardOutput(Stdout);

impl Default for StandardOutput {
    /// The process's standard output.
    fn default() -> Self {
        StandardOutput(io::stdout())
    }
}

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        check_if(true)?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        check_if(true)?;
        self.0.flush()
    }
}
