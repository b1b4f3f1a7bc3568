//! The `yasmin` command.

use yasmin_cli::last_words::{end_at_once, holds_gpu, say, tell};
use yasmin_cli::{memory, run, Ending};

#[global_allocator]
static MEMORY: memory::Watched = memory::Watched;

fn main() {
    memory::begin(conclude);
    conclude(run(std::env::args_os(), tell))
}

/// Says how the run has ended and ends the process.
fn conclude(ending: Ending) -> ! {
    let leaves_worker = matches!(ending, Ending::Done { leaves_worker: true, .. });
    let code = say("yasmin", ending);
    if leaves_worker || holds_gpu() {
        // The worker may have a GPU compile a kernel, and the driver would free what that uses.
        end_at_once(code)
    }
    std::process::exit(code)
}
