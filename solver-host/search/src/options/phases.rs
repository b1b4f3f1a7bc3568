//! How far a jump back has to go to save the phases of what it undoes.

use std::fmt;
use std::str::FromStr;

/// When a jump back saves the phases of what it undoes (see the kernel `backjump`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SaveProgress {
    /// As measured best.
    #[default]
    Auto,
    /// If it goes back over more levels than this; 0: never.
    Levels(u32),
}

impl SaveProgress {
    /// The levels for a search of which `best` was measured best.
    pub fn levels(self, best: u32) -> u32 {
        match self {
            SaveProgress::Auto => best,
            SaveProgress::Levels(levels) => levels,
        }
    }
}

impl FromStr for SaveProgress {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        match typed.parse() {
            Ok(levels) => Ok(SaveProgress::Levels(levels)),
            _ if typed.eq_ignore_ascii_case("auto") => Ok(SaveProgress::Auto),
            _ if typed.eq_ignore_ascii_case("no") => Ok(SaveProgress::Levels(0)),
            _ => Err(format!("expected auto, no, or a number from 0 to {}", u32::MAX)),
        }
    }
}

impl fmt::Display for SaveProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SaveProgress::Auto => f.write_str("auto"),
            SaveProgress::Levels(levels) => levels.fmt(f),
        }
    }
}
