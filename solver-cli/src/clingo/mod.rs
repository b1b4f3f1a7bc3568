//! The options of clingo and clasp that people type: what has a counterpart does it, and nothing is ignored without
//! a word.
//!
//! Main functions: [`with_rows`], which adds the options of [`rows::ROWS`] to the command, and [`read`], which says
//! what became of those that were typed. Options with a counterpart are fields of [`Clingo`].

pub mod file;
pub mod rows;
pub mod values;

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

use rows::{Effect, Row, Takes, ROWS};
use solver_host::search::Options;
use values::{
    atom_format, deletion, dom_mod, escaped, grounder_output, most, opt_stop, solve_limit, Configuration,
    Deletion, DomMod, GrounderOutput, LemmaDomain, Mode, Pre, SolveLimit,
};

const OUTPUT: &str = "Output";
const GROUNDING: &str = "Grounding";
const GOAL: &str = "Goal";

/// Options as clingo and clasp have them.
#[derive(clap::Args, Clone, Debug, Default, PartialEq)]
pub struct Clingo {
    /// What to do: ground and solve, solve a ground program, or only ground
    #[arg(long, value_enum, value_name = "MODE", default_value_t = Mode::Clingo, ignore_case = true, help_heading = GROUNDING)]
    pub mode: Mode,

    /// Let the grounder print the ground program as text, and do nothing else
    #[arg(long, help_heading = GROUNDING)]
    pub text: bool,

    /// Let the grounder print the ground program in this format, and do nothing else
    #[arg(short = 'o', long, value_name = "FORMAT", help_heading = GROUNDING, value_parser = grounder_output,
          conflicts_with = "text")]
    pub output: Option<GrounderOutput>,

    /// Print the ground program in aspif, simplified by what holds in every answer set or in none, and do nothing else
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "aspif", value_enum,
          help_heading = GROUNDING)]
    pub pre: Option<Pre>,

    /// A preset of search options, or a file of clasp's; what is typed besides comes first
    #[arg(long, value_name = "NAME", help_heading = Options::SEARCH, value_parser = Configuration::parse,
          long_help = Configuration::long_help())]
    pub configuration: Option<Configuration>,

    /// Print what the searchers of `--portfolio=many` change, as a file for --configuration
    #[arg(long, help_heading = Options::SEARCH)]
    pub print_portfolio: bool,

    /// What the domain heuristic does to atoms without a `#heuristic` directive: `MODIFIER[,PICK]`
    ///
    /// MODIFIER is level, pos, true, neg, false, init, factor or its number from 1 to 7. PICK is a list of disj, opt and
    /// show, or the sum of their numbers 4, 8 and 16; without PICK, all atoms are meant. Only with `--heuristic=domain`.
    #[arg(long, value_name = "MODIFIER[,PICK]", help_heading = Options::SEARCH, value_parser = dom_mod)]
    pub dom_mod: Option<DomMod>,

    /// Find supported models, in which each true atom has a rule that applies, though atoms may support each other
    #[arg(long, help_heading = GOAL, conflicts_with_all = ["proof", "explain", "pre"])]
    pub supp_models: bool,

    /// Take each disjunction of a formula in DIMACS CNF for a soft one, which costs 1 if it is violated
    #[arg(long, help_heading = GOAL, conflicts_with = "proof", overrides_with = "no_parse_maxsat")]
    pub parse_maxsat: bool,

    /// Take each disjunction of a formula in DIMACS CNF for a hard one: the default
    #[arg(long, hide = true)]
    pub no_parse_maxsat: bool,

    /// Whether learned nogoods are deleted: `no` keeps all of them
    #[arg(short = 'd', long, value_name = "HOW", help_heading = Options::SEARCH, value_parser = deletion)]
    pub deletion: Option<Deletion>,

    /// Write what the search has learned to a file at its end, as integrity constraints in aspif
    ///
    /// Added to the ground program, they change no answer set. See docs/learning.md for what is written.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, conflicts_with = "proof")]
    pub lemma_out: Option<PathBuf>,

    /// Write only lemmas with an LBD of at most N [default: any]
    #[arg(long, value_name = "N", help_heading = OUTPUT, requires = "lemma_out")]
    pub lemma_out_lbd: Option<u32>,

    /// Write at most N lemmas, the best ones; umax or -1: any number [default: any]
    #[arg(long, value_name = "N", help_heading = OUTPUT, requires = "lemma_out", value_parser = most,
          allow_negative_numbers = true)]
    pub lemma_out_max: Option<u64>,

    /// Which atoms lemmas may be about
    #[arg(long, value_name = "ATOMS", value_enum, ignore_case = true, help_heading = OUTPUT,
          requires = "lemma_out")]
    pub lemma_out_dom: Option<LemmaDomain>,

    /// Write lemmas as rules of a logic program, of atoms that are shown
    #[arg(long, help_heading = OUTPUT, requires = "lemma_out")]
    pub lemma_out_txt: bool,

    /// Stop the search after N conflicts or M restarts: `N[,M]`
    #[arg(long, value_name = "N[,M]", help_heading = Options::SEARCH, value_parser = solve_limit)]
    pub solve_limit: Option<SolveLimit>,

    /// Stop at an answer set whose costs are at most these: `BOUND[,BOUND]...`, highest priority first
    #[arg(long, value_name = "BOUND", help_heading = GOAL, value_parser = opt_stop, allow_hyphen_values = true)]
    pub opt_stop: Option<values::OptStop>,

    /// What stands between two atoms of an answer set in text; `\n`, `\t` and `\\` stand for themselves [default: a space]
    #[arg(long, value_name = "TEXT", help_heading = OUTPUT, value_parser = escaped, allow_hyphen_values = true)]
    pub out_ifs: Option<String>,

    /// How an atom is printed in text, with `%s` or `%0` for the atom, as in `%s.`
    #[arg(long, value_name = "TEXT", help_heading = OUTPUT, value_parser = atom_format, allow_hyphen_values = true)]
    pub out_atomf: Option<(String, String)>,

    /// Hide atoms whose names begin with an underscore
    #[arg(long, help_heading = OUTPUT)]
    pub out_hide_aux: bool,
}

