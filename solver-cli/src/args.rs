//! What can be typed: each option once, with its default, its range and its help.
//!
//! Main type: [`Args`]. The options of a search and of its device are the rows of [`Options`], in the library; all
//! others are here. What was typed is checked for itself, here (numbers, ranges, names) and in [`super::values`];
//! what several options mean together is [`super::validated`]'s matter.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, CommandFactory, FromArgMatches, Parser, ValueEnum};
use clap_complete::Shell;

use super::clingo::rows::negated;
use super::clingo::values::Configuration;
use super::clingo::{self, Accepted, Clingo};
use super::values::{
    constant, interval, level, literals, models, opt_mode, project, quiet, seconds, Literals, OptMode,
    Project,
};
use super::words::arg_of;
use solver_host::output::Quiet;
use solver_host::search::{Options, ProofFormat};
use solver_host::text;

const GROUNDING: &str = "Grounding";
const GOAL: &str = "Goal";
const OUTPUT: &str = "Output";
const TRACE: &str = "Watching a search";
const PROOF: &str = "Proving results";

/// The place under a heading after all options that have no place of their own.
const LAST: usize = 998;

const EXAMPLES: &str = "\
Examples:
  yasmin queens.lp                   one answer set, or an optimal one if the program minimizes
  yasmin -c n=8 queens.lp 0          all answer sets, with the constant n as 8
  yasmin program.aspif 10            up to ten, of a program that is ground already
  yasmin --opt-mode=optN tour.lp     all optimal answer sets
  yasmin --cautious config.lp        what holds in all answer sets
  yasmin --json program.lp 0         all of them as JSON, in the shape of clingo's --outf=2
  yasmin -c imax=20 steps.lp         step by step (#include <incmode>), until there is an answer set
  yasmin --time-limit 60 --stats program.aspif";

// Paragraphs are one line each, so that they are wrapped once.
const JSON_LINES: &str = "\
JSON lines (--json-lines): each answer set is one object on a line of its own, as soon as it is found, with what a \
witness of --json has: Time, Value (the atoms), Costs, Consequences; and Call, the number of the step, from the second step of a \
program on. With --progress there are lines with Time and Bounds \
(Lower; Upper, empty without an answer set), and lines with Time and Progress. The last line is the end of the document that --json \
prints, and the only one with a Result: Solver, Input, Result, Models, Calls, Time, and Stats with --stats. In all JSON times \
are in seconds, rounded to six decimals. --schema prints what each key is, and --schema=lines what a line is.";

const DEFAULTS: &str = "\
Default options: the file yasmin/options in $XDG_CONFIG_HOME, or else in ~/.config, has options, as they are typed, one or more \
on each line; a line that begins with # is a comment. The variable YASMIN_OPTIONS has options that come before those of \
the file. What is typed comes before both, and leaves out default options that contradict what is typed. --stats says where \
default options are from. --no-defaults leaves all of them out. yasmin-mpi has no default options.";

const EXIT_CODES: &str = "\
Exit codes, an OR of bits as clasp's:
   0  help or version
   1  interrupted by a signal or the time limit, no answer set found
  10  satisfiable; there may be further answer sets, or better ones
  11  as 1, but an answer set was found; 43 is 33 so, and 75 is 65
  20  unsatisfiable
  30  satisfiable, and all answer sets, an optimal one or all consequences found
  33  out of memory, on the host or on the device
  65  an error: bad usage, bad input, a failure of the grounder or while solving
If the grounder only prints, or the program is only simplified: 0.

Signals: SIGINT (Ctrl-C), SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM and SIGXCPU (ulimit -t) end the run with what is \
known, and another one at once. What is ignored at the start, as by nohup, stays ignored. A reader that goes away (SIGPIPE) ends \
the run without an error. A file that may not grow (SIGXFSZ, ulimit -f) is an error, as a full disk is.";

/// What was typed.
#[derive(Parser, Debug)]
#[command(
    name = "yasmin",
    version,
    disable_version_flag = true,
    about = "Finds the answer sets of logic programs, on a GPU or without one",
    long_about = "Finds the answer sets of logic programs, on a GPU or without one.\n\n\
        Logic programs are grounded by gringo, or by clingo, which has to be installed. A program that is ground already, in \
        aspif (what gringo writes) or in the older numeric format of smodels and lparse, is told by its beginning, and so is a \
        formula in DIMACS CNF, WCNF or OPB.",
    after_help = short_ending(),
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

    /// What to ground with: a name, a path or a command with arguments [default: gringo, else clingo, else Python's clingo]
    #[arg(long, value_name = "COMMAND", help_heading = GROUNDING)]
    pub grounder: Option<String>,

    /// Write the ground program there as well, whole or not at all
    #[arg(long, value_name = "FILE", help_heading = GROUNDING)]
    pub keep_ground: Option<PathBuf>,

    /// What theory atoms mean: `auto` and `dl`: difference constraints, `&diff{u - v} <= k`; `none`: nothing
    ///
    /// Other theory atoms than `&diff` are an error, unless with none each may be true or false.
    #[arg(long, value_name = "THEORY", value_enum, default_value = "auto", hide_possible_values = true,
          help_heading = GOAL)]
    pub theory: Theory,

    /// Find an answer set with the least value of an integer variable, as with clingo-dl: `bound` of
    /// `&diff{bound - 0} <= 9`
    #[arg(long, value_name = "VARIABLE", help_heading = GOAL)]
    pub minimize_variable: Option<String>,

    /// How many answer sets to find at most; 0: all [default: 1; 0 for an optimum or consequences]
    ///
    /// Stopping at N leaves open whether the last one is optimal, or whether there are further consequences. With
    /// `--opt-mode=optN`, only those that are known to be optimal count.
    #[arg(short = 'n', long, value_name = "N", help_heading = GOAL, value_parser = models, allow_negative_numbers = true)]
    pub models: Option<i64>,

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

    /// What to find: answer sets one by one, or consequences; bt and record mean what auto does
    ///
    /// domRec: each answer set excludes all that deviate from what `--heuristic=Domain` prefers in the same
    /// domain atoms or more. With --dom-mod=false,show these are the answer sets with the fewest shown atoms,
    /// as sets. One searcher searches.
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
    /// auto: as project if the program has such statements, else as show.
    #[arg(long, value_name = "ONTO", num_args = 0..=1, require_equals = true, default_value = "no",
          default_missing_value = "auto", hide_default_value = true, help_heading = GOAL, value_parser = project,
          verbatim_doc_comment)]
    pub project: Project,

    /// Only answer sets where these hold, as in `a,not b(1)`, by their names as they are printed; may be repeated
    #[arg(long, value_name = "LITERALS", help_heading = GOAL, value_parser = literals, allow_hyphen_values = true)]
    pub assume: Vec<Literals>,

    /// Answer many questions at once: each line of this file, or of standard input (`-`), is one
    ///
    /// A line is a list of literals, all of which are assumed, as in `a, not b(1)`, or a JSON object. Members
    /// of the object are name, models, assumptions and rules (lists), bound (costs) and project (names). Others
    /// are externals (names with true, false or "free"), constraints (lists of literals that do not hold
    /// together), minimal_core (true) and time_limit (seconds). None is required. Each answer is a line of
    /// JSON, told as soon as it is known (--schema=questions). As many searchers as -t says take questions from
    /// one queue.
    #[arg(long, value_name = "FILE", help_heading = GOAL, conflicts_with_all = SEARCHES_ONCE)]
    pub questions: Option<PathBuf>,

    /// Say of all that may be shown whether it holds in all, in some or in no answer sets; counts: and in how many
    #[arg(long, value_name = "WHAT", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "kinds",
          help_heading = GOAL, conflicts_with_all = SEARCHES_ONCE,
          conflicts_with_all = ["questions", "brave", "cautious", "enum_mode"])]
    pub facets: Option<FacetsAs>,

    /// Stop after this many seconds, reading and grounding included; 0 or -1: no limit [default: 0]
    // The order of the fields puts this option's heading before that of the output, and LAST puts this option after
    // those of `options` under the heading.
    #[arg(long, value_name = "SECONDS", help_heading = Options::SEARCH, display_order = LAST, value_parser = seconds,
          allow_negative_numbers = true)]
    pub time_limit: Option<Duration>,

    /// Print JSON in the shape of clingo's `--outf=2`
    #[arg(long, help_heading = OUTPUT, conflicts_with_all = ["json_lines", "outf"])]
    pub json: bool,

    /// Print one JSON object on each line: each answer set when it is found, then the end
    #[arg(long, help_heading = OUTPUT, conflicts_with = "outf")]
    pub json_lines: bool,

    /// Print lines with better bounds and, so often, with how far the run has come; with --json-lines [alone: 1]
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "1",
          help_heading = OUTPUT, requires = "json_lines", conflicts_with_all = ["json", "outf"],
          value_parser = interval)]
    pub progress: Option<Duration>,

    /// Print 0: text, 1: the competition's text, 2: JSON, 3: nothing [default: 0]
    #[arg(long, value_name = "FORMAT", help_heading = OUTPUT, value_parser = clap::value_parser!(u8).range(0..=3))]
    pub outf: Option<u8>,

    /// Print 0: all, 1: the last, 2: no answer sets, costs and calls [default: 0,0,2; alone: 2,2,2]
    ///
    /// Without a level of their own, costs (and how far consequences are known) are printed as answer sets are.
    #[arg(short = 'q', long, value_name = "MODELS[,COSTS[,CALLS]]", num_args = 0..=1, require_equals = true,
          default_missing_value = "2,2,2", help_heading = OUTPUT, value_parser = quiet)]
    pub quiet: Option<Quiet>,

    /// Print 0: answer sets and the verdict, 1: also what is read and a summary, 2: also times [default: 1; alone: 3]
    #[arg(short = 'V', long, value_name = "LEVEL", num_args = 0..=1, require_equals = true, default_value_t = 1,
          default_missing_value = "3", hide_default_value = true, help_heading = OUTPUT)]
    pub verbose: u8,

    /// Print statistics at the end, 1: clasp's and the basic ones of ours, 2: all of ours [default: 0; alone: 1]
    #[arg(short = 's', long, value_name = "LEVEL", num_args = 0..=1, require_equals = true, default_value = "0",
          default_missing_value = "1", hide_default_value = true, help_heading = OUTPUT, value_parser = level)]
    pub stats: u8,

    /// If there is no answer set, say which values of external atoms and which literals of --assume exclude each other
    ///
    /// To learn which rules exclude each other, give each an external atom: `:- rule(1), p, q. #external rule(1). [true]`.
    #[arg(long, help_heading = OUTPUT)]
    pub explain: bool,

    /// Print the JSON Schema of what `--json` prints, of a line of `--json-lines`, or of one of `--questions`
    #[arg(long, value_name = "OF", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "document",
          help_heading = OUTPUT)]
    pub schema: Option<SchemaOf>,

    /// Write what the search does to a file, one event on each line, for the page of --view-page; one
    /// searcher searches, or those of -t on the processor
    #[arg(long, value_name = "FILE", help_heading = TRACE)]
    pub trace: Option<PathBuf>,

    /// How many events a trace has at most; 0: any number
    #[arg(long, value_name = "N", default_value_t = 100_000, help_heading = TRACE, requires = "trace")]
    pub trace_limit: u64,

    /// Print the JSON Schema of the lines of a trace
    #[arg(long, help_heading = TRACE)]
    pub trace_schema: bool,

    /// Print the page that shows a trace: write it to a file, and open that in a browser; with --trace, the trace of
    /// that file is inside
    #[arg(long, help_heading = TRACE)]
    pub view_page: bool,

    /// Write a proof of the results to a file, for yasmin-check; `-`: to standard output, and the results to standard error
    #[arg(long, value_name = "FILE", help_heading = PROOF, conflicts_with = "trace")]
    pub proof: Option<PathBuf>,

    /// How a proof is written
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = PROOF, requires = "proof")]
    pub proof_format: ProofFormat,

    /// Compress the proof (Zstandard); yasmin-check notices
    #[arg(long, help_heading = PROOF, requires = "proof")]
    pub proof_compress: bool,

    /// What clingo and clasp have as well.
    #[command(flatten)]
    pub clingo: Clingo,

    /// How to search, and on what.
    #[command(flatten)]
    pub options: Options,

    /// Leave out all default options: those of the variable YASMIN_OPTIONS, and those of the file
    #[arg(long)]
    pub no_defaults: bool,

    /// Print the completions of a shell, for the file that the shell looks for
    #[arg(long, value_name = "SHELL", value_enum)]
    pub completions: Option<Shell>,

    /// Print the manual page
    #[arg(long)]
    pub man: bool,

    /// Print version
    #[arg(short = 'v', long, action = ArgAction::Version)]
    pub version: Option<bool>,
}

