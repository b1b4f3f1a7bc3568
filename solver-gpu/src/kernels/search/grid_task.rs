//! What the first block of a grid calls the other blocks for, and when.

use crate::Launch;

/// The tasks that the first block calls the others for.
pub mod task {
    /// There is no task: the first block searches, or goes on.
    pub const SEARCH: u32 = 0;
    /// All blocks visit the frontier, which is committed.
    pub const VISIT: u32 = 1;
    /// All blocks commit the proposals.
    pub const COMMIT: u32 = 2;
    /// All blocks leave the kernel.
    pub const LEAVE: u32 = 3;
    /// All blocks jump back; the rest of the number says how (see [`crate::kernels::backjump`]).
    pub const JUMP: u32 = 4;
}

/// How many literals one block commits or undoes alone: one literal takes a third of the time of a visit.
#[inline(always)]
pub fn literals_alone(launch: &Launch) -> u32 {
    launch.visits_alone.saturating_mul(3)
}

/// Whether this many literals are for all blocks.
#[inline(always)]
pub fn are_for_all(launch: &Launch, literals: u32) -> bool {
    literals > literals_alone(launch)
}
