//! The `yasmin` command: the one place that prints failures and ends the process.

use std::io::Write;

use cli::{memory, Ending};

mod cli;

#[global_allocator]
static MEMORY: memory::Watched = memory::Watched;

fn main() {
    memory::begin(conclude);
    conclude(cli::run(std::env::args_os()))
}

/// Prints a failure and ends the process.
fn conclude(ending: Ending) -> ! {
    let code = match ending {
        Ending::Help(text) => {
            // A reader that has gone away has read enough.
            let _ = std::io::stdout().write_all(text.as_bytes());
            0
        }
        Ending::Usage(text) => {
            eprint!("yasmin: {text}");
            cli::exit::ERROR
        }
        Ending::Done { code, error, leaves_worker } => {
            if let Some(error) = error {
                eprintln!("yasmin: error: {error}");
            }
            if leaves_worker {
                end_at_once(code)
            }
            code
        }
    };
    std::process::exit(code)
}

/// Ends the process under a worker that did not notice that the run was interrupted, without what libraries do at its end: a GPU's driver
/// would free what the worker uses. (All output is flushed where it is written.)
fn end_at_once(code: i32) -> ! {
    // SAFETY: it ends the process, whatever state that is in.
    unsafe { nix::libc::_exit(code) }
}
