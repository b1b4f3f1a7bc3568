//! What may differ from search to search of one problem.
//!
//! The host fills in [`Settings`] before a search begins. Kernels only read them.

use super::ids::NONE;

/// The times at which a search restarts (see [`crate::schedule`]).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Restarts {
    /// The sequence of the intervals: one of the constants of [`restart_code`].
    pub kind: u32,
    /// The number of conflicts before the first restart.
    pub base: u32,
    /// With [`restart_code::GEOMETRIC`], the factor by which each interval grows. With
    /// [`restart_code::QUALITY`], the factor by which the recent average LBD is multiplied before
    /// [`crate::quality::is_poor`] compares it with the long-term average.
    pub factor: f64,
}

/// The codes of the sequences of restarts. The intervals are counted in conflicts.
pub mod restart_code {
    /// The search never restarts.
    pub const NONE: u32 = 0;
    /// The intervals are `base` times the sequence of Luby, Sinclair and Zuckerman (1993).
    pub const LUBY: u32 = 1;
    /// Each interval is `factor` times the previous interval.
    pub const GEOMETRIC: u32 = 2;
    /// A restart is due when `base` conflicts have passed since the last restart and the recent nogoods are
    /// poor (see [`crate::quality`]).
    pub const QUALITY: u32 = 3;
}

/// The choices that may differ between searches of one problem.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// `K`: the number of conflicts from which one step learns.
    pub slots: u32,
    /// The number that is mixed into the order of candidates of equal rank.
    pub seed: u32,
    /// 1 if the search keeps dependency bitmaps and learns from them (forward learning), else 0.
    pub track_deps: u32,
    /// 1 if the search learns by resolution, else 0. If forward learning is on too, the two take alternate
    /// slots.
    pub resolves: u32,
    /// 1 if learning increases the activities of variables, else 0.
    pub track_activity: u32,
    /// 1 if the search looks for unfounded sets at every fixpoint; 0 if it looks for them only when the
    /// assignment is total.
    pub check_fixpoints: u32,
    /// The number of conflicts by which the intervals of rephasing grow (see [`crate::kernels::rephase`]); 0
    /// if the search never rephases.
    pub rephase: u32,
    /// The index of the sum that the next answer set must satisfy (a bound on the costs, or consequences that
    /// are not yet known), or [`NONE`].
    pub goal: u32,
    /// 1 if the search is under assumptions: it decides on the literals of its cube first, and says which of
    /// them a refutation needs (see [`crate::kernels::place`]).
    pub assumes: u32,
    /// The times at which the search restarts.
    pub restarts: Restarts,
}

impl Default for Settings {
    /// The settings of a search that neither learns nor restarts and has no goal.
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
            assumes: 0,
            restarts: Restarts::default(),
        }
    }
}
