//! yasmin: an Answer Set Programming solver whose search runs on the GPU.
//!
//! A program goes through the modules in this order: [`input`] reads it, [`program`] holds it, [`nogoods`]
//! translates it, [`device`] runs kernels, [`search`] searches with them, [`check`] verifies answer sets, and
//! [`output`] prints the results.
//!
//! Modules stand on floors, lowest first: [`ids`] and [`text`]; [`program`]; [`input`], [`check`], [`nogoods`] and
//! [`device`]; [`search`]; [`output`]. A module imports only from floors below its own. `tests/tests/floors.rs`
//! checks that no modules import each other in a circle.

pub mod check;
pub mod device;
pub mod ids;
pub mod input;
pub mod nogoods;
pub mod output;
pub mod program;
pub mod search;
pub mod symmetry;
pub mod text;
