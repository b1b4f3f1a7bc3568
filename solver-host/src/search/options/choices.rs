//! What an option chooses from by name: each choice with its name and its help.
//!
//! The names are the variants' in lower case, with hyphens, unless a variant says otherwise. The first
//! paragraph of a variant's documentation is what `--help` prints of it.

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command, ValueEnum};
use std::ffi::OsStr;
use std::fmt;

/// Prints each choice by the name that is typed for it.
macro_rules! printed_by_name {
    ($($choice:ty)*) => {
        $(impl fmt::Display for $choice {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(self.to_possible_value().expect("each choice can be typed").get_name())
            }
        })*
    };
}

printed_by_name! { Learning Decide Heuristic SignDef LoopCheck Check Engine Team Portfolio }

/// How nogoods are learned from conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Learning {
    /// The decisions that the conflict depends on, collected while propagating.
    ///
    /// A bitmap for each assigned variable says which decisions the assignment depends on.
    #[value(name = "fwd")]
    Forward,
    /// Resolution to the first unique implication point.
    #[value(name = "res")]
    Resolution,
    /// Both: from each conflict one nogood is learned in each way.
    Both,
}

/// What may be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Decide {
    /// Any atom or body: at first an atom is made false and a body true, and later each gets the value that it had
    /// last.
    Any,
    /// Only bodies of rules whose positive part holds, to be true, and choices: an ASP computation.
    ///
    /// This is the paper's way.
    Applicable,
}

/// Which variables decisions prefer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Heuristic {
    /// What stands in most nogoods.
    Occurrences,
    /// What stands in most nogoods as a true literal.
    Positive,
    /// What stands in most nogoods as a false literal.
    Negative,
    /// What stands in most nogoods, short ones counted more.
    ///
    /// A nogood counts 2 to the minus its length (Jeroslow and Wang 1990).
    JeroslowWang,
    /// What stands in most recent conflicts.
    ///
    /// This is VSIDS (Moskewicz et al. 2001). At first, a variable's activity is the number of its
    /// occurrences.
    Activity,
    /// As activity, changed by the program's `#heuristic` directives (levels from -256 to 255).
    Domain,
}

/// A name of a heuristic, of clasp's too, and the number that clasp lets follow; the caller says what means less here.
#[derive(Clone, Copy, Debug)]
pub struct HeuristicName;

impl TypedValueParser for HeuristicName {
    type Value = Heuristic;

    fn parse_ref(&self, cmd: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Heuristic, clap::Error> {
        let typed = value.to_string_lossy();
        let (name, tuning) = typed.split_once(',').unwrap_or((&typed, "0"));
        let is_clasps =
            ["vsids", "berkmin", "vmtf", "unit", "none"].contains(&&name.to_ascii_lowercase()[..]);
        let is_domain = name.eq_ignore_ascii_case("domain");
        match tuning.parse::<u32>() {
            Ok(_) if is_clasps => Ok(Heuristic::Activity),
            Ok(_) if is_domain => Ok(Heuristic::Domain),
            _ => EnumValueParser::<Heuristic>::new().parse_ref(cmd, arg, value),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Heuristic::value_variants().iter().filter_map(ValueEnum::to_possible_value)))
    }
}

/// What a decision on a variable makes the variable at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SignDef {
    /// Atoms false, bodies true.
    Asp,
    /// Everything true.
    Pos,
    /// Everything false.
    Neg,
    /// Each either way, by the seed.
    Rnd,
}

/// When to look for unfounded sets, in a program that is not tight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LoopCheck {
    /// At every fixpoint of propagation.
    ///
    /// Unfounded atoms become false early.
    Fixpoint,
    /// Only when all atoms are assigned.
    ///
    /// This is the paper's way.
    Total,
}

/// How searchers differ from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Portfolio {
    /// In their seeds alone.
    Seeds,
    /// Also in restarts, heuristic, learning, rephasing and the number of learned nogoods that they keep.
    ///
    /// clasp has a configuration of that name.
    Many,
}

/// Where the loop of the search runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Resident, which is faster.
    Auto,
    /// On the host, which launches a kernel for each step.
    Host,
    /// On the device, in one launch.
    Resident,
}

/// Which threads share a resident search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Team {
    /// One block.
    Auto,
    /// One warp.
    Warp,
    /// One block.
    Block,
}

/// Which answer sets to verify against the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Check {
    /// All, each before it is handed out.
    All,
    /// The first, the last, the optimum, and others for 5 % of the time.
    Auto,
    /// None.
    No,
}
