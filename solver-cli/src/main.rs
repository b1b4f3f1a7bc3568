//! The `yasmin` command: the one place that prints failures and ends the process.

use std::io::{self, ErrorKind, Write};

use solver_host::text::to_bytes;
use yasmin_cli::standard_output::StandardOutput;
use yasmin_cli::{exit, memory, run, Ending};

#[global_allocator]
static MEMORY: memory::Watched = memory::Watched;

fn main() {
    memory::begin(conclude);
    conclude(run(std::env::args_os(), tell))
}

/// Prints a failure and ends the process.
fn conclude(ending: Ending) -> ! {
    let code = match ending {
        Ending::Help(text) => match print(&text) {
            Ok(()) => 0,
            Err(error) => {
                complain(&format!("error: cannot write to standard output: {error}\n"));
                exit::ERROR
            }
        },
        Ending::Usage { text, document } => {
            let _ = std::io::stdout().write_all(document.as_bytes());
            complain(&text);
            exit::ERROR
        }
        Ending::Done { code, error, leaves_worker } => {
            if let Some(error) = error {
                complain(&format!("error: {error}\n"));
            }
            if leaves_worker {
                end_at_once(code)
            }
            code
        }
    };
    std::process::exit(code)
}

/// Prints on standard output. A reader that has gone away has read enough.
fn print(text: &str) -> io::Result<()> {
    let mut to = StandardOutput::default();
    match to.write_all(&to_bytes(text)).and_then(|()| to.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// Prints on standard error, which may be closed.
fn complain(text: &str) {
    let _ = std::io::stderr().write_all(&to_bytes(&format!("yasmin: {text}")));
}

/// Prints a line to standard error that is no failure.
fn tell(line: &str) {
    // A reader that has gone away misses nothing that counts.
    let _ = std::io::stderr().write_all(&to_bytes(&format!("{line}\n")));
}

/// Ends the process under a worker that did not notice that the run was interrupted, without what libraries do at its end: a GPU's driver
/// would free what the worker uses. (All output is flushed where it is written.)
fn end_at_once(code: i32) -> ! {
    // SAFETY: it ends the process, whatever state that is in.
    unsafe { nix::libc::_exit(code) }
}
