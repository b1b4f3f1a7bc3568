//! What the first block of a grid calls the other blocks for, and when.

use crate::Launch;

/// The tasks that the first block calls the others for.
pub mod task {
    /// Nothing: the first block searches, or goes on.
    pub const SEARCH: u32 = 0;
    /// To visit the frontier, which is committed.
    pub const VISIT: u32 = 1;
    /// To commit what is proposed.
    pub const COMMIT: u32 = 2;
    /// To leave.
    pub const LEAVE: u32 = 3;
    /// To jump back, as the rest says (see [`crate::kernels::backjump`]).
    pub const JUMP: u32 = 4;
}

/// How many literals it commits or undoes: that takes a third of the time of visits.
#[inline(always)]
pub fn literals_alone(launch: &Launch) -> u32 {
    launch.visits_alone.saturating_mul(3)
}

/// Whether so many are for all blocks.
#[inline(always)]
pub fn are_for_all(launch: &Launch, literals: u32) -> bool {
    literals > literals_alone(launch)
}
