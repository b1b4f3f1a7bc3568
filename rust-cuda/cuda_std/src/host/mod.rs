//! Running kernels on the host.
//!
//! [`cpu`] runs a kernel as one block of one thread: what strides over threads becomes a plain loop, barriers and shuffles
//! cost nothing. [`simt`](simt()) runs every thread of the grid as a coroutine with exact semantics and checks what a GPU does not.
//!
//! These executors are this package's own; rust-cuda's `cuda_std` does not have them.

pub(crate) mod current;
mod error;
mod evaluate;
mod guarded;
mod request;
mod simt;

pub use current::shared_array;
pub use error::SimtError;
pub use simt::{simt, Launch};

/// Runs `kernel` as one block of one thread, with `shared_bytes` of dynamic shared memory.
pub fn cpu(shared_bytes: usize, kernel: &dyn Fn()) {
    current::alone(shared_bytes, kernel);
}
