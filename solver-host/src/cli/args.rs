//! What can be typed: each option once, with its default, its range and its help.
//!
//! Main type: [`Args`]. What was typed is checked for itself, here (numbers, ranges, names) and in [`super::values`]; what
//! several options mean together is [`super::validated`]'s matter.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Parser, ValueEnum};

use super::values::{
    constant, literals, opt_mode, preprocess, project, quiet, restarts, seconds, threads, Literals, OptMode,
    Project, Restarts,
};
use solver_host::output::Quiet;
use solver_host::search::Preprocess;

const GROUNDING: &str = "Grounding";
const GOAL: &str = "Goal";
const SEARCH: &str = "Search";
const OUTPUT: &str = "Output";
const MACHINE: &str = "Machine";

const EXAMPLES: &str = "\
Examples:
  yasmin queens.lp                   one answer set, or an optimal one if the program minimizes
  yasmin -c n=8 queens.lp 0          all answer sets, with the constant n as 8
  yasmin program.aspif 10            up to ten, of a program that is ground already
  yasmin --opt-mode=optN tour.lp     all optimal answer sets
  yasmin --cautious config.lp        what holds in all answer sets
  yasmin --json program.lp 0         all of them as JSON, in the shape of clingo's --outf=2
  yasmin --time-limit 60 --stats program.aspif";

const JSON_LINES: &str = "\
JSON lines (--json-lines): each answer set is one object on a line of its own, as soon as it is found, with what a
witness of --json has: Time, Value (the atoms), Costs, Consequences. The last line is the end of the document that --json
prints, and the only one with a Result: Solver, Input, Result, Models, Calls, Time, and Stats with --stats.";

const EXIT_CODES: &str = "\
Exit codes, an OR of bits as clasp's:
   0  help or version
   1  interrupted by a signal or the time limit, no answer set found; 11 if one was
  10  satisfiable; there may be further answer sets, or better ones
  20  unsatisfiable
  30  satisfiable, and all answer sets, an optimal one or all consequences were found
  65  an error: bad usage, bad input, or a failure while solving (75 if an answer set was found before)
If the grounder fails, its exit code.";

/// What was typed.
#[derive(Parser, Debug)]
#[command(
    name = "yasmin",
    version,
    disable_version_flag = true,
    about = "Finds the answer sets of logic programs, on a GPU or without one",
    long_about = "Finds the answer sets of logic programs, on a GPU or without one.\n\n\
        Logic programs are grounded by gringo, or by clingo, which has to be installed. A program that is ground already, in \
        aspif (what gringo writes) or in the older numeric format of smodels and lparse, is told by its beginning.",
    after_help = EXAMPLES,
    after_long_help = long_ending(),
    override_usage = "yasmin [OPTIONS] [FILE]... [N]",
    max_term_width = 100
)]
pub struct Args {
    /// Logic programs to ground and solve as one, or one ground program; none or `-` is standard input. A bare number is N of
    /// `--models`
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,

    /// Replace a constant of the program by a term; may be repeated
    #[arg(short = 'c', long = "const", value_name = "NAME=TERM", help_heading = GROUNDING, value_parser = constant)]
    pub constants: Vec<String>,

    /// What to ground with, a name or a path [default: gringo, else clingo]
    #[arg(long, value_name = "COMMAND", help_heading = GROUNDING)]
    pub grounder: Option<String>,

    /// Write the ground program there as well, whole or not at all
    #[arg(long, value_name = "FILE", help_heading = GROUNDING)]
    pub keep_ground: Option<PathBuf>,

    /// How many answer sets to find at most; 0: all [default: 1; 0 for an optimum or consequences]
    ///
    /// Stopping at N leaves open whether the last one is optimal, or whether there are further consequences. With
    /// `--opt-mode=optN`, only those that are known to be optimal count.
    #[arg(short = 'n', long, value_name = "N", help_heading = GOAL)]
    pub models: Option<u64>,

