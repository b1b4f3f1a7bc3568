//! The shape of a launch. Main type: [`Grid`].

use crate::Error;
use cuda_std::host::MOST_SHARED;

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The number of blocks in each dimension.
    pub blocks: [u32; 3],
    /// The number of threads of a block in each dimension, 1 to 1024 in all.
    pub threads: [u32; 3],
    /// The bytes of dynamic shared memory of a block.
    pub shared_bytes: usize,
    /// Whether a GPU has to run all blocks at once, because they wait for each other.
    pub is_cooperative: bool,
}

impl Grid {
    /// `blocks` blocks of `threads` threads.
    pub const fn new(blocks: u32, threads: u32) -> Self {
        Grid::dim3([blocks, 1, 1], [threads, 1, 1])
    }

    /// Blocks and threads in up to three dimensions: `Grid::dim3([4, 2, 1], [16, 16, 1])` has 4 by 2 blocks
    /// of 16 by 16 threads.
    pub const fn dim3(blocks: [u32; 3], threads: [u32; 3]) -> Self {
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

    /// The number of threads in a block.
    pub fn number_of_threads(&self) -> u32 {
        self.threads.into_iter().fold(1, u32::saturating_mul)
    }

    /// The number of blocks.
    pub fn number_of_blocks(&self) -> u32 {
        self.blocks.into_iter().fold(1, u32::saturating_mul)
    }

    /// Refuses a shape that no launch has.
    pub(crate) fn check(&self, kernel: &'static str) -> Result<(), Error> {
        let Grid { blocks: [_, y, z], threads: [.., deep], shared_bytes, .. } = *self;
        let what = match (self.number_of_threads(), shared_bytes) {
            _ if self.blocks.contains(&0) => "a grid has at least one block".into(),
            _ if y.max(z) > 65_535 => {
                format!("a grid has at most 65535 blocks in `y` and in `z`, not {}", y.max(z))
            }
            (0 | 1025.., _) => format!("a block has 1 to 1024 threads, not {}", self.number_of_threads()),
            _ if deep > 64 => format!("a block has at most 64 threads in `z`, not {deep}"),
            (_, bytes) if bytes > MOST_SHARED => {
                format!("a block has at most {MOST_SHARED} bytes of shared memory (227 KiB), not {bytes}")
            }
            _ => return Ok(()),
        };
        Err(Error::Grid { kernel, what })
    }
}
