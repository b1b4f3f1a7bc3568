//! How an optimum is looked for: the values of `--opt-strategy` and `--opt-usc-shrink`, with clasp's names.
//!
//! Main types: [`OptStrategy`] and [`Shrink`].

use std::fmt;
use std::str::FromStr;

/// How an optimum is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OptStrategy {
    /// In turns if one searcher searches. If there are several, one thread goes by cores and looks near the
    /// best answer set in turns, and the others go by answer sets.
    #[default]
    Auto,
    /// By two searches of one thread in turns, one by cores and one by answer sets. The first turn takes so
    /// many conflicts, at least 1. Several searchers do as with [`OptStrategy::Auto`].
    Turns(u64),
    /// Model-guided: by answer sets, each better than the one before.
    Bb(Descent),
    /// Core-guided: by assumptions that nothing costs anything.
    Usc(Usc),
}

/// How far below the best costs the next answer set has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descent {
    /// Anything better, all priorities at once.
    Lin,
    /// Anything better, one priority after the other.
    Hier,
    /// One priority after the other, by steps that double with each answer set, up to half of the distance
    /// of the bounds.
    Inc,
    /// One priority after the other: at once down to the lower bound, then by half of the distance of the
    /// bounds.
    Dec,
}

/// What a core-guided search does besides relaxing cores by OLL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usc {
    /// Whether new literals wait until there is no core without them.
    pub disjoint: bool,
    /// Whether heavy literals are assumed first.
    pub stratify: bool,
    /// How many conflicts may be spent on taking a literal out of a core; 0: none is tried.
    pub minimise: u64,
    /// Whether it is tried how many literals of a core cost for sure.
    pub exhaust: bool,
}

impl Default for Usc {
    fn default() -> Usc {
        Usc { disjoint: true, stratify: true, minimise: DEFAULT_LIMIT, exhaust: true }
    }
}

impl OptStrategy {
    /// The conflicts of the first turn, if a search takes turns.
    pub(crate) fn first_turn(self) -> Option<u64> {
        match self {
            OptStrategy::Auto => Some(FIRST_TURN),
            OptStrategy::Turns(first) => Some(first),
            _ => None,
        }
    }

    /// Whether a guide leads a search (see [`crate::campaign::guide`]).
    pub(crate) fn has_guide(self) -> bool {
        self != OptStrategy::Bb(Descent::Lin)
    }

    /// Why a search for an optimum in this way cannot be "proved" or "traced", whichever is asked, if so. The
    /// proof of a thread follows one search alone, and so does its trace.
    pub fn undone(&self, asked: &str) -> Option<String> {
        let is_mixed = matches!(self, OptStrategy::Turns(_));
        let why =
            format!("an optimum that is looked for in turns cannot be {asked}: say usc or bb instead of");
        is_mixed.then(|| format!("{why} --opt-strategy={self}"))
    }
}

/// The descents by name.
const DESCENTS: [(&str, Descent); 4] =
    [("lin", Descent::Lin), ("hier", Descent::Hier), ("inc", Descent::Inc), ("dec", Descent::Dec)];

/// Ways to relax a core that clasp has as well, and that are accepted as `oll`.
pub const OTHER_RELAXATIONS: [&str; 3] = ["one", "k", "pmres"];

/// Ways to make a core smaller that clasp has as well, and that are accepted as `min`.
pub const OTHER_SHRINKS: [&str; 5] = ["lin", "inv", "bin", "rgs", "exp"];

/// clasp's numbers of tactics.
const DISJOINT: u32 = 1;
const STRATIFY: u32 = 4;

impl FromStr for OptStrategy {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let typed = typed.to_ascii_lowercase();
        let mut parts = typed.split(',');
        match parts.next().unwrap_or_default() {
            "auto" if parts.next().is_none() => Ok(OptStrategy::Auto),
            "turns" => turns(parts),
            "bb" | "0" => descent(parts),
            "usc" | "1" => tactics(parts).map(OptStrategy::Usc),
            _ => Err("expected auto, turns, bb or usc".into()),
        }
    }
}

/// The conflicts of the first turn, unless something else was asked for.
const FIRST_TURN: u64 = 300;

/// What follows `turns`.
fn turns<'a>(mut parts: impl Iterator<Item = &'a str>) -> Result<OptStrategy, String> {
    let first = parts.next().map_or(Ok(FIRST_TURN), str::parse);
    match (first, parts.next()) {
        (Ok(first @ 1..), None) => Ok(OptStrategy::Turns(first)),
        _ => Err("after turns expected the conflicts of the first turn, at least 1".into()),
    }
}

/// What follows `bb`.
fn descent<'a>(mut parts: impl Iterator<Item = &'a str>) -> Result<OptStrategy, String> {
    let name = parts.next().unwrap_or("lin");
    let number = |i: usize| name == i.to_string();
    let known = DESCENTS.iter().enumerate().find(|(i, (known, _))| *known == name || number(*i));
    match (known, parts.next()) {
        (Some((_, &(_, descent))), None) => Ok(OptStrategy::Bb(descent)),
        _ => Err("after bb expected lin, hier, inc or dec".into()),
    }
}

