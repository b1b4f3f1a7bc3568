//! Standard output, as the process was given it, and whether there was a standard input.
//!
//! Main type: [`StandardOutput`]. In place of what was closed Rust opens `/dev/null` before `main` runs. All output would
//! be lost without a word, and the input would be an empty program.

use std::fs::File;
use std::io::{self, ErrorKind, Stdout, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::libc;
use nix::poll::{poll, PollFd, PollFlags, PollTimeout};

/// Whether standard input and standard output were closed when the process started.
static WERE_CLOSED: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

/// Runs before Rust's own start, as the loader calls what is listed in this section.
#[used]
#[cfg_attr(not(target_vendor = "apple"), link_section = ".init_array")]
#[cfg_attr(target_vendor = "apple", link_section = "__DATA,__mod_init_func")]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    for (number, was_closed) in (libc::STDIN_FILENO..).zip(&WERE_CLOSED) {
        // SAFETY: the call only asks for a flag, and needs nothing that Rust sets up.
        let is_closed = unsafe { libc::fcntl(number, libc::F_GETFD) } < 0;
        // Relaxed: no other thread runs yet.
        was_closed.store(is_closed, Ordering::Relaxed);
    }
}

/// Fails if standard input is needed and was closed when the process started.
///
/// # Errors
/// A sentence that says what to do.
pub fn check_input_if(is_needed: bool) -> Result<(), &'static str> {
    match is_needed && WERE_CLOSED[0].load(Ordering::Relaxed) {
        true => Err("standard input is closed, and the program was to come from there: name a file"),
        false => Ok(()),
    }
}

/// Fails if standard output is needed and was closed when the process started.
pub fn check_if(is_needed: bool) -> io::Result<()> {
    match is_needed && WERE_CLOSED[1].load(Ordering::Relaxed) {
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

/// What has become of printing. A reader that has gone away, as `head` does, has what it wanted.
///
/// # Errors
/// Any other failure to write.
pub fn told(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(gone) if gone.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
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
