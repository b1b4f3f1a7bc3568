//! What the threads of a block, or the lanes of a warp, do together: the floor below [`crate::thread`],
//! [`crate::warp`] and the host's executors. It imports nothing of this crate.

/// The operation of a [`warp_reduce`](crate::warp::warp_reduce).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpReductionOp {
    /// The sum, which wraps around.
    Add,
    /// The least value.
    Min,
    /// The greatest value.
    Max,
    /// The bitwise conjunction.
    And,
    /// The bitwise disjunction.
    Or,
    /// The bitwise exclusive-or.
    Xor,
}

/// A barrier of a block, as the host's executors see it: what it tells of the predicates that the threads
/// pass.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Barrier {
    /// Nothing: the threads only wait.
    Plain,
    /// Nothing, at the end of a helper that began with a barrier.
    After,
    /// How many predicates hold.
    Count,
    /// Whether all predicates hold.
    And,
    /// Whether some predicate holds.
    Or,
}

/// An operation of a warp, as the host's executors see it. The functions of similar names in [`crate::warp`]
/// explain each.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WarpOp {
    /// The lanes wait for each other.
    Sync,
    /// Each lane gets the value of the lane `delta` above.
    ShuffleDown { delta: u32, width: u32 },
    /// Each lane gets the value of the lane `delta` below.
    ShuffleUp { delta: u32, width: u32 },
    /// Each lane gets the value of lane `idx`.
    ShuffleIdx { idx: u32, width: u32 },
    /// Each lane gets the value of the lane whose index is its own exclusive-or `lane_mask`.
    ShuffleXor { lane_mask: u32, width: u32 },
    /// Whether the predicate holds in all lanes.
    VoteAll,
    /// Whether the predicate holds in some lane.
    VoteAny,
    /// The lanes in which the predicate holds.
    Ballot,
    /// The lanes that passed the same value.
    MatchAny,
    /// The lanes' values, reduced as numbers with a sign or without.
    Reduce { op: WarpReductionOp, signed: bool },
}

/// Among whom a fence orders accesses.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The threads of the block.
    Block,
    /// All threads of the device.
    Device,
}

/// How a thread accesses memory, as the host's executors see it.
#[cfg(not(target_arch = "nvptx64"))]
#[cfg_attr(feature = "alone", allow(dead_code))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// A plain read.
    Read,
    /// A plain write.
    Write,
    /// An atomic read.
    Load,
    /// An atomic read with the scope of the block.
    LoadInBlock,
    /// An atomic, acquiring read.
    LoadAcquire,
    /// An atomic change that found another value than it asked for, and so only reads.
    Refused,
    /// An atomic write.
    Store,
    /// An atomic, releasing write.
    StoreRelease,
    /// An atomic write that gives the old value.
    Exchange,
    /// An atomic change of the value.
    Update,
    /// An atomic change that acquires and releases.
    UpdateAcquireRelease,
}

/// The name of an atomic change.
#[cfg(not(target_arch = "nvptx64"))]
#[cfg_attr(feature = "alone", allow(dead_code))]
pub(crate) const CHANGE: &str = "atomic change";

#[cfg(not(target_arch = "nvptx64"))]
#[cfg_attr(feature = "alone", allow(dead_code))]
impl Access {
    /// What the thread does, for tables and pages.
    pub fn name(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Load | Access::LoadInBlock | Access::LoadAcquire => "atomic read",
            Access::Store | Access::StoreRelease => "atomic write",
            Access::Exchange | Access::Update | Access::UpdateAcquireRelease | Access::Refused => CHANGE,
        }
    }
}
