//! What may differ from search to search of one problem.

use super::ids::NONE;

/// When restarts follow each other (see [`crate::schedule`]).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Restarts {
    /// The sequence: one of [`restart_code`].
    pub kind: u32,
    /// Conflicts before the first restart.
    pub base: u32,
    /// What intervals are multiplied by; or the share of the usual number of levels that recent nogoods may have.
    pub factor: f64,
}

/// The codes of sequences of restarts.
pub mod restart_code {
    /// There are no restarts.
    pub const NONE: u32 = 0;
    /// The intervals are those of Luby, Sinclair and Zuckerman (1993).
    pub const LUBY: u32 = 1;
    /// Each interval is the one before times the factor.
    pub const GEOMETRIC: u32 = 2;
    /// A restart is due after the base when recent nogoods are poor (see [`crate::quality`]).
    pub const QUALITY: u32 = 3;
}

/// How one search goes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// `K`: conflicts to learn from in one step.
    pub slots: u32,
    /// Mixed into the order of equally ranked candidates.
    pub seed: u32,
    /// 1: keep dependency bitmaps (forward learning).
    pub track_deps: u32,
    /// 1: learn by resolution. If forward learning is on as well, the two take the slots in turn.
    pub resolves: u32,
    /// 1: learning bumps activities.
    pub track_activity: u32,
    /// 1: look for unfounded sets at every fixpoint; 0: only for total assignments.
    pub check_fixpoints: u32,
    /// Conflicts by which the intervals of rephasing grow (see [`crate::kernels::rephase`]); 0: phases are as they were saved.
    pub rephase: u32,
    /// The sum that says what the search is after (an objective's bound, or consequences yet unknown), or [`NONE`].
    pub goal: u32,
    /// How restarts follow each other.
    pub restarts: Restarts,
}

impl Default for Settings {
    /// A search that neither learns nor restarts and has no goal.
    fn default() -> Self {
        Settings {
            slots: 0,
            seed: 0,
            track_deps: 0,
            resolves: 0,
            track_activity: 0,
            check_fixpoints: 0,
            rephase: 0,
            goal: NONE,
            restarts: Restarts::default(),
        }
    }
}
