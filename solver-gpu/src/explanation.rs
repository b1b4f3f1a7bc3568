//! Explanations: the literals for which a nogood or a sum was violated or forced a literal.
//!
//! The learning kernels call [`explanation_by_warp`] and continue with the literals of the [`Explanation`]. What
//! one thread does for itself goes through the literals by [`first_literal`].
//!
//! Invariant: all literals of an explanation hold, except the complement of the literal that is explained.

use crate::layout::{NogoodId, TrailPosition};
use crate::nogood::{is_sum, nogood_of, Nogood};
use crate::sums::{held_before, needed_by_warp, Needed, Reached};
use crate::threads::token::WholeWarp;
use crate::Lit;
use crate::{Own, Problem};

/// Returns the first literal for which `is_wanted` returns true, of those for which nogood or sum `id` proposed
/// `of`, or for which it is violated if `of` is [`Lit::TRUE`]. Returns [`Lit::TRUE`] if there is none.
///
/// The explanation by a nogood has all the nogood's literals. The explanation by a sum has the literals that
/// the sum needs, among the literals on the trail before position `before`. Each thread calls this for
/// itself, and the function looks at no literal behind the one that it returns.
#[cuda_std::inlined]
pub fn first_literal(
    problem: &Problem,
    own: &Own,
    id: NogoodId,
    before: TrailPosition,
    of: Lit,
    mut is_wanted: impl FnMut(Lit) -> bool,
) -> Lit {
    if !is_sum(problem, id) {
        let nogood = nogood_of(problem, own, id);
        for i in 0..nogood.len {
            let lit = nogood.lit(i);
            if is_wanted(lit) {
                return lit;
            }
        }
        return Lit::TRUE;
    }
    next_of_sum(problem, own, &mut Needed::from(id.sum_index(), before, of, Reached::NOTHING), is_wanted)
}

/// Returns the first literal for which `is_wanted` returns true, of those that a sum still needs, and of its
/// condition; [`Lit::TRUE`] if there is none.
#[cuda_std::inlined]
pub fn next_of_sum(
    problem: &Problem,
    own: &Own,
    needed: &mut Needed,
    mut is_wanted: impl FnMut(Lit) -> bool,
) -> Lit {
    let lit = needed.find(problem, own, &mut is_wanted);
    if lit != Lit::TRUE {
        return lit;
    }
    let condition = problem.sum_condition.read(needed.sum);
    if condition != Lit::TRUE && is_wanted(condition) {
        return condition;
    }
    Lit::TRUE
}

/// Returns why nogood or sum `id` proposed `of`, or why it is violated if `of` is [`Lit::TRUE`]. The literals
/// are those that [`first_literal`] looks at. All lanes pass the same arguments, and share the work.
#[cuda_std::inlined]
pub fn explanation_by_warp(
    warp: &mut WholeWarp,
    problem: &Problem,
    own: &Own,
    id: NogoodId,
    before: TrailPosition,
    of: Lit,
) -> Explanation {
    if !is_sum(problem, id) {
        return nogood_of(problem, own, id).into();
    }
    let sum = id.sum_index();
    let (first, items) = needed_by_warp(warp, problem, own, sum, before, of);
    let nogood = Nogood::new(problem.sum_lit, first, items);
    Explanation { nogood, len: items + 1, before, condition: problem.sum_condition.read(sum) }
}

/// Returns the number of literals of nogood `id`. For a sum that is the number of all its items, plus one for
/// the condition.
#[cuda_std::inlined]
pub fn length_of(problem: &Problem, own: &Own, id: NogoodId) -> u32 {
    if !is_sum(problem, id) {
        return nogood_of(problem, own, id).len;
    }
    let sum = id.sum_index();
    problem.sum_start.read(sum + 1) - problem.sum_start.read(sum) + 1
}

/// The literals for which a nogood was unit or violated.
///
/// For a sum nogood the literals are the condition and, among some items of the sum, those that held before a
/// position on the trail.
#[derive(Clone, Copy)]
pub struct Explanation {
    /// The nogood, or items of the sum.
    nogood: Nogood,
    /// The number of indices of [`Explanation::lit`]. Some indices of a sum have no literal.
    pub len: u32,
    /// The position on the trail before which items of the sum count, or [`TrailPosition::BEYOND`] for a
    /// nogood.
    before: TrailPosition,
    /// The condition of the sum, or [`Lit::TRUE`].
    condition: Lit,
}

impl From<Nogood> for Explanation {
    /// Returns the explanation by all literals of a nogood.
    #[cuda_std::inlined]
    fn from(nogood: Nogood) -> Self {
        Explanation { nogood, len: nogood.len, before: TrailPosition::BEYOND, condition: Lit::TRUE }
    }
}

impl Explanation {
    /// Returns the literal with index `i`, or [`Lit::TRUE`] if that index has no literal.
    ///
    /// The result is not an `Option`, for the reason that [`crate::not_held::Found`] states.
    #[cuda_std::inlined]
    pub fn lit(self, problem: &Problem, own: &Own, i: u32) -> Lit {
        if self.before != TrailPosition::BEYOND {
            let item = self.nogood.first() + i;
            if i == self.nogood.len {
                return self.condition;
            }
            if !held_before(problem, own, item, self.before) || own.sum_weight.read(item) == 0 {
                return Lit::TRUE;
            }
        }
        self.nogood.lit(i)
    }
}
