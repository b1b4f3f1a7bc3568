//! Recursive minimisation of a learned nogood, by one thread.
//!
//! Main function: [`is_implied`]. A literal of the nogood may be dropped if it follows from the others, by any
//! number of reasons (Sörensson and Biere 2009). Local minimisation, which a warp does (see
//! [`crate::kernels::learn_resolution`]), looks at the literal's own reason alone. One thread has a stack and
//! goes on to the reasons of that reason's literals.
//!
//! A literal *follows* if it is in the nogood, or of level 1, or if it has a reason all of whose other
//! literals follow, and a level that the nogood has. A literal of another level cannot follow, unless it
//! was derived later than its reason allowed, and is not looked at.
//!
//! What was found out of a variable is kept until the end of the analysis, so each reason is looked at once. A
//! variable that follows is marked. [`Marks::fail`] notes a variable that does
//! not follow.
//!
//! Invariant: what follows does so from literals that were assigned before it. So literals can be dropped
//! although others were marked because of them.

use crate::assign::{level_of, reason_of};
use crate::explanation::explanation_of;
use crate::layout::{ALL_DECISIONS, DECISION, NONE};
use crate::levels::Levels;
use crate::marks::Marks;
use crate::nogood::is_sum;
use crate::{Lit, Search};

/// Whether `lit`, which is in the nogood, follows from the others. `marks` has the variables of the nogood,
/// and `levels` its levels. Called by a block of one thread. Uses `spare_lit`.
#[inline(always)]
pub fn is_implied(s: &Search, marks: &Marks, levels: &Levels, lit: Lit) -> bool {
    let has_reason = |lit| !matches!(reason_of(&s.own, lit), DECISION | ALL_DECISIONS);
    if !has_reason(lit) {
        return false;
    }
    // A literal, and the index in its reason of the next literal to look at, for each step of the way here.
    // Each step has another variable, and a store of learned nogoods has room for one nogood of all variables
    // and for as many literals again.
    let (mut depth, mut at, mut i) = (0_u32, lit, 0);
    loop {
        match next_open(s, marks, at, &mut i) {
            Some(lit)
                if marks.has_failed(lit.var().0)
                    || !levels.has(level_of(&s.own, lit))
                    || !has_reason(lit) =>
            {
                // All on the way here needed the literal.
                marks.fail(lit.var().0);
                while depth > 0 {
                    marks.fail(at.var().0);
                    depth -= 1;
                    at = s.own.spare_lit.read(2 * depth);
                }
                return false;
            }
            Some(lit) => {
                s.own.spare_lit.write(2 * depth, at);
                s.own.spare_lit.write(2 * depth + 1, Lit(i));
                (depth, at, i) = (depth + 1, lit, 0);
            }
            None if depth == 0 => return true,
            None => {
                marks.add(true, at.var().0);
                depth -= 1;
                (at, i) = (s.own.spare_lit.read(2 * depth), s.own.spare_lit.read(2 * depth + 1).0);
            }
        }
    }
}

/// The first literal in the reason of `lit`, from index `i` on, that is not known to follow. Moves `i` past it.
#[inline(always)]
fn next_open(s: &Search, marks: &Marks, lit: Lit, i: &mut u32) -> Option<Lit> {
    let reason = reason_of(&s.own, lit);
    // A sum explains a literal by the items that held when the sum proposed it. Other nogoods do not depend on
    // time.
    let before = match is_sum(&s.problem, reason) {
        true => s.own.round_start.read(s.own.position.atomic(lit.var().0).load()),
        false => NONE,
    };
    let explanation = explanation_of(&s.problem, &s.own, reason, before, lit);
    while *i < explanation.len {
        let other = explanation.lit(&s.problem, &s.own, *i);
        *i += 1;
        let is_open = other != Lit::TRUE && other.var() != lit.var();
        if is_open && level_of(&s.own, other) > 1 && !marks.has(other.var().0) {
            return Some(other);
        }
    }
    None
}
