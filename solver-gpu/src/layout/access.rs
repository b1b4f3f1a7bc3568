//! Access to the words and arrays of a search by what their numbers mean.
//!
//! Host and device share numbers. The functions here take and return a [`Level`] where a number is one.
//!
//! Invariant: a function reads one word or one element.

use super::level::Level;
use super::own::Own;
use crate::Lit;

impl Own {
    /// The current decision level.
    #[inline(always)]
    pub fn level(&self) -> Level {
        Level(self.state().level.now())
    }

    /// The decision of level `level`.
    #[inline(always)]
    pub fn decision_of(&self, level: Level) -> Lit {
        self.decision_at.read(level.0)
    }
}
