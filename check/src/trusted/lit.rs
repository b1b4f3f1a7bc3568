//! Variables and literals as the checker numbers them: densely, from 0.
//!
//! Main type: [`Lit`]. The numbers that files use are translated in [`crate::numbers`].

use std::ops::Not;

/// A variable. Variable 0 is true in every answer set, see [`Lit::TRUE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u32);

impl Var {
    /// The index of arrays over variables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A literal: a variable or its complement. A literal and its complement are neighbours in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// The literal that always holds.
    pub const TRUE: Lit = Lit(0);
    /// The literal that never holds.
    pub const FALSE: Lit = Lit(1);

    /// The literal "`var` is true" if `is_true`, and otherwise "`var` is false".
    pub fn new(var: Var, is_true: bool) -> Lit {
        Lit(var.0 << 1 | u32::from(!is_true))
    }

    /// The literal's variable.
    pub fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// Whether the literal says that its variable is true.
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// The index of arrays over literals.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The literal as one word, and back with [`Lit::from_word`].
    pub fn word(self) -> u32 {
        self.0
    }

    /// The literal of a word.
    pub fn from_word(word: u32) -> Lit {
        Lit(word)
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// Sorts a set of literals without those that always hold. Returns `None` if the set can never hold as a whole: it
/// has [`Lit::FALSE`], or a literal and its complement.
pub fn normalised(mut lits: Vec<Lit>) -> Option<Vec<Lit>> {
    lits.retain(|&lit| lit != Lit::TRUE);
    lits.sort_unstable();
    lits.dedup();
    let is_contradictory = |pair: &[Lit]| pair[0] == !pair[1];
    (!lits.contains(&Lit::FALSE) && !lits.windows(2).any(is_contradictory)).then_some(lits)
}
