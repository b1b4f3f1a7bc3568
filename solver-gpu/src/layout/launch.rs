//! What one launch of a kernel brings besides the problem, the settings and the search's own memory.
//!
//! The host fills in a [`Launch`] for each launch. The resident search changes only its own copy, in
//! [`crate::shared_copy::attach`].

use cuda_std::array::Array;
use cuda_std::atomic::SharedU32;

/// What a search writes to its ring (see [`crate::trace`]).
pub mod writes {
    /// Nothing.
    pub const NOTHING: u32 = 0;
    /// What the search does: all items but those that are for proofs alone.
    pub const TRACE: u32 = 1;
    /// What follows from the program: learned nogoods, unfounded sets, deletions, and what is done under which decisions.
    pub const PROOF: u32 = 2;
}

/// In place of a number of answer sets: the resident search counts all that it finds, and stores none.
pub const COUNTED: u32 = u32::MAX;

/// The part of a search that differs from launch to launch: the argument, the bounds and the geometry.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// The launch's argument. The documentation of each kernel says what the argument means there.
    pub argument: u32,
    /// The number of rounds after which the resident search returns, whatever it is doing.
    pub budget: u32,
    /// The number of answer sets that the resident search stores in `answers` before it returns.
    /// With 0 the search returns after each answer set and leaves the answer set in `value`. With
    /// [`COUNTED`] the search adds its answer sets to the control word `counted`.
    pub answers_wanted: u32,
    /// The number of bytes at the beginning of the search's block of memory that the resident search keeps in
    /// shared memory (see [`crate::shared_copy`]).
    pub shared_copy_bytes: u32,
    /// The number of blocks that work for this search. In a resident search this is 1.
    pub blocks: u32,
    /// 1 if the calling code runs in one block alone, however many blocks the grid has. The host launches
    /// every kernel with 0; the resident search sets the flag in its own copy.
    pub single_block: u32,
    /// What the search writes to `trace_ring`: one of the constants of [`writes`].
    pub writes: u32,
    /// The address at which the block's dynamic shared memory begins. Valid if `single_block` is 1.
    pub shared_base: u32,
    /// The address of the calling warp's scratch memory (see [`crate::threads::scratch`]). Valid if
    /// `single_block` is 1.
    pub warp_scratch: u32,
    /// The stop word: one element, which the host may set to make the resident search return.
    pub stop: Array<SharedU32>,
    /// The dependency bitmaps as they were before `widen_deps` widens them. They lie in the block of memory
    /// that the search has left. Valid while `widen_deps` runs.
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
            blocks: 1,
            single_block: 0,
            writes: writes::NOTHING,
            shared_base: 0,
            warp_scratch: 0,
            stop: Array::default(),
            narrow_deps: Array::default(),
        }
    }
}
