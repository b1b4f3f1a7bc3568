//! Launches a `#[kernel]` on the processor, on a simulated GPU that names data races, or on a GPU.
//!
//! A [`Device`] is one of these three. It owns memory, in [`Buffer`]s, and [`launch!`] runs a kernel on it:
//!
//! ```
//! use cuda_launch::{launch, Device, Grid};
//! use cuda_std::{array::Array, kernel, thread};
//!
//! /// Doubles each element.
//! ///
//! /// # Safety
//! /// Nobody else uses `data` during the launch.
//! #[kernel]
//! pub unsafe fn double(data: Array<u32>) {
//!     let mut i = thread::index_1d();
//!     while (i as usize) < data.len() {
//!         data.write(i, 2 * data.read(i));
//!         i += thread::block_dim_x() * thread::grid_dim_x();
//!     }
//! }
//!
//! for mut device in [Device::cpu(), Device::simt()] {
//!     let data = device.upload("data", &[1, 2, 3])?;
//!     // SAFETY: only this launch uses `data`.
//!     unsafe { launch!(device, Grid::new(2, 32), double(data.array())) }?;
//!     assert_eq!(device.download(&data)?, [2, 4, 6]);
//! }
//! # Ok::<(), cuda_launch::Error>(())
//! ```
//!
//! A GPU needs the kernels' PTX: `cuda_builder::embed_kernels` in the crate's build script makes it,
//! [`kernels!`] is it, and [`Device::gpu`] takes it (with the feature `gpu`). A build without the toolchain
//! for PTX, and a machine without a driver, are ordinary errors of [`Device::gpu`].
//!
//! Invariant: a file imports only from floors below its own: `error` and `panics`; `grid`; `gpu`;
//! `memory` and `arguments`; `device`.

mod arguments;
mod device;
mod error;
#[cfg(feature = "gpu")]
mod gpu;
mod grid;
mod memory;
mod panics;

pub use arguments::{Arguments, Kernel};
pub use cuda_std::host::Schedule;
pub use device::{Device, Simulation};
pub use error::{Error, PAGES};
pub use grid::Grid;
pub use memory::Buffer;

/// The PTX of the crate's kernels, or why its build has none: a `Result<&'static str, &'static str>`. The
/// crate's build script has to call `cuda_builder::embed_kernels`.
#[macro_export]
macro_rules! kernels {
    () => {
        include!(concat!(env!("OUT_DIR"), "/kernels.rs"))
    };
}

/// Launches a kernel: `launch!(device, grid, kernel(argument, ...))`. An argument is a number, the array of a
/// [`Buffer`], or whatever else is `Copy` and laid out alike on host and device. The result is that of
/// [`Device::launch`], which is unsafe as the kernel is.
#[macro_export]
macro_rules! launch {
    ($device:expr, $grid:expr, $($kernel:ident)::+ ( $($argument:expr),* $(,)? )) => {{
        let kernel: unsafe fn($($crate::any!($argument)),*) = $($kernel)::+;
        $device.launch($grid, stringify!($($kernel)::+), kernel, ($($argument,)*))
    }};
}

/// Any type, for [`launch!`].
#[doc(hidden)]
#[macro_export]
macro_rules! any {
    ($argument:expr) => {
        _
    };
}
