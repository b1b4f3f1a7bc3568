//! The `yasmin` command.

use yasmin_cli::last_words::{end_at_once, say, tell};
use yasmin_cli::{memory, run, Ending};

#[global_allocator]
static MEMORY: memory::Watched = memory::Watched;

fn main() {
    memory::begin(conclude);
    conclude(run(std::env::args_os(), tell))
}

/// Says how the run has ended and ends the process.
fn conclude(ending: Ending) -> ! {
    end_at_once(say("yasmin", ending))
}
