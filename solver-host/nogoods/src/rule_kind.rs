//! What a rule says of its head.
//!
//! Main type: [`RuleKind`].

/// What a rule says of its head. The discriminant takes two bits, so that the index of rules by bodies can
/// keep it next to the head's atom in one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RuleKind {
    /// If the body holds, the head holds, and the body can found the head.
    Normal = 0,
    /// The body can found the head (`{p} :- B`).
    Choice = 1,
    /// If the body holds, the head holds. The body is that of a disjunctive rule, shifted over all other
    /// heads.
    Support = 2,
    /// The body can found the head, and the rule says nothing else. The body is that of a disjunctive rule,
    /// shifted over the heads of other components.
    Founding = 3,
}

impl RuleKind {
    /// Whether the head follows from the body.
    pub fn forces(self) -> bool {
        matches!(self, RuleKind::Normal | RuleKind::Support)
    }

    /// Whether such a rule supports its head: a true head needs at least one supporting rule whose body
    /// holds.
    pub fn supports(self) -> bool {
        self != RuleKind::Founding
    }

    /// Whether the body can be the head's foundation.
    pub fn founds(self) -> bool {
        self != RuleKind::Support
    }

    /// What two rules with the same head and body say together.
    pub fn joined(self, other: RuleKind) -> RuleKind {
        match (self, other) {
            (a, b) if a == b => a,
            (RuleKind::Choice, RuleKind::Founding) | (RuleKind::Founding, RuleKind::Choice) => {
                RuleKind::Choice
            }
            _ => RuleKind::Normal,
        }
    }
}
