//! What an option chooses from by name: each choice with its name and its help.
//!
//! The first paragraph of a choice's documentation is what `--help` prints of the choice.

use std::fmt;

/// Declares what an option chooses from: each choice with the name that is typed for it.
macro_rules! choices {
    ($($(#[doc = $about:literal])* $Option:ident {
        $($(#[doc = $help:literal])* $Choice:ident = $name:literal,)*
    })*) => {
        $(
            $(#[doc = $about])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum $Option {
                $($(#[doc = $help])* $Choice,)*
            }

            impl fmt::Display for $Option {
                fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                    f.write_str(match self {
                        $($Option::$Choice => $name,)*
                    })
                }
            }

            #[cfg(feature = "clap")]
            impl clap::ValueEnum for $Option {
                fn value_variants<'a>() -> &'a [Self] {
                    &[$($Option::$Choice),*]
                }

                fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
                    let help: &[&str] = match self {
                        $($Option::$Choice => &[$($help),*],)*
                    };
                    Some(clap::builder::PossibleValue::new(self.to_string()).help(first_paragraph(help)))
                }
            }
        )*
    };
}

/// The first paragraph of a documentation's lines, without the stop at its end.
#[cfg(feature = "clap")]
fn first_paragraph(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).take_while(|line| !line.is_empty()).collect();
    let text = lines.join(" ");
    text.strip_suffix('.').unwrap_or(&text).to_string()
}

choices! {
    /// How nogoods are learned from conflicts.
    Learning {
        /// The decisions that the conflict depends on, collected while propagating.
        ///
        /// A bitmap for each assigned variable says which decisions the assignment depends on.
        Forward = "fwd",
        /// Resolution to the first unique implication point.
        Resolution = "res",
        /// Both: from each conflict one nogood is learned in each way.
        Both = "both",
    }

    /// How a proof is written.
    ProofFormat {
        /// A step in each line, for reading.
        Text = "text",
        /// Bytes, a third of the text.
        Binary = "binary",
    }

    /// What may be decided.
    Decide {
        /// Any atom or body: at first an atom is made false and a body true; --save-progress says what comes
        /// later.
        Any = "any",
        /// Only bodies of rules whose positive part holds, to be true, and choices: an ASP computation.
        ///
        /// This is the paper's way.
        Applicable = "applicable",
    }

    /// Which variables decisions prefer.
    Heuristic {
        /// What stands in most nogoods.
        Occurrences = "occurrences",
        /// What stands in most nogoods as a true literal.
        Positive = "positive",
        /// What stands in most nogoods as a false literal.
        Negative = "negative",
        /// What stands in most nogoods, short ones counted more.
        ///
        /// A nogood counts 2 to the minus its length (Jeroslow and Wang 1990).
        JeroslowWang = "jeroslow-wang",
        /// What stands in most recent conflicts.
        ///
        /// This is VSIDS (Moskewicz et al. 2001). At first, a variable's activity is the number of its
        /// occurrences.
        Activity = "activity",
        /// As activity, changed by the program's `#heuristic` directives (levels from -256 to 255).
        Domain = "domain",
    }

    /// What a decision on a variable makes the variable at first.
    SignDef {
        /// Atoms false, bodies true.
        Asp = "asp",
        /// Everything true.
        Pos = "pos",
        /// Everything false.
        Neg = "neg",
        /// Each either way, by the seed.
        Rnd = "rnd",
    }

    /// When to look for unfounded sets, in a program that is not tight.
    LoopCheck {
        /// At every fixpoint of propagation.
        ///
        /// Unfounded atoms become false early.
        Fixpoint = "fixpoint",
        /// Only when all atoms are assigned.
        ///
        /// This is the paper's way.
        Total = "total",
    }

    /// Whether only one of the answer sets stays that symmetries map to each other.
    Symmetry {
        /// All stay.
        No = "no",
        /// One stays; only for one answer set or one optimum.
        Yes = "yes",
        /// One stays once the search has lasted, if one answer set or one optimum is asked for.
        Auto = "auto",
    }

    /// Which counts get auxiliary variables.
    TransExt {
        /// No count.
        No = "no",
        /// Counts that need few of them.
        Dynamic = "dynamic",
        /// Counts in integrity constraints.
        Integ = "integ",
        /// Recursive counts.
        Scc = "scc",
        /// All counts.
        Card = "card",
        /// All counts; sums of weights have none.
        Weight = "weight",
        /// The same.
        All = "all",
        /// No count; choices need none.
        Choice = "choice",
    }

    /// How searchers differ from each other.
    Portfolio {
        /// In their seeds alone.
        Seeds = "seeds",
        /// Every second one from the fourth on also in its restarts, unless --restarts says another than the default.
        ///
        /// clasp has a configuration of that name.
        Many = "many",
    }

    /// Where the loop of the search runs.
    Engine {
        /// Resident, which is faster.
        Auto = "auto",
        /// On the host, which launches a kernel for each step.
        Host = "host",
        /// On the device, in one launch.
        Resident = "resident",
    }

    /// Which answer sets to verify against the program.
    Check {
        /// All, each before it is handed out.
        All = "all",
        /// The first, the last, the optimum, and others for 5 % of the time.
        Auto = "auto",
        /// None.
        No = "no",
        /// As auto, and yasmin-check checks a proof of all that is claimed, beside the search.
        ///
        /// This takes another process, and only the command has one.
        Proof = "proof",
    }
}

impl Symmetry {
    /// Why symmetries are not broken in a search that is proved, or asked again and again.
    pub const NOT_HERE: &str =
        "--symmetry=yes is not possible with a proof, with assumptions or in a program that grows";
}

/// A name of a heuristic, of clasp's too, and the number that clasp lets follow; the caller says what means less here.
#[cfg(feature = "clap")]
#[derive(Clone, Copy, Debug)]
pub struct HeuristicName;

#[cfg(feature = "clap")]
impl clap::builder::TypedValueParser for HeuristicName {
    type Value = Heuristic;

    fn parse_ref(
        &self,
        cmd: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Heuristic, clap::Error> {
        let typed = value.to_string_lossy();
        let (name, tuning) = typed.split_once(',').unwrap_or((&typed, "0"));
        let is_clasps =
            ["vsids", "berkmin", "vmtf", "unit", "none"].contains(&&name.to_ascii_lowercase()[..]);
        let is_domain = name.eq_ignore_ascii_case("domain");
        match tuning.parse::<u32>() {
            Ok(_) if is_clasps => Ok(Heuristic::Activity),
            Ok(_) if is_domain => Ok(Heuristic::Domain),
            _ => clap::builder::EnumValueParser::<Heuristic>::new().parse_ref(cmd, arg, value),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        use clap::ValueEnum;
        Some(Box::new(Heuristic::value_variants().iter().filter_map(ValueEnum::to_possible_value)))
    }
}
