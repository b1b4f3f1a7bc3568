//! Running kernels on the host.
//!
//! [`cpu`] runs a kernel as one block of one thread: what strides over threads becomes a plain loop, barriers and shuffles
//! cost nothing. [`simt`](simt()) runs every thread of the grid as a coroutine with exact semantics and checks what a GPU does not.
//!
//! These executors are this package's own; rust-cuda's `cuda_std` does not have them.

pub(crate) mod current;
mod error;
mod guarded;
mod simt;
mod warp;

pub use current::shared_array;
pub use error::SimtError;
pub use simt::{simt, Launch};

/// Barriers of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Barrier {
    /// Waits.
    Plain,
    /// Counts the threads whose predicate holds.
    Count,
    /// Whether all predicates hold.
    And,
    /// Whether some predicate holds.
    Or,
}

/// Operations of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WarpOp {
    /// Waits.
    Sync,
    /// See the functions of the same names in [`crate::warp`].
    ShuffleDown {
        delta: u32,
        width: u32,
    },
    ShuffleUp {
        delta: u32,
        width: u32,
    },
    ShuffleIdx {
        idx: u32,
        width: u32,
    },
    ShuffleXor {
        lane_mask: u32,
        width: u32,
    },
    VoteAll,
    VoteAny,
    Ballot,
    MatchAny,
    Reduce {
        op: crate::warp::WarpReductionOp,
        signed: bool,
    },
}

/// Runs `kernel` as one block of one thread, with `shared_bytes` of dynamic shared memory.
pub fn cpu(shared_bytes: usize, kernel: &dyn Fn()) {
    current::alone(shared_bytes, kernel);
}
