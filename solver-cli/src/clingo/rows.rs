//! Each option of clingo and clasp, and what becomes of it here: the table that `docs/clingo.md` shows.
//!
//! Main item: [`ROWS`]. `clap` learns the options that are passed on, ignored or refused from this table
//! alone. The others are fields of [`Args`](crate::args::Args), of [`Clingo`](super::Clingo) or of
//! [`Options`](solver_host::search::Options). The control of the Python package follows the same table
//! (`control_options.rs`).
//!
//! Invariant: no option that changes the meaning of a result is ignored.

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// yasmin has the option; the text says what differs, if anything does.
    Same(&'static str),
    /// The option goes to the grounder.
    Grounder,
    /// The option is accepted, and a line on standard error says that it is ignored, for this reason.
    Ignored(&'static str),
    /// The option is an error, for this reason.
    Refused(&'static str),
}

/// Whether an option takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// No value.
    Nothing,
    /// No value, and `--no-NAME` is the opposite.
    Switch,
    /// A value after `=`, or none.
    Maybe,
    /// A value.
    Value,
    /// The same as `Maybe`, and `--no-NAME` is `--NAME=no`.
    MaybeOrNo,
    /// A value, and `--no-NAME` is `--NAME=no`.
    ValueOrNo,
}

impl Takes {
    /// Whether the option may begin with `--no-`.
    pub fn may_be_negated(self) -> bool {
        matches!(self, Takes::Switch | Takes::MaybeOrNo | Takes::ValueOrNo)
    }
}

/// The words `--NAME=no` for the word `--no-NAME`, if clasp understands the one as the other.
pub fn negated(word: &str) -> Option<String> {
    let name = word.strip_prefix("--no-")?;
    let row = ROWS.iter().find(|row| row.name == name)?;
    matches!(row.takes, MaybeOrNo | ValueOrNo).then(|| format!("--{name}=no"))
}

/// An option of clingo or clasp.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The long name, without hyphens before it.
    pub name: &'static str,
    /// The short name.
    pub short: Option<char>,
    /// Whether the option takes a value.
    pub takes: Takes,
    /// What becomes of the option.
    pub effect: Effect,
}

use Effect::{Grounder, Ignored, Refused, Same};
use Takes::{Maybe, MaybeOrNo, Nothing, Switch, Value, ValueOrNo};

/// The rows of a part of clingo's configuration, in its order: of `asp`, `solve` or `solver`, or of what is in
/// none of them, for an empty name. `None` if there is no such part.
pub fn part(name: &str) -> Option<&'static [Row]> {
    let (first, last) = match name {
        "" => ("configuration", "sat-prepro"),
        "asp" => ("trans-ext", "eq-dfs"),
        "solve" => ("solve-limit", "opt-stop"),
        "solver" => ("opt-strategy", "del-on-restart"),
        _ => return None,
    };
    let at = |name: &str| ROWS.iter().position(|row| row.name == name);
    ROWS.get(at(first)?..=at(last)?)
}

const fn row(name: &'static str, takes: Takes, effect: Effect) -> Row {
    Row { name, short: None, takes, effect }
}

const fn short(letter: char, name: &'static str, takes: Takes, effect: Effect) -> Row {
    Row { name, short: Some(letter), takes, effect }
}

/// yasmin has one way to do this, which is not tuned from outside.
const TUNES: Effect = Ignored("the option tunes clasp's algorithm, and changes no answer");
const DELETES: Effect = Ignored("the option tunes how clasp deletes nogoods; see --keep-learned");
const PREPARES: Effect = Ignored("the option tunes how clasp simplifies programs; see --preprocess");
const SHARES: Effect =
    Ignored("the option tunes how clasp's threads share nogoods; see --share-length and --import-every");
const DIFFERENCES: Effect = Ignored("the option tunes clingo-dl's algorithm, and changes no answer");
const NO_SCRIPTS: &str = "yasmin runs no scripts; the grounder does while it grounds";

