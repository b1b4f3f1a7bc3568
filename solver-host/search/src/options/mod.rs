//! How to search: each option of a search is one row, with its help, its range, its type and its default.
//!
//! Main type: [`Options`], which a library's user fills in and which `clap` fills in from the command line, if the crate's
//! feature `clap` is on.
//! What an option chooses from by name is in [`choices`], when to start over in [`restarts`], what to do
//! before the search in [`Preprocess`]. A new option is a row here, and wherever the search reads the option.
//!
//! Invariant: what the command line takes for an option that is not typed is [`Options::default`].

mod choices;
mod fleets;
mod parallel;
mod phases;
mod portfolio;
mod restarts;
mod strategy;
#[cfg(all(test, feature = "clap"))]
mod tests;

#[cfg(feature = "clap")]
use choices::HeuristicName;
pub use choices::{
    Check, Decide, Engine, Heuristic, Learning, LoopCheck, Portfolio, ProofFormat, SignDef, Symmetry,
    TransExt,
};
pub(crate) use parallel::HAS_HOST;
pub use parallel::{GpuMemory, GpuSearchers, ParallelMode, Racers, SearcherThreads, When};
pub use phases::SaveProgress;
pub use restarts::Restarts;
pub use strategy::{Descent, OptStrategy, Shrink, Usc, OTHER_RELAXATIONS, OTHER_SHRINKS};

#[cfg(feature = "clap")]
use clap::{value_parser, ArgAction};
use serde_json::{Map, Value};
#[cfg(feature = "clap")]
use solver_gpu::layout::MAX_LOOK;
use solver_gpu::Settings;
use yasmin_device::{DeviceKind, GpuSet, Setup};
use yasmin_nogoods::{Auxiliaries, Counted, Preprocess, LONGEST_HEAD};

/// The heading in `--help` of how to search.
#[cfg(feature = "clap")]
const SEARCH: &str = Options::SEARCH;
/// The heading in `--help` of what to search on.
#[cfg(feature = "clap")]
const MACHINE: &str = "Machine";

