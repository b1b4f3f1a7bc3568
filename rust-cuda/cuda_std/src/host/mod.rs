//! Running kernels on the host.
//!
//! [`cpu`] runs a kernel as one block of one thread: a loop that threads share becomes a plain loop, and
//! barriers and shuffles cost nothing. [`simt`](simt()) runs every thread of the grid as a coroutine. Its
//! semantics are exact, and it finds errors that a GPU does not report.
//!
//! [`simt`](simt()) also compares the accesses of threads, so that it names data races. `detector` does that
//! with the clocks of threads (`clocks`), what was done to each word (`shadow`) and the names of arrays
//! (`memory`). `schedule` says which thread runs next, `places` leaves out a barrier, to see whether tests
//! notice, `costs` counts what accesses would cost a GPU, and `trace` makes a page on which one can watch a
//! launch.
//!
//! The feature `alone` builds `cpu` alone, with `single` in place of `current`.
//!
//! Invariant: a file imports only from floors below its own. From the lowest to the highest: `error`,
//! `print`, `guarded`, `clocks`, `memory`, `schedule`, `places` and `trace`; `shadow`, `evaluate` and
//! `request`; `costs` and `switch`; `detector`; `current`, which the functions of [`crate::thread`],
//! [`crate::warp`] and [`crate::shared`] ask; `simt`.
//!
//! These executors are not in rust-cuda's own `cuda_std`.

#[cfg(not(feature = "alone"))]
mod clocks;
#[cfg(not(feature = "alone"))]
mod costs;
#[cfg_attr(feature = "alone", path = "single.rs")]
pub(crate) mod current;
#[cfg(not(feature = "alone"))]
mod detector;
#[cfg(not(feature = "alone"))]
mod error;
#[cfg_attr(feature = "alone", allow(dead_code))]
mod evaluate;
#[cfg_attr(feature = "alone", allow(dead_code))]
mod guarded;
#[cfg(not(feature = "alone"))]
mod memory;
#[cfg(not(feature = "alone"))]
mod places;
mod print;
#[cfg(not(feature = "alone"))]
mod request;
#[cfg(not(feature = "alone"))]
mod schedule;
#[cfg(not(feature = "alone"))]
mod shadow;
#[cfg(not(feature = "alone"))]
mod simt;
#[cfg(not(feature = "alone"))]
#[cfg_attr(target_family = "wasm", path = "browser.rs")]
mod switch;
#[cfg(not(feature = "alone"))]
mod trace;

#[cfg(not(feature = "alone"))]
pub use costs::{costs, Cost};
pub use current::shared_array;
#[cfg(not(feature = "alone"))]
pub use current::{counts, watched};
#[cfg(not(feature = "alone"))]
pub use detector::Counts;
#[cfg(not(feature = "alone"))]
pub use error::SimtError;
#[cfg(not(feature = "alone"))]
pub use guarded::MOST_SHARED;
#[cfg(not(feature = "alone"))]
pub use memory::{Memory, Region};
pub(crate) use print::print;
pub use print::printed;
#[cfg(not(feature = "alone"))]
pub use schedule::Schedule;
#[cfg(not(feature = "alone"))]
pub use simt::{simt, Launch};

/// Runs `kernel` as one block of one thread, with `shared_bytes` of dynamic shared memory.
pub fn cpu(shared_bytes: usize, kernel: &dyn Fn()) {
    current::alone(shared_bytes, kernel);
}
