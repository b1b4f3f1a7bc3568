//! The shape of a launch. Main type: [`Grid`].

use crate::Error;
use cuda_std::host::MOST_SHARED;

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The number of blocks.
    pub blocks: u32,
    /// The number of threads in a block, 1 to 1024.
    pub threads: u32,
    /// The bytes of dynamic shared memory of a block.
    pub shared_bytes: usize,
    /// Whether a GPU has to run all blocks at once, because they wait for each other.
    pub is_cooperative: bool,
}

impl Grid {
    /// `blocks` blocks of `threads` threads.
    pub const fn new(blocks: u32, threads: u32) -> Self {
        Grid { blocks, threads, shared_bytes: 0, is_cooperative: false }
    }

    /// As many blocks of `threads` threads as have a thread for each of `n` elements; at least one.
    pub const fn over(n: usize, threads: u32) -> Self {
        let blocks = n.div_ceil(threads as usize) as u32;
        Grid::new(if blocks == 0 { 1 } else { blocks }, threads)
    }

    /// The same grid, whose blocks have `bytes` bytes of dynamic shared memory.
    pub const fn with_shared(self, bytes: usize) -> Self {
        Grid { shared_bytes: bytes, ..self }
    }

    /// The same grid, whose blocks all run at once.
    pub const fn cooperative(self) -> Self {
        Grid { is_cooperative: true, ..self }
    }

    /// Refuses a shape that no launch has.
    pub(crate) fn check(&self, kernel: &'static str) -> Result<(), Error> {
        let what = match self {
            Grid { blocks: 0, .. } => "a grid has at least one block".into(),
            Grid { threads: 0 | 1025.., .. } => {
                format!("a block has 1 to 1024 threads, not {}", self.threads)
            }
            Grid { shared_bytes, .. } if *shared_bytes > MOST_SHARED => {
                format!(
                    "a block has at most {MOST_SHARED} bytes of shared memory (227 KiB), not {shared_bytes}"
                )
            }
            _ => return Ok(()),
        };
        Err(Error::Grid { kernel, what })
    }
}
