//! What can be typed: each option once, with its default, its range and its help.
//!
//! Main type: [`Args`]. What was typed is checked for itself here (numbers, ranges, names); what several options mean
//! together is [`super::validated`]'s matter.

use std::time::Duration;

use clap::{Parser, ValueEnum};

const SEARCH: &str = "Search";
const OUTPUT: &str = "Output";
const MACHINE: &str = "Machine";

const EXAMPLES: &str = "\
Examples:
  yasmin program.aspif               one answer set
  yasmin program.aspif 0             all answer sets
  gringo queens.lp | yasmin -n 10    up to ten, of a program grounded by gringo
  yasmin --json program.aspif 0      all of them as JSON, in the shape of clingo's --outf=2
  yasmin --time-limit 60 --stats program.aspif";

const EXIT_CODES: &str = "\
Exit codes, an OR of bits as clasp's:
   0  help or version
   1  interrupted by a signal or the time limit, no answer set found; 11 if one was
  10  satisfiable; there may be further answer sets
  20  unsatisfiable
  30  satisfiable, and all answer sets were found
  65  an error: bad usage, bad input, or a failure while solving (75 if an answer set was found before)";

/// What was typed.
#[derive(Parser, Debug)]
#[command(
    name = "yasmin",
    version,
    about = "Finds the answer sets of ground logic programs, on a GPU or without one",
    long_about = "Finds the answer sets of ground logic programs, on a GPU or without one.\n\n\
        Reads what gringo writes (aspif) and the older numeric format of smodels and lparse, told apart by content.",
    after_help = EXAMPLES,
    after_long_help = long_ending(),
    override_usage = "yasmin [OPTIONS] [FILE]... [N]",
    max_term_width = 100
)]
pub struct Args {
    /// Ground programs to read as one; none or `-` is standard input. A bare number is N of `--models`
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,

    /// How many answer sets to find at most; 0: all [default: 1]
    #[arg(short = 'n', long, value_name = "N", help_heading = SEARCH)]
    pub models: Option<u64>,

    /// How to learn a nogood from a conflict
    #[arg(long, value_name = "HOW", default_value = "res", help_heading = SEARCH)]
    pub learning: Learning,

    /// How to choose the next rule to apply
    #[arg(long, value_name = "WHICH", default_value = "activity", help_heading = SEARCH)]
    pub heuristic: Heuristic,

    /// How many conflicts to learn from at most in one step (1 to 64)
    #[arg(long, value_name = "K", default_value_t = 1, help_heading = SEARCH,
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub conflicts: u32,

    /// When to look for unfounded sets, in a program that is not tight
    #[arg(long, value_name = "WHEN", default_value = "fixpoint", help_heading = SEARCH)]
    pub loop_check: LoopCheck,

    /// When to start over, in conflicts: `none`, `luby,BASE` or `geometric,BASE,FACTOR` (BASE from 1, FACTOR from 1.0)
    #[arg(long, value_name = "WHEN", default_value = "luby,100", help_heading = SEARCH, value_parser = restarts)]
    pub restarts: Restarts,

    /// How many learned nogoods to keep when some are deleted, at first; grows with every deletion (from 1)
    #[arg(long, value_name = "N", default_value_t = 2000, help_heading = SEARCH,
          value_parser = clap::value_parser!(u32).range(1..=1 << 28))]
    pub keep_learned: u32,

    /// Seed of every random choice
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = SEARCH)]
    pub seed: u64,

    /// Search the program's nogoods as they are translated, without simplifying them first
    #[arg(long, help_heading = SEARCH)]
    pub no_simplify: bool,

    /// Stop after this many seconds, reading included; 0: no limit [default: 0]
    #[arg(long, value_name = "SECONDS", help_heading = SEARCH, value_parser = seconds)]
    pub time_limit: Option<Duration>,

    /// Print JSON in the shape of clingo's `--outf=2`
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,

    /// Print the search's statistics at the end
    #[arg(long, help_heading = OUTPUT)]
    pub stats: bool,

    /// What to run the search on
    #[arg(long, value_name = "WHAT", default_value = "auto", help_heading = MACHINE)]
    pub device: Device,

    /// Threads in a block of a kernel: a multiple of 32, 32 to 1024
    #[arg(long, value_name = "N", default_value_t = 256, help_heading = MACHINE, value_parser = threads)]
    pub threads_per_block: u32,
}

