//! What host and device share: the four parts of a search.
//!
//! | part | what it is | who writes it |
//! | --- | --- | --- |
//! | [`Problem`] | the program's arrays, uploaded once and read by all searches of the program | the host, between runs |
//! | [`Settings`] | what may differ from search to search | the host, before a search |
//! | [`Own`] | one search's memory, in one block | kernels |
//! | [`Launch`] | one launch's argument, bounds and geometry | the host, for each launch |
//!
//! A kernel takes the parts that it reads, each by value. Invariant: all arrays of a part lie in the memory of the device that runs the
//! kernel, and are as long as their rows say.

mod launch;
mod own;
mod problem;
mod settings;
mod slot;
mod state;

pub use launch::Launch;
pub use own::{Fill, FirstValues, Own, Shape, ALIGNMENT, SPARE, UNKNOWN};
pub use problem::{Problem, MAX_NOGOODS};
pub use settings::{restart_code, Restarts, Settings};
pub use slot::Learned;
pub use state::{count_up, Beside, Between, Depth, GridCalls, State, Stored};

/// No reason: the variable is unassigned.
pub const UNCLAIMED: u32 = u32::MAX;
/// The reason of a decision literal.
pub const DECISION: u32 = (1 << 31) - 2;
/// The reason of a literal that follows from all decisions at and below its level: what CompleteAssignment assigns, and the flipped
/// decision after an answer set.
pub const ALL_DECISIONS: u32 = (1 << 31) - 3;
/// The id of learned nogood `i` is this plus `i`. Ids of input nogoods are below, so that a problem can grow.
pub const FIRST_LEARNED: u32 = MAX_NOGOODS;
/// There are fewer learned nogoods than this.
pub const MAX_LEARNED: u32 = 1 << 29;
/// The id of sum nogood `s` is this plus `s`.
pub const FIRST_SUM: u32 = FIRST_LEARNED + MAX_LEARNED;
/// There are fewer sum nogoods than this.
pub const MAX_SUMS: u32 = (1 << 29) - 4;
/// No level, component or rule.
pub const NONE: u32 = u32::MAX;

/// Conflicts that one propagation reports at most. Further ones are counted, not kept.
pub const MAX_CONFLICTS: u32 = 64;

/// All four parts of a search: what a kernel takes that reads them all.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Search {
    /// The program.
    pub problem: Problem,
    /// How the search goes.
    pub settings: Settings,
    /// The search's memory.
    pub own: Own,
    /// The launch.
    pub launch: Launch,
}

const _: () = assert!(size_of::<Search>() < 4096, "kernel parameters are limited to 4 KiB");
