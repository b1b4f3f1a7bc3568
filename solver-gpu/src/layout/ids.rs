//! Numbers with a meaning: ranges of nogood ids, reasons that are no nogoods, and the number that stands for none.

/// Nogood ids of the input are below this.
pub const MAX_NOGOODS: u32 = 1 << 30;
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
