//! How many searchers search at once on the processor: the value of `-t`.
//!
//! Main type: [`ParallelMode`].

use solver_gpu::layout::{CHANGE, ROLES};
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;
use std::thread::available_parallelism;
use std::time::Duration;

/// Whether the host's executors are there.
pub const HAS_HOST: bool = cfg!(feature = "executors");

/// The largest number of searchers on the processor that can be asked for.
const MOST: usize = 1024;

/// How many searchers search at once on the processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ParallelMode {
    /// As many as there are cores that the process may use.
    #[default]
    Auto,
    /// As many as this process has of the cores that it shares with others that search along.
    Share(usize),
    /// This many.
    Searchers(usize),
}

/// How many threads run at once. The system reads files for that, so that it is asked once.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| available_parallelism().map_or(1, |cores| cores.get()))
}

impl ParallelMode {
    /// How many that are.
    pub fn searchers(self) -> usize {
        match self {
            ParallelMode::Auto => cores(),
            ParallelMode::Share(n) | ParallelMode::Searchers(n) => n,
        }
    }

    /// How many of `searchers` searchers there are on the processor if a GPU's join them. Unless a number was
    /// asked for, one core of three or more is left to the thread that drives the GPU.
    pub fn beside_a_gpu(self, searchers: usize) -> usize {
        match self {
            ParallelMode::Auto | ParallelMode::Share(_) if searchers > 2 => searchers - 1,
            _ => searchers,
        }
    }
}

impl FromStr for ParallelMode {
    type Err = String;

    /// A number or `auto`. What clasp says after a comma, `compete` or `split`, is accepted: searchers do
    /// both.
    fn from_str(typed: &str) -> Result<Self, String> {
        let (number, how) = typed.split_once(',').unwrap_or((typed, "compete"));
        let is_known = ["compete", "split"].iter().any(|known| how.eq_ignore_ascii_case(known));
        match number.parse() {
            _ if !is_known => Err("after the comma expected compete or split".into()),
            Ok(n) if (1..=MOST).contains(&n) => Ok(ParallelMode::Searchers(n)),
            _ if number.eq_ignore_ascii_case("auto") => Ok(ParallelMode::Auto),
            _ => Err(format!("expected auto, or a number from 1 to {MOST}")),
        }
    }
}

impl fmt::Display for ParallelMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParallelMode::Auto => f.write_str("auto"),
            ParallelMode::Share(n) | ParallelMode::Searchers(n) => n.fmt(f),
        }
    }
}

/// Declares a type of numbers for which `auto` may be typed. `$parse` reads what else is typed.
macro_rules! number_or_auto {
    ($(#[$doc:meta])* $Name:ident { $(#[$number_doc:meta])* $Number:ident } by $parse:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $Name {
            /// As the device allows, or as measured best for what is asked.
            #[default]
            Auto,
            $(#[$number_doc])*
            $Number(u32),
        }

        impl std::str::FromStr for $Name {
            type Err = String;

            fn from_str(typed: &str) -> Result<Self, String> {
                let parse: fn(&str) -> Result<u32, String> = $parse;
                match parse(typed) {
                    Err(_) if typed.eq_ignore_ascii_case("auto") => Ok($Name::Auto),
                    number => number.map($Name::$Number),
                }
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $Name::Auto => f.write_str("auto"),
                    $Name::$Number(n) => n.fmt(f),
                }
            }
        }
    };
}
pub(super) use number_or_auto;

/// A number from 1 to `most`, where `auto` may be typed as well.
fn up_to(most: u32, typed: &str) -> Result<u32, String> {
    match typed.parse() {
        Ok(n) if (1..=most).contains(&n) => Ok(n),
        _ => Err(format!("expected auto, or a number from 1 to {most}")),
    }
}

number_or_auto! {
    /// How many searchers search at once on the GPU.
    GpuSearchers {
        /// This many.
        Searchers
    } by |typed| up_to(1 << 16, typed)
}

number_or_auto! {
    /// How much of the GPU's memory searchers may take.
    GpuMemory {
        /// This many MiB.
        Mebibytes
    } by |typed| up_to(1 << 22, typed)
}

number_or_auto! {
    /// How many threads each searcher on the GPU has.
    SearcherThreads {
        /// This many.
        Threads
    } by |typed| threads(typed).map_err(|why| format!("{why}, or auto"))
}

/// How many searchers search everything as others do, instead of taking cubes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Racers {
    /// As many as what the search sees tells (`crew/roles.rs`).
    #[default]
    Auto,
    /// One in so many; 0: none.
    Each(u32),
    /// At random, and each searcher changes at any time, for tests.
    Change,
}

impl Racers {
    /// How many of [`ROLES`] searchers search everything when a search begins.
    pub fn at_first(self) -> u32 {
        match self {
            Racers::Auto => ROLES / 8,
            Racers::Change => CHANGE,
            Racers::Each(0) => 0,
            Racers::Each(n) => ROLES / n,
        }
    }
}

impl FromStr for Racers {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        match typed {
            _ if typed.eq_ignore_ascii_case("auto") => Ok(Racers::Auto),
            _ if typed.eq_ignore_ascii_case("change") => Ok(Racers::Change),
            _ => typed.parse().map(Racers::Each).map_err(|_| "expected auto, change or a number".into()),
        }
    }
}

