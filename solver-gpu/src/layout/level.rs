//! Decision levels.
//!
//! Main type: [`Level`]. The arrays and words that host and device share hold levels as numbers.
//!
//! Invariant: the decision of level 2 is the first one, so the bit of a level in a bitmap of levels is the
//! level less two.

/// A decision level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct Level(pub u32);

// SAFETY: the type is a transparent `u32`, of which every bit pattern is a value.
unsafe impl bytemuck::Zeroable for Level {}
// SAFETY: the type is a transparent `u32`, of which every bit pattern is a value.
unsafe impl bytemuck::Pod for Level {}

impl Level {
    /// No level: an unassigned variable has it.
    pub const OPEN: Level = Level(0);
    /// The level of what follows without decisions.
    pub const FIRST: Level = Level(1);
    /// More than any level.
    pub const BEYOND: Level = Level(u32::MAX);

    /// The level above.
    #[cuda_std::inlined]
    pub const fn above(self) -> Level {
        Level(self.0 + 1)
    }

    /// The level below.
    #[cuda_std::inlined]
    pub const fn below(self) -> Level {
        Level(self.0 - 1)
    }

    /// The word and the bit of a level above the first in a bitmap of levels.
    #[cuda_std::inlined]
    pub const fn place(self) -> (u32, u32) {
        ((self.0 - 2) / 32, (self.0 - 2) % 32)
    }

    /// The level that has bit `bit` of word `word` of a bitmap of levels.
    #[cuda_std::inlined]
    pub const fn at_place(word: u32, bit: u32) -> Level {
        Level(word * 32 + bit + 2)
    }
}