/// All options of clasp 3.3, clingo 5.4 and clingo 5.8, in the order of `clingo --help=3`, and then those of
/// clingo-dl 1.5 alone.
pub const ROWS: &[Row] = &[
    row(
        "configuration",
        Value,
        Same(
            "presets of yasmin's own options, of which `many` is the default; of a file, the first \
             configuration is followed",
        ),
    ),
    row("tester", Value, Ignored("the check for smaller models has no options of its own")),
    short('s', "stats", Maybe, Same("")),
    row("parse-ext", Switch, Refused("yasmin reads no extensions of the smodels format or of DIMACS")),
    row("parse-maxsat", Switch, Same("not together with --proof")),
    row("share", ValueOrNo, SHARES),
    row("learn-explicit", Nothing, TUNES),
    row("sat-prepro", MaybeOrNo, PREPARES),
    row("trans-ext", ValueOrNo, Same("for counts alone")),
    row("eq", Value, PREPARES),
    row("backprop", Switch, PREPARES),
    row("supp-models", Nothing, Same("not together with --proof, --explain and --pre")),
    row(
        "no-ufs-check",
        Nothing,
        Refused("what clasp finds without this check depends on its preprocessing; see --supp-models"),
    ),
    row("no-gamma", Nothing, PREPARES),
    row("eq-dfs", Nothing, PREPARES),
    row("solve-limit", Value, Same("the search stops some milliseconds after the limit is reached")),
    short(
        't',
        "parallel-mode",
        Value,
        Same(
            "at most 1024 searchers, and `auto`; `compete` and `split` change nothing, as searchers do both",
        ),
    ),
    row("global-restarts", Value, Ignored("each searcher starts over by itself")),
    row("distribute", ValueOrNo, SHARES),
    row("integrate", Value, SHARES),
    short(
        'e',
        "enum-mode",
        Value,
        Same("`bt` and `record` mean what `auto` does; `domRec` takes one searcher"),
    ),
    row("project", MaybeOrNo, Same("")),
    short('n', "models", Value, Same("")),
    row("opt-mode", Value, Same("")),
    row("opt-stop", Value, Same("")),
    row("opt-strategy", Value, Same("")),
    row("opt-usc-shrink", Value, Same("")),
    row("opt-heuristic", Value, TUNES),
    row("restart-on-model", Switch, TUNES),
    row(
        "lookahead",
        MaybeOrNo,
        Ignored("failed literals are looked for before the search; see --preprocess"),
    ),
    row(
        "heuristic",
        Value,
        Same("Vsids means `activity`, and so do Berkmin, Vmtf, Unit and None, with a line"),
    ),
    row("init-moms", Switch, TUNES),
    row("score-res", Value, TUNES),
    row("score-other", Value, TUNES),
    row("sign-def", Value, Same("")),
    row("sign-fix", Nothing, Same("")),
    row("no-sign-fix", Nothing, TUNES),
    row("berk-huang", Switch, TUNES),
    row("vsids-acids", Switch, TUNES),
    row("vsids-progress", Value, TUNES),
    row("nant", Switch, TUNES),
    row(
        "dom-mod",
        Value,
        Same("for all atoms, or for those of `disj`, `opt` and `show`; `scc` and `hcc` are errors"),
    ),
    row("save-progress", Maybe, Same("`auto` is the default")),
    row("init-watches", Value, TUNES),
    row("update-mode", Value, SHARES),
    row("acyc-prop", Maybe, TUNES),
    row("seed", Value, Same("")),
    row("partial-check", Maybe, TUNES),
    row("sign-def-disj", Value, TUNES),
    row("rand-freq", ValueOrNo, Ignored("yasmin makes no random decisions")),
    row("rand-prob", Value, Ignored("yasmin makes no random searches")),
    row("no-lookback", Nothing, Ignored("yasmin always learns from conflicts")),
    row("forget-on-step", Value, Ignored("what a step has learned stays as long as it holds")),
    row("strengthen", ValueOrNo, TUNES),
    row("otfs", Maybe, TUNES),
    row("update-lbd", ValueOrNo, TUNES),
    row("update-act", Nothing, TUNES),
    row("reverse-arcs", Maybe, TUNES),
    row("contraction", ValueOrNo, TUNES),
    row("loops", Value, Ignored("yasmin has one way to learn loop nogoods; see --loop-check")),
    short(
        'r',
        "restarts",
        ValueOrNo,
        Same("`F`, `L`, `x` and `D`; `+` becomes a geometric sequence, with a line"),
    ),
    row("reset-restarts", Value, TUNES),
    row("local-restarts", Switch, TUNES),
    row("counter-restarts", Value, TUNES),
    row("block-restarts", Value, TUNES),
    row("shuffle", ValueOrNo, TUNES),
    short(
        'd',
        "deletion",
        ValueOrNo,
        Same("`no` keeps all learned nogoods; all else is ignored with a line"),
    ),
    row("del-grow", ValueOrNo, DELETES),
    row("del-cfl", ValueOrNo, DELETES),
    row("del-init", Value, DELETES),
    row("del-estimate", Maybe, DELETES),
    row("del-max", ValueOrNo, DELETES),
    row("del-glue", Value, DELETES),
    row("del-on-restart", Value, DELETES),
    row("text", Nothing, Same("the grounder prints the text")),
    short('c', "const", Value, Same("")),
    short('o', "output", Value, Same("the grounder prints the program; `intermediate` is aspif")),
    row("output-debug", Value, Grounder),
    short('W', "warn", Value, Grounder),
    row("rewrite-minimize", Nothing, Grounder),
    row("keep-facts", Nothing, Grounder),
    row("preserve-facts", Value, Grounder),
    row("reify-sccs", Nothing, Grounder),
    row("reify-steps", Nothing, Grounder),
    row("show-preds", Value, Grounder),
    row("single-shot", Nothing, Ignored("whether another step follows changes no answer")),
    short('h', "help", Maybe, Same("`--help` is `--help=3`, and `-h` is `--help=1`")),
    short('v', "version", Nothing, Same("")),
    short('V', "verbose", Maybe, Same("")),
    row("time-limit", Value, Same("fractions of a second as well")),
    row("fast-exit", Nothing, Ignored("yasmin frees nothing that it need not free at its end")),
    row("print-portfolio", Nothing, Same("yasmin's own portfolio, that of `--portfolio=many`")),
    short('q', "quiet", Maybe, Same("")),
    row("pre", Maybe, Same("aspif only; what is simplified is not what clasp simplifies")),
    row("outf", Value, Same("")),
    row("out-atomf", Value, Same("")),
    row("out-ifs", Value, Same("")),
    row("out-hide-aux", Nothing, Same("")),
    row("lemma-in", Value, Ignored("a lemma follows from the program, so that no answer depends on it")),
    row("lemma-out", Value, Same("what the search still has at its end, the best ones first")),
    row("lemma-out-lbd", Value, Same("")),
    row("lemma-out-max", Value, Same("")),
    row("lemma-out-dom", Value, Same("")),
    row("lemma-out-txt", Nothing, Same("atoms that are shown, alone")),
    row("hcc-out", Value, Refused("yasmin does not write components to files")),
    row("compute", Value, Refused("atoms have no numbers for users here; name the atom with --assume")),
    row("mode", Value, Same("")),
    row("enable-python", Switch, Ignored(NO_SCRIPTS)),
    row("propagate", Value, DIFFERENCES),
    row("propagate-root", Value, DIFFERENCES),
    row("propagate-budget", Value, DIFFERENCES),
    row("add-mutexes", Value, DIFFERENCES),
    row("sort-edges", Value, DIFFERENCES),
    row("dl-heuristic", Value, DIFFERENCES),
    row("rdl", Switch, Refused("variables are integers")),
    row("shift-constraints", Switch, DIFFERENCES),
    row("compute-components", Switch, DIFFERENCES),
];