/// Declares [`Options`], by headings of `--help`. A row is what `--help` says of the option, what else `clap`
/// should know, and `field: type = default;`. The option's name is the field's, with hyphens, unless the row
/// has another `long`. A row ends with `=> Settings` if kernels read the value in the word of that name of
/// [`Settings`].
macro_rules! options {
    ($($heading:ident { $(
        $(#[doc = $about:literal])* $(#[arg($($arg:tt)*)])* $field:ident: $type:ty = $default:expr $(=> $Words:ident)?;
    )* })*) => {
        /// What a search is asked for.
        ///
        /// The kernel [`solver_gpu::kernels::rephase`] says what the phases are whose length is `rephase`.
        /// On the CPU, `threads_per_block` means nothing.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[cfg_attr(feature = "clap", derive(clap::Args))]
        pub struct Options {
            $($(
                $(#[doc = $about])*
                #[cfg_attr(feature = "clap", arg(long, default_value_t = $default, help_heading = $heading))]
                $(#[cfg_attr(feature = "clap", arg($($arg)*))])*
                pub $field: $type,
            )*)*
        }

        impl Default for Options {
            fn default() -> Self {
                Options { $($($field: $default,)*)* }
            }
        }

        impl Options {
            /// All options by name, each as it would be typed: numbers and yes or no as such, the rest as text.
            ///
            /// The name is the field's, with hyphens. Hence `simplify` is false with `--no-simplify`.
            pub fn by_name(&self) -> Map<String, Value> {
                let typed = [$($((stringify!($field), self.$field.to_string()),)*)*];
                typed.into_iter().map(|(name, text)| (name.replace('_', "-"), plain(text))).collect()
            }

            /// The words of the options that kernels read as they are; all other words have their defaults.
            pub(crate) fn settings(&self) -> Settings {
                let mut settings = Settings::default();
                $($($(
                    let $Words { $field, .. } = &mut settings;
                    *$field = self.$field.into();
                )?)*)*
                settings
            }
        }
    };
}

options! {
    SEARCH {
        /// How to learn a nogood from a conflict
        #[arg(value_enum, value_name = "HOW")]
        learning: Learning = Learning::Resolution;

        /// What may be decided
        #[arg(value_enum, value_name = "WHAT", ignore_case = true)]
        decide: Decide = Decide::Any;

        /// How to choose what to decide
        #[arg(value_name = "WHICH", ignore_case = true, value_parser = HeuristicName)]
        heuristic: Heuristic = Heuristic::Activity;

        /// What a decision makes a variable at first, if anything may be decided
        #[arg(value_enum, value_name = "SIGN", ignore_case = true)]
        sign_def: SignDef = SignDef::Asp;

        /// Let each decision give its variable the sign of the first decision, and not the sign that it had last
        #[arg(action = ArgAction::SetTrue)]
        sign_fix: bool = false;

        /// How many conflicts to learn from at most in one step (1 to 64)
        #[arg(value_name = "K", value_parser = value_parser!(u32).range(1..=64))]
        conflicts: u32 = 1;

        /// When to look for unfounded sets, in a program that is not tight
        #[arg(value_enum, value_name = "WHEN")]
        loop_check: LoopCheck = LoopCheck::Fixpoint;

        /// When to start over
        #[arg(short = 'r', value_name = "WHEN", help = Restarts::help(), long_help = Restarts::long_help())]
        restarts: Restarts = Restarts::Auto => Settings;

        /// How soon to decide by other phases than those saved, in conflicts; 0: never
        ///
        /// saved: the value that the variable had last. The phase lasts N conflicts at first, and as long as the next two phases together later.
        /// fresh: the value in the longest assignment without a conflict; as long as there is none, the value with which a search begins. The phase lasts N conflicts at first, then 2N, 3N, ...
        /// longest: as in fresh, but the phase begins with the values of the longest assignment that fresh has found. The phase lasts as long as fresh.
        /// A search for better and better answer sets stays with saved.
        #[arg(value_name = "N", verbatim_doc_comment)]
        rephase: u32 = 1000 => Settings;

        /// Let decisions repeat the value that a variable had before a jump back over more than N levels: a number, 0 or no for never, or auto
        ///
        /// Without such a value, a decision makes more of the learned nogoods false than its complement would.
        /// auto: 160. In a search for an optimum, 1 if it goes by cores, and never if it goes by answer sets.
        #[arg(value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1", verbatim_doc_comment)]
        save_progress: SaveProgress = SaveProgress::Auto;

        /// How many learned nogoods the first deletion keeps; the number grows with every deletion (from 1)
        #[arg(value_name = "N", value_parser = value_parser!(u32).range(1..=1 << 28))]
        keep_learned: u32 = 2000;

        /// Seed of every random choice; -1 and umax: the largest that clasp has
        #[arg(value_name = "N", value_parser = seed, allow_negative_numbers = true)]
        seed: u64 = 1;

        /// Whether to simplify the nogoods before the search
        #[arg(long = "no-simplify", action = ArgAction::SetFalse,
              help = "Search the program's nogoods as they are translated, without simplifying them first")]
        simplify: bool = true;

        /// What to do to the simplified nogoods before the search; nothing unless they are simplified
        #[arg(value_name = "STEPS", help = Preprocess::help(), long_help = Preprocess::long_help())]
        preprocess: Preprocess = Preprocess::default();

        /// Whether to keep only one of the answer sets that symmetries of the program map to each other
        #[arg(value_enum, value_name = "HOW", ignore_case = true)]
        symmetry: Symmetry = Symmetry::Auto;

        /// With --symmetry=auto: how many conflicts pass before symmetries are looked for, times the
        /// square root of the number of searchers
        #[arg(value_name = "N", hide_short_help = true)]
        symmetry_after: u32 = 20_000;

        /// Which counts get auxiliary variables, over which nogoods can speak of their parts
        #[arg(value_enum, value_name = "WHICH", ignore_case = true)]
        trans_ext: TransExt = TransExt::Dynamic;

        /// Translate disjunctive heads of more atoms than this with auxiliary variables
        #[arg(value_name = "N", hide_short_help = true)]
        longest_head: u32 = LONGEST_HEAD;

        /// How to look for an optimum: auto; turns, or turns,N; bb, or bb,HOW with lin, hier, inc or dec; usc, or usc,TACTICS
        ///
        /// bb: by answer sets, each better than the one before; hier: one priority after the other; inc: by steps that double; dec: by half of the distance between the bounds.
        /// usc: by cores, which are sets of costs of which one must be paid. TACTICS: disjoint, stratify, or 0 for neither [default: both].
        /// turns: by cores and by answer sets in turns, two searches of one thread; the first turn takes N conflicts [default: 300].
        /// auto: turns; if several searchers search, one thread goes by cores and looks near the best answer set in turns, the others go by answer sets.
        #[arg(value_name = "HOW", verbatim_doc_comment)]
        opt_strategy: OptStrategy = OptStrategy::Auto;

        /// Whether a search by cores makes cores smaller: no, min, or min,N, which spends at most 2^N conflicts on each literal; min,0: without a limit
        #[arg(value_name = "HOW", hide_short_help = true)]
        opt_usc_shrink: Shrink = Shrink::default();

        /// Which answer sets to verify against the program, with code that shares nothing with the search
        #[arg(value_enum, value_name = "WHICH", ignore_case = true)]
        check: Check = Check::Auto;
    }

    MACHINE {
        /// What to run the search on
        #[arg(value_name = "WHAT")]
        device: DeviceKind = DeviceKind::Auto;

        /// How many searchers search at once on the processor: a number, or auto for one on each core
        ///
        /// A search that ends at once has one searcher. With more, the order of answer sets may differ from run to run; -t 1 repeats exactly for a seed. As for clasp, `,compete` or `,split` may follow the number; searchers do both.
        #[arg(short = 't', value_name = "N")]
        parallel_mode: ParallelMode = ParallelMode::Auto;

        /// How the searchers on the processor differ from each other
        #[arg(value_enum, value_name = "HOW", hide_short_help = true)]
        portfolio: Portfolio = Portfolio::Many;

        /// How many searchers search at once on the GPU, each of them a block: a number, or auto for as many as the
        /// GPU runs at once
        #[arg(value_name = "N")]
        gpu_searchers: GpuSearchers = GpuSearchers::Auto;

        /// Threads in the block of each searcher on the GPU, if there are several searchers: a multiple of 32 from 32 to
        /// 1024, or auto for 32 if answer sets are only counted, else 256, or for fewer if else as many searchers as
        /// are asked for do not run at once
        #[arg(value_name = "N", hide_short_help = true)]
        searcher_threads: SearcherThreads = SearcherThreads::Auto;

        /// With --device auto: the devices whose searchers join those of the processor, if there are such
        /// devices
        #[arg(value_name = "WHAT", hide_short_help = true)]
        join_device: DeviceKind = DeviceKind::Gpus(GpuSet::ALL);

        /// How many fleets of searchers there are on each device of --join-device, or with --device simt
        /// in the simulation; for tests
        #[arg(value_name = "N", value_parser = value_parser!(u32).range(1..=64), hide_short_help = true)]
        fleets: u32 = 1;

        /// How much of the GPU's memory the searchers may take, in MiB, or auto for a share of what is free
        #[arg(value_name = "MIB")]
        gpu_memory: GpuMemory = GpuMemory::Auto;

        /// With several searchers: the longest learned nogood that a searcher offers to others, in literals; 0: none
        /// (0 to 32)
        #[arg(value_name = "N", value_parser = value_parser!(u32).range(0..=32), hide_short_help = true)]
        share_length: u32 = 16;

        /// With several searchers: the largest LBD of a nogood that a searcher offers to others, cores of cubes apart
        #[arg(value_name = "N", hide_short_help = true)]
        share_lbd: u32 = 6;

        /// With several searchers: how many conflicts pass before a searcher looks for nogoods of others; with more
        /// than 32 searchers the number grows with each time (from 1)
        #[arg(value_name = "N", value_parser = value_parser!(u32).range(1..), hide_short_help = true)]
        import_every: u32 = 10;

        /// With several searchers: how many nogoods of others a searcher takes over at a time
        #[arg(value_name = "N", hide_short_help = true)]
        import_most: u32 = 2000;

        /// With several searchers that look for one answer set or an optimum: how many conflicts each of
        /// them meets before they divide the search space
        ///
        /// If there are more than 16, each of them meets fewer conflicts.
        #[arg(value_name = "N", hide_short_help = true)]
        split_from: u32 = 10_000;

        /// With several searchers that look for one answer set or an optimum: how many conflicts pass before a
        /// searcher gives a part of its search space away
        #[arg(value_name = "N", hide_short_help = true)]
        split_after: u32 = 20;

        /// With several searchers that look for one answer set or an optimum: how many decisions a searcher tries
        /// before it chooses where to divide its search space; 0: none (0 to 64)
        #[arg(value_name = "N", value_parser = value_parser!(u32).range(0..=MAX_LOOK as i64), hide_short_help = true)]
        cube_lookahead: u32 = 16;

        /// With several searchers that look for one answer set or an optimum: each Nth searcher always searches
        /// everything (0: none), or auto for as many as the refutations of parts of the search space suggest; for tests
        /// also change: roles change at random
        #[arg(value_name = "N", hide_short_help = true)]
        racers: Racers = Racers::Auto;

        /// With several searchers that look for an optimum: each Nth searcher searches near the best answer
        /// set that is known; 0: none
        #[arg(value_name = "N", hide_short_help = true)]
        near_best: u32 = 4;

        /// How long one searcher searches alone before others join in, in milliseconds, or auto for a
        /// quarter of the time that preparing has taken and at least 5; for tests also conflict:N,
        /// answer:N or phase:N: after N conflicts, after N answer sets, or at the beginning of phase N
        #[arg(value_name = "WHEN", hide_short_help = true)]
        join_after: When = When::Auto;

        /// With --device auto: how long a search lasts before GPUs are opened, in milliseconds, because to
        /// open one takes a quarter of a second; for tests also the other forms of --join-after
        #[arg(value_name = "WHEN", hide_short_help = true)]
        open_after: When = When::Milliseconds(250);

        /// Threads in a block of a kernel: a multiple of 32, 32 to 1024
        #[arg(value_name = "N", value_parser = parallel::threads)]
        threads_per_block: u32 = 512;

        /// Where the loop of the search runs
        #[arg(value_enum, value_name = "WHERE", ignore_case = true)]
        engine: Engine = Engine::Auto;

        /// Whether the simulation of a GPU checks each access to memory
        #[arg(long = "no-simt-check", action = ArgAction::SetFalse, hide_short_help = true,
              help = "With --device simt, do not look for data races and accesses where no array is")]
        simt_check: bool = true;

        /// With --device simt, run each launch in N orders of its threads, from the same memory; the last
        /// one counts (1 to 1000)
        #[arg(value_name = "N", value_parser = value_parser!(u32).range(1..=1000), hide_short_help = true)]
        simt_schedules: u32 = 1;
    }
}

