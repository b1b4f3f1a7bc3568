//! How far a jump back has to go to save the phases of what it undoes.

use super::parallel::number_or_auto;

number_or_auto! {
    /// When a jump back saves the phases of what it undoes (see the kernel `backjump`).
    SaveProgress {
        /// If it goes back over more levels than this; 0: never.
        Levels
    } by |typed: &str| match typed.parse() {
        Err(_) if typed.eq_ignore_ascii_case("no") => Ok(0),
        number => number.map_err(|_| format!("expected auto, no, or a number from 0 to {}", u32::MAX)),
    }
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
