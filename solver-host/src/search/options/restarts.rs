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
    /// Never.
    None,
    /// After this many conflicts times the next number of the Luby sequence.
    Luby(u32),
    /// After the first number of conflicts, then each time the second number times as many.
    Geometric(u32, f64),
    /// When the nogoods learned of late have more decision levels than usual, but not before the first number
    /// of conflicts. The levels of late are multiplied by the second number before they are compared.
    Quality(u32, f64),
}

/// How each kind is typed.
const FORMS: &str = "`none`, `luby,BASE`, `geometric,BASE,FACTOR` or `quality,BASE,FACTOR`";

/// What each kind means.
const MEANINGS: &str = "\
luby: after BASE (from 1) times 1, 1, 2, 1, 1, 2, 4, ... conflicts.
geometric: after BASE conflicts, then FACTOR (from 1.0) times as many, and so on.
quality: when the decision levels in a nogood of late, on average and times FACTOR (to 1.0), are more than they were \
before, and after BASE conflicts at least.";

impl Restarts {
    /// What `-h` says of the option.
    pub(super) fn help() -> String {
        format!("When to start over, in conflicts: {FORMS}")
    }

    /// What `--help` says of the option.
    pub(super) fn long_help() -> String {
        format!("{}\n\n{MEANINGS}", Self::help())
    }

    /// The name, what the device calls the kind, and BASE and FACTOR where the kind has them.
    fn parts(self) -> (&'static str, u32, Option<u32>, Option<f64>) {
        match self {
            Restarts::None => ("none", restart_code::NONE, None, None),
            Restarts::Luby(base) => ("luby", restart_code::LUBY, Some(base), None),
            Restarts::Geometric(base, factor) => {
                ("geometric", restart_code::GEOMETRIC, Some(base), Some(factor))
            }
            Restarts::Quality(base, factor) => ("quality", restart_code::QUALITY, Some(base), Some(factor)),
        }
    }
}

impl FromStr for Restarts {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
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
        let (_, kind, base, factor) = asked.parts();
        layout::Restarts { kind, base: base.unwrap_or(0), factor: factor.unwrap_or(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_in_the_help_parses_and_prints_itself() {
        let forms: Vec<&str> = FORMS.split('`').skip(1).step_by(2).collect();
        assert_eq!(forms.len(), 4);
        let mut codes = Vec::new();
        for form in forms {
            let typed = form.replace("BASE", "7").replace("FACTOR", "1");
            let parsed: Restarts = typed.parse().unwrap_or_else(|error| panic!("{typed}: {error}"));
            assert_eq!(parsed.to_string(), typed);
            codes.push(layout::Restarts::from(parsed).kind);
        }
        assert_eq!(
            codes,
            [restart_code::NONE, restart_code::LUBY, restart_code::GEOMETRIC, restart_code::QUALITY]
        );
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
    }
}