    /// What to do about minimize statements: `opt`, `enum`, `optN` or `ignore`, and bounds: `MODE[,BOUND]...`
    ///
    /// opt: find an optimal answer set, each better than the one before.
    /// enum: find answer sets whose costs are at most the bounds; without bounds, any.
    /// optN: find an optimal answer set, then all of them.
    /// ignore: ignore the statements.
    /// The bounds stand for the priorities, highest first, and hold in every mode but ignore.
    #[arg(long, value_name = "MODE", default_value = "opt", help_heading = GOAL, value_parser = opt_mode,
          verbatim_doc_comment)]
    pub opt_mode: OptMode,

    /// How to look at answer sets; bt and record mean what auto does
    #[arg(short = 'e', long, value_name = "MODE", default_value = "auto", ignore_case = true, help_heading = GOAL)]
    pub enum_mode: EnumMode,

    /// Find what holds in at least one answer set: `--enum-mode=brave`
    #[arg(long, help_heading = GOAL, conflicts_with_all = ["enum_mode", "cautious"])]
    pub brave: bool,

    /// Find what holds in all answer sets: `--enum-mode=cautious`
    #[arg(long, help_heading = GOAL, conflicts_with = "enum_mode")]
    pub cautious: bool,

    /// Find each projection of answer sets once: `auto`, `show`, `project` or `no` [default: no; alone: auto]
    ///
    /// show: onto what is printed. project: onto the atoms of the program's project statements.
    /// auto: onto those if there are such statements, else onto what is printed.
    #[arg(long, value_name = "ONTO", num_args = 0..=1, require_equals = true, default_value = "no",
          default_missing_value = "auto", hide_default_value = true, help_heading = GOAL, value_parser = project,
          verbatim_doc_comment)]
    pub project: Project,

    /// Only answer sets where these hold, as in `a,not b(1)`, by their names as they are printed; may be repeated
    #[arg(long, value_name = "LITERALS", help_heading = GOAL, value_parser = literals)]
    pub assume: Vec<Literals>,

    /// How to learn a nogood from a conflict
    #[arg(long, value_name = "HOW", default_value = "res", help_heading = SEARCH)]
    pub learning: Learning,

    /// What may be decided
    #[arg(long, value_name = "WHAT", default_value = "any", ignore_case = true, help_heading = SEARCH)]
    pub decide: Decide,

    /// How to choose what to decide
    #[arg(long, value_name = "WHICH", default_value = "activity", ignore_case = true, help_heading = SEARCH)]
    pub heuristic: Heuristic,

    /// How many conflicts to learn from at most in one step (1 to 64)
    #[arg(long, value_name = "K", default_value_t = 1, help_heading = SEARCH,
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub conflicts: u32,

    /// When to look for unfounded sets, in a program that is not tight
    #[arg(long, value_name = "WHEN", default_value = "fixpoint", help_heading = SEARCH)]
    pub loop_check: LoopCheck,

    /// When to start over, in conflicts: `none`, `luby,BASE`, `geometric,BASE,FACTOR` or `quality,BASE,FACTOR`
    ///
    /// luby: after BASE (from 1) times 1, 1, 2, 1, 1, 2, 4, ... conflicts.
    /// geometric: after BASE conflicts, then FACTOR (from 1.0) times as many, and so on.
    /// quality: when the decision levels in a nogood of late, on average and times FACTOR (to 1.0), are more than they were before, and
    /// after BASE conflicts at least.
    #[arg(long, value_name = "WHEN", default_value = "quality,50,0.8", help_heading = SEARCH, value_parser = restarts,
          verbatim_doc_comment)]
    pub restarts: Restarts,

    /// How soon to decide by other phases than those saved, in conflicts; 0: never
    ///
    /// saved: as atoms and bodies were last; for N conflicts, then each time for as many as the next two.
    /// fresh: as if the search had just begun, and as in the longest assignment that leads to no conflict from there; for N, 2N, 3N, ...
    /// longest: as in that assignment, and in longer ones; for as many.
    #[arg(long, value_name = "N", default_value_t = 1000, help_heading = SEARCH, verbatim_doc_comment)]
    pub rephase: u32,

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

    /// What to do to the simplified nogoods before the search: `all`, `none`, or some of the steps `failed`, `equivalent`, `subsumed` and
    /// `eliminate`, with commas [default: failed,equivalent,eliminate]
    ///
    /// failed: literals from which a violated nogood follows are false.
    /// equivalent: one literal stands for all that are equivalent.
    /// subsumed: nogoods that contain another one go, as do literals that self-subsuming resolution takes out.
    /// eliminate: auxiliary variables are resolved away where that makes no more nogoods.
    #[arg(long, value_name = "STEPS", help_heading = SEARCH, value_parser = preprocess, verbatim_doc_comment)]
    pub preprocess: Option<Preprocess>,

    /// Stop after this many seconds, reading and grounding included; 0: no limit [default: 0]
    #[arg(long, value_name = "SECONDS", help_heading = SEARCH, value_parser = seconds)]
    pub time_limit: Option<Duration>,

    /// Print JSON in the shape of clingo's `--outf=2`
    #[arg(long, help_heading = OUTPUT, conflicts_with_all = ["json_lines", "outf"])]
    pub json: bool,

    /// Print one JSON object a line: each answer set when it is found, then the end
    #[arg(long, help_heading = OUTPUT, conflicts_with = "outf")]
    pub json_lines: bool,

    /// Print 0: text, 1: the competition's text, 2: JSON, 3: nothing [default: 0]
    #[arg(long, value_name = "FORMAT", help_heading = OUTPUT, value_parser = clap::value_parser!(u8).range(0..=3))]
    pub outf: Option<u8>,

    /// Print 0: all, 1: the last, 2: no answer sets, costs and calls [default: 0,0,2; alone: 2,2,2]
    ///
    /// Costs (and how far consequences are known) are as answer sets unless they have a level of their own.
    #[arg(short = 'q', long, value_name = "MODELS[,COSTS[,CALLS]]", num_args = 0..=1, require_equals = true,
          default_missing_value = "2,2,2", help_heading = OUTPUT, value_parser = quiet)]
    pub quiet: Option<Quiet>,

    /// Print 0: answer sets and the verdict only, 1: all there is to know, 2: times as well [default: 1; alone: 3]
    #[arg(short = 'V', long, value_name = "LEVEL", num_args = 0..=1, require_equals = true, default_value_t = 1,
          default_missing_value = "3", hide_default_value = true, help_heading = OUTPUT)]
    pub verbose: u8,

    /// Print the search's statistics at the end; any level but 0 means all
    #[arg(short = 's', long, value_name = "LEVEL", num_args = 0..=1, require_equals = true, default_value_t = 0,
          default_missing_value = "1", hide_default_value = true, help_heading = OUTPUT)]
    pub stats: u8,

    /// What to run the search on
    #[arg(long, value_name = "WHAT", default_value = "auto", help_heading = MACHINE)]
    pub device: Device,

    /// Threads in a block of a kernel: a multiple of 32, 32 to 1024
    #[arg(long, value_name = "N", default_value_t = 512, help_heading = MACHINE, value_parser = threads)]
    pub threads_per_block: u32,

    /// Where the loop of the search runs
    #[arg(long, value_name = "WHERE", default_value = "auto", ignore_case = true, help_heading = MACHINE)]
    pub engine: Engine,

    /// Which threads share a search whose loop runs on the device; means nothing on the cpu
    #[arg(long, value_name = "WHICH", default_value = "auto", ignore_case = true, help_heading = MACHINE)]
    pub team: Team,

    /// Visits of nogoods that one block of a grid makes in a round before it calls the others
    #[arg(long, value_name = "N", default_value_t = 6000, help_heading = MACHINE)]
    pub visits_alone: u32,

    /// Print version
    #[arg(short = 'v', long, action = ArgAction::Version)]
    pub version: Option<bool>,
}