/// What these words mean, the program's name first.
///
/// # Errors
/// If the words are not a command line of yasmin's, or ask for help or the version.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<(Args, Accepted), clap::Error> {
    of_matches(&matches(words)?)
}

/// What was typed, as clap has it, with what a file of configurations says.
///
/// # Errors
/// As [`parse`].
pub fn matches(words: impl IntoIterator<Item = OsString>) -> Result<ArgMatches, clap::Error> {
    // No option need be told of bytes that are no UTF-8.
    let words: Vec<OsString> = words.into_iter().map(|word| text::of_os(word).into()).collect();
    let mut matches = command().try_get_matches_from(&words)?;
    let of_file = matches.get_one::<Configuration>("configuration").and_then(|known| known.file.clone());
    if let Some((file, first)) = of_file {
        let more: Vec<OsString> =
            first.words(&command(), &matches).map(|word| spelled_out(word).into()).collect();
        let (program, rest) = words.split_at(words.len().min(1));
        let all = program.iter().chain(&more).chain(rest);
        matches = command().try_get_matches_from(all).map_err(|error| {
            let told = error.to_string();
            clap::Error::raw(error.kind(), format!("{file}: {}", told.trim_start_matches("error: ")))
        })?;
    }
    Ok(matches)
}

/// What `matches` mean.
///
/// # Errors
/// If an option is refused.
pub fn of_matches(matches: &ArgMatches) -> Result<(Args, Accepted), clap::Error> {
    let mut typed = Args::from_arg_matches(matches)?;
    if let Some(configuration) = &typed.clingo.configuration {
        let is_typed = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
        configuration.apply(&mut typed.options, is_typed);
    }
    Ok((typed, clingo::read(matches)?))
}

