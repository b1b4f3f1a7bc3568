//! What a process says of its end, and how it ends: the one place that prints failures.
//!
//! Main function: [`say`].

#[cfg(target_os = "linux")]
mod heir;

use std::io::{self, Write};

use solver_host::text::to_bytes;

use super::standard_output::{self, StandardOutput};
use super::{exit, Ending};

/// Says how a run of a program has ended. Returns the exit code.
pub fn say(program: &str, ending: Ending) -> i32 {
    match ending {
        Ending::Help(text) => match print(&text) {
            Ok(()) => 0,
            Err(error) => {
                complain(program, &format!("error: cannot write to standard output: {error}\n"));
                exit::ERROR
            }
        },
        Ending::Usage { text, document } => {
            let _ = io::stdout().write_all(document.as_bytes());
            complain(program, &text);
            exit::ERROR
        }
        Ending::Done { code, error, .. } => {
            if let Some(error) = error {
                complain(program, &format!("error: {error}\n"));
            }
            code
        }
    }
}

/// Prints on standard output. A reader that has gone away has read enough.
fn print(text: &str) -> io::Result<()> {
    let mut to = StandardOutput::default();
    standard_output::told(to.write_all(&to_bytes(text)).and_then(|()| to.flush()))
}

/// Prints on standard error, which may be closed.
pub fn complain(program: &str, text: &str) {
    let _ = io::stderr().write_all(&to_bytes(&format!("{program}: {text}")));
}

/// Prints a line to standard error that is no failure: all at once, as other processes may print there, too.
pub fn tell(line: &str) {
    // A reader that has gone away misses nothing that counts.
    let _ = io::stderr().write_all(&to_bytes(&format!("{line}\n")));
}

/// Ends the process at once, without what libraries do at its end. (All output is flushed where it is written.)
/// A GPU is given back after the end.
pub fn end_at_once(code: i32) -> ! {
    #[cfg(target_os = "linux")]
    if holds_gpu() {
        heir::inherits(is_gpu);
    }
    // SAFETY: it ends the process, whatever state that is in.
    unsafe { nix::libc::_exit(code) }
}

/// Whether the process has a GPU open.
pub fn holds_gpu() -> bool {
    #[cfg(target_os = "linux")]
    return solver_host::device::has_loaded_driver() && heir::holds(is_gpu);
    #[cfg(not(target_os = "linux"))]
    false
}

/// Whether this is the path of a file of the driver.
#[cfg(target_os = "linux")]
fn is_gpu(path: &[u8]) -> bool {
    path.starts_with(b"/dev/nvidia")
}
