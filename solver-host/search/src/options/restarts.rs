//! When to start over: the kinds of restarts, how each is typed, what its help says, and what the device
//! calls it.
//!
//! Main type: [`Restarts`]. What [`Restarts`] prints, it parses.

use std::fmt;
use std::str::FromStr;

use solver_gpu::layout::{self, restart_code};

/// When to start over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Restarts {
    /// As suits the program.
    Auto,
    /// Never.
    None,
    /// After this many conflicts times the next number of the Luby sequence.
    Luby(u32),
    /// After the first number of conflicts, then each time the second number times as many.
    Geometric(u32, f64),
    /// When recent nogoods have more decision levels than usual, but not before the first number of conflicts. The
    /// average of recent nogoods is multiplied by the second number before the comparison.
    Quality(u32, f64),
}

/// How each kind is typed.
const FORMS: &str = "`auto`, `none`, `luby,BASE`, `geometric,BASE,FACTOR` or `quality,BASE,FACTOR`";

/// What each kind means.
#[cfg(feature = "clap")]
const MEANINGS: &str = "\
auto: luby,60 if the program has head cycles, and otherwise quality,50,0.8.
luby: after BASE (from 1) times 1, 1, 2, 1, 1, 2, 4, ... conflicts.
geometric: after BASE conflicts, then FACTOR (from 1.0) times as many, and so on.
quality: when the average number of decision levels in recent nogoods, times FACTOR (at most 1.0), is more than the long-term \
average, and BASE conflicts at the earliest after the last restart.";

impl Restarts {
    /// What `-h` says of the option.
    #[cfg(feature = "clap")]
    pub(super) fn help() -> String {
        format!("When to start over, in conflicts: {FORMS}")
    }

    /// What `--help` says of the option.
    #[cfg(feature = "clap")]
    pub(super) fn long_help() -> String {
        format!("{}\n\n{MEANINGS}", Self::help())
    }

    /// The name, what the device calls the kind, and BASE and FACTOR where the kind has them.
    fn parts(self) -> (&'static str, u32, Option<u32>, Option<f64>) {
        match self {
            Restarts::Auto => ("auto", restart_code::QUALITY, None, None),
            Restarts::None => ("none", restart_code::NONE, None, None),
            Restarts::Luby(base) => ("luby", restart_code::LUBY, Some(base), None),
            Restarts::Geometric(base, factor) => {
                ("geometric", restart_code::GEOMETRIC, Some(base), Some(factor))
            }
            Restarts::Quality(base, factor) => ("quality", restart_code::QUALITY, Some(base), Some(factor)),
        }
    }
}

impl Restarts {
    /// The restarts of a program that has head cycles or has none.
    ///
    /// The nogoods of unfounded sets of a head cycle say something about most atoms, so they have about as
    /// many decision levels all the time, and none is worse than usual.
    pub(crate) fn suited(self, has_head_cycles: bool) -> Restarts {
        match self {
            Restarts::Auto if has_head_cycles => Restarts::Luby(60),
            Restarts::Auto => Restarts::Quality(50, 0.8),
            asked => asked,
        }
    }

    /// What clasp's `--restarts` means here. `None` if `parts` are none of clasp's forms.
    fn of_clasp(parts: &[&str]) -> Option<Result<Restarts, String>> {
        let number = |text: &str| match text.parse() {
            Ok(0) | Err(_) => Err(format!("a number of conflicts is whole and from 1, not `{text}`")),
            Ok(number) => Ok(number),
        };
        let factor = |text: Option<&&str>, least: f64, most: f64| match text.map(|text| text.parse::<f64>()) {
            Some(Ok(by)) if by >= least && by <= most => Ok(by),
            None => Ok(most.min(1.5)),
            _ => Err(format!("the factor must be a number from {least} to {most}")),
        };
        let (&kind, rest) = parts.split_first()?;
        let first =
            || rest.first().map_or(Err("a number of conflicts is missing".into()), |text| number(text));
        Some(match kind.to_ascii_lowercase().as_str() {
            "no" | "off" | "0" if rest.is_empty() => Ok(Restarts::None),
            "f" => first().map(|every| Restarts::Geometric(every, 1.0)),
            "l" => first().map(Restarts::Luby),
            "x" => {
                first().and_then(|base| Ok(Restarts::Geometric(base, factor(rest.get(1), 1.0, f64::MAX)?)))
            }
            "d" => first().and_then(|least| Ok(Restarts::Quality(least, factor(rest.get(1), 0.01, 1.0)?))),
            // The caller says that this is another sequence.
            "+" => first().map(|base| Restarts::Geometric(base, 1.5)),
            _ => return None,
        })
    }

    /// The part of clasp's form `typed` that means nothing here: when the sequence is to be repeated.
    pub fn ignored_part(typed: &str) -> Option<&str> {
        let forms = [("l", 2), ("x", 3), ("d", 3)];
        let kind = typed.split(',').next()?.to_ascii_lowercase();
        let &(_, parts) = forms.iter().find(|(known, _)| *known == kind)?;
        typed.match_indices(',').nth(parts - 1).map(|(at, _)| &typed[at + 1..])
    }
}

