//! The part of rust-cuda's `cust` that is used here, with its names and signatures.
//!
//! As published, `cust` wants a CUDA toolkit when it is built, and a program that uses it starts only where a driver is. Here
//! the driver's functions are looked up in `libcuda.so.1` when they are first called (see [`sys`]): the program is built
//! and starts anywhere, and a missing driver is an ordinary error. Main function: [`available`].

pub mod context;
pub mod device;
pub mod error;
pub mod event;
pub mod function;
pub mod memory;
pub mod module;
pub mod stream;
pub mod sys;

use error::{CudaResult, ToResult};
pub use sys::{available, is_loaded};

bitflags::bitflags! {
    /// What [`init`] takes: there are no flags.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct CudaFlags: u32 {}
}

/// Makes the driver ready. Comes before all else.
///
/// # Errors
/// If there is no driver, or it finds no GPU.
pub fn init(flags: CudaFlags) -> CudaResult<()> {
    // SAFETY: takes a number.
    unsafe { sys::cuInit(flags.bits()) }.to_result()
}

#[cfg(test)]
mod tests;
