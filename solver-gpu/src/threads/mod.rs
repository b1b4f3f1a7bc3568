//! Threads of a grid: who does what, and what threads of a warp, a block or a grid do together.

pub mod barrier;
pub mod block;
pub mod choose;
pub mod scratch;
pub mod stride;
#[cfg(test)]
pub(crate) mod testing;
pub mod token;
pub mod warp;
pub mod waves;