impl FromStr for Restarts {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let parts: Vec<&str> = typed.split(',').collect();
        if let Some(clasps) = Self::of_clasp(&parts) {
            return clasps;
        }
        let base = |text: &str| match text.parse() {
            Ok(0) | Err(_) => Err(format!("BASE must be a whole number from 1, not `{text}`")),
            Ok(base) => Ok(base),
        };
        match parts.as_slice() {
            ["auto"] => Ok(Restarts::Auto),
            ["none"] => Ok(Restarts::None),
            ["luby", first] => Ok(Restarts::Luby(base(first)?)),
            ["geometric", first, factor] => match factor.parse::<f64>() {
                Ok(by) if by.is_finite() && by >= 1.0 => Ok(Restarts::Geometric(base(first)?, by)),
                _ => Err(format!("FACTOR must be a number from 1.0, not `{factor}`")),
            },
            ["quality", least, factor] => match factor.parse::<f64>() {
                Ok(by) if by > 0.0 && by <= 1.0 => Ok(Restarts::Quality(base(least)?, by)),
                _ => Err(format!("FACTOR must be a number above 0 up to 1.0, not `{factor}`")),
            },
            _ => Err(format!("expected {FORMS}")),
        }
    }
}

impl fmt::Display for Restarts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (name, _, base, factor) = self.parts();
        f.write_str(name)?;
        base.map_or(Ok(()), |base| write!(f, ",{base}"))?;
        factor.map_or(Ok(()), |factor| write!(f, ",{factor}"))
    }
}

impl From<Restarts> for layout::Restarts {
    fn from(asked: Restarts) -> Self {
        let (_, kind, base, factor) = asked.suited(false).parts();
        layout::Restarts { kind, base: base.unwrap_or(0), factor: factor.unwrap_or(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_in_the_help_parses_and_prints_itself() {
        let forms: Vec<&str> = FORMS.split('`').skip(1).step_by(2).collect();
        assert_eq!(forms.len(), 5);
        let mut codes = Vec::new();
        for form in forms {
            let typed = form.replace("BASE", "7").replace("FACTOR", "1");
            let parsed: Restarts = typed.parse().unwrap_or_else(|error| panic!("{typed}: {error}"));
            assert_eq!(parsed.to_string(), typed);
            codes.push(layout::Restarts::from(parsed).kind);
        }
        assert_eq!(
            codes,
            [
                restart_code::QUALITY,
                restart_code::NONE,
                restart_code::LUBY,
                restart_code::GEOMETRIC,
                restart_code::QUALITY
            ]
        );
    }

    #[test]
    fn clasps_forms_have_counterparts() {
        for (typed, want) in [
            ("no", Restarts::None),
            ("0", Restarts::None),
            ("off", Restarts::None),
            ("F,64", Restarts::Geometric(64, 1.0)),
            ("L,100", Restarts::Luby(100)),
            ("L,100,5", Restarts::Luby(100)),
            ("x,100,1.5", Restarts::Geometric(100, 1.5)),
            ("D,100,0.7", Restarts::Quality(100, 0.7)),
            ("+,100,20", Restarts::Geometric(100, 1.5)),
        ] {
            assert_eq!(typed.parse(), Ok(want), "{typed}");
        }
        for typed in ["L", "L,0", "x,1,0.5", "D,10,2", "F,a", "no,1"] {
            assert!(typed.parse::<Restarts>().is_err(), "{typed}");
        }
        assert_eq!(Restarts::ignored_part("L,100,5"), Some("5"));
        assert_eq!(Restarts::ignored_part("x,100,1.5,7"), Some("7"));
        assert_eq!(Restarts::ignored_part("luby,100"), None);
        assert_eq!(Restarts::ignored_part("D,100,0.7"), None);
    }

    #[test]
    fn the_device_gets_base_and_factor() {
        let on_device = |asked| {
            let layout::Restarts { kind, base, factor } = layout::Restarts::from(asked);
            (kind, base, factor)
        };
        assert_eq!(on_device(Restarts::None), (restart_code::NONE, 0, 0.0));
        assert_eq!(on_device(Restarts::Luby(3)), (restart_code::LUBY, 3, 0.0));
        assert_eq!(on_device(Restarts::Quality(50, 0.8)), (restart_code::QUALITY, 50, 0.8));
        assert_eq!(on_device(Restarts::Auto), (restart_code::QUALITY, 50, 0.8));
    }

    #[test]
    fn head_cycles_change_auto_alone() {
        assert_eq!(Restarts::Auto.suited(true), Restarts::Luby(60));
        for asked in
            [Restarts::None, Restarts::Luby(7), Restarts::Geometric(3, 1.5), Restarts::Quality(50, 0.8)]
        {
            assert_eq!([asked.suited(true), asked.suited(false)], [asked; 2]);
        }
    }
}