/// What became of the options that only clingo and clasp have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Arguments for the grounder.
    pub grounder: Vec<String>,
    /// What to tell on standard error: a line for each option that is ignored.
    pub notes: Vec<String>,
}

/// The command with the options that are passed on, ignored or refused, each of which may be repeated. Long options
/// may be shortened as long as they remain unique.
pub fn with_rows(command: Command) -> Command {
    let rows = ROWS.iter().filter(|row| !matches!(row.effect, Effect::Same(_)));
    let args = rows.flat_map(|row| {
        let arg = Arg::new(row.name).long(row.name).hide(true);
        let arg = row.short.map_or(arg.clone(), |letter| arg.clone().short(letter));
        let no = (row.takes == Takes::Switch).then(|| {
            let name = format!("no-{}", row.name);
            Arg::new(name.clone()).long(name).hide(true).action(ArgAction::Count)
        });
        let arg = match row.takes {
            Takes::Nothing | Takes::Switch => arg.action(ArgAction::Count),
            Takes::Maybe | Takes::MaybeOrNo => {
                arg.action(ArgAction::Append).num_args(0..=1).require_equals(true).default_missing_value("")
            }
            Takes::Value | Takes::ValueOrNo => arg.action(ArgAction::Append).allow_hyphen_values(true),
        };
        [Some(arg), no].into_iter().flatten()
    });
    command.args(args).infer_long_args(true)
}

/// What became of the options of `matches` that only clingo and clasp have.
///
/// # Errors
/// If one of them is refused.
pub fn read(matches: &ArgMatches) -> Result<Accepted, clap::Error> {
    let mut accepted = Accepted::default();
    for row in ROWS {
        for (typed, value) in typed(row, matches) {
            match row.effect {
                Effect::Same(_) => {}
                Effect::Grounder => accepted.grounder.push(match value {
                    Some(value) => format!("--{typed}={value}"),
                    None => format!("--{typed}"),
                }),
                Effect::Ignored(why) => accepted.notes.push(format!("--{typed} is ignored: {why}")),
                // The opposite of an option that is not there changes nothing.
                Effect::Refused(_) if typed != row.name || value.as_deref() == Some("no") => {}
                Effect::Refused(why) => {
                    let told = format!("--{typed} is not supported: {why}\n");
                    return Err(clap::Error::raw(ErrorKind::UnknownArgument, told));
                }
            }
        }
    }
    accepted.notes.extend(values::notes(&|name| raw(matches, name)));
    Ok(accepted)
}

/// What was typed of an option of the table alone, once for each time: the name, and the value if there is one.
fn typed(row: &Row, matches: &ArgMatches) -> Vec<(String, Option<String>)> {
    if matches!(row.effect, Effect::Same(_)) {
        return Vec::new();
    }
    let mut all = Vec::new();
    match row.takes {
        Takes::Nothing => all.resize(matches.get_count(row.name) as usize, (row.name.to_string(), None)),
        Takes::Switch => {
            let no = format!("no-{}", row.name);
            all.resize(matches.get_count(row.name) as usize, (row.name.to_string(), None));
            all.resize(all.len() + matches.get_count(&no) as usize, (no, None));
        }
        _ => {
            for value in matches.get_many::<String>(row.name).into_iter().flatten() {
                all.push((row.name.to_string(), Some(value.clone()).filter(|value| !value.is_empty())));
            }
        }
    }
    all
}

/// The value of an option as it was typed, if it was.
fn raw(matches: &ArgMatches, name: &str) -> Option<String> {
    let is_typed = matches.value_source(name) == Some(ValueSource::CommandLine);
    let value = matches.get_raw(name).filter(|_| is_typed)?.next_back()?;
    Some(value.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests;
