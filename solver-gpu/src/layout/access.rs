//! Access to the words and arrays of a search by what their numbers mean.
//!
//! Host and device share numbers. The functions here take and return a [`Level`] or a
//! [`TrailPosition`] where a number is one.
//!
//! Invariant: a function reads one word or one element.

use super::level::Level;
use super::own::Own;
use super::position::TrailPosition;
use crate::{Lit, Search};

impl Search {
    /// The level that no jump undoes, unless a cube is decided on again: the root level, or level 1 under
    /// assumptions, which are decided on again and again.
    #[cuda_std::inlined]
    pub fn kept_level(&self) -> Level {
        match self.settings.assumes {
            1 => Level::FIRST,
            _ => Level(self.own.state().root.now()).max(Level::FIRST),
        }
    }
}

impl Own {
    /// The current decision level.
    #[cuda_std::inlined]
    #[track_caller]
    pub fn level(&self) -> Level {
        Level(self.state().level.now())
    }

    /// The decision of level `level`.
    #[cuda_std::inlined]
    #[track_caller]
    pub fn decision_of(&self, level: Level) -> Lit {
        self.decision_at.read(level.0)
    }

    /// The position of the first literal of level `level`, which was the trail's length when the level was
    /// opened.
    #[cuda_std::inlined]
    #[track_caller]
    pub fn begin_of(&self, level: Level) -> TrailPosition {
        TrailPosition(self.trail_at.read(level.0))
    }

    /// The literal at a position of the trail.
    #[cuda_std::inlined]
    #[track_caller]
    pub fn literal_at(&self, at: TrailPosition) -> Lit {
        self.trail.read(at.0)
    }

    /// The position at which the round of the literal at a position begins.
    #[cuda_std::inlined]
    #[track_caller]
    pub fn round_start_of(&self, at: TrailPosition) -> TrailPosition {
        TrailPosition(self.round_start.read(at.0))
    }

    /// The end of what is committed.
    #[cuda_std::inlined]
    #[track_caller]
    pub fn committed(&self) -> TrailPosition {
        TrailPosition(self.state().committed.now())
    }

    /// The end of the trail, proposals included.
    #[cuda_std::inlined]
    #[track_caller]
    pub fn trail_end(&self) -> TrailPosition {
        TrailPosition(self.state().trail_len.now())
    }
}