/// See [`Args::enum_mode`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EnumMode {
    /// One by one
    Auto,
    /// One by one
    Bt,
    /// One by one
    Record,
    /// What holds in at least one answer set
    Brave,
    /// What holds in all answer sets
    Cautious,
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
    /// Both, a nogood each way
    Both,
}

/// See [`Args::decide`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Decide {
    /// Any atom or body: at first atoms to be false and bodies to be true, then as they were before
    Any,
    /// Only bodies of rules whose positive part holds, to be true, and choices: an ASP computation
    Applicable,
}

/// See [`Args::heuristic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Heuristic {
    /// What stands in most nogoods
    Occurrences,
    /// What stands in most nogoods as a true literal
    Positive,
    /// What stands in most nogoods as a false literal
    Negative,
    /// What stands in most nogoods, short ones counted more
    JeroslowWang,
    /// What stands in most recent conflicts
    Activity,
    /// The same, as the program's `#heuristic` directives change it (levels from -256 to 255)
    Domain,
}

/// See [`Args::engine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Resident, which is faster
    Auto,
    /// On the host, which launches a kernel for each step
    Host,
    /// On the device, in one launch
    Resident,
}

/// See [`Args::team`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Team {
    /// A grid for programs of many nogoods, else a block
    Auto,
    /// One warp
    Warp,
    /// One block
    Block,
    /// One block, and one a multiprocessor in rounds of many visits
    Grid,
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

/// What `--help` says below the options.
fn long_ending() -> String {
    format!("{EXAMPLES}\n\n{JSON_LINES}\n\n{EXIT_CODES}")
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
            "yasmin a.lp b.lp - -c n=3 --const m=f(1,2) --grounder clingo --keep-ground g.aspif",
            "yasmin --opt-mode=enum,5,-3 --enum-mode=Brave --project --assume a,b --assume not(c)",
            "yasmin --opt-mode optN -e cautious --project=show,2 --outf=1 -q -V -s",
            "yasmin --preprocess none f",
            "yasmin --preprocess=equivalent,failed",
            "yasmin --brave --quiet=1,0 --verbose=0 --json-lines --stats=2 f 0",
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
            "yasmin --outf=4",
            "yasmin --json --outf=2",
            "yasmin --json --json-lines",
            "yasmin --brave --cautious",
            "yasmin --brave -e cautious",
            "yasmin -e domrec",
            "yasmin --opt-mode=best",
            "yasmin --opt-mode=enum,x",
            "yasmin --project=atoms",
            "yasmin --assume a,",
            "yasmin --quiet=1,2,0,1",
            "yasmin --preprocess",
            "yasmin --preprocess=",
            "yasmin --preprocess=sat",
            "yasmin --preprocess=all,failed",
            "yasmin -c n",
            "yasmin --parallel-mode 4",
        ] {
            assert!(typed(line).is_err(), "{line}");
        }
    }
}