impl fmt::Display for Racers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Racers::Auto => f.write_str("auto"),
            Racers::Each(n) => n.fmt(f),
            Racers::Change => f.write_str("change"),
        }
    }
}

/// How long one searcher searches alone at least, unless that was said.
const LEAST_ALONE: Duration = Duration::from_millis(5);

/// When searchers join a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// After a quarter of the time that preparing has taken, and after 5 ms: to make more searchers takes
    /// longer the larger a problem is.
    Auto,
    /// After so many milliseconds of search.
    Milliseconds(u32),
    /// After so many conflicts.
    Conflict(u32),
    /// After so many answer sets were told.
    Answer(u32),
    /// At the beginning of the phase with this number, from 0. The search for all optimal answer sets has two
    /// phases.
    Phase(u32),
}

impl When {
    /// Whether the time does not depend on a clock.
    pub fn is_exact(self) -> bool {
        !matches!(self, When::Auto | When::Milliseconds(1..))
    }

    /// How long that is where nothing but time passes, if preparing has taken so many seconds: what
    /// depends on anything else has come at once.
    pub fn patience(self, prepared: f64) -> Duration {
        match self {
            When::Auto => LEAST_ALONE.max(Duration::from_secs_f64(prepared / 4.0)),
            When::Milliseconds(ms) => Duration::from_millis(ms.into()),
            When::Conflict(_) | When::Answer(_) | When::Phase(_) => Duration::ZERO,
        }
    }
}

impl FromStr for When {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        if typed.eq_ignore_ascii_case("auto") {
            return Ok(When::Auto);
        }
        let expected = "expected auto, a number of milliseconds, or conflict:N, answer:N or phase:N";
        let (unit, number) = typed.split_once(':').unwrap_or(("", typed));
        let number = number.parse().map_err(|_| expected)?;
        match unit {
            "" => Ok(When::Milliseconds(number)),
            "conflict" => Ok(When::Conflict(number)),
            "answer" => Ok(When::Answer(number)),
            "phase" => Ok(When::Phase(number)),
            _ => Err(expected.into()),
        }
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            When::Auto => "auto".fmt(f),
            When::Milliseconds(n) => n.fmt(f),
            When::Conflict(n) => write!(f, "conflict:{n}"),
            When::Answer(n) => write!(f, "answer:{n}"),
            When::Phase(n) => write!(f, "phase:{n}"),
        }
    }
}

/// The threads of a searcher on the GPU, unless answer sets are only counted.
pub const BLOCK: u32 = 256;

/// The threads of a searcher on the GPU that only counts. Counting meets few conflicts, and many narrow
/// searchers count most.
pub const COUNTING_BLOCK: u32 = 32;

impl GpuSearchers {
    /// How many are asked for, if that was said.
    pub fn number(self) -> Option<u32> {
        match self {
            GpuSearchers::Auto => None,
            GpuSearchers::Searchers(n) => Some(n),
        }
    }
}

impl GpuMemory {
    /// How many bytes are asked for, if that was said.
    pub fn bytes(self) -> Option<u64> {
        match self {
            GpuMemory::Auto => None,
            GpuMemory::Mebibytes(n) => Some((n as u64) << 20),
        }
    }
}

/// Threads in a block, as they are typed.
pub fn threads(typed: &str) -> Result<u32, String> {
    match typed.parse() {
        Ok(n) if (32..=1024).contains(&n) && n % 32 == 0 => Ok(n),
        _ => Err("expected a multiple of 32 from 32 to 1024".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    #[test]
    fn one_core_is_left_to_the_thread_that_drives_a_gpu() {
        assert_eq!([1, 2, 16].map(|n| ParallelMode::Auto.beside_a_gpu(n)), [1, 2, 15]);
        assert_eq!([1, 8].map(|n| ParallelMode::Share(n).beside_a_gpu(n)), [1, 7]);
        assert_eq!(ParallelMode::Searchers(16).beside_a_gpu(16), 16);
    }

    #[test]
    fn searchers_are_narrow_if_they_only_count() {
        let options = Options::default();
        assert_eq!(
            [false, true].map(|counts| options.of_fleet(counts).threads_of_searchers()),
            [BLOCK, COUNTING_BLOCK]
        );
        let asked = Options { searcher_threads: SearcherThreads::Threads(64), ..options };
        assert_eq!([false, true].map(|counts| asked.of_fleet(counts).threads_of_searchers()), [64, 64]);
    }

    #[test]
    fn times_are_read_as_they_are_written() {
        for typed in ["0", "20", "conflict:3", "answer:1", "phase:1"] {
            assert_eq!(typed.parse::<When>().map(|when| when.to_string()), Ok(typed.into()));
        }
        assert!(["", "conflict", "conflict:", "answer:x", "-1"]
            .iter()
            .all(|typed| typed.parse::<When>().is_err()));
        assert!(When::Milliseconds(0).is_exact() && When::Answer(1).is_exact());
        assert!(!When::Milliseconds(1).is_exact());
    }

    #[test]
    fn threads_of_a_searcher_are_whole_warps() {
        assert_eq!("96".parse(), Ok(SearcherThreads::Threads(96)));
        assert_eq!("AUTO".parse(), Ok(SearcherThreads::Auto));
        assert!(["0", "33", "2048", "many"].iter().all(|typed| typed.parse::<SearcherThreads>().is_err()));
    }
}