/// What follows `usc`.
fn tactics<'a>(parts: impl Iterator<Item = &'a str>) -> Result<Usc, String> {
    let (mut mask, mut is_said) = (0, false);
    for (i, part) in parts.enumerate() {
        match part {
            "oll" if i == 0 => continue,
            // Other ways to relax a core find the same optimum. Who typed them is told (see the command's notes).
            other if i == 0 && OTHER_RELAXATIONS.contains(&other) => continue,
            "disjoint" => mask |= DISJOINT,
            "stratify" => mask |= STRATIFY,
            // Constraints are never written twice.
            "succinct" => {}
            number => match number.parse::<u32>() {
                Ok(number) if number <= 7 => mask |= number,
                _ => {
                    return Err(
                        "after usc expected oll, then disjoint, succinct, stratify or a number up to 7"
                            .into(),
                    );
                }
            },
        }
        is_said = true;
    }
    let default = Usc::default();
    Ok(match is_said {
        false => default,
        true => Usc { disjoint: mask & DISJOINT != 0, stratify: mask & STRATIFY != 0, ..default },
    })
}

impl fmt::Display for OptStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptStrategy::Auto => f.write_str("auto"),
            OptStrategy::Turns(FIRST_TURN) => f.write_str("turns"),
            OptStrategy::Turns(first) => write!(f, "turns,{first}"),
            OptStrategy::Bb(descent) => {
                let name =
                    DESCENTS.iter().find(|(_, known)| known == descent).map_or("lin", |(name, _)| name);
                write!(f, "bb,{name}")
            }
            OptStrategy::Usc(usc) => {
                f.write_str("usc,oll")?;
                match (usc.disjoint, usc.stratify) {
                    (false, false) => f.write_str(",0"),
                    (disjoint, stratify) => {
                        f.write_str(if disjoint { ",disjoint" } else { "" })?;
                        f.write_str(if stratify { ",stratify" } else { "" })
                    }
                }
            }
        }
    }
}

/// Conflicts that are spent on taking a literal out of a core, unless something else was asked for.
const DEFAULT_LIMIT: u64 = 1 << 6;

/// Whether cores are made smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shrink {
    /// Cores are relaxed as they are found.
    No,
    /// Literals are taken out as long as that many conflicts refute the rest.
    Min(u64),
}

impl Default for Shrink {
    fn default() -> Shrink {
        Shrink::Min(DEFAULT_LIMIT)
    }
}

impl FromStr for Shrink {
    type Err = String;

    /// As for clasp, the number is the logarithm of the limit, and 0 means that there is none.
    fn from_str(typed: &str) -> Result<Self, String> {
        let typed = typed.to_ascii_lowercase();
        let expected = || "expected no, or min and up to 63 after a comma".to_string();
        match typed.split_once(',').unwrap_or((&typed, "")) {
            ("no", "") => Ok(Shrink::No),
            ("min", "") => Ok(Shrink::default()),
            ("min", limit) => match limit.parse::<u32>() {
                Ok(0) => Ok(Shrink::Min(u64::MAX)),
                Ok(limit) if limit < 64 => Ok(Shrink::Min(1 << limit)),
                _ => Err(expected()),
            },
            (other, limit) if OTHER_SHRINKS.contains(&other) => match limit {
                "" => Ok(Shrink::default()),
                limit => format!("min,{limit}").parse(),
            },
            _ => Err(expected()),
        }
    }
}

impl fmt::Display for Shrink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shrink::No => f.write_str("no"),
            Shrink::Min(u64::MAX) => f.write_str("min,0"),
            Shrink::Min(limit) => write!(f, "min,{}", limit.trailing_zeros()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shrinking_has_a_limit() {
        assert_eq!("min,7".parse(), Ok(Shrink::Min(128)));
        assert_eq!("min,0".parse(), Ok(Shrink::Min(u64::MAX)));
        for text in ["no", "min,10", "min,3", "min,0"] {
            assert_eq!(text.parse::<Shrink>().map(|shrink| shrink.to_string()), Ok(text.to_string()));
        }
        for wrong in ["", "max", "min,64", "max,3", "no,3"] {
            assert!(wrong.parse::<Shrink>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn strategies_have_clasps_names() {
        let typed = |text: &str| text.parse::<OptStrategy>();
        assert_eq!(typed("bb"), Ok(OptStrategy::Bb(Descent::Lin)));
        assert_eq!(typed("bb,inc"), Ok(OptStrategy::Bb(Descent::Inc)));
        assert_eq!(typed("usc"), Ok(OptStrategy::Usc(Usc::default())));
        assert_eq!((typed("0"), typed("1")), (typed("bb"), typed("usc")));
        assert_eq!(typed("usc,pmres"), typed("usc"));
        assert_eq!(typed("usc,oll,7"), typed("usc,disjoint,stratify"));
        let plain = Usc { disjoint: false, stratify: false, ..Usc::default() };
        assert_eq!(typed("usc,oll,0"), Ok(OptStrategy::Usc(plain)));
        assert_eq!(typed("turns"), Ok(OptStrategy::Turns(FIRST_TURN)));
        for wrong in [
            "turns,0",
            "turns,1,2",
            "turns,few",
            "",
            "bb,up",
            "usc,oll,8",
            "usc,oll,fast",
            "core",
            "auto,1",
            "bb,lin,hier",
        ] {
            assert!(typed(wrong).is_err(), "{wrong}");
        }
        for text in [
            "auto",
            "turns",
            "turns,7",
            "bb,dec",
            "usc,oll,stratify",
            "usc,oll,0",
            "usc,oll,disjoint,stratify",
        ] {
            assert_eq!(typed(text).map(|strategy| strategy.to_string()), Ok(text.to_string()));
        }
    }
}
