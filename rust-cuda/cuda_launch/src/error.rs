//! What can go wrong with memory and launches. Main type: [`Error`].

use cuda_std::host::{Schedule, SimtError};

/// Why memory could not be had, or a kernel did not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The simulated GPU found an error in the kernel.
    #[error("{error}{}", describe(.order))]
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
        Some((number, schedule)) => format!(" (order {number} of the threads, {schedule:?})"),
        None => String::new(),
    }
}
