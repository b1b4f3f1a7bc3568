//! The kernels of yasmin, and the plain-data types that host and device share.
#![no_std]

pub mod lit;

pub use lit::{Lit, Var};
