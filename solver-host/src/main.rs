//! The `yasmin` command: the one place that prints failures and ends the process.

use std::io::Write;

use cli::Ending;

mod cli;

fn main() {
    let code = match cli::run(std::env::args_os()) {
        Ending::Help(text) => {
            // A reader that has gone away has read enough.
            let _ = std::io::stdout().write_all(text.as_bytes());
            0
        }
        Ending::Usage(text) => {
            eprint!("yasmin: {text}");
            cli::exit::ERROR
        }
        Ending::Done { code, error } => {
            if let Some(error) = error {
                eprintln!("yasmin: error: {error}");
            }
            code
        }
    };
    // Not by returning: a worker that does not notice that the run was interrupted must not keep the process alive.
    std::process::exit(code)
}
