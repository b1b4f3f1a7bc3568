//! The control words of a search as plain numbers.
//!
//! Main type: [`Words`]. A reference predicts what its kernel adds to each counter of the table
//! [`solver_gpu::statistics!`].

use solver_gpu::layout::Counters;
use solver_gpu::State;

/// Declares [`Words`], and how they are read from the control words of the same names.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident: $T:ty,)*) => {
        /// The control words that references predict; see [`State`] for what each one says.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub struct Words {
            pub counts: Counts,
            $($(#[$doc])* pub $name: $T,)*
        }

        impl Words {
            /// The values of the control words.
            pub fn of(state: &State) -> Words {
                Words { counts: Counts::of(&state.counts), $($name: state.$name.load(),)* }
            }
        }
    };
}

/// Declares [`Counts`]: a number for each counter of the table.
macro_rules! counts {
    ($($group:ident { $(
        #[$doc:meta]
        $name:ident: $Type:ident $(in $Word:ident)?, $how:ident $(, $key:ident $($text:literal)?)*;
    )* })*) => {
        /// What kernels count, as plain numbers.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Counts { $($($(#[$doc] pub $name: number!($Word),)?)*)* }

        impl Counts {
            /// The values of the counters.
            fn of(counters: &Counters) -> Counts {
                Counts { $($($($name: number!($Word, counters.$name.load()),)?)*)* }
            }
        }
    };
}

/// The type of a counter's number, and its value.
macro_rules! number {
    ($Word:ident) => {
        u64
    };
    ($Word:ident, $value:expr) => {
        u64::from($value)
    };
}

solver_gpu::statistics! { counts }

words! {
    serials: u64,
    next_restart: u64,
    rephase_at: u64,
    asked: u64,
    bounded: u32,
    logged: u32,
    rephase_interval: u64,
    keep: u32,
    learned_limit: u32,
    level: u32,
    trail_len: u32,
    committed: u32,
    visited: u32,
    conflicts: u32,
    backtrack_level: u32,
    target: u32,
    flip: u32,
    exhausted: u32,
    refuted: u32,
    no_candidate: u32,
    unfounded: u32,
    checked: u32,
    set_len: u32,
    set_at: u32,
    set_seen: u32,
    set_lits: u32,
    learned: u32,
    learned_lits: u32,
    seen: u32,
    unlisted: u32,
    look_late: u32,
    bump: u32,
    lbd_recent: u32,
    lbd_ever: u32,
    /// Scratch of Decision, which leaves it 0.
    best: u64,
    stamp: u32,
    projected: u32,
    phase_mode: u32,
    longest_len: u32,
    root: u32,
    placed: u32,
    core_len: u32,
    flips: u64,
}
