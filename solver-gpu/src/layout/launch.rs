//! What one launch of a kernel brings besides the problem, the settings and the search's own memory.

use super::ids::NONE;
use cuda_std::array::Array;
use cuda_std::atomic::SharedU32;

/// One launch: its argument, its bounds and its geometry.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// The launch's argument; each kernel's page says what it means there.
    pub argument: u32,
    /// Rounds after which the resident search returns, whatever it is doing.
    pub budget: u32,
    /// Answer sets to put into `answers` before the resident search returns; 0: it returns with each answer set, in `value`.
    pub answers_wanted: u32,
    /// Bytes at the beginning of the search's block that the resident search keeps in shared memory (see [`crate::shared_copy`]).
    pub shared_copy_bytes: u32,
    /// Visits that the first block makes in a round without calling the other blocks; [`NONE`] if there are no others.
    pub visits_alone: u32,
    /// The first of the grid's blocks that work for this search.
    pub first_block: u32,
    /// How many of the grid's blocks, from the first on, work for this search. Of a resident search the first block searches, and the others help
    /// when they are called.
    pub blocks: u32,
    /// 1: the calling code runs in this block alone, however many blocks the grid has. Kernels but the resident search are launched with 0.
    pub single_block: u32,
    /// With `single_block`: the address at which the block's dynamic shared memory begins.
    pub shared_base: u32,
    /// With `single_block`: the address of the calling warp's scratch memory (see [`crate::threads::scratch`]).
    pub warp_scratch: u32,
    /// One word, which the host may set to have the resident search return.
    pub stop: Array<SharedU32>,
    /// The dependency bitmaps before they were widened, in the block that the search has left, while `widen_deps` runs.
    pub narrow_deps: Array<u32>,
}

impl Default for Launch {
    /// A launch of one block.
    fn default() -> Self {
        Launch {
            argument: 0,
            budget: 0,
            answers_wanted: 0,
            shared_copy_bytes: 0,
            visits_alone: NONE,
            first_block: 0,
            blocks: 1,
            single_block: 0,
            shared_base: 0,
            warp_scratch: 0,
            stop: Array::default(),
            narrow_deps: Array::default(),
        }
    }
}
