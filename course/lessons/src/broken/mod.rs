//! The twins: kernels with one mistake each, from the book's table of common mistakes. They run on the
//! simulated GPU alone, whose words about each are in the book.

// The twins break contracts, which is what they are for.
#![allow(clippy::undocumented_unsafe_blocks)]

pub mod breadth;
pub mod compact;
pub mod first_uip;
pub mod grid_barrier;
pub mod grid_stride;
pub mod histogram;
pub mod matrix;
pub mod panics;
pub mod propagate;
pub mod queue;
pub mod reduce;
pub mod rows;
pub mod saxpy;
pub mod scan;
pub mod solve;
pub mod spring;
pub mod transpose;
