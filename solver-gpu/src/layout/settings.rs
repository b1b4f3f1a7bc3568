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

/// When a search asks the host before it goes on: the values of [`Settings::asks`].
pub mod asks {
    /// The search never asks.
    pub const NEVER: u32 = 0;
    /// At every fixpoint.
    pub const AT_FIXPOINTS: u32 = 1;
    /// Before an answer set is one.
    pub const AT_ANSWERS: u32 = 2;
}

/// Declares [`Settings`]. A row is what the word says, the word's name and type, and the value that the word
/// has by default.
macro_rules! settings {
    ($($(#[$doc:meta])* $word:ident: $Word:ty = $default:expr;)*) => {
        /// The choices that may differ between searches of one problem.
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub struct Settings { $($(#[$doc])* pub $word: $Word,)* }

        impl Default for Settings {
            /// The settings of a search that neither learns nor restarts and has no goal.
            fn default() -> Self {
                Settings { $($word: $default,)* }
            }
        }
    };
}

settings! {
    /// `K`: the number of conflicts from which one step learns.
    slots: u32 = 0;
    /// The number that is mixed into the order of candidates of equal rank.
    seed: u32 = 0;
    /// 1 if the search keeps dependency bitmaps and learns from them (forward learning), else 0.
    track_deps: u32 = 0;
    /// 1 if the search learns by resolution, else 0. If forward learning is on too, the two take alternate
    /// slots.
    resolves: u32 = 0;
    /// 1 if learning increases the activities of variables, else 0.
    track_activity: u32 = 0;
    /// 1 if the search looks for unfounded sets at every fixpoint; 0 if it looks for them only when the
    /// assignment is total.
    check_fixpoints: u32 = 0;
    /// The number of conflicts by which the intervals of rephasing grow (see [`crate::kernels::rephase`]); 0
    /// if the search never rephases.
    rephase: u32 = 0;
    /// The number of conflicts after which decisions no longer follow [`super::Problem::preferred`].
    prefer_until: u32 = u32::MAX;
    /// A jump over more levels than this saves the phases of what it undoes; 0: no jump does.
    save_progress: u32 = 0;
    /// The index of the sum that the next answer set must satisfy (a bound on the costs, or consequences that
    /// are not yet known), or [`NONE`].
    goal: u32 = NONE;
    /// 1 if the search is under assumptions: it decides on the literals of its cube first, and says which of
    /// them a refutation needs (see [`crate::kernels::place`]).
    assumes: u32 = 0;
    /// The number of literals at the beginning of the cube that are assumptions. All searchers of a swarm have
    /// the same ones there.
    assumed: u32 = 0;
    /// When the search asks the host before it goes on (see [`crate::next_step::NextStep::Ask`]): one of the
    /// constants of [`asks`].
    asks: u32 = asks::NEVER;
    /// 1 if the search looks after the program's difference constraints (see
    /// [`crate::kernels::differences`]); 0 if a propagator of the host does, or there are none.
    bounds: u32 = 0;
    /// The times at which the search restarts.
    restarts: Restarts = Restarts::default();
}