impl Options {
    /// One searcher on the processor, and no GPU.
    pub fn on_processor() -> Options {
        Options { device: DeviceKind::Cpu, parallel_mode: ParallelMode::Searchers(1), ..Options::default() }
    }

    /// The heading in `--help` of how to search, for a command that has more options of that sort.
    pub const SEARCH: &str = "Search";

    /// What gets auxiliary variables.
    pub(crate) fn auxiliaries(&self) -> Auxiliaries {
        let counts = match self.trans_ext {
            TransExt::No | TransExt::Choice => Counted::No,
            TransExt::Dynamic => Counted::Few,
            TransExt::Integ => Counted::Known,
            TransExt::Scc => Counted::OnLoops,
            TransExt::Card | TransExt::Weight | TransExt::All => Counted::All,
        };
        Auxiliaries { longest_head: self.longest_head, counts }
    }

    /// How the search's executor runs kernels.
    pub fn setup(&self) -> Setup {
        let &Options {
            threads_per_block: threads, seed, simt_check: checks, simt_schedules: schedules, ..
        } = self;
        Setup { threads, seed, checks, schedules }
    }

    /// The same for the searchers of a fleet.
    pub(crate) fn setup_of_searchers(&self) -> Setup {
        Setup { threads: self.threads_of_searchers(), ..self.setup() }
    }
}

/// A number; for -1 and `umax` what clasp takes them for
#[cfg(feature = "clap")]
fn seed(typed: &str) -> Result<u64, String> {
    match typed {
        "-1" | "umax" => Ok(u64::from(u32::MAX)),
        _ => typed.parse().map_err(|_| format!("expected a number from 0, umax or -1, not `{typed}`")),
    }
}

/// A number or yes or no as such, any other text as text.
fn plain(text: String) -> Value {
    let value = serde_json::from_str(&text).ok();
    value.filter(|value: &Value| value.is_number() || value.is_boolean()).unwrap_or(Value::String(text))
}
