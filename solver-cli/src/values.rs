//! Values of options of the command alone that are more than a number or a name: what they are, and how they are
//! typed.
//!
//! Each function is the value parser of an option of [`super::args::Args`]; what it returns as an error is put behind what clap
//! says of the option.

use std::time::Duration;

use library::TermScan;
use solver_host::output::{Level, Quiet};
use solver_host::search::{Optimization, Projection};

/// What to do about minimize statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptMode {
    /// What to look for.
    pub mode: Optimization,
    /// The most that each priority may cost, highest first.
    pub bound: Vec<i128>,
}

/// What to project answer sets onto.
pub type Project = Projection;

/// Names as they are printed, each with whether it is to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literals(pub Vec<(String, bool)>);

/// Whether clasp takes this value of an option for `no`.
pub fn is_no(typed: &str) -> bool {
    matches!(typed, "no" | "off" | "0")
}

/// Seconds, from 0; -1 is 0 as well, as with clasp
pub fn seconds(typed: &str) -> Result<Duration, String> {
    if typed == "-1" {
        return Ok(Duration::ZERO);
    }
    let number: f64 = typed.parse().map_err(|_| "expected a number of seconds".to_string())?;
    Duration::try_from_secs_f64(number).map_err(|_| "expected a number of seconds from 0".to_string())
}

/// Seconds, from a hundredth
pub fn interval(typed: &str) -> Result<Duration, String> {
    match typed.parse().map(Duration::try_from_secs_f64) {
        Ok(Ok(every)) if every >= Duration::from_millis(10) => Ok(every),
        _ => Err("expected a number of seconds from 0.01".into()),
    }
}

/// A number of answer sets from 0, or -1 for what is found if the option is left out
pub fn models(typed: &str) -> Result<i64, String> {
    match typed.parse() {
        Ok(number) if number >= -1 => Ok(number),
        _ => Err("expected a number of answer sets: 0 for all, -1 for the default".into()),
    }
}

/// A level, and what clasp lets follow for its second solver
pub fn level(typed: &str) -> Result<u8, String> {
    if is_no(typed) {
        return Ok(0);
    }
    let (level, second) = typed.split_once(',').unwrap_or((typed, "0"));
    match (level.parse(), second.parse::<u8>()) {
        (Ok(level), Ok(_)) => Ok(level),
        _ => Err("expected a level from 0".into()),
    }
}

/// `NAME=TERM`
pub fn constant(typed: &str) -> Result<String, String> {
    match typed.split_once('=') {
        Some((name, term)) if !name.is_empty() && !term.is_empty() => Ok(typed.to_string()),
        _ => Err("expected NAME=TERM".into()),
    }
}

/// `MODE[,BOUND]...`; as with clasp, in letters of any case
pub fn opt_mode(typed: &str) -> Result<OptMode, String> {
    let mut parts = typed.split(',');
    let mode = match parts.next().unwrap_or_default().to_ascii_lowercase().as_str() {
        "opt" => Optimization::Opt,
        "enum" => Optimization::Enum,
        "optn" => Optimization::OptN,
        "ignore" => Optimization::Ignore,
        _ => return Err("expected opt, enum, optN or ignore, and bounds behind commas".into()),
    };
    let bound =
        |text: &str| text.parse().map_err(|_| format!("a bound must be a whole number, not `{text}`"));
    Ok(OptMode { mode, bound: parts.map(bound).collect::<Result<_, _>>()? })
}

/// `auto`, `show`, `project` or `no`; what clasp lets follow behind a comma tunes its own algorithm
pub fn project(typed: &str) -> Result<Project, String> {
    let (onto, tuning) = typed.split_once(',').unwrap_or((typed, "0"));
    match (onto.to_ascii_lowercase().as_str(), tuning) {
        ("auto", "0" | "1" | "2" | "3") => Ok(Projection::Auto),
        ("show", "0" | "1" | "2" | "3") => Ok(Projection::Show),
        ("project", "0" | "1" | "2" | "3") => Ok(Projection::Project),
        (no, "0") if is_no(no) => Ok(Projection::No),
        _ => Err("expected auto, show, project or no".into()),
    }
}