/// A word of a file of configurations as clap reads it.
fn spelled_out(word: &str) -> String {
    negated(word).unwrap_or_else(|| word.to_string())
}

/// The files that are named by words that may be wrong, the program's name first: all words but options, their values
/// and numbers.
pub fn files(words: &[OsString]) -> Vec<String> {
    let command = command();
    let takes_next = |word: &str| {
        // A value that is in the same word needs no other.
        let is_whole = match word.strip_prefix("--") {
            Some(name) => name.contains('='),
            None => word.chars().count() > 2,
        };
        let arg = arg_of(&command, word).filter(|_| !is_whole);
        arg.is_some_and(|arg| arg.get_action().takes_values() && !arg.is_require_equals_set())
    };
    let (mut files, mut are_files, mut is_value) = (Vec::new(), false, false);
    for word in words.iter().skip(1).map(text::of_os) {
        if std::mem::take(&mut is_value) {
            continue;
        }
        match &*word {
            "--" if !are_files => are_files = true,
            option if !are_files && option.len() > 1 && option.starts_with('-') => {
                is_value = takes_next(option)
            }
            number if number.parse::<u64>().is_ok() => {}
            file => files.push(file.to_string()),
        }
    }
    files
}

/// Options about one search, which the command does not make if it answers many questions.
const SEARCHES_ONCE: [&str; 11] = [
    "trace",
    "proof",
    "explain",
    "lemma_out",
    "solve_limit",
    "opt_stop",
    "supp_models",
    "mode",
    "text",
    "output",
    "pre",
];

