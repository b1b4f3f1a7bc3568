//! Positions of the trail.
//!
//! Main type: [`TrailPosition`]. The arrays and words that host and device share hold positions as numbers.
//!
//! Invariant: the literals before a position were assigned earlier than the one there, or in the same round.

use core::ops::{Add, AddAssign, Sub};

/// A position of the trail. The trail's length is the position after the last literal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct TrailPosition(pub u32);

impl TrailPosition {
    /// More than any position.
    pub const BEYOND: TrailPosition = TrailPosition(u32::MAX);
}

impl Add<u32> for TrailPosition {
    type Output = TrailPosition;
    /// Returns the position `n` places further on.
    #[cuda_std::inlined]
    fn add(self, n: u32) -> TrailPosition {
        TrailPosition(self.0 + n)
    }
}

impl AddAssign<u32> for TrailPosition {
    /// Goes `n` places further on.
    #[cuda_std::inlined]
    fn add_assign(&mut self, n: u32) {
        self.0 += n;
    }
}

impl Sub for TrailPosition {
    type Output = u32;
    /// Returns how many literals there are from `from` on to this position.
    #[cuda_std::inlined]
    fn sub(self, from: TrailPosition) -> u32 {
        self.0 - from.0
    }
}