/// See [`Args::learning`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Learning {
    /// The decisions that the conflict depends on, collected while propagating
    #[value(name = "fwd")]
    Forward,
    /// Resolution to the first unique implication point
    #[value(name = "res")]
    Resolution,
}

/// See [`Args::heuristic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Heuristic {
    /// The head that stands in most nogoods
    Occurrences,
    /// The head that stands in most nogoods as a true literal
    Positive,
    /// The head that stands in most nogoods as a false literal
    Negative,
    /// The head that stands in most nogoods, short ones counted more
    JeroslowWang,
    /// The head that stands in most recent conflicts
    Activity,
}

/// See [`Args::loop_check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LoopCheck {
    /// At every fixpoint of propagation
    Fixpoint,
    /// Only when all atoms are assigned
    Total,
}

/// See [`Args::device`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Device {
    /// The GPU if there is one, else cpu
    Auto,
    /// An NVIDIA GPU
    Gpu,
    /// The processor: the same kernels, run as fast as it can
    Cpu,
    /// The processor, thread by thread as a GPU would, checking each step: slow, for tests and for learning
    Simt,
}

/// See [`Args::restarts`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Restarts {
    /// Never.
    None,
    /// After BASE times the next number of the Luby sequence.
    Luby(u32),
    /// After BASE conflicts, then FACTOR times as many, and so on.
    Geometric(u32, f64),
}

/// What `--help` says below the options.
fn long_ending() -> String {
    format!("{EXAMPLES}\n\n{EXIT_CODES}")
}

fn restarts(typed: &str) -> Result<Restarts, String> {
    let parts: Vec<&str> = typed.split(',').collect();
    let base = |text: &str| match text.parse() {
        Ok(0) | Err(_) => Err(format!("BASE must be a whole number from 1, not `{text}`")),
        Ok(base) => Ok(base),
    };
    match parts.as_slice() {
        ["none"] => Ok(Restarts::None),
        ["luby", first] => Ok(Restarts::Luby(base(first)?)),
        ["geometric", first, factor] => match factor.parse::<f64>() {
            Ok(by) if by.is_finite() && by >= 1.0 => Ok(Restarts::Geometric(base(first)?, by)),
            _ => Err(format!("FACTOR must be a number from 1.0, not `{factor}`")),
        },
        _ => Err("expected `none`, `luby,BASE` or `geometric,BASE,FACTOR`".into()),
    }
}

fn seconds(typed: &str) -> Result<Duration, String> {
    let number: f64 = typed.parse().map_err(|_| "expected a number of seconds".to_string())?;
    Duration::try_from_secs_f64(number).map_err(|_| "expected a number of seconds from 0".to_string())
}

fn threads(typed: &str) -> Result<u32, String> {
    match typed.parse() {
        Ok(n) if (32..=1024).contains(&n) && n % 32 == 0 => Ok(n),
        _ => Err("expected a multiple of 32 from 32 to 1024".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &str) -> Result<Args, clap::Error> {
        Args::try_parse_from(line.split_whitespace())
    }

    #[test]
    fn the_definition_is_consistent() {
        <Args as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn accepts_what_the_help_names() {
        for line in [
            "yasmin",
            "yasmin f.aspif 0",
            "yasmin -n 0 - --learning res --heuristic jeroslow-wang --conflicts 8 --seed 7",
            "yasmin --restarts none --threads-per-block 1024 --device simt --no-simplify",
            "yasmin --restarts geometric,100,1.5 --time-limit 0.5 --json --stats",
        ] {
            assert!(typed(line).is_ok(), "{line}: {}", typed(line).expect_err("just seen"));
        }
    }

    #[test]
    fn refuses_what_is_out_of_range() {
        for line in [
            "yasmin -n -1",
            "yasmin --models x",
            "yasmin --learning clause",
            "yasmin --heuristic vsids",
            "yasmin --conflicts 0",
            "yasmin --restarts luby",
            "yasmin --restarts luby,0",
            "yasmin --restarts geometric,10,0.5",
            "yasmin --restarts geometric,10,NaN",
            "yasmin --threads-per-block 48",
            "yasmin --threads-per-block 2048",
            "yasmin --time-limit -1",
            "yasmin --time-limit inf",
            "yasmin --device tpu",
            "yasmin --outf=3",
        ] {
            assert!(typed(line).is_err(), "{line}");
        }
    }
}
