//! The statistics of a search, one row each, and the words that count them on the device.
//!
//! Main macro: [`statistics!`](crate::statistics), the table. Other macros take the table and write code for
//! each row: [`Counters`] here, the structs and the sums over searchers in
//! `solver-host/search/src/statistics.rs`, labels and clasp's names in
//! `solver-host/src/output/statistics.rs`.
//!
//! Invariant: a statistic has one name, which is the name of the word on the device, of the field on the host
//! and of the key in JSON.

use cuda_std::atomic::{SearchU32, SearchU64};

/// Calls a macro with the table of all statistics.
///
/// A row begins with one sentence, which becomes the documentation of the word and of the field, and goes on
/// with these parts:
///
/// | part | what it says |
/// | --- | --- |
/// | `decisions: u64` | the name, and the type of the number on the host |
/// | `in SearchU64` | kernels count in a word of this type in [`Counters`]; else the host counts |
/// | `sum`, `max` | how the numbers of several searchers become one |
/// | `once` | the number belongs to the whole search, and the numbers of searchers are not added to it |
/// | `basic` | `--stats=1` prints the number; `--stats=2` prints all numbers |
/// | `rate` | `--stats=2` also prints the number for each second of solving |
/// | `label "Deepest lvl."` | the name in text; a row needs one if its own name has more than 12 letters |
/// | `clasp "Core/Choices"` | the object and the key that clasp's statistics have for the same number |
///
/// The rows stand in the order in which their numbers are printed. The statistics under `swarm` say what
/// several searchers did for each other.
#[macro_export]
macro_rules! statistics {
    ($($table:tt)+) => {
        $($table)+! {
            search {
                /// The name of what ran the kernels.
                device: String, once, basic;
                /// The seed of every random choice.
                seed: u64, once, basic;
                /// The number of decisions.
                decisions: u64 in SearchU64, sum, rate, clasp "Core/Choices";
                /// The number of steps that ended in conflicts and learned from them.
                conflicts: u64 in SearchU64, sum, rate, clasp "Core/Conflicts";
                /// The number of violated nogoods that were found. A step may find several.
                violations: u64 in SearchU64, sum;
                /// The number of literals made part of the assignment, decisions included.
                propagations: u64 in SearchU64, sum, basic, rate;
                /// The number of rounds of propagation that had something to commit.
                rounds: u64 in SearchU64, sum;
                /// The number of visits to nogoods by the rows and the watch lists of a frontier's literals.
                visits: u64 in SearchU64, sum;
                /// The number of nogoods that were learned.
                learned: u64 in SearchU64, sum, rate, clasp "Lemma/Sum";
                /// The number of literals of all nogoods that were learned.
                learned_literals: u64 in SearchU64, sum, label "Learned lits";
                /// The number of learned nogoods that were deleted.
                deleted: u64 in SearchU64, sum, clasp "Lemma/Deleted";
                /// The number of restarts.
                restarts: u64 in SearchU64, sum, clasp "Core/Restarts";
                /// The number of times that CompleteAssignment had something to do.
                completions: u64 in SearchU64, sum;
                /// The number of checks for unfounded sets.
                stability_checks: u64 in SearchU64, sum, label "Stab. checks";
                /// The number of checks for smaller models, which programs with head cycles need.
                minimality_checks: u64, sum, label "Min. checks";
                /// The number of checks that found an unfounded set.
                unfounded_sets: u64 in SearchU64, sum, label "Unfounded";
                /// The highest decision level that was reached.
                deepest_level: u64 in SearchU32, max, label "Deepest lvl.";
                /// The number of answer sets that the caller was told of, or that one searcher has found.
                answer_sets: u64, once, basic, clasp "More/Models";
                /// The number of answer sets that were verified against the program.
                checked_answers: u64, once, basic, label "Checked sets";
                /// The number of times that assumptions were refuted, in a search for an optimum.
                cores: u64 in SearchU32, sum;
                /// The number of cores that were relaxed.
                cores_relaxed: u64, sum, label "Relaxed";
                /// The number of literals of all cores that were relaxed.
                core_literals: u64, sum, label "Core lits";
                /// The number of literals that were taken out of cores.
                core_literals_dropped: u64, sum, label "Dropped lits";
                /// The number of literals that were demanded because no better answer set can pay for them.
                costs_hardened: u64, sum, label "Hardened";
                /// The number of neighbourhoods of best answer sets that were looked into.
                neighbourhoods: u64 in SearchU64, sum, label "Neighbourh.";
                /// The number of those in which there was a better answer set.
                neighbourhoods_better: u64 in SearchU64, sum, label "Better there";
                /// The number of times that variables and sums were added to the search.
                extensions: u64, sum;
                /// The number of kernel launches.
                launches: u64, sum;
                /// The number of bytes copied to the device before the search.
                bytes_to_device_setup: u64, once, label "To dev. first";
                /// The number of bytes copied to the device during the search.
                bytes_to_device: u64, sum, label "To device";
                /// The number of bytes copied to the host during the search, answer sets included.
                bytes_to_host: u64, sum, label "To host";
                /// The largest number of bytes of device memory that the search held at a time.
                bytes_on_device: u64, sum, basic, label "On device";
                /// The number of seconds spent on translating and simplifying.
                prepare_seconds: f64, once, basic, label "Prepare sec.";
                /// The number of seconds spent on opening the device and copying the problem to it.
                setup_seconds: f64, once, basic, label "Setup sec.";
                /// The number of seconds spent searching.
                solve_seconds: f64, once, basic, label "Solve sec.";
                /// The number of seconds spent on verifying answer sets.
                check_seconds: f64, once, basic, label "Check sec.";
            }
            swarm {
                /// The number of searchers, or 0 for a single search.
                searchers: u64, sum;
                /// The number of cubes that searchers took from a queue.
                cubes_taken: u64 in SearchU64, sum;
                /// The number of cubes that searchers gave to others.
                cubes_given: u64 in SearchU64, sum, clasp "More/Splits";
                /// The number of cubes that searchers searched to the end.
                cubes_refuted: u64 in SearchU64, sum;
                /// The number of cubes that searchers gave back whole, because their role had changed.
                cubes_returned: u64 in SearchU64, sum, label "Cubes back";
                /// The number of decisions that made the cubes that were searched to the end.
                cube_decisions: u64 in SearchU64, sum, label "Cube decis.";
                /// The number of those that the refutations of the cubes did not need.
                spared_decisions: u64 in SearchU64, sum, label "Spared dec.";
                /// How much of the search space, which is 2 to the power of 40, those cubes are.
                closed: u64 in SearchU64, sum;
                /// The number of literals that searchers tried in lookaheads.
                probes: u64 in SearchU64, sum;
                /// The number of learned nogoods that searchers offered to others.
                offered: u64 in SearchU64, sum, clasp "Distribution/Distributed";
                /// The number of learned nogoods that the pool refused because it had had them before.
                doubled: u64 in SearchU64, sum;
                /// The number of nogoods that searchers imported from others.
                imported: u64 in SearchU64, sum, clasp "Integration/Integrated";
                /// The number of imported nogoods that took part in a conflict.
                useful: u64 in SearchU64, sum;
                /// The number of times that a searcher looked for a cube and found none.
                idle_looks: u64 in SearchU64, sum;
                /// The sum of the searching times of all searchers, in seconds.
                searcher_seconds: f64, sum, label "Searcher sec.";
                /// The sum of the times in which searchers had no cube, in seconds.
                idle_seconds: f64, sum, label "Idle sec.";
            }
        }
    };
}

/// Declares [`Counters`]: a word for each row with `in`.
macro_rules! counters {
    ($($group:ident { $(
        #[$doc:meta]
        $name:ident: $Type:ident $(in $Word:ident)?, $how:ident $(, $key:ident $($text:literal)?)*;
    )* })*) => {
        /// The words in which kernels count the statistics of a search. They are part of the control words
        /// ([`State::counts`](super::State::counts)).
        #[repr(C)]
        #[derive(Debug, Default)]
        pub struct Counters { $($($(#[$doc] pub $name: $Word,)?)*)* }

        impl Counters {
            /// The name of each word, and the distance of the word from the beginning of the struct in bytes.
            pub const NAMES: &[(&str, usize)] = &[$($($(
                (concat!("counts.", stringify!($name)), distance!($name: $Word)),
            )?)*)*];
        }

        const _: () = assert!(
            size_of::<Counters>() == 0 $($($(+ size_of::<$Word>())?)*)*,
            "an even number of words of 32 bits stand between words of 64 bits"
        );
    };
}

/// The distance of a word of [`Counters`] from the beginning of the struct in bytes.
macro_rules! distance {
    ($name:ident: $Word:ident) => {
        core::mem::offset_of!(Counters, $name)
    };
}

statistics! { counters }
