//! Numbers with a meaning: ranges of nogood ids, reasons that are not nogoods, and the number that stands for
//! none.
//!
//! Main type: [`NogoodId`]. Invariant: the ranges of ids do not overlap. Input nogoods come first, learned
//! nogoods follow from [`FIRST_LEARNED`] on, and sum nogoods follow from [`FIRST_SUM`] on.

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

/// The id of a nogood or of a sum. As the reason of a literal it may also say that the literal is a decision,
/// or that the literal follows from all decisions.
///
/// A learned nogood and a sum have an index in their own arrays besides, which is a plain number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct NogoodId(pub u32);

impl NogoodId {
    /// The reason [`DECISION`].
    pub const DECISION: NogoodId = NogoodId(DECISION);
    /// The reason [`ALL_DECISIONS`].
    pub const ALL_DECISIONS: NogoodId = NogoodId(ALL_DECISIONS);
    /// The number that stands for no nogood.
    pub const NONE: NogoodId = NogoodId(NONE);

    /// The id of the learned nogood with index `i`.
    #[cuda_std::inlined]
    pub const fn of_learned(i: u32) -> NogoodId {
        NogoodId(FIRST_LEARNED + i)
    }

    /// The id of the sum with index `sum`.
    #[cuda_std::inlined]
    pub const fn of_sum(sum: u32) -> NogoodId {
        NogoodId(FIRST_SUM + sum)
    }

    /// Whether this is the id of a learned nogood.
    #[cuda_std::inlined]
    pub const fn is_learned(self) -> bool {
        self.0.wrapping_sub(FIRST_LEARNED) < MAX_LEARNED
    }

    /// Whether this is the id of an input nogood or a learned nogood, and neither that of a sum nor a reason
    /// that is no nogood.
    #[cuda_std::inlined]
    pub const fn is_written_out(self) -> bool {
        self.0 < FIRST_SUM
    }

    /// The index of the learned nogood that has this id.
    #[cuda_std::inlined]
    pub const fn learned_index(self) -> u32 {
        self.0 - FIRST_LEARNED
    }

    /// The index of the learned nogood that has this id, if it is one of the first `n`.
    #[cuda_std::inlined]
    pub fn learned_index_below(self, n: u32) -> Option<u32> {
        let i = self.0.wrapping_sub(FIRST_LEARNED);
        (i < n).then_some(i)
    }

    /// The index of the sum that has this id.
    #[cuda_std::inlined]
    pub const fn sum_index(self) -> u32 {
        self.0 - FIRST_SUM
    }
}

/// What is known of an atom on a loop: the values of array `founded`.
pub mod founded {
    /// The atom has no source, and is false unless a check is under way.
    pub const NOT: u32 = 0;
    /// The atom has a source: a rule that founds the atom.
    pub const FOUNDED: u32 = 1;
    /// The atom has no source, and is in `unfounded_atom`.
    pub const LISTED: u32 = 2;
    /// The atom is in the unfounded set for which a nogood is being built.
    pub const MEMBER: u32 = 3;
}

/// The largest number of conflicts that one propagation stores. Further conflicts are counted only.
pub const MAX_CONFLICTS: u32 = 64;
