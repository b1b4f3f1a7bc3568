//! The advice that heuristic directives give for a candidate (Gebser et al., "Domain-specific Heuristics in
//! Answer Set Programming", AAAI 2013).
//!
//! Decisions call [`advised_rank`] for each candidate that they look at, and [`sign`] for the one that they
//! choose.
//!
//! Invariant: a directive is in force while its condition holds. Of the directives in force that state the
//! same property of an atom, the one with the highest priority counts, and of equal priorities the last.
//! That one comes first in its row. Directives change the order of decisions, but no answer set.

use crate::assign::is_held;
use crate::Lit;
use crate::{Own, Problem};

/// The properties of a candidate that directives state.
pub mod part {
    /// The candidate's level. Candidates of a higher level are decided first.
    pub const LEVEL: u32 = 0;
    /// The sign of the decision: positive for true, negative for false, and 0 for no advice.
    pub const SIGN: u32 = 1;
    /// The factor by which the rank is multiplied.
    pub const FACTOR: u32 = 2;
}

/// The number of properties: each advised candidate has a row of directives for each of them.
pub const PARTS: u32 = 3;
/// The bound of levels, which are `-LEVELS .. LEVELS`. Other levels are clamped.
pub const LEVELS: i32 = 256;
/// The number of ranks with advice, so that a level and a rank fit into 31 bits.
const RANKS: u32 = 1 << 22;

/// Returns the number of candidate `i` among the advised candidates, if it is one of them.
#[cuda_std::inlined]
pub fn advised(problem: &Problem, i: u32) -> Option<u32> {
    i.checked_sub(problem.first_candidates).filter(|&number| number < problem.advised)
}

/// Returns what the directives in force say of a property of advised candidate `number`. Any thread may call
/// this while the assignment does not change.
#[cuda_std::inlined]
fn in_force(problem: &Problem, own: &Own, number: u32, part: u32) -> Option<i32> {
    let row = PARTS * number + part;
    let mut d = problem.directive_start.read(row);
    let end = problem.directive_start.read(row + 1);
    while d < end {
        let condition = problem.directive_condition.read(d);
        if condition == Lit::TRUE || is_held(own, condition) {
            return Some(problem.directive_bias.read(d));
        }
        d += 1;
    }
    None
}

/// Returns whether any directive about candidate `i` is in force, if the candidate is advised.
#[cuda_std::inlined]
pub fn is_any_in_force(problem: &Problem, own: &Own, i: u32) -> bool {
    advised(problem, i)
        .is_none_or(|number| (0..PARTS).any(|part| in_force(problem, own, number, part).is_some()))
}

/// Returns the sign that directives give to a decision for candidate `i`, or 0.
#[cuda_std::inlined]
pub fn sign(problem: &Problem, own: &Own, i: u32) -> i32 {
    advised(problem, i).and_then(|number| in_force(problem, own, number, part::SIGN)).unwrap_or(0)
}

/// Returns whether the level or the factor of candidate `i` depends on the assignment. Nothing comes after a
/// directive that is always in force.
#[cuda_std::inlined]
pub fn is_conditional(problem: &Problem, i: u32) -> bool {
    let depends = |row: u32| {
        let at = problem.directive_start.read(row);
        at < problem.directive_start.read(row + 1) && problem.directive_condition.read(at) != Lit::TRUE
    };
    advised(problem, i)
        .is_some_and(|number| depends(PARTS * number + part::LEVEL) || depends(PARTS * number + part::FACTOR))
}

/// Returns the level of candidate `i` in the high bits and its changed rank in the low bits, 31 bits in all.
/// A candidate with a higher number is decided earlier. `rank` is the bits of a float. Any thread may call
/// this while the assignment does not change, or if the candidate is not conditional.
#[cuda_std::inlined]
pub fn advised_rank(problem: &Problem, own: &Own, i: u32, rank: u32) -> u32 {
    let (mut level, mut rank) = (0, f32::from_bits(rank));
    if let Some(number) = advised(problem, i) {
        level = in_force(problem, own, number, part::LEVEL).unwrap_or(0);
        rank *= in_force(problem, own, number, part::FACTOR).unwrap_or(1) as f32;
    }
    let level = (level.clamp(-LEVELS, LEVELS - 1) + LEVELS) as u32;
    // The highest bits of a float that is not negative, without the sign.
    level * RANKS + (rank.max(0.0).to_bits() >> (31 - RANKS.ilog2()))
}