/// `MODELS[,COSTS[,CALLS]]`; as with clasp, what is above 2 means 2
pub fn quiet(typed: &str) -> Result<Quiet, String> {
    let level = |text: &str| match text.parse::<u8>() {
        Ok(0) => Ok(Level::All),
        Ok(1) => Ok(Level::Last),
        Ok(_) => Ok(Level::None),
        Err(_) => Err(format!("a level is 0, 1 or 2, not `{text}`")),
    };
    let levels = typed.split(',').map(level).collect::<Result<Vec<_>, _>>()?;
    match levels[..] {
        [models] => Ok(Quiet { models, costs: models, calls: Level::None }),
        [models, costs] => Ok(Quiet { models, costs, calls: Level::None }),
        [models, costs, calls] => Ok(Quiet { models, costs, calls }),
        _ => Err("expected at most three levels".into()),
    }
}

/// Literals behind commas, which may stand in terms and strings as well.
pub fn literals(typed: &str) -> Result<Literals, String> {
    let all = names_in(typed)?.into_iter().map(|(name, holds)| (name.to_string(), holds));
    Ok(Literals(all.collect()))
}

/// The names of [`literals`] where they stand, each with whether it is to hold.
pub fn names_in(typed: &str) -> Result<Vec<(&str, bool)>, String> {
    let mut scan = TermScan::default();
    let parts: Vec<&str> = typed.split(|letter| scan.is_between(letter) && letter == ',').collect();
    if scan.is_inside() {
        return Err("a string or a parenthesis is not closed".into());
    }
    let literals = parts.into_iter().map(|part| {
        let part = part.trim();
        let (name, holds) = match part.strip_prefix("not") {
            Some(name) if name.starts_with(char::is_whitespace) => (name.trim_start(), false),
            _ => (part, true),
        };
        match name {
            "" | "not" => Err("a name is missing".to_string()),
            name => Ok((name, holds)),
        }
    });
    literals.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_split_at_commas_between_them() {
        let read = |typed| literals(typed).map(|Literals(all)| all);
        let of =
            |all: &[(&str, bool)]| Ok(all.iter().map(|&(name, holds)| (name.to_string(), holds)).collect());
        assert_eq!(read("a"), of(&[("a", true)]));
        assert_eq!(read("a, not b ,c"), of(&[("a", true), ("b", false), ("c", true)]));
        assert_eq!(read("p(1,f(2,3)),not q"), of(&[("p(1,f(2,3))", true), ("q", false)]));
        assert_eq!(read(r#"p("a,(",1),-q"#), of(&[(r#"p("a,(",1)"#, true), ("-q", true)]));
        assert_eq!(read(r#"p("\",not b")"#), of(&[(r#"p("\",not b")"#, true)]));
        assert_eq!(read("nothing,not(1)"), of(&[("nothing", true), ("not(1)", true)]));
        for wrong in ["", "a,,b", "a,", "not ", "p(1", "p)", "p(\"a)"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn levels_are_clasps() {
        let of = |models, costs, calls| Ok(Quiet { models, costs, calls });
        assert_eq!(quiet("1"), of(Level::Last, Level::Last, Level::None));
        assert_eq!(quiet("1,0"), of(Level::Last, Level::All, Level::None));
        assert_eq!(quiet("0,2,1"), of(Level::All, Level::None, Level::Last));
        assert_eq!(quiet("3"), of(Level::None, Level::None, Level::None));
        assert!(
            quiet("").is_err() && quiet("1,,2").is_err() && quiet("1,2,0,0").is_err() && quiet("x").is_err()
        );
    }

    #[test]
    fn modes_have_bounds() {
        assert_eq!(opt_mode("optN"), Ok(OptMode { mode: Optimization::OptN, bound: vec![] }));
        assert_eq!(opt_mode("enum,5,-3"), Ok(OptMode { mode: Optimization::Enum, bound: vec![5, -3] }));
        assert!(opt_mode("").is_err() && opt_mode("opt,").is_err() && opt_mode("min").is_err());
    }
}
