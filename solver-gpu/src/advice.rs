//! What heuristic directives say of a candidate at the moment (Gebser et al., "Domain-specific Heuristics in Answer Set Programming",
//! AAAI 2013).
//!
//! A directive is in force while its condition holds. Of those that say the same kind of thing of an atom the one of the highest
//! priority counts, the later of equals. No answer set depends on any of this.

use crate::assign::{status, Status};
use crate::Lit;
use crate::{Own, Problem};

/// Kinds of directives, as aspif numbers them.
pub mod modifier {
    /// Atoms of a higher level are decided first.
    pub const LEVEL: u32 = 0;
    /// Which value to decide for.
    pub const SIGN: u32 = 1;
    /// The atom's rank is multiplied.
    pub const FACTOR: u32 = 2;
    /// The atom's rank is added to.
    pub const INIT: u32 = 3;
    /// A level, and to decide for true.
    pub const TRUE: u32 = 4;
    /// A level, and to decide for false.
    pub const FALSE: u32 = 5;
}

/// Levels are between this with a minus, and this less one.
pub const LEVELS: i32 = 256;
/// Ranks are below this, so that levels go before them in 31 bits.
const RANKS: u32 = 1 << 22;

/// What is in force for one candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Advice {
    /// Whether anything is.
    pub any: bool,
    /// See [`modifier::LEVEL`].
    pub level: i32,
    /// More than 0: true; less: false.
    pub sign: i32,
    /// What the rank is multiplied by.
    pub factor: i32,
    /// What is added to it first.
    pub init: i32,
}

/// The advice for candidate `i`.
#[inline(always)]
pub fn advice(problem: &Problem, own: &Own, i: u32) -> Advice {
    let mut advice = Advice { factor: 1, ..Advice::default() };
    let Some(row) = i.checked_sub(problem.first_candidates).filter(|&row| row < problem.advised) else {
        return advice;
    };
    // The highest priority so far, plus 1, of level, sign, factor and init.
    let mut best = [0u32; 4];
    let mut d = problem.directive_start.read(row);
    let end = problem.directive_start.read(row + 1);
    while d < end {
        let condition = problem.directive_condition.read(d);
        if condition == Lit::TRUE || status(own, condition) == Status::Held {
            let (kind, bias) = (problem.directive_kind.read(d), problem.directive_bias.read(d));
            let priority = problem.directive_priority.read(d) + 1;
            advice.any = true;
            let is_level = kind == modifier::LEVEL || kind >= modifier::TRUE;
            if is_level && priority >= best[0] {
                (best[0], advice.level) = (priority, bias);
            }
            if (kind == modifier::SIGN || kind >= modifier::TRUE) && priority >= best[1] {
                let sign =
                    if kind == modifier::SIGN { bias } else { 1 - 2 * (kind == modifier::FALSE) as i32 };
                (best[1], advice.sign) = (priority, sign);
            }
            if kind == modifier::FACTOR && priority >= best[2] {
                (best[2], advice.factor) = (priority, bias);
            }
            if kind == modifier::INIT && priority >= best[3] {
                (best[3], advice.init) = (priority, bias);
            }
        }
        d += 1;
    }
    advice
}

/// The rank of a candidate with its level before it, in 31 bits.
#[inline(always)]
pub fn advised_rank(advice: Advice, rank: u32) -> u32 {
    let level = (advice.level.clamp(-LEVELS, LEVELS - 1) + LEVELS) as u32;
    let rank = (rank.min(RANKS) as i64 + advice.init as i64) * advice.factor as i64;
    level * RANKS + rank.clamp(0, RANKS as i64 - 1) as u32
}