/// See [`Args::facets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FacetsAs {
    /// In all, in some or in none
    Kinds,
    /// In how many as well: goes through all answer sets
    Counts,
}

/// See [`Args::schema`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    /// The document of --json
    Document,
    /// A line of --json-lines
    Lines,
    /// A line of --questions
    Questions,
}

/// The options with which the command only says something of itself.
pub const ABOUT_ITSELF: &[&str] =
    &["schema", "trace_schema", "view_page", "print_portfolio", "completions", "man"];

/// The options that `-h` lists; `--help` lists all.
const FIRST: &[&str] = &[
    "files",
    "help",
    "version",
    "constants",
    "grounder",
    "mode",
    "text",
    "models",
    "opt_mode",
    "enum_mode",
    "project",
    "assume",
    "configuration",
    "heuristic",
    "restarts",
    "seed",
    "opt_strategy",
    "time_limit",
    "json",
    "json_lines",
    "outf",
    "quiet",
    "verbose",
    "stats",
    "trace",
    "proof",
    "device",
    "parallel_mode",
];

/// The command, as clap knows it.
pub fn command() -> clap::Command {
    let is_first = |arg: &clap::Arg| FIRST.contains(&arg.get_id().as_str());
    clingo::with_rows(
        Args::command().mut_args(|arg| if is_first(&arg) { arg } else { arg.hide_short_help(true) }),
    )
}

