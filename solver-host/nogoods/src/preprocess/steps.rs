//! Which steps of preprocessing to take: each step is one row, with its name and its help.
//!
//! Main type: [`Preprocess`]. What [`Preprocess`] prints, it parses.

use std::fmt;
use std::str::FromStr;

/// Declares [`Preprocess`]. A row is a step's field, which is named as the step is typed, and what `--help`
/// says of the step.
macro_rules! steps {
    ($($(#[$about:meta])* $step:ident: $help:literal;)*) => {
        /// Which steps to take.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Preprocess {
            $($(#[$about])* pub $step: bool,)*
        }

        impl Preprocess {
            /// All steps.
            pub const ALL: Preprocess = Preprocess { $($step: true),* };
            /// No step.
            pub const NONE: Preprocess = Preprocess { $($step: false),* };
            /// What the steps are called, and what `--help` says of each.
            const STEPS: &[(&str, &str)] = &[$((stringify!($step), $help)),*];

            /// Whether to take each step, in the order of [`Preprocess::STEPS`].
            fn taken(&mut self) -> Vec<&mut bool> {
                vec![$(&mut self.$step),*]
            }
        }
    };
}

steps! {
    /// Find literals from which a violated nogood follows.
    failed: "literals from which a violated nogood follows are false.";
    /// Replace equivalent literals by one of them.
    equivalent: "one literal stands for all that are equivalent.";
    /// Remove nogoods with a subset that is a nogood, and literals by self-subsuming resolution.
    subsumed: "nogoods that contain another one go, as do literals that self-subsuming resolution takes out.";
    /// Resolve away auxiliary variables where that makes no more nogoods.
    eliminate: "auxiliary variables are resolved away where that makes no more nogoods.";
}

impl Default for Preprocess {
    /// What measured well, see docs/measurements.md.
    fn default() -> Self {
        Preprocess { subsumed: false, ..Preprocess::ALL }
    }
}

impl Preprocess {
    /// What `-h` says of the option.
    #[cfg(feature = "clap")]
    pub fn help() -> String {
        let names: Vec<String> = Self::STEPS.iter().map(|(name, _)| format!("`{name}`")).collect();
        let (last, others) = names.split_last().expect("there are steps");
        let others = others.join(", ");
        format!(
            "What to do to the simplified nogoods before the search: `all`, `none`, or some of the steps {others} and {last}, \
             with commas"
        )
    }

    /// What `--help` says of the option.
    #[cfg(feature = "clap")]
    pub fn long_help() -> String {
        let steps: Vec<String> = Self::STEPS.iter().map(|(name, help)| format!("{name}: {help}")).collect();
        format!("{}\n\n{}", Self::help(), steps.join("\n"))
    }
}

impl FromStr for Preprocess {
    type Err = String;

    /// Parses `all`, `none`, or names of steps with commas.
    fn from_str(typed: &str) -> Result<Self, String> {
        let mut steps = Preprocess::NONE;
        match typed {
            "all" => return Ok(Preprocess::ALL),
            "none" => return Ok(steps),
            _ => {}
        }
        for typed in typed.split(',') {
            let Some(step) = Self::STEPS.iter().position(|&(name, _)| name == typed) else {
                let names: Vec<&str> = Self::STEPS.iter().map(|&(name, _)| name).collect();
                return Err(format!("expected all, none, or {} with commas", names.join(", ")));
            };
            *steps.taken()[step] = true;
        }
        Ok(steps)
    }
}

impl fmt::Display for Preprocess {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Preprocess::ALL => return f.write_str("all"),
            Preprocess::NONE => return f.write_str("none"),
            _ => {}
        }
        let mut steps = *self;
        let taken = Self::STEPS.iter().zip(steps.taken()).filter(|(_, is_taken)| **is_taken);
        let names: Vec<&str> = taken.map(|(&(name, _), _)| name).collect();
        f.write_str(&names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_named() {
        let some = Preprocess { failed: true, eliminate: true, ..Preprocess::NONE };
        assert_eq!("eliminate,failed".parse(), Ok(some));
        assert_eq!("failed,equivalent,subsumed,eliminate".parse(), Ok(Preprocess::ALL));
        assert_eq!("all".parse(), Ok(Preprocess::ALL));
        assert_eq!("none".parse(), Ok(Preprocess::NONE));
        for wrong in ["", "none,failed", "failed,", "failed, equivalent", "bve"] {
            assert!(wrong.parse::<Preprocess>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn each_choice_of_steps_prints_what_it_parses_from() {
        for steps in crate::preprocess::tests::choices() {
            assert_eq!(steps.to_string().parse(), Ok(steps), "{steps}");
        }
    }
}
