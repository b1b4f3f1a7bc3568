//! The control words of a search as plain numbers.

use solver_gpu::State;

/// Declares [`Words`], and how they are read from the control words of the same names.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident: $T:ty,)*) => {
        /// The control words that references predict; see [`State`] for what each one says.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub struct Words {
            $($(#[$doc])* pub $name: $T,)*
        }

        impl Words {
            /// The values of the control words.
            pub fn of(state: &State) -> Words {
                Words { $($name: state.$name.load(),)* }
            }
        }
    };
}

words! {
    propagations: u64,
    decisions: u64,
    completions: u64,
    violations: u64,
    learned_total: u64,
    learned_total_lits: u64,
    rounds: u64,
    conflict_steps: u64,
    restarts: u64,
    next_restart: u64,
    rephase_at: u64,
    rephase_interval: u64,
    deleted: u64,
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
    learned: u32,
    learned_lits: u32,
    seen: u32,
    unlisted: u32,
    look_late: u32,
    bump: u32,
    lbd_recent: u32,
    lbd_ever: u32,
    deepest: u32,
    /// Scratch of Decision, which leaves it 0.
    best: u64,
    stamp: u32,
    projected: u32,
    phase_mode: u32,
    longest_len: u32,
    root: u32,
    placed: u32,
    core_len: u32,
    cores: u32,
}
