//! What can go wrong with memory and launches. Main type: [`Error`].

use cuda_std::host::{Schedule, SimtError};

/// Why memory could not be had, or a kernel did not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The simulated GPU found an error in the kernel.
    #[error("{error}{}{}", describe(.order), page(&.error.what))]
    Simt {
        /// What is wrong, and where.
        error: SimtError,
        /// The number of the repetition in which the error was found, and its order of the threads; `None`
        /// for the order of a launch without repetitions.
        order: Option<(u32, Schedule)>,
    },
    /// The kernel panicked on the processor.
    #[error("kernel {kernel}: {message}")]
    Panicked {
        /// The kernel's name.
        kernel: &'static str,
        /// What the panic said.
        message: String,
    },
    /// There is no GPU to be had, or no PTX for it.
    #[error("no GPU: {0}")]
    NoGpu(String),
    /// The driver refused something, or a kernel failed on the GPU.
    #[error("GPU: {0}")]
    Failed(String),
    /// There is not as much memory.
    #[error("no memory for the {bytes} bytes of {name}")]
    OutOfMemory {
        /// The buffer's name.
        name: &'static str,
        /// The bytes asked for.
        bytes: usize,
    },
    /// No launch has this shape.
    #[error("kernel {kernel}: {what}")]
    Grid {
        /// The kernel's name.
        kernel: &'static str,
        /// What is wrong with the shape.
        what: String,
    },
}

fn describe(order: &Option<(u32, Schedule)>) -> String {
    match order {
        Some((number, schedule)) => format!(" (in order {number} of the threads: {schedule})"),
        None => String::new(),
    }
}

/// The book's pages about errors: words of an error, a page's title, and the page's path.
#[doc(hidden)]
pub const PAGES: [(&str, &str, &str); 12] = [
    ("data race", "What a race is", "races/race.md"),
    ("nobody wrote", "Shared memory", "threads/histogram.md"),
    ("divergent barrier", "Two dimensions", "threads/matrix.md"),
    ("does not come to an end", "Any number of threads", "threads/stride.md"),
    ("what no other thread does", "A barrier for all blocks", "races/grid.md"),
    ("raw pointer", "What the simulated GPU does not see", "races/unseen.md"),
    ("kernels only read", "Three kinds of memory", "threads/memory.md"),
    ("shared memory", "Three kinds of memory", "threads/memory.md"),
    ("KiB", "Three kinds of memory", "threads/memory.md"),
    ("panicked", "What kernels cannot use", "first/cannot.md"),
    ("mask", "Warps", "threads/warps.md"),
    ("index ", "Break the kernel", "first/break.md"),
];

/// Names the page that says what to do.
fn page(what: &str) -> String {
    let page = PAGES.iter().find(|(words, ..)| what.contains(words));
    page.map_or_else(String::new, |(_, title, _)| format!("; see the book's page \"{title}\""))
}
