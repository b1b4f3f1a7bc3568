//! yasmin: an Answer Set Programming solver whose search runs on the GPU.
//!
//! A program goes through these parts in this order: [`input`] reads it, [`program`] holds it, [`nogoods`]
//! translates it, [`device`] runs kernels, [`search`] searches with them, [`check`] verifies answer sets, and
//! [`output`] prints the results.
//!
//! Each part is a crate in a folder beside this one, and imports only from those before it: `ground` (which
//! is [`ids`], [`text`], [`program`], [`input`] and [`check`]), `nogoods`, `device`, `search`; the output is
//! here.

pub mod output;

pub use yasmin_device as device;
pub use yasmin_ground::{check, ids, input, program, text};
pub use yasmin_nogoods as nogoods;
pub use yasmin_nogoods::symmetry;
pub use yasmin_search as search;
