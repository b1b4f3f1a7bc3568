//! The advice that heuristic directives give for a candidate (Gebser et al., "Domain-specific Heuristics in
//! Answer Set Programming", AAAI 2013).
//!
//! Decisions call [`advice`] for each candidate.
//!
//! Invariant: a directive is in force while its condition holds. Of the directives in force that state the
//! same property of an atom, the one with the highest priority counts, and of equal priorities the last.
//! Directives change the order of decisions, but no answer set.

use crate::assign::{status, Status};
use crate::Lit;
use crate::{Own, Problem};

/// The modifiers of directives, with the numbers that aspif gives them.
pub mod modifier {
    /// The directive gives the atom a level. Atoms of a higher level are decided first.
    pub const LEVEL: u32 = 0;
    /// The directive gives the value with which the atom is decided.
    pub const SIGN: u32 = 1;
    /// The directive gives a factor for the atom's rank.
    pub const FACTOR: u32 = 2;
    /// The directive gives a number that is added to the atom's rank.
    pub const INIT: u32 = 3;
    /// The directive gives the atom a level and decides the atom as true.
    pub const TRUE: u32 = 4;
    /// The directive gives the atom a level and decides the atom as false.
    pub const FALSE: u32 = 5;
}

/// The bound of levels, which are `-LEVELS .. LEVELS`. Other levels are clamped.
pub const LEVELS: i32 = 256;
/// The number of ranks with advice, so that a level and a rank fit into 31 bits.
const RANKS: u32 = 1 << 22;
/// A bump counts as much as what a directive adds with this number.
const A_BUMP: f32 = 32.0;

/// The directives in force for one candidate, combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Advice {
    /// Whether a directive is in force for the candidate.
    pub any: bool,
    /// The candidate's level. Candidates of a higher level are decided first.
    pub level: i32,
    /// The sign of the decision: positive for true, negative for false, and 0 for no advice.
    pub sign: i32,
    /// The factor by which the rank is multiplied after `init` was added.
    pub factor: i32,
    /// The number that is added to the rank.
    pub init: i32,
}

/// Returns the advice for candidate `i` under the present assignment. Any thread may call this.
#[cuda_std::inlined]
pub fn advice(problem: &Problem, own: &Own, i: u32) -> Advice {
    let mut advice = Advice { factor: 1, ..Advice::default() };
    let Some(row) = i.checked_sub(problem.first_candidates).filter(|&row| row < problem.advised) else {
        return advice;
    };
    // The highest priority so far plus 1, for level, sign, factor and init; 0 if there was no such directive
    // yet.
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

/// Returns the level of `advice` in the high bits and the changed rank in the low bits, 31 bits in all. A
/// candidate with a higher number is decided earlier. `rank` and `bump` are the bits of floats. What a directive adds
/// to a rank is counted in 32nds of the present bump (`A_BUMP`).
#[cuda_std::inlined]
pub fn advised_rank(advice: Advice, rank: u32, bump: u32) -> u32 {
    let level = (advice.level.clamp(-LEVELS, LEVELS - 1) + LEVELS) as u32;
    let init = advice.init as f32 * (f32::from_bits(bump) / A_BUMP);
    let rank = (f32::from_bits(rank) + init) * advice.factor as f32;
    // The highest bits of a float that is not negative, without the sign.
    level * RANKS + (rank.max(0.0).to_bits() >> (31 - RANKS.ilog2()))
}