/// See [`Args::theory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Theory {
    /// Difference constraints
    Auto,
    /// Difference constraints
    Dl,
    /// Nothing
    None,
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
    /// Those that deviate least from what the domain heuristic prefers
    #[value(name = "domRec")]
    DomRec,
    /// What holds in at least one answer set
    Brave,
    /// What holds in all answer sets
    Cautious,
}

/// What `-h` says below the options.
fn short_ending() -> String {
    format!("yasmin --help lists and explains all options.\n\n{EXAMPLES}")
}

/// What `--help` says below the options.
fn long_ending() -> String {
    format!("{EXAMPLES}\n\n{JSON_LINES}\n\n{DEFAULTS}\n\n{EXIT_CODES}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &str) -> Result<Args, clap::Error> {
        Args::try_parse_from(line.split_whitespace())
    }

    #[test]
    fn the_definition_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn accepts_what_the_help_names() {
        for line in [
            "yasmin",
            "yasmin f.aspif 0",
            "yasmin -n 0 - --learning res --heuristic jeroslow-wang --conflicts 8 --seed 7",
            "yasmin --restarts none --threads-per-block 1024 --device simt --no-simplify",
            "yasmin --device gpu:1 --engine Host",
            "yasmin --restarts geometric,100,1.5 --time-limit 0.5 --json --stats",
            "yasmin a.lp b.lp - -c n=3 --const m=f(1,2) --grounder clingo --keep-ground g.aspif",
            "yasmin --opt-mode=enum,5,-3 --enum-mode=Brave --project --assume a,b --assume not(c)",
            "yasmin --opt-mode optN -e cautious --project=show,2 --outf=1 -q -V -s",
            "yasmin --preprocess none f",
            "yasmin --schema",
            "yasmin --schema=lines",
            "yasmin --time-limit -1 --stats=no --project=off --restarts=off --deletion=off --solve-limit=no",
            "yasmin --preprocess=equivalent,failed",
            "yasmin -e domrec --heuristic=domain --dom-mod=5,16",
            "yasmin --brave --quiet=1,0 --verbose=0 --json-lines --stats=2 f 0",
            "yasmin --json-lines --progress",
            "yasmin --json-lines --progress=0.01",
        ] {
            assert!(typed(line).is_ok(), "{line}: {}", typed(line).expect_err("just seen"));
        }
    }

    #[test]
    fn files_are_told_from_values_in_wrong_words_as_well() {
        let files = |line: &str| files(&line.split(' ').map(OsString::from).collect::<Vec<_>>()).join(" ");
        for (line, want) in [
            ("yasmin --json f.lp --foo g.lp", "f.lp g.lp"),
            ("yasmin -n x --models y --mod z f.lp 7", "f.lp"),
            ("yasmin -nx --models=y -c n=1 -q f.lp -", "f.lp -"),
            ("yasmin --quiet f.lp --seed s --outf 2 -- -g 3 --", "f.lp -g --"),
            ("yasmin --enum-mode wrong --sat-prepro f.lp --rand-freq 2", "f.lp"),
        ] {
            assert_eq!(files(line), want, "{line}");
        }
    }

    #[test]
    fn refuses_what_is_out_of_range() {
        for line in [
            "yasmin -n -2",
            "yasmin --models x",
            "yasmin --learning clause",
            "yasmin --heuristic best",
            "yasmin --conflicts 0",
            "yasmin --restarts luby",
            "yasmin --restarts luby,0",
            "yasmin --restarts geometric,10,0.5",
            "yasmin --restarts geometric,10,NaN",
            "yasmin --threads-per-block 48",
            "yasmin --threads-per-block 2048",
            "yasmin --time-limit -2",
            "yasmin --time-limit inf",
            "yasmin --device tpu",
            "yasmin --outf=4",
            "yasmin --json --outf=2",
            "yasmin --json --json-lines",
            "yasmin --brave --cautious",
            "yasmin --brave -e cautious",
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
            "yasmin --progress",
            "yasmin --json --progress=1",
            "yasmin --outf=0 --progress",
            "yasmin --json-lines --progress=0",
            "yasmin --json-lines --progress=1e300",
            "yasmin --parse-maxsat --proof x",
        ] {
            assert!(typed(line).is_err(), "{line}");
        }
    }
}
