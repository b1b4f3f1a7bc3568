//! Numbers with a meaning: ranges of nogood ids, reasons that are not nogoods, and the number that stands for
//! none.
//!
//! Invariant: the ranges of ids do not overlap. Input nogoods come first, learned nogoods follow from
//! [`FIRST_LEARNED`] on, and sum nogoods follow from [`FIRST_SUM`] on.

/// The ids of input nogoods are below this number.
pub const MAX_NOGOODS: u32 = 1 << 30;
/// The word in array `reason` of a variable that is unassigned and that no thread has claimed.
pub const UNCLAIMED: u32 = u32::MAX;
/// The reason of a decision literal.
pub const DECISION: u32 = (1 << 31) - 2;
/// The reason of a literal that follows from all decisions of its level and the levels below.
///
/// CompleteAssignment gives this reason to the literals that it assigns. A decision that is flipped after an
/// answer set has this reason too.
pub const ALL_DECISIONS: u32 = (1 << 31) - 3;
/// The id of learned nogood `i` is this number plus `i`.
pub const FIRST_LEARNED: u32 = MAX_NOGOODS;
/// A search holds fewer learned nogoods than this number.
pub const MAX_LEARNED: u32 = 1 << 29;
/// The id of sum nogood `s` is this number plus `s`.
pub const FIRST_SUM: u32 = FIRST_LEARNED + MAX_LEARNED;
/// A problem has fewer sum nogoods than this number.
const MAX_SUMS: u32 = (1 << 29) - 4;
const _: () = assert!(FIRST_SUM + MAX_SUMS <= ALL_DECISIONS, "no sum has the id of another reason");
/// The number that stands for no level, no component, no rule or no nogood.
pub const NONE: u32 = u32::MAX;

/// The largest number of conflicts that one propagation stores. Further conflicts are counted only.
pub const MAX_CONFLICTS: u32 = 64;
